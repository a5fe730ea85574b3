// Drawn by the rule, not by a network: a clock that adds, dials for paper, and waves that add up.

import { Face, html, MARKS as M, minus, modulo, ruled, svg } from "./dial.js";

/** perfect is a clock that adds and takes away what is pressed. data-clock: where it stands, and a turn, as "7 +4". */
export function perfect(root) {
  const [start, turn] = root.dataset.clock.split(" ").map(Number);
  const face = new Face(html("div"), { start, most: Infinity });
  let sign = 1;
  const said = html("p", { className: "said" });
  said.setAttribute("role", "status");
  const buttons = html("div", { className: "digits" });
  buttons.setAttribute("role", "group");
  buttons.setAttribute("aria-label", "Turn the hand");

  function show() {
    const [before = face.start, value] = face.values.slice(-2), by = value - before;
    if (!face.terms.length) said.textContent = `The hand points at ${modulo(start)}.`;
    else {
      const from = modulo(before), plain = `${from} ${by > 0 ? "+" : "−"} ${Math.abs(by)} = ${minus(from + by)}`;
      const same = from + by === modulo(value) ? "" : `, modulo 9 that is ${modulo(value)}`;
      said.textContent = `Turned ${by > 0 ? "on" : "back"} by ${Math.abs(by)} × 40° = ${Math.abs(by) * 40}°. ` +
        `${plain}${same}.`;
    }
  }
  face.addEventListener("turned", show);
  const digits = Array.from({ length: 8 }, (_, i) => {
    const b = html("button", { type: "button", textContent: `+${i + 1}` });
    b.addEventListener("click", () => face.add(sign * (i + 1)));
    return b;
  });
  const other = html("button", { type: "button", textContent: "+ or −" });
  other.addEventListener("click", () => {
    sign = -sign;
    digits.forEach((b, i) => { b.textContent = `${sign > 0 ? "+" : "−"}${i + 1}`; });
  });
  const zero = html("button", { type: "button", textContent: "Back to the start" });
  zero.addEventListener("click", () => face.clear());
  buttons.append(...digits, other, zero);
  root.append(face.root, html("div", {}, said, buttons));
  face.set(turn ? [turn] : []);
}

/** The clocks of the lesson's network, by how often each goes round. */
export const hands = [[1, "once round"], [-2, "twice backwards"], [4, "4 times round"]];

/** paper draws for print what moves on the screen: data-dials are values, data-k one frequency in place of all. */
export function paper(root) {
  const which = root.dataset.k ? hands.filter(([k]) => k === Number(root.dataset.k)) : hands;
  for (const value of root.dataset.dials.split(" ").map(Number)) {
    root.append(html("div", { className: "row" }, ...which.map(([k]) => ruled(k, [value]))));
  }
}

const BAR = 14, ROW = 46;

/** waves draws how three exact clocks vote for an answer; each may be left out. */
export function waves(root, value = 5) {
  const on = new Set(hands.map(([k]) => k));
  const chart = html("div", { className: "bars" });
  const said = html("p", { className: "said" });
  said.setAttribute("role", "status");
  const vote = (k, answer) => Math.cos((2 * Math.PI * k * (answer - value)) / M);

  function row(y, votes, scale, name, className) {
    const bars = votes.map((v, i) => {
      const height = Math.abs(v) * scale;
      return svg("rect", {
        x: 150 + i * 34, y: (v > 0 ? y - height : y).toFixed(1), width: BAR * 1.6, height: height.toFixed(1),
        class: i === value ? "on" : "",
      });
    });
    return svg("g", { class: className }, svg("text", { x: 0, y: y + 4 }, name),
      svg("line", { x1: 150, y1: y, x2: 150 + 9 * 34, y2: y }), ...bars);
  }

  function show() {
    const sum = Array.from({ length: M }, (_, a) => [...on].reduce((s, k) => s + vote(k, a), 0));
    const rows = hands.map(([k, name], i) => {
      const votes = Array.from({ length: M }, (_, a) => (on.has(k) ? vote(k, a) : 0));
      return row(30 + i * ROW, votes, 18, on.has(k) ? name : `${name}: out`, `hand-${i}`);
    });
    rows.push(row(30 + 3 * ROW + 40, sum, 18, "together", "sum"));
    const names = sum.map((_, a) => svg("text", { x: 150 + a * 34 + BAR * 0.8, y: 268, class: "name" }, String(a)));
    const picture = svg("svg", { viewBox: "0 0 460 276", role: "img" }, ...rows, ...names);
    const rivals = sum.map((s, a) => [s, a]).filter(([, a]) => a !== value).toSorted((a, b) => b[0] - a[0]);
    const next = rivals.filter(([s]) => s > rivals[0][0] - 1e-9).map(([, a]) => a).toSorted((a, b) => a - b);
    const words = !on.size ? "No clock, no vote: every answer is as good as another." :
      `5 gets ${sum[value].toFixed(1)}; next ${next.length > 1 ? "are" : "is"} ${next.join(", ")} with ` +
      `${minus(rivals[0][0].toFixed(1).replace("-0.0", "0.0"))}. 5 leads by ${(sum[value] - rivals[0][0]).toFixed(1)}.`;
    picture.setAttribute("aria-label", `The votes of ${on.size} clocks for the answers 0 to 8. ${words}`);
    chart.replaceChildren(picture);
    said.textContent = words;
  }
  const group = html("div", { className: "digits" });
  group.setAttribute("role", "group");
  group.setAttribute("aria-label", "Clocks that vote");
  hands.forEach(([k, name], i) => {
    const b = html("button", { type: "button", textContent: name, className: `hand-${i}` });
    b.setAttribute("aria-pressed", "true");
    b.addEventListener("click", () => {
      if (!on.delete(k)) on.add(k);
      b.setAttribute("aria-pressed", String(on.has(k)));
      show();
    });
    group.append(b);
  });
  root.append(chart, html("div", {}, said, group));
  show();
}
