// What the page says: lasting messages with buttons, and a polite voice for screen readers that does not chatter.
import { $, html, press } from "./html.js";

const BRIEF = 10_000; // ms that a confirmation stays

/**
 * message shows a lasting text. actions: [[label, callback]]; a callback takes the message away first. One message
 * per kind: a newer one replaces it. brief: it confirms what was pressed, goes by itself, and there is one of its kind
 * at a time. The newest stands at the lower edge of the window until its place, above all, comes into view.
 */
export function message(kind, text, actions = [], { bad = false, brief = false } = {}) {
  const root = $("messages");
  root.querySelector(`[data-kind="${kind}"]`)?.remove();
  if (brief) root.querySelector("[data-brief]")?.remove();
  const box = html("div", { className: bad ? "message bad" : "message", role: bad ? "alert" : "status" },
    ...[].concat(text).map((textContent) => html("p", { textContent })));
  box.dataset.kind = kind;
  const remove = () => {
    if (box.contains(document.activeElement)) $("main").focus({ preventScroll: true });
    box.remove();
  };
  const fade = () => (box.matches(":hover, :focus-within") ? setTimeout(fade, BRIEF) : remove());
  if (brief) setTimeout(fade, BRIEF);
  box.toggleAttribute("data-brief", brief);
  for (const [label, act] of [...actions, ["Dismiss", () => {}]]) box.append(press(label, () => { remove(); act(); }));
  root.append(box);
  if (box.getBoundingClientRect().top < 0) aside(root, box);
}

/** aside brings a message into the window whose place the page was scrolled past. */
function aside(root, box) {
  const back = () => root.querySelector(".aside")?.classList.remove("aside");
  back();
  box.classList.add("aside");
  new IntersectionObserver((entries, observer) => {
    if (!entries.at(-1).isIntersecting && box.isConnected) return;
    observer.disconnect();
    if (box.isConnected) back();
  }).observe(root);
}

/** clear takes a kind of message away. */
export const clear = (kind) => document.querySelector(`#messages [data-kind="${kind}"]`)?.remove();

const QUIET = 8000; // ms between two announcements that can wait
let last = -QUIET, waiting = 0, next = "";

/** announce says a text to screen readers: at once, or where it can wait the newest, some seconds after the last. */
export function announce(text, wait = false) {
  const say = (now) => {
    $("live").textContent = now;
    last = performance.now();
  };
  if (!wait) return say(text);
  next = text;
  if (waiting) return;
  waiting = setTimeout(() => { waiting = 0; say(next); }, Math.max(0, last + QUIET - performance.now()));
}
