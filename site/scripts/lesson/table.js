// The table of all sums of two digits, coloured by what a network answers, and the dials of its hands that became
// clocks. Both show a frame, the network at one moment: {step, loss, answers [81], sure [81], hands of {unit, k, r,
// first [81], second [81]}}, sums in the order a·9 + b, hands in turns after the first and after the second number.
import { dial, MARKS, modulo, turns } from "../clocks/dial.js";
import { html } from "../html.js";
import { exactness, sure } from "../numbers.js";

/** rightOf is how many of the 81 sums a frame has right. */
export const rightOf = ({ answers }) =>
  answers.filter((x, i) => Number(x) === modulo(Math.floor(i / MARKS) + i % MARKS)).length;

/** Table dispatches "chosen" with the pair [a, b] of a square that was pressed. */
export class Table extends EventTarget {
  #cells = []; // [81], a·9 + b
  #frame = null;
  #pair = []; // the sum that is read: [a, b], or [a], or []
  #pointed = null; // the square under the pointer or with the focus
  #line;

  /** table is an empty <table role="grid">, line the element that says what the network answers to one sum. */
  constructor(table, line) {
    super();
    this.#line = line;
    table.append(html("tr", {}, html("th", { textContent: "+" }),
      ...Array.from({ length: MARKS }, (_, b) => html("th", { scope: "col", textContent: String(b) }))),
    ...Array.from({ length: MARKS }, (_, a) => html("tr", {}, html("th", { scope: "row", textContent: String(a) }),
      ...Array.from({ length: MARKS }, (_, b) => this.#cell(a, b)))));
    for (const type of ["pointerleave", "focusout"]) table.addEventListener(type, () => this.#point(null));
    this.#cells[0].tabIndex = 0;
  }

  #cell(a, b) {
    const cell = html("td", { tabIndex: -1 });
    cell.addEventListener("click", () => this.#chosen(a, b));
    for (const type of ["pointerenter", "focus"]) cell.addEventListener(type, () => this.#point([a, b]));
    cell.addEventListener("keydown", (e) => this.#key(e, a, b));
    this.#cells.push(cell);
    return cell;
  }

  #chosen(a, b) { this.dispatchEvent(new CustomEvent("chosen", { detail: [a, b] })); }

  #point(pair) {
    this.#pointed = pair;
    this.#say();
  }

  #key(e, a, b) {
    const ways = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const [down, on] = ways[e.key] ?? [0, 0];
    if (e.key === "Enter" || e.key === " ") this.#chosen(a, b);
    else if (!down && !on) return;
    e.preventDefault();
    const next = this.#cells[Math.max(0, Math.min(8, a + down)) * MARKS + Math.max(0, Math.min(8, b + on))];
    for (const cell of this.#cells) cell.tabIndex = cell === next ? 0 : -1;
    next.focus();
  }

  #say() {
    if (!this.#frame) return;
    const [a, b] = this.#pointed ?? this.#pair;
    if (b === undefined) return void (this.#line.textContent = "Rest on a square, or press it, to see its sum.");
    const i = a * MARKS + b, answer = this.#frame.answers[i], right = modulo(a + b);
    this.#line.textContent = `${a} + ${b}: the network says ${answer} (${sure(this.#frame.sure[i])} sure). ` +
      (Number(answer) === right ? "That is right." : `The clock says ${right}.`);
  }

  /** select marks the sum that is read. */
  select(pair) {
    this.#pair = pair;
    const chosen = pair.length < 2 ? -1 : pair[0] * MARKS + pair[1];
    this.#cells.forEach((cell, i) => cell.setAttribute("aria-selected", String(i === chosen)));
    this.#say();
  }

  /** show colours the squares; null empties them. */
  show(frame) {
    this.#frame = frame;
    this.#cells.forEach((cell, i) => {
      const answer = frame?.answers[i] ?? "";
      const share = frame ? Math.max(0, (frame.sure[i] - 1 / MARKS) / (1 - 1 / MARKS)) : 0;
      if (frame) cell.style.setProperty("--value", answer);
      cell.style.setProperty("--sure", share.toFixed(2));
      cell.textContent = answer;
      cell.classList.toggle("wrong", !!frame && Number(answer) !== modulo(Math.floor(i / MARKS) + i % MARKS));
    });
    if (!frame) this.#line.textContent = "";
    this.#say();
  }
}

/** near is an angle, in turns, by that many whole turns more or less that it is the nearest to another. */
const near = (angle, exact) => angle - Math.round(angle - exact);

/** stops are where a hand of the network stood: at 0, after the first number and after the second, in turns. */
function stops(hand, [a, b]) {
  const i = a * MARKS + (b ?? 0), list = [0];
  if (a !== undefined) list.push(near(hand.first[i], (hand.k * a) / MARKS));
  if (b !== undefined) list.push(near(hand.second[i], (hand.k * (a + b)) / MARKS));
  return list;
}

/** clearest is the sum [a, b] at which the hands of a frame are least off: the worst of them, that is. */
export function clearest({ hands }) {
  const off = ([a, b]) => Math.max(0, ...hands.map((hand) =>
    Math.abs(stops(hand, [a, b]).at(-1) - (hand.k * (a + b)) / MARKS)));
  const all = Array.from({ length: MARKS * MARKS }, (_, i) => [Math.floor(i / MARKS), i % MARKS]);
  return all.filter(([a, b]) => a && b).reduce((best, pair) => (off(pair) < off(best) ? pair : best));
}

/** hands draws the best hand of each speed, the slowest first, while it reads a pair, and says what is seen. */
export function hands(root, said, frame, pair) {
  const speed = ({ k }) => Math.abs(k);
  const list = (frame?.hands ?? []).filter((h, i, all) => all.findIndex((x) => speed(x) === speed(h)) === i)
    .sort((x, y) => speed(x) - speed(y));
  const total = pair.reduce((x, y) => x + y, 0);
  root.replaceChildren(...list.map((hand) => {
    const ways = stops(hand, pair), due = (hand.k * total) / MARKS;
    const picture = dial(hand.k, ways, due), off = Math.round(360 * Math.abs(ways.at(-1) - due));
    picture.setAttribute("aria-label", `A hand of the network while it reads ${pair.join(" + ") || "nothing"}`);
    return html("figure", {}, picture, html("figcaption", {}, turns(hand.k), html("br"),
      pair.length === 2 ? `${off}° off here` : `follows: ${exactness(hand.r)}`));
  }));
  const n = frame?.hands.length ?? 0, some = list.length < n ? ", the best of each speed is shown" : "";
  said.textContent = !frame ? "" : !list.length
    ? "No hand of the network follows the sum well yet. They will appear here."
    : `${n} of its hands became ${n > 1 ? "clocks" : "a clock"}${some}. Each turns by a step of its own, so its ` +
      "marks stand in another order, or share a place. Dotted: the exact place. " + (pair.length === 2
      ? "A hand votes for the answers near where it points; the votes of all hands add up."
      : "“Follows” says how exactly: 1 is perfect.");
}
