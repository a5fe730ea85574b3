// The lesson's stage: a network reads one text, and its hands are drawn as clocks. What is drawn is the message
// `dials` of the clocks' Worker, as in every other picture of them (CLOCKS.md, One text).
import { bars, dial, minus, turns } from "../clocks/dial.js";
import { html, press, spoken } from "../html.js";
import { exactness, sure } from "../numbers.js";
import { stood, turnsOf } from "../clocks/plain-dials.js";
import { Prober } from "../clocks/prober.js";
import { fetchModel } from "../session.js";
import * as theme from "../theme.js";

const SWEEP = 450; // ms that a hand takes from one beat to the next
const BEAT = 900; // ms from beat to beat while it plays

/**
 * beatsOf are the places where a reading stops: [{text, at}], at the last of its tokens. A hand turns one token after
 * its digit, so spaces and closed brackets belong to what stands before them; "mod 9 =" is one beat.
 */
function beatsOf(tokens) {
  const beats = [];
  for (let at = 1; at < tokens.length; at++) {
    const token = tokens[at].trim(), last = beats.at(-1);
    if (last && (last.end || !token || token === ")")) Object.assign(last, { text: `${last.text}${tokens[at]}`, at });
    else beats.push({ text: tokens[at], at, end: token === "mod" });
  }
  return beats.map(({ text, at }) => ({ text: minus(text.trim()), at }));
}

/** Stage draws into root. Beats count from 0, where nothing is read yet. */
export class Stage {
  at = 0; // beats read
  beats = [];
  #prober = new Prober();
  #opened = null; // a promise that it is open
  #found = null; // the message `opened`
  #dials = null; // the message `dials`
  #text = "";
  #wanted = ""; // the text asked for last
  #cut = new Set(); // units
  #turned = []; // of {unit, after, angle}
  #exact = false;
  #playing = 0;
  #sweeps = 0;
  #ui = {};

  constructor(root) {
    const ui = this.#ui = {
      tokens: html("p", { className: "beats" }), dials: html("div", { className: "dials" }),
      votes: html("div", { className: "votes", hidden: true }), said: spoken("said"),
      back: press("◀", () => this.seek(this.at - 1), { ariaLabel: "One step back" }),
      on: press("▶", () => this.seek(this.at + 1), { ariaLabel: "One step on" }),
      play: press("Play", () => this.play(), { ariaLabel: "Play: read the whole sum" }),
      exact: press("How exactly?", () => this.exactly(!this.#exact)),
    };
    root.append(ui.tokens, ui.dials, ui.votes, ui.said,
      html("div", { className: "transport" }, ui.back, ui.play, ui.on, ui.exact));
    this.exactly(false);
    for (const button of [ui.back, ui.on, ui.play, ui.exact]) button.disabled = true; // until the network is there
  }

  /** hands are the network's clocks, the slowest first: the Worker's, of {unit, k, r, step}. */
  get hands() { return this.#order(this.#found.clocks); }
  #order(list) { return list.toSorted((a, b) => Math.abs(a.k) - Math.abs(b.k)); }

  async #open() {
    const checkpoint = await fetchModel("clocks");
    this.#found = await this.#prober.send("open", { checkpoint }, [checkpoint]);
  }

  /** load fetches the network and its program, once. */
  load() {
    return this.#opened ??= this.#open().catch((error) => {
      this.#opened = null;
      throw error;
    });
  }

  /** read reads a text, all hands whole: another than before from its beginning on. */
  async read(text) {
    this.#wanted = text;
    this.#ui.said.textContent ||= "Loading the network …";
    await this.load();
    const dials = await this.#prober.send("read", { text, cut: [], turns: [] }); // what is no sum changes nothing
    if (text !== this.#wanted) return; // another was asked for meanwhile
    if (text !== this.#text) this.at = 0;
    this.#text = text;
    this.#cut.clear();
    this.#turned = [];
    this.#take(dials);
  }

  async #again() {
    const text = this.#text, cut = [...this.#cut], turns = this.#turned;
    const dials = await this.#prober.send("read", { text, cut, turns });
    if (text === this.#text) this.#take(dials);
  }

  #take(dials) {
    this.#dials = { ...dials, dials: this.#order(dials.dials) };
    this.beats = beatsOf(dials.tokens);
    this.at = Math.min(this.at, this.beats.length);
    this.#draw();
  }

  /** answer is what it answers to the text as it is: {answer, expected, sure}. */
  get answer() {
    const { answers, probabilities, expected } = this.#dials, best = probabilities.indexOf(Math.max(...probabilities));
    return { answer: answers[best], expected, sure: probabilities[best] };
  }

  /** seek goes to a beat; null: to the end. */
  seek(beat) {
    this.#playing++;
    return this.#sweep(Math.max(0, Math.min(beat ?? Infinity, this.beats.length)));
  }

  /** cut cuts hands, by their number from 0; turn turns all on by marks from the beat where the reading stands. */
  cut(list) {
    for (const i of list) this.#cut.add(this.hands[i].unit);
    return this.#again();
  }

  turn(marks) {
    const after = this.#token(this.at);
    this.#turned = this.hands.map(({ unit, step }) => ({ unit, after, angle: marks * step }));
    return this.#again();
  }

  /** exactly shows how far each hand is off; votes, in place of the dials, what each adds to the answers. */
  exactly(on) {
    this.#exact = on;
    this.#ui.exact.setAttribute("aria-pressed", String(on));
    if (this.#dials) this.#draw();
  }

  votes(on) {
    this.#ui.votes.hidden = !on;
    this.#ui.dials.hidden = on;
    if (this.#dials) this.#draw();
  }

  async play() {
    const mine = ++this.#playing;
    if (this.at === this.beats.length) this.at = 0;
    while (this.at < this.beats.length && mine === this.#playing) {
      await this.#sweep(this.at + 1);
      await new Promise((done) => setTimeout(done, BEAT - SWEEP));
    }
  }

  /** sweep moves the hands to a beat; where another sweep begins meanwhile, this one ends there. */
  async #sweep(to) {
    const mine = ++this.#sweeps, from = this.at, begun = performance.now();
    this.at = to;
    let share = theme.reduced() || to !== from + 1 ? 1 : 0;
    while (share < 1) {
      this.#draw(from, share);
      share = (await new Promise(requestAnimationFrame) - begun) / SWEEP;
      if (mine !== this.#sweeps) return;
    }
    this.#draw();
  }

  #token(beat) { return beat ? this.beats[beat - 1].at : 0; }

  /** stops are where a hand stood up to a beat: by itself, and by the rule; in turns. */
  #stops(hand, beat) {
    const at = this.#token(beat), { modulus, moments } = this.#dials, ways = turnsOf(hand, this.#dials, at);
    const first = ways[0]?.[0] ?? hand.angles[Math.max(0, stood(hand, at))], due = [0];
    for (let t = 0; t <= at; t++) {
      if (moments[t].change) due.push(due.at(-1) + hand.k * moments[t].change / modulus);
    }
    return { own: [first, ...ways.map(([, to]) => to)].map((x) => x / (2 * Math.PI)), due };
  }

  /** draw draws the beat where the reading stands, or a share of the way there from another. */
  #draw(from = this.at, share = 1) {
    const { tokens, dials, votes, said, back, on, play, exact } = this.#ui, d = this.#dials;
    tokens.replaceChildren(...this.beats.flatMap(({ text }, i) =>
      [html("span", { className: i + 1 === this.at ? "now" : i < this.at ? "read" : "", textContent: text }), " "]));
    dials.replaceChildren(...d.dials.map((hand, i) => this.#dial(hand, i, from, share)));
    back.disabled = this.at === 0;
    on.disabled = this.at === this.beats.length;
    play.disabled = exact.disabled = false;
    if (share < 1) return;
    said.textContent = this.#words();
    if (!votes.hidden && d.answers.length) {
      const rows = d.dials.map((hand, i) => ({ name: turns(hand.k), votes: hand.votes, className: `hand-${i}` }));
      votes.replaceChildren(bars([...rows, { name: "all other hands", votes: d.rest },
        { name: "together", votes: d.sum, className: "sum" }], Number(d.expected)));
    }
  }

  #dial(hand, i, from, share) {
    const { own, due } = this.#stops(hand, this.at), before = this.#stops(hand, from).own;
    const shown = share === 1 ? own : [...own.slice(0, -1), before.at(-1) + (own.at(-1) - before.at(-1)) * share];
    const picture = dial(hand.k, shown, due.at(-1), due);
    const off = own.at(-1) - due.at(-1), degrees = Math.round(360 * Math.abs(off - Math.round(off)));
    const words = hand.cut ? "cut" : this.#exact ? `${degrees}° off; R ${exactness(hand.r)}` : turns(hand.k);
    picture.setAttribute("aria-label", `Hand ${i + 1}, ${turns(hand.k)}: ${hand.cut ? "cut" : `${degrees}° off`}`);
    return html("figure", { className: `hand-${i}${hand.cut ? " cut" : ""}` }, picture,
      html("figcaption", { textContent: words }));
  }

  #words() {
    const { moments, answers } = this.#dials, last = this.at === this.beats.length;
    if (!this.at) return "Nothing is read yet.";
    const { value } = moments[this.#token(this.at)], { text } = this.beats[this.at - 1];
    if (!last || !answers.length) return `After “${text}” the sum so far is ${value}.`;
    const { answer, expected, sure: p } = this.answer;
    const right = answer === expected ? "That is right." : `Right would be ${expected}.`;
    return `It answers ${answer}, ${sure(p)} sure. ${this.#turned.length || this.#cut.size ? "" : right}`;
  }
}
