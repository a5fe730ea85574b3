// The clocks of the model at hand: what package probe finds in it, drawn by the circle as dials, with buttons to cut a
// clock and to turn its hand. A Worker looks for clocks; its program is fetched when they are first wanted.
import { minus, turns } from "./dial.js";
import { count, exactness, sure } from "../numbers.js";
import { html, press } from "../html.js";
import { Prober, WHILE_TRAINING } from "./prober.js";
import { OWN } from "../own.js";
import { otherFamily } from "../settings.js";

/** least is the R from which a unit is called a clock where chance is so high (CLOCKS.md). */
export const least = (chance) => Math.max(0.6, (1 + chance) / 2);

const SAMPLES = 200; // texts on which clocks are looked for; a finished model takes a second or two
const EVERY = 4000; // ms between two searches while it trains, at least,
const SHARE = 0.1; // and so seldom that they take no more than this share of one processor core

/**
 * Clocks shows the clocks of what a Session has open in a Circle. options:
 *   parts: of "views", "note", "cut", "turn": what can be seen and done next to the dials
 *   above: the element before which the switch between clocks and all units stands
 *   below: the element that takes the parts
 *   three: called by the button that opens the model with clocks, which is there where it is given
 * It dispatches "changed" (detail whether something is cut or turned), "found" (detail the message `opened` of the
 * Worker, with the training step), "read" (detail the message `dials`), "unit" (detail {unit, row}: the clock whose
 * row of buttons the keyboard is in; unit −1: it left).
 */
export class Clocks extends EventTarget {
  #session;
  #circle;
  #prober = new Prober();
  #parts;
  #shown = false;
  #cut = new Set();
  #turns = []; // of {unit, step, after, marks}
  #text = "";
  #of = null; // session.opened that was searched, and its step
  #step = -1;
  #brief = false; // it was searched while it trained, on fewer texts
  #searched = -Infinity; // when the last search ended
  #found = null;
  #busy = null;
  #again = false;
  #timer = 0;
  #ui = {};

  constructor(session, circle, { parts = [], above, below, three }) {
    super();
    this.#session = session;
    this.#circle = circle;
    this.#build(above, below, three);
    this.parts(parts);
    circle.addEventListener("reading", (e) => this.#reading(e.detail));
    circle.addEventListener("position", () => this.#buttons());
    session.addEventListener("opened", () => this.#opened());
    session.addEventListener("change", () => this.#later());
  }

  /** clocks are those that have a hand: clocks, then half-turn clocks, which are `half` and mostly have a partner. */
  get clocks() {
    const { clocks = [], half_turns = [] } = this.#found ?? {};
    return [...clocks, ...half_turns.map((h) => ({ ...h, half: true }))];
  }
  /** step is the training step of the model that was searched, of which the sums are too. */
  get step() { return this.#step; }
  get changed() { return this.#cut.size > 0 || this.#turns.length > 0; }

  // ---- what is seen ----

  #has(part) { return this.#parts.includes(part); }

  #build(above, below, three) {
    const ui = this.#ui;
    ui.clocks = press("Clocks", () => this.show(true));
    ui.units = press("All units", () => this.show(false));
    ui.views = html("div", { className: "views", role: "group", ariaLabel: "What is shown" }, ui.clocks, ui.units);
    above.before(ui.views);
    ui.note = html("p", { className: "fine" });
    ui.three = press("See a model that has", three, { hidden: true });
    ui.list = html("ul", { className: "hands" });
    ui.answer = html("p", { className: "verdict", ariaLive: "polite" });
    ui.late = html("p", { className: "fine", hidden: true,
      textContent: "A hand is turned for what is read after it, and after the last character nothing is. " +
        "Go back first." });
    ui.undo = press("Undo", () => this.undo(), { hidden: true });
    ui.root = html("div", { className: "clocks" }, ui.note, ui.answer, ui.list, ui.late, ui.undo);
    if (three) ui.note.after(ui.three);
    below.append(ui.root);
    this.#mark();
  }

  #mark() {
    const { clocks, units, root } = this.#ui;
    clocks.ariaPressed = String(this.#shown);
    units.ariaPressed = String(!this.#shown);
    root.hidden = !this.#shown;
  }

  /** none reports whether there is no clock to look for: the model has no phases, or the task no values. */
  get #none() {
    const { model, task } = this.#session.opened?.run ?? {};
    return otherFamily(model) || task === OWN;
  }

  /** parts chooses what can be seen and done next to the dials; names that it does not know are left alone. */
  parts(list) {
    this.#parts = list;
    const { views, note, list: hands } = this.#ui;
    views.hidden = !this.#has("views") || this.#none;
    note.hidden = !this.#has("note");
    hands.hidden = !this.#has("cut") && !this.#has("turn");
    this.#list();
  }

  /** show chooses between the clocks and all units. */
  show(on) {
    if (on === this.#shown) return;
    this.#shown = on;
    this.#circle.view(on ? "clocks" : "units");
    this.#circle.stage.toggleAttribute("data-clocks", on);
    this.#mark();
    this.#tell();
    if (on) this.#now();
  }

  #tell() { this.dispatchEvent(new CustomEvent("changed", { detail: this.#shown && this.changed })); }

  #buttons() {
    const { list, undo, late } = this.#ui, turns = list.querySelectorAll("[data-turn]");
    undo.hidden = !this.changed;
    const over = this.#circle.at >= this.#circle.last;
    for (const button of turns) button.disabled = over;
    late.hidden = !over || !turns.length;
    for (const button of list.querySelectorAll("[data-cut]")) {
      button.setAttribute("aria-pressed", String(this.#cut.has(Number(button.dataset.cut))));
    }
  }

  #words(k) { return turns(k, this.#found.modulus); }

  /** clock is a row of buttons. */
  #clock({ unit, k, r, half, partner }, i) {
    const button = (text, ariaLabel, act, data) => {
      const b = press(text, act, { ariaLabel });
      Object.assign(b.dataset, data);
      return b;
    };
    const row = html("li", {}, html("span", { className: `hand hand-${i % 3}`, textContent: this.#words(k) }),
      html("span", { className: "fine", textContent: half
        ? `half-turn, ${partner ? `units ${unit} and ${partner.unit}` : `unit ${unit}`}, R ${exactness(r)}`
        : `unit ${unit}, R ${exactness(r)}` }));
    const at = (unit) => this.dispatchEvent(new CustomEvent("unit", { detail: { unit, row } }));
    row.addEventListener("focusin", (e) => { if (e.target.matches(":focus-visible")) at(unit); });
    row.addEventListener("focusout", () => at(-1));
    const name = `the clock where ${this.#words(k)}`;
    if (this.#has("cut")) row.append(button("Cut this clock", `Cut ${name}`, () => this.cut(unit), { cut: unit }));
    if (this.#has("turn")) {
      row.append(
        button("Turn −1", `Turn ${name} back by one`, () => this.turn(unit, -1), { turn: -1 }),
        button("Turn +1", `Turn ${name} on by one`, () => this.turn(unit, 1), { turn: 1 }),
      );
    }
    return row;
  }

  #list() {
    const { note, three, list } = this.#ui, { clocks } = this;
    const none = this.#found && !clocks.length; // clocks were looked for
    note.textContent = none ? this.#noneWords().join(" ") : clocks.length ? this.#someWords() : "";
    three.hidden = !none || this.#found.task !== "arithmetic" || this.#session.running;
    list.replaceChildren(...clocks.map((c, i) => this.#clock(c, i)));
    this.#buttons();
  }

  #someWords() {
    const { clocks, half_turns: lines, units, samples, chance, quantity } = this.#found;
    const some = (list, how, chance) => {
      const r = list.map((c) => c.r);
      const range = r.length > 1 ? `R ${exactness(Math.min(...r))} to ${exactness(Math.max(...r))}`
        : `R ${exactness(r[0])}`;
      return `${list.length} of its ${units} hands follow${list.length > 1 ? "" : "s"} the ${quantity}${how}: ` +
        `${range} on ${samples} texts (1 is perfect, ${exactness(chance)} is luck).`;
    };
    const said = clocks.length ? [some(clocks, "", chance)] : [];
    if (lines.length) {
      said.push(some(lines, " by half turns", lines[0].chance),
        `Twice the phase of such a unit follows the ${quantity}: its hand shows that, ` +
        "and the unit itself turns half of it. " +
        "A dot in the middle is the unit. The flag is its partner: it says which end of the unit's line is meant.");
    }
    if (this.#step === 0 && !this.#session.trained) {
      said.push("That is by their start values alone: it has not practised yet, and nothing was learnt.");
    }
    return said.join(" ");
  }

  #noneWords() {
    const { best, samples, chance, units, quantity } = this.#found;
    const top = best.toSorted((a, b) => b.r - a.r)[0];
    return [
      `No hand follows the ${quantity}, by whole turns or by half.`,
      `The best of its ${units} hands, unit ${top.unit}, has R ${exactness(top.r)}. ` +
        `A clock has at least ${exactness(least(chance))}; 1 is perfect.`,
      `${exactness(chance)} is luck, measured on ${samples} texts.`,
    ];
  }

  // ---- what is cut and turned ----

  /** cut cuts a unit, or makes it whole again. */
  cut(unit) {
    if (!this.#cut.delete(unit)) this.#cut.add(unit);
    this.#change();
  }

  /** turn turns a unit's hand by that many marks after the token where the reading stands. */
  turn(unit, marks) {
    const clock = this.clocks.find((c) => c.unit === unit);
    if (!clock) return;
    const after = this.#circle.at;
    const same = this.#turns.find((t) => t.unit === unit && t.after === after);
    if (same) same.marks += marks;
    else this.#turns.push({ unit, step: clock.step, after, marks });
    this.#turns = this.#turns.filter((t) => t.marks);
    this.#change();
  }

  /** undo makes everything whole. */
  undo() {
    this.#cut.clear();
    this.#turns = [];
    this.#change();
  }

  #change() {
    this.#buttons();
    this.#tell();
    if (this.#of === this.#session.opened) this.#read().catch((error) => this.#failed(error));
    else this.#now();
  }

  /** sums are the states after all sums of two digits: the message `sums` of the Worker. */
  sums() { return this.#prober.send("sums", { cut: [...this.#cut] }); }

  // ---- the Worker ----

  #opened() {
    if (this.#none) this.show(false);
    this.parts(this.#parts);
    this.#cut.clear();
    this.#turns = [];
    this.#found = this.#of = null;
    this.#circle.dials(null);
    this.#ui.answer.textContent = "";
    this.#list();
    this.#buttons();
    this.#tell();
  }

  #reading(reading) {
    if (!reading) return;
    if (reading.text !== this.#text) this.#turns = [];
    this.#text = reading.text;
    this.#tell();
    if (this.#shown) this.#now();
  }

  /** wait is how long, while it trains, one search waits for the next. */
  get #wait() { return Math.max(EVERY, (this.#found?.seconds ?? 0) * 1000 / SHARE); }

  /** later looks again while it trains, and once when training stops. */
  #later() {
    const { running, opened } = this.#session;
    if (!this.#shown || !opened || running && this.#timer) return; // the session changes often while it trains
    clearTimeout(this.#timer);
    const left = this.#searched + this.#wait - performance.now();
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#now();
    }, running ? Math.max(left, 0) : 0);
  }

  /** now brings what is shown up to the model as it is; one search at a time, and another where it was asked for. */
  #now() {
    if (!this.#shown || !this.#session.opened || !this.#text) return;
    if (this.#busy) return void (this.#again = true);
    this.#busy = this.#update().catch((error) => this.#failed(error)).finally(() => {
      this.#busy = null;
      if (this.#again) {
        this.#again = false;
        this.#now();
      } else if (this.#session.running) this.#later();
    });
  }

  async #update() {
    const { opened, step, running } = this.#session;
    const due = !running || performance.now() - this.#searched >= this.#wait;
    if (this.#of !== opened || (this.#step !== step || this.#brief && !running) && due) {
      const { checkpoint } = await this.#session.send("save", { full: false });
      if (this.#session.opened !== opened) return;
      const samples = running ? WHILE_TRAINING : SAMPLES;
      const found = await this.#prober.send("open", { checkpoint, samples }, [checkpoint]);
      if (this.#session.opened !== opened) return;
      this.#of = opened;
      this.#step = step;
      this.#brief = running;
      this.#searched = performance.now();
      this.#found = { ...found, step };
      for (const unit of this.#cut) if (!this.clocks.some((c) => c.unit === unit)) this.#cut.delete(unit);
      this.#list();
      this.dispatchEvent(new CustomEvent("found", { detail: this.#found }));
    }
    await this.#read();
  }

  async #read() {
    if (!this.#found || !this.#text || this.#of !== this.#session.opened) return;
    const text = this.#text, of = this.#of;
    const turns = this.#turns.map(({ unit, step, after, marks }) => ({ unit, after, angle: marks * step }));
    const dials = await this.#prober.send("read", { text, cut: [...this.#cut], turns });
    if (text !== this.#text || of !== this.#of) return;
    const none = this.clocks.length ? [`${count(this.clocks.length, "clock")} found.`] : this.#noneWords();
    if (dials.note) none.push(`Single texts cannot be followed: ${dials.note}.`);
    this.#circle.dials(dials.dials.length ? dials : { none });
    this.#says(dials);
    this.dispatchEvent(new CustomEvent("read", { detail: dials }));
  }

  /** says is the answer of the network as it was changed. */
  #says(d) {
    const { answer } = this.#ui;
    if (!this.changed || !d.answers.length) return void (answer.textContent = "");
    const best = d.probabilities.indexOf(Math.max(...d.probabilities));
    const right = d.answers[best] === d.expected;
    const done = [];
    const all = new Map(); // the marks by which each hand was turned
    for (const t of this.#turns) all.set(t.unit, (all.get(t.unit) ?? 0) + t.marks);
    const marks = new Set(all.values()), hands = all.size;
    const turned = hands === 1 ? "one hand" : hands === d.dials.length ? "the hands" : `${hands} hands`;
    if (this.#cut.size) done.push(`cut ${this.#cut.size} of ${count(d.dials.length, "clock")}`);
    if (marks.size) done.push(`turned ${turned}${marks.size === 1 ? ` by ${minus([...marks][0])}` : ""}`);
    const before = this.#circle.reading?.answer, now = `${d.answers[best]} (${sure(d.probabilities[best])})`;
    const said = d.answers[best] === before ? `it still answers ${now}`
      : before ? `the answer went from ${before} to ${now}` : `it answers ${now}`;
    answer.replaceChildren(`You ${done.join(" and ")}: ${said}`);
    if (marks.size) return answer.append("."); // what was turned is not what was asked
    answer.append(" ", html("span", {
      className: right ? "right" : "wrong", textContent: right ? "✓ right" : `✗ it should be ${d.expected}`,
    }));
  }

  #failed(error) {
    if (error.aborted) return;
    this.#searched = performance.now(); // one that fails each time is not begun without a pause
    if (error.fatal) this.#of = null; // the next search opens the model again
    this.#circle.dials({ none: ["The clocks cannot be shown.", error.message] });
    this.#ui.note.textContent = error.message;
    this.#ui.answer.textContent = "";
  }
}
