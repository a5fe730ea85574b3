// What the page says: lasting messages with buttons, and a polite voice for screen readers that does not chatter.

/**
 * message shows a lasting text. actions: [[label, callback]]; a callback takes the message away first. Returns a
 * function that takes it away. One message per kind: a newer one replaces it.
 */
export function message(kind, text, actions = [], { bad = false } = {}) {
  const root = document.getElementById("messages");
  root.querySelector(`[data-kind="${kind}"]`)?.remove();
  const box = document.createElement("div");
  box.className = bad ? "message bad" : "message";
  box.dataset.kind = kind;
  box.setAttribute("role", bad ? "alert" : "status");
  for (const line of [].concat(text)) {
    const p = document.createElement("p");
    p.textContent = line;
    box.append(p);
  }
  const remove = () => {
    if (box.contains(document.activeElement)) document.getElementById("main").focus();
    box.remove();
  };
  for (const [label, act] of [...actions, ["Dismiss", () => {}]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => { remove(); act(); });
    box.append(button);
  }
  root.append(box);
  return remove;
}

/** clear takes a kind of message away. */
export const clear = (kind) => document.querySelector(`#messages [data-kind="${kind}"]`)?.remove();

const QUIET = 8000; // ms between two announcements that can wait
let last = -QUIET, waiting = 0, next = "";

/**
 * announce says a text to screen readers: at once, or, if it can wait, the newest one when the last is long enough
 * ago.
 */
export function announce(text, wait = false) {
  const say = (now) => {
    document.getElementById("live").textContent = now;
    last = performance.now();
  };
  if (!wait) return say(text);
  next = text;
  if (waiting) return;
  waiting = setTimeout(() => { waiting = 0; say(next); }, Math.max(0, last + QUIET - performance.now()));
}
