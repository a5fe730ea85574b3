// Projector mode: one thing fills the screen in large letters, and each key is one step.
import * as keys from "../keys.js";

/**
 * projector makes a button that enters and leaves the mode, the key P too. before() is called while the page still
 * looks as it did, on(entered) when the mode was entered or left. go(by) takes a step, +1 or -1. While it is on,
 * <html> has the attribute data-projector. Where the browser refuses the full screen the mode fills the window.
 */
export function projector(button, { before = () => {}, on = () => {}, go }) {
  const root = document.documentElement;
  const active = () => root.hasAttribute("data-projector");
  let had; // what had the focus, and loses it where it is hidden meanwhile

  function set(to) {
    if (to === active()) return;
    if (to) {
      had = document.activeElement;
      before();
    }
    root.toggleAttribute("data-projector", to);
    if (!to && document.activeElement === document.body) had.focus({ preventScroll: true });
    button.setAttribute("aria-pressed", String(to));
    // Refused: it fills the window. Left again meanwhile: so is the full screen.
    if (to) root.requestFullscreen?.().then(() => active() || document.exitFullscreen()).catch(() => {});
    else if (document.fullscreenElement) document.exitFullscreen();
    on(to);
  }

  button.addEventListener("click", () => set(!active()));
  addEventListener("click", ({ detail }) => { // what was moved or ticked with the pointer gives the keys back
    if (detail && active()) document.querySelector("input:is([type=range], [type=checkbox]):focus")?.blur();
  });
  document.addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) set(false); });

  const steps = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 };
  // It comes before the page's own keys, which mean something else.
  addEventListener("keydown", (e) => {
    const typing = e.target.closest?.("input, select, textarea");
    if (e.ctrlKey || e.metaKey || e.altKey || typing || document.querySelector("dialog[open]")) return;
    if (active() && e.key in steps) go(steps[e.key]);
    else if (active() && e.key === "Escape") set(false);
    else if (e.key.toLowerCase() === "p" && !e.repeat && keys.enabled()) set(!active());
    else return;
    e.preventDefault();
    e.stopImmediatePropagation();
  }, { capture: true });
  return { active, leave: () => set(false) };
}
