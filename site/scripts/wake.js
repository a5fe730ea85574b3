// Keeps the screen on while something trains, where the browser can.
let lock = null, wanted = false;

/** awake asks for the lock or gives it back; the browser takes it away as the tab hides, so it is asked for again. */
export async function awake(on) {
  if (on === wanted) return; // after a refusal too: it is asked with every few steps
  wanted = on;
  if (!on) {
    const old = lock;
    lock = null;
    return void old?.release().catch(() => {});
  }
  if (lock || document.hidden || !navigator.wakeLock) return;
  try {
    const got = await navigator.wakeLock.request("screen");
    if (!wanted || lock) return void got.release();
    lock = got;
    got.addEventListener("release", () => { if (lock === got) lock = null; });
  } catch { /* refused, for example to save power: training goes on */ }
}

document.addEventListener("visibilitychange", () => {
  if (!wanted || document.hidden) return;
  wanted = false;
  awake(true);
});
