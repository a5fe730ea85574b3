// Formulas in place: a button opens the lines by which its dial, matrix or chart is computed, in a popover next to it.
//
//   zoom(button, "s8-loss");               // the formulas of "Loss" in section 8
//   zoom(button, "s2", ["θ_t", "p_t"]);    // of section 2 these lines alone, by their left sides as in SPEC.md
//
// section is the id of a heading of formulas.html; what is shown is the first block of formulas below it. That page is
// fetched once, when the first popover opens: no formula stands in a script. A second call for a button replaces the
// first. The button needs a name of its own; the browser reports whether it is expanded, and Escape closes it. Where
// there are no popovers the button goes to the section. The style is in base.css, which every page has. Pages that
// are mostly text have formulas without a script: site/build/zoom.go.
import { html } from "./html.js";

const address = new URL("../formulas.html", import.meta.url);
let page; // the promise of its document

/** zoom makes a button open the formulas of a section: those of some left sides, or all. */
export function zoom(button, section, lefts = []) {
  button.popoverTargetElement?.remove();
  const link = html("a", { href: `${address}#${section}`, textContent: "All of it, with words" });
  const box = html("div", { className: "zoom", popover: "auto" });
  if (!box.showPopover) return void (button.onclick = () => link.click());
  document.body.append(box);
  button.popoverTargetElement = box;
  let whole = false;
  box.addEventListener("beforetoggle", async ({ newState }) => {
    if (newState !== "open" || whole) return;
    box.replaceChildren("Loading …");
    try {
      box.replaceChildren(...await lines(section, lefts), link);
      whole = true;
    } catch (e) {
      box.replaceChildren(`The formulas did not load: ${e.message}. `, link);
    }
  });
  new ResizeObserver(() => place(box, button)).observe(box); // as it opens, and as what was loaded comes
}

/** lines is the title of a section and its formulas. */
async function lines(section, lefts) {
  page ??= fetch(address).then(async (answer) => {
    if (!answer.ok) throw new Error(`${answer.status} for ${address}`);
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  });
  page.catch(() => { page = undefined; }); // the next time it is tried again
  const heading = (await page).getElementById(section);
  let at = heading;
  while (at && !at.matches(".formula")) at = at.nextElementSibling;
  if (!at) throw new Error(`${section} is no section with formulas`);
  const title = html("b", { textContent: heading.textContent }), block = document.importNode(at, true);
  const wanted = lefts.map((left) => left.replace(/[_^{}]/g, ""));
  for (const row of wanted.length ? block.querySelectorAll(".row") : []) {
    if (!wanted.includes(row.firstElementChild.textContent.split(" =")[0])) row.remove();
  }
  return [title, block];
}

/** place puts an open popover below its button, or above where it does not fit, inside the window. */
function place(box, button) {
  const at = button.getBoundingClientRect(), edge = 6;
  const width = document.documentElement.clientWidth; // innerWidth grows on a phone where something sticks out
  const fits = at.bottom + box.offsetHeight + 2 * edge <= innerHeight;
  const top = fits ? at.bottom + edge : at.top - box.offsetHeight - edge;
  box.style.top = `${Math.max(edge, top)}px`;
  box.style.left = `${Math.max(edge, Math.min(at.left, width - box.offsetWidth - edge))}px`;
}
