// The circle's frame. The program draws in a Worker, on this frame's canvas; where the browser cannot draw off the
// screen it runs here, and ebiten makes a canvas of its own. This script passes on what the page says and what keys,
// mouse and fingers do, and says in words what keeps the circle from running.
const status = document.getElementById("status");
globalThis.alive = true; // this script came: the page looks here when the frame has loaded
const origin = location.origin === "null" ? "*" : location.origin; // pages opened from files have no origin to name

const post = (message) => { if (parent !== self) parent.postMessage({ ...message, mhacsp: "circle" }, origin); };

function fail(text) {
  const p = document.getElementById("failed");
  p.textContent = text;
  p.hidden = false;
  post({ type: "error", text, fatal: true });
}

function dress(canvas) {
  const attributes = {
    tabindex: "0", role: "application", "aria-describedby": "status",
    "aria-label": "Phase circle. Space plays, arrow keys step, 1 to 5 choose the layer, H the head.",
  };
  for (const [name, value] of Object.entries(attributes)) canvas.setAttribute(name, value);
  canvas.style.removeProperty("outline");
}

let ours = new Set(); // the keys that the circle uses

/** used reports whether a key is the circle's: Tab must leave the frame, and the browser's own chords are its own. */
const used = (e) => !(e.ctrlKey || e.metaKey || e.altKey) && (ours.has(e.code) || ours.has(e.key) || e.key === "H");

/** What the program may call, wherever it runs. */
const circle = {
  dark: location.hash === "#dark",
  hear: () => {}, // the program's own
  post,
  say: (text) => { status.textContent = text; },
  keys: (list) => { ours = new Set(list); },
  ready: () => dress(document.querySelector("canvas")),
  rest: () => {},
};
let tell; // gives the program a command

// Only the page around this frame is heard.
addEventListener("message", (e) => {
  const inside = parent !== self && e.source === parent && e.origin === location.origin;
  if (inside && e.data?.mhacsp === "circle") tell(e.data);
});

// A finger scrubs on the track, as a touch only here: a tap still arrives as a click, and the page scrolls by what is
// not sideways (touch-action in frame.html).
const touches = { touchstart: "down", touchmove: "move", touchend: "up", touchcancel: "up" };
for (const [event, phase] of Object.entries(touches)) {
  addEventListener(event, ({ changedTouches: [t] }) => {
    tell({ type: "touch", phase, x: t.clientX / innerWidth, y: t.clientY / innerHeight });
  }, { capture: true, passive: true });
}

// A pointer that leaves is on no dot any more; ebiten is not told so by itself.
document.documentElement.addEventListener("mouseleave", () => {
  document.querySelector("canvas")?.dispatchEvent(new MouseEvent("mousemove", { clientX: -1, clientY: -1 }));
});

/** inWorker hands the canvas to a Worker. Where that does not come to a picture the program runs here. */
function inWorker() {
  const canvas = document.createElement("canvas");
  dress(canvas);
  document.body.prepend(canvas);
  const worker = new Worker(new URL("worker.js", import.meta.url), { type: "module", name: "circle" });
  let ready = false;
  const failed = (text) => {
    if (ready) return fail(text);
    worker.terminate();
    observer.disconnect();
    canvas.remove();
    inFrame();
  };
  const does = {
    post(message) {
      if (message.type === "ready") ready = true;
      if (ready) post(message); // before that there is only why it could not start, and the program in the frame may
    },
    say: circle.say, keys: circle.keys, failed, cursor: (cursor) => { canvas.style.cursor = cursor; },
    lost: () => location.reload(), // the Worker's program holds what the graphics card forgot
  };
  worker.addEventListener("message", ({ data }) => {
    for (const [kind, value] of Object.entries(data)) does[kind](value);
  });
  worker.addEventListener("error", (e) => {
    e.preventDefault();
    failed(`The circle stopped: ${e.message}. Reload the page to see it again.`);
  });
  const offscreen = canvas.transferControlToOffscreen();
  const size = () => ({ width: document.body.clientWidth, height: document.body.clientHeight });
  worker.postMessage({ canvas: offscreen, ...size(), ratio: devicePixelRatio, dark: circle.dark }, [offscreen]);
  tell = (message) => worker.postMessage({ message });
  const observer = new ResizeObserver(() => worker.postMessage({ size: size() }));
  observer.observe(document.body);
  const send = (e) => {
    const { type, code, key, repeat, button, clientX, clientY } = e;
    const locks = ["CapsLock", "NumLock"].filter((name) => e.getModifierState?.(name));
    worker.postMessage({ event: { type, code, key, repeat, button, clientX, clientY, locks } });
  };
  for (const type of ["keydown", "keyup", "mousedown", "mouseup", "mousemove"]) {
    canvas.addEventListener(type, (e) => {
      if (type.startsWith("key") && !used(e)) return;
      if (type === "mousedown") canvas.focus();
      e.preventDefault();
      send(e);
    });
  }
  canvas.addEventListener("blur", send);
}

/**
 * inFrame runs the program here, and keeps from ebiten what the circle does not use, since ebiten suppresses the
 * browser's own action for all that it gets.
 */
async function inFrame() {
  const keep = (e) => e.stopImmediatePropagation();
  for (const type of ["keydown", "keyup"]) addEventListener(type, (e) => { if (!used(e)) keep(e); }, true);
  const unused = ["wheel", "touchstart", "touchmove", "touchend", "contextmenu", "dragover", "drop"];
  for (const type of unused) addEventListener(type, keep, true);
  tell = (message) => circle.hear(message);
  try {
    if (!document.createElement("canvas").getContext("webgl2")) {
      throw new Error("this browser has no WebGL 2; switch hardware acceleration on or use another browser");
    }
    globalThis.circle = circle;
    const { run } = await import("./program.js");
    await run();
    fail("The circle stopped. Reload the page to see it again.");
  } catch (e) {
    const [named] = /https?:[^\s'"]+?\.js\b/.exec(e.message) ?? []; // the script that could not be imported
    const why = named && await globalThis.hostFault?.(named);
    fail(`The circle cannot be shown: ${(why || e.message).replace(/\.$/, "")}.`);
  }
}

if (HTMLCanvasElement.prototype.transferControlToOffscreen) inWorker();
else inFrame();
