// Single keys. They can be switched off, and never act while something is typed or another control has the key.
let on = true;
try { on = localStorage.getItem("keys") !== "off"; } catch { /* on */ }

export const enabled = () => on;

export function enable(value) {
  on = value;
  try { localStorage.setItem("keys", value ? "on" : "off"); } catch { /* for this visit */ }
}

const typed = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]";

/** listen calls actions[key] for a single key; the key of a letter is lower case. */
export function listen(actions) {
  addEventListener("keydown", (e) => {
    if (!on || e.repeat || e.defaultPrevented) return;
    if (e.ctrlKey || e.metaKey || e.altKey || document.querySelector("dialog[open]")) return;
    const key = e.key.length === 1 ? e.key.toLowerCase() : e.key;
    if (!Object.hasOwn(actions, key)) return;
    const typing = e.target.closest(typed);
    const pressing = e.target.closest("button, a, summary, input");
    if (typing || (key === " " && pressing) || (key.startsWith("Arrow") && e.target.closest("input, .scroll"))) return;
    e.preventDefault();
    actions[key]();
  });
}
