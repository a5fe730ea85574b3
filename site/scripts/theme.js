// Dark or light: the system's preference until the visitor chooses.

const root = document.documentElement;
const preference = matchMedia("(prefers-color-scheme: dark)");
const motion = matchMedia("(prefers-reduced-motion: reduce)");

/** dark tells what is shown now. */
export function dark() {
  const chosen = root.dataset.theme;
  return chosen ? chosen === "dark" : preference.matches;
}

/** reduced reports whether the visitor asked for less motion. */
export const reduced = () => motion.matches;

/** onChange calls back whenever dark or reduced changes. */
export function onChange(callback) {
  preference.addEventListener("change", callback);
  motion.addEventListener("change", callback);
  addEventListener("mhacsp-theme", callback);
}

/** set shows "dark" or "light" and remembers it. */
export function set(theme, remember = true) {
  root.style.colorScheme = root.dataset.theme = theme;
  if (remember) {
    try { localStorage.setItem("theme", theme); } catch { /* shown, but not remembered */ }
  }
  dispatchEvent(new Event("mhacsp-theme"));
}

/** unset goes back to what was remembered, or else to the system's preference, as theme-early.js begins. */
export function unset() {
  let kept = null;
  try { kept = localStorage.getItem("theme"); } catch { /* no storage */ }
  if (kept === "dark" || kept === "light") return set(kept, false);
  root.style.colorScheme = "";
  delete root.dataset.theme;
  dispatchEvent(new Event("mhacsp-theme"));
}

export const toggle = () => set(dark() ? "light" : "dark");
