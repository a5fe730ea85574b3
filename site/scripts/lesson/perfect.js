// Drawn by the rule, not by a network: a clock that adds, dials for paper, and waves that add up.

import { bars, Face, MARKS as M, minus, modulo, ruled, turns } from "../clocks/dial.js";
import { html, press, spoken } from "../html.js";

/** perfect is a clock that adds and takes away what is pressed, or what `set` gives, from 0 on. */
export function perfect(root) {
  const face = new Face(html("div"), { most: Infinity });
  let sign = 1;
  const said = spoken("said");
  const buttons = html("div", { className: "digits", role: "group", ariaLabel: "Turn the hand" });

  function show() {
    const [before, value] = face.values.slice(-2), by = value - before;
    if (!face.terms.length) said.textContent = "The hand points at 0. Turn it.";
    else {
      const from = modulo(before), plain = `${from} ${by > 0 ? "+" : "−"} ${Math.abs(by)} = ${minus(from + by)}`;
      const same = from + by === modulo(value) ? "" : `, modulo 9 that is ${modulo(value)}`;
      said.textContent = `Turned ${by > 0 ? "on" : "back"} by ${Math.abs(by)} × 40° = ${Math.abs(by) * 40}°. ` +
        `${plain}${same}.`;
    }
  }
  face.addEventListener("turned", show);
  const digits = Array.from({ length: 8 }, (_, i) => press(`+${i + 1}`, () => face.add(sign * (i + 1))));
  const toggle = press("Switch to −", () => {
    sign = -sign;
    digits.forEach((b, i) => { b.textContent = `${sign > 0 ? "+" : "−"}${i + 1}`; });
    toggle.textContent = sign > 0 ? "Switch to −" : "Switch to +";
  });
  buttons.append(...digits, toggle, press("Back to the start", () => face.clear()));
  root.append(face.root, said, buttons);
  face.clear();
  return face;
}

/** steer asks which way each number of 3 − (6 + 2) turns a clock, and says where that ends. */
export function steer(root) {
  const face = new Face(html("div"), { most: Infinity });
  const said = spoken("said"), choices = html("div", { className: "digits" }), numbers = [6, 2];
  face.addEventListener("turned", () => {
    const ways = face.terms.slice(1, 3).map((x, i) => Math.sign(x) * numbers[i]); // a drag says which way, no more
    if (String([3, ...ways]) !== String(face.terms)) return face.set([3, ...ways]);
    const done = face.terms.slice(1), here = modulo(face.values.at(-1)), next = numbers[done.length];
    if (next) {
      said.textContent = `3 − (6 + 2). The hand stands at ${here}. Which way does the ${next} turn it?`;
      choices.replaceChildren(press(`on by ${next}`, () => face.add(next)),
        press(`back by ${next}`, () => face.add(-next)));
      return;
    }
    const right = done.every((x) => x < 0);
    said.textContent = right
      ? "Both numbers turn back, and it ends at 4. Right: 6 + 2 is 8, 3 − 8 is −5, and −5 + 9 is 4."
      : `It ends at ${here}. But 6 + 2 is 8, and 3 − 8 is −5, which is 4 on this clock. The minus stands ` +
        "before the whole bracket.";
    choices.replaceChildren(press("Again", () => face.set([3])));
  });
  root.append(face.root, said, choices);
  face.set([3]);
  return face;
}

/** The hands of the lesson's network: how often each goes round while the sum goes round once. */
const hands = [1, 2, -3, 4];

/** paper draws for print what moves on the screen: data-dials are values, data-k one frequency in place of all. */
export function paper(root) {
  const which = root.dataset.k ? [Number(root.dataset.k)] : hands;
  for (const value of root.dataset.dials.split(" ").map(Number)) {
    root.append(html("div", { className: "row" }, ...which.map((k) => ruled(k, [value]))));
  }
}

const wave = (k, value) => Array.from({ length: M }, (_, a) => Math.cos((2 * Math.PI * k * (a - value)) / M));

/**
 * waves draws how exact hands vote for an answer: each is moved by its slider, and may be left out. It returns a
 * function that takes where they point, null for one that is left out.
 */
export function waves(root) {
  const list = [1, 2, 4].map((k) => ({ k, on: true, value: 4 }));
  const chart = html("div"), said = spoken("said");
  const rows = list.map((hand, i) => {
    const name = turns(hand.k), face = html("div");
    const slider = html("input", { type: "range", min: 0, max: 8, step: 1, value: hand.value,
      ariaLabel: `Where the hand points of which ${name}` });
    slider.addEventListener("input", () => {
      hand.value = Number(slider.value);
      show();
    });
    const keep = html("input", { type: "checkbox", checked: true });
    keep.addEventListener("change", () => {
      hand.on = keep.checked;
      show();
    });
    const root = html("div", { className: `vote hand-${i}` }, face,
      html("div", {}, html("label", {}, keep, ` ${name}`), slider));
    return { root, face, slider, keep };
  });

  function show() {
    rows.forEach(({ face, slider, keep }, i) => {
      face.replaceChildren(ruled(list[i].k, [list[i].value]));
      slider.value = list[i].value;
      keep.checked = list[i].on;
    });
    const votes = list.map(({ k, on, value }) => wave(k, value).map((v) => (on ? v : 0)));
    const sum = votes[0].map((_, a) => votes.reduce((s, row) => s + row[a], 0));
    const order = sum.map((s, a) => [s, a]).toSorted((x, y) => y[0] - x[0]), [[top, best], [next]] = order;
    const rivals = order.slice(1).filter(([s]) => s > next - 1e-9).map(([, a]) => a).toSorted((a, b) => a - b);
    const words = !list.some(({ on }) => on) ? "No hand, no vote: every answer is as good as another."
      : top - next < 0.05 ? "No answer leads: the hands do not agree, or cannot tell."
        : `${best} leads, with ${top.toFixed(1)} votes to ${minus(next.toFixed(1))} for ${rivals.join(", ")}.`;
    chart.replaceChildren(bars([...list.map(({ k, on }, i) => ({
      name: on ? turns(k) : "left out", votes: votes[i], className: `hand-${i}`,
    })), { name: "together", votes: sum, className: "sum" }], top - next < 0.05 ? -1 : best, words));
    said.textContent = words;
  }
  root.append(html("div", { className: "waves" }, html("div", {}, ...rows.map((r) => r.root)), chart), said);
  show();
  return (values) => {
    values.forEach((value, i) => Object.assign(list[i], { on: value !== null, value: value ?? list[i].value }));
    show();
  };
}
