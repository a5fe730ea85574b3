// Drawn by the rule, not by a network: a clock that adds, dials for paper, and waves that add up.

const M = 9; // marks
const SIZE = 200, CENTRE = SIZE / 2, RIM = 88;
const SVG = "http://www.w3.org/2000/svg";

const svg = (name, attributes = {}, ...children) => {
  const e = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
};
const html = (name, properties = {}, ...children) => {
  const e = Object.assign(document.createElement(name), properties);
  e.append(...children);
  return e;
};
const modulo = (x) => ((x % M) + M) % M;
const minus = (x) => String(x).replace("-", "−");

/** at is the point of a dial at an angle in turns, clockwise from the top. */
const at = (turns, radius) => [
  CENTRE + radius * Math.sin(2 * Math.PI * turns), CENTRE - radius * Math.cos(2 * Math.PI * turns),
].map((x) => x.toFixed(2));

/** arc is the way of a hand that turned from one angle to another, in turns, with a tip. back: it took away. */
function arc(from, to, back) {
  const steps = Math.max(2, Math.ceil(Math.abs(to - from) * 48));
  const points = Array.from({ length: steps + 1 }, (_, i) => at(from + ((to - from) * i) / steps, RIM * 0.62));
  const barb = Math.sign(to - from) * 0.03;
  const tip = [at(to - barb, RIM * 0.56), at(to, RIM * 0.62), at(to - barb, RIM * 0.69)];
  return svg("g", { class: back ? "arc back" : "arc" },
    svg("polyline", { points: points.join(" ") }), svg("polyline", { points: tip.join(" ") }));
}

/**
 * dial draws a clock whose hand goes k times round while the value goes once round; the hand points at the value.
 * from is the value before, which may be beyond 0 to 8: the way from there is drawn.
 */
export function dial(k, value, from = value) {
  const marks = Array.from({ length: M }, (_, v) => {
    const [x, y] = at((k * v) / M, RIM * 0.83);
    const text = svg("text", { x, y, class: v === modulo(value) ? "on" : "" }, String(v));
    const [x1, y1] = at((k * v) / M, RIM), [x2, y2] = at((k * v) / M, RIM * 0.93);
    return svg("g", {}, svg("line", { x1, y1, x2, y2 }), text);
  });
  const [x2, y2] = at((k * value) / M, RIM * 0.66);
  const picture = svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "dial", role: "img" },
    svg("circle", { cx: CENTRE, cy: CENTRE, r: RIM, class: "rim" }), ...marks);
  if (from !== value) picture.append(arc((k * from) / M, (k * value) / M, value < from));
  picture.append(svg("line", { x1: CENTRE, y1: CENTRE, x2, y2, class: "hand" }),
    svg("circle", { cx: CENTRE, cy: CENTRE, r: 5, class: "pin" }));
  picture.setAttribute("aria-label", `A clock with the marks 0 to 8; its hand points at ${modulo(value)}.`);
  return picture;
}

/** Perfect is a clock that adds and takes away what is pressed. data-clock: where it stands, and a turn, as "7 +4". */
export function perfect(root) {
  const [start, turn] = root.dataset.clock.split(" ").map(Number);
  let value = start + (turn || 0), from = start, sign = 1;
  const face = html("div", { className: "face" });
  const said = html("p", { className: "said" });
  said.setAttribute("role", "status");
  const buttons = html("div", { className: "digits" });
  buttons.setAttribute("role", "group");
  buttons.setAttribute("aria-label", "Turn the hand");

  function show() {
    face.replaceChildren(dial(1, value, from));
    const by = value - from;
    if (!by) said.textContent = `The hand points at ${modulo(value)}.`;
    else {
      const way = by > 0 ? "on" : "back";
      const plain = `${modulo(from)} ${by > 0 ? "+" : "−"} ${Math.abs(by)} = ${minus(modulo(from) + by)}`;
      const same = modulo(from) + by === modulo(value) ? "" : `, modulo 9 that is ${modulo(value)}`;
      said.textContent = `Turned ${way} by ${Math.abs(by)} × 40° = ${Math.abs(by) * 40}°. ${plain}${same}.`;
    }
  }
  const add = (by) => { from = modulo(value); value = from + by; show(); };
  const digits = Array.from({ length: 8 }, (_, i) => {
    const b = html("button", { type: "button", textContent: `+${i + 1}` });
    b.addEventListener("click", () => add(sign * (i + 1)));
    return b;
  });
  const other = html("button", { type: "button", textContent: "+ or −" });
  other.addEventListener("click", () => {
    sign = -sign;
    digits.forEach((b, i) => { b.textContent = `${sign > 0 ? "+" : "−"}${i + 1}`; });
  });
  const zero = html("button", { type: "button", textContent: "Back to the start" });
  zero.addEventListener("click", () => { value = from = start; show(); });
  buttons.append(...digits, other, zero);
  root.append(face, html("div", {}, said, buttons));
  show();
}

/** The clocks of the lesson's network, by how often each goes round. */
export const hands = [[1, "once round"], [-2, "twice backwards"], [4, "4 times round"]];

/** paper draws for print what moves on the screen: data-dials are values, data-k one frequency in place of all. */
export function paper(root) {
  const which = root.dataset.k ? hands.filter(([k]) => k === Number(root.dataset.k)) : hands;
  for (const value of root.dataset.dials.split(" ").map(Number)) {
    root.append(html("div", { className: "row" }, ...which.map(([k]) => dial(k, value))));
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
