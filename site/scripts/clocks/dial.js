// A clock drawn on paper or for the hand: arcs laid end to end, one a number, each in its own colour. What a dial on a
// canvas shows by the network's units (site/circle) this shows by the rule, and for the angles that it is given.
import { svg } from "../html.js";

export const MARKS = 9;
const SIZE = 180, CENTRE = SIZE / 2, RIM = 88, ARC = 0.6; // the first arc's radius, of the rim's
const ARCS = 4; // the newest, that a dial shows
export const modulo = (x, modulus = MARKS) => ((x % modulus) + modulus) % modulus;

/** placesOf are the places of a dial’s marks, each with its values: several where k and the modulus share a factor. */
export const placesOf = (k, modulus = MARKS) => Map.groupBy(Array(modulus).keys(), (v) => modulo(k * v, modulus));

/** turns says what +1 does to a hand that goes k times round while the value goes once round. */
export const turns = (k, modulus = MARKS) =>
  `+1 turns it ${+((Math.abs(k) * 360) / modulus).toFixed(1)}°${k < 0 ? " back" : ""}`;
export const minus = (x) => String(x).replaceAll("-", "−");

/** at is the point of a dial at an angle in turns, clockwise from the top. */
const at = (turns, radius) => [
  CENTRE + radius * Math.sin(2 * Math.PI * turns), CENTRE - radius * Math.cos(2 * Math.PI * turns),
].map((x) => x.toFixed(2));

const radiusOf = (inside) => RIM * (ARC - 0.09 * inside);

/** way is the line from one angle to another, in turns, inside that many others; more than a turn winds outwards. */
function way(from, to, inside) {
  const turned = Math.abs(to - from), steps = Math.max(2, Math.ceil(turned * 48));
  const points = Array.from({ length: steps + 1 }, (_, j) =>
    at(from + ((to - from) * j) / steps, radiusOf(inside) * (1 - 0.14 * turned * (1 - j / steps))));
  return svg("polyline", { points: points.join(" ") });
}

/** arc is the way of the i-th turn, with a tip. */
function arc(from, to, i, inside) {
  const radius = radiusOf(inside);
  const barb = Math.sign(to - from) * 0.03;
  const tip = [at(to - barb, radius - 6), at(to, radius), at(to - barb, radius + 6)];
  return svg("g", { class: `arc arc-${i % 3}` }, way(from, to, inside), svg("polyline", { points: tip.join(" ") }));
}

const line = (turns, from, to, name) => {
  const [x1, y1] = at(turns, from), [x2, y2] = at(turns, to);
  return svg("line", { x1, y1, x2, y2, class: name });
};

/**
 * dial draws a clock whose hand goes k times round while the value goes once round. stops are the angles, in turns, at
 * which the hand stood, one after the other: an arc leads from each to the next, and the hand stands at the last.
 * exact is where it should stand, drawn faintly behind it; under are the stops of a hand that is exact, whose arcs lie
 * broad and pale below the others.
 */
export function dial(k, stops, exact = null, under = []) {
  const here = stops.at(-1), places = placesOf(k);
  const off = (place) => Math.abs(here - place / MARKS - Math.round(here - place / MARKS));
  const nearest = Math.min(...[...places.keys()].map(off));
  const marks = [...places].map(([place, values]) => {
    const several = values.length > 1, [x, y] = at(place / MARKS, RIM * (several ? 0.77 : 0.83));
    const name = `${off(place) <= nearest + 1e-9 ? "on" : ""} ${several ? "several" : ""}`.trim();
    const text = svg("text", { x, y, class: name }, values.join(" "));
    text.style.setProperty("--value", values[0]); // a page may colour the marks by it
    return svg("g", {}, line(place / MARKS, RIM, RIM * 0.93), text);
  });
  const waysOf = (list) => list.slice(1).map((to, i) => [list[i], to, i])
    .filter(([from, to]) => Math.abs(to - from) > 1e-3).slice(-ARCS);
  const pale = waysOf(under).map(([from, to], i) => svg("g", { class: "under" }, way(from, to, i)));
  const ghost = exact === null ? [] : [line(exact, 0, RIM * 0.66, "ghost")];
  return svg("svg", { viewBox: `0 0 ${SIZE} ${SIZE}`, class: "dial", role: "img" },
    svg("circle", { cx: CENTRE, cy: CENTRE, r: RIM, class: "rim" }), ...marks,
    ...pale, ...waysOf(stops).map((way, i) => arc(...way, i)), ...ghost,
    line(here, 0, RIM * 0.66, "hand"), svg("circle", { cx: CENTRE, cy: CENTRE, r: 5, class: "pin" }));
}

const LEFT = 185, STEP = 34, BAR = 22, ROW = 44, HIGH = 19; // of a chart of bars

/**
 * bars draws votes for the answers 0 to 8, a row each of {name, votes, className}. The last row is the sum of the
 * others, twice as high and on a scale of its own. The answer `on` stands out.
 */
export function bars(rows, on, said) {
  const most = (list) => Math.max(1e-9, ...list.flatMap(({ votes }) => votes.map(Math.abs)));
  const scale = HIGH / most(rows.slice(0, -1)), last = 2 * HIGH / most(rows.slice(-1));
  const drawn = rows.map(({ name, votes, className = "" }, i) => {
    const sum = i === rows.length - 1, y = 24 + i * ROW + (sum ? HIGH : 0);
    const one = (v, a) => {
      const height = Math.abs(v) * (sum ? last : scale);
      return svg("rect", {
        x: LEFT + a * STEP, y: (v > 0 ? y - height : y).toFixed(1), width: BAR, height: height.toFixed(1),
        class: a === on ? "on" : "",
      });
    };
    return svg("g", { class: className }, svg("text", { x: 0, y: y + 5 }, name),
      svg("line", { x1: LEFT, y1: y, x2: LEFT + MARKS * STEP, y2: y }), ...votes.map(one));
  });
  const bottom = 24 + (rows.length - 1) * ROW + 3 * HIGH + 18;
  const names = Array.from({ length: MARKS }, (_, a) =>
    svg("text", { x: LEFT + a * STEP + BAR / 2, y: bottom, class: "name" }, String(a)));
  return svg("svg", { viewBox: `0 0 495 ${bottom + 8}`, class: "bars", role: "img", "aria-label": said },
    ...drawn, ...names);
}

/** ruled is the dial of a clock by the rule: values are the sums so far, each after one number more. */
export function ruled(k, values) {
  const ariaLabel = `A clock with the marks 0 to 8; its hand points at ${modulo(values.at(-1))}.`;
  return Object.assign(dial(k, values.map((v) => (k * v) / MARKS)), { ariaLabel });
}

/** sum is a sum in words: 3, 5 is "3 + 5". */
export const sum = (terms) =>
  terms.map((x, i) => (i === 0 ? minus(x) : `${x < 0 ? "−" : "+"} ${Math.abs(x)}`)).join(" ");

/**
 * Face is a clock whose hand is turned: by `add`, or dragged. It dispatches "turned" after each. Behind the last
 * number `add` begins a new sum at the start, and a hand that is dragged goes on from where it stands.
 */
export class Face extends EventTarget {
  #most;
  #dragged = null; // {from: turns at the last event, by: turns since the hand was taken}

  /** root takes the picture. most: numbers, then it begins again. */
  constructor(root, { most = 2 } = {}) {
    super();
    this.root = root;
    this.#most = most;
    this.terms = [];
    root.classList.add("face");
    root.addEventListener("pointerdown", (e) => this.#take(e));
    root.addEventListener("pointermove", (e) => this.#drag(e));
    for (const type of ["pointerup", "pointercancel"]) root.addEventListener(type, () => this.#drop());
    this.#show();
  }

  /** values are the sums so far, from 0 on. */
  get values() { return this.terms.reduce((list, x) => [...list, list.at(-1) + x], [0]); }

  add(by) { this.set(this.terms.length === this.#most ? [by] : [...this.terms, by]); }
  clear() { this.set([]); }

  set(terms) {
    this.terms = terms;
    this.#show();
    this.dispatchEvent(new Event("turned"));
  }

  #show(by = 0) {
    const values = this.values, more = this.#dragged && this.terms.length === this.#most ? [values.at(-1)] : values;
    this.root.replaceChildren(ruled(1, this.#dragged ? [...more, more.at(-1) + by * MARKS] : values));
  }

  /** angle is where the pointer is, in turns. */
  #angle({ clientX, clientY }) {
    const { left, top, width, height } = this.root.firstChild.getBoundingClientRect();
    return Math.atan2(clientX - left - width / 2, top + height / 2 - clientY) / (2 * Math.PI);
  }

  #take(e) {
    if (e.button) return;
    e.preventDefault();
    this.root.setPointerCapture(e.pointerId);
    this.#dragged = { from: this.#angle(e), by: 0 };
  }

  #drag(e) {
    const dragged = this.#dragged;
    if (!dragged) return;
    const angle = this.#angle(e), on = angle - dragged.from;
    dragged.by = Math.max(-8 / 9, Math.min(8 / 9, dragged.by + on - Math.round(on)));
    dragged.from = angle;
    this.#show(dragged.by);
  }

  #drop() {
    const by = Math.round((this.#dragged?.by ?? 0) * MARKS);
    this.#dragged = null;
    if (by && this.terms.length === this.#most) this.set([modulo(this.values.at(-1)), by]);
    else if (by) this.add(by);
    else this.#show();
  }
}
