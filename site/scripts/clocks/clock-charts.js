// Charts of the clocks: how they form while a model trains, and a unit's phase against the sum of two digits.
import { Lines, Points } from "../charts.js";
import { least } from "./clocks.js";
import { turns } from "./dial.js";
import { halved } from "../history.js";
import { $ } from "../html.js";
import { exactness, percent, time } from "../numbers.js";
import { phasesOf, Pointed, unitName } from "./pointed.js";

const MOST = 400; // points of a curve; then every second one goes

/**
 * ClockCharts fills the figures "growth" and "sums" of the page from a Session, its Circle and its Clocks, and
 * "pointed": what "sums" shows, next to the circle while a unit is pointed at.
 */
export class ClockCharts {
  #session;
  #circle;
  #clocks;
  #growth = []; // of {step, best, chance, right}
  #sums = null;
  #at = -1; // the training step that they are of

  constructor(session, circle, clocks) {
    this.#session = session;
    this.#circle = circle;
    this.#clocks = clocks;
    this.lines = new Lines($("chart-growth"), "How exactly the best unit of each frequency follows the sum",
      "Choose Clocks above the circle, then train.", { share: true, as: exactness });
    this.points = new Points($("chart-sums"), "Phase of a unit against the sum", "Choose Clocks above the circle.");
    this.near = new Pointed();
    clocks.addEventListener("found", (e) => this.#found(e.detail));
    session.addEventListener("opened", () => this.#clear());
    session.addEventListener("change", () => this.#outdated());
    $("sums-unit").addEventListener("change", () => this.#unit());
    circle.addEventListener("unit", (e) => this.#point(e.detail, circle.stage));
    clocks.addEventListener("unit", ({ detail: { unit, row } }) => this.#point(unit, row));
  }

  #clear() {
    this.#growth = [];
    this.#sums = null;
    $("growth").hidden = $("sums").hidden = true;
    this.near.hide();
    this.lines.set(null);
    this.points.set(null);
  }

  #found(found) {
    const right = this.#session.figures?.answer ?? null;
    this.#growth = this.#growth.filter((g) => g.step < found.step);
    this.#growth.push({ ...found, right });
    if (this.#growth.length > MOST) this.#growth = halved(this.#growth);
    this.#curves(found);
    if (found.task === "arithmetic" && !this.#session.running) this.#look(found);
  }

  #curves({ samples, chance, seconds, best, modulus, quantity }) {
    const list = this.#growth;
    $("growth").hidden = list.length < 2 && !this.#session.running;
    $("growth-note").textContent = "R of the best unit of each kind: how exactly it follows " +
      `the ${quantity}; 1 is exact. ${exactness(least(chance))} and more is a clock. ${samples} texts, chance ` +
      `${exactness(chance)}; a look takes ${time(seconds)} during training.`;
    const of = (i) => list.map((g) => g.best[i].r);
    this.lines.set({
      x: list.map((g) => g.step),
      lines: [
        ...best.map((_, i) => ({ name: turns(i + 1, modulus).replace(" it", ""), y: of(i) })),
        { name: "chance", y: list.map((g) => g.chance) },
        { name: "answers right", y: list.map((g) => g.right), dots: true, as: percent },
      ],
    });
  }

  async #look(found) {
    try {
      this.#sums = await this.#clocks.sums();
      this.#at = found.step;
    } catch {
      return; // a model whose texts cannot be followed one by one; the circle says so
    }
    const select = $("sums-unit"), before = select.value;
    const clocks = this.#clocks.clocks.map((c) => c.unit);
    const units = [...clocks, ...this.#sums.phases.map((_, i) => i).filter((i) => !clocks.includes(i))];
    select.replaceChildren(...units.map((u) => new Option(unitName(u, this.#clocks.clocks), String(u))));
    if (units.includes(Number(before)) && before !== "") select.value = before;
    $("sums").hidden = false;
    this.#unit();
    this.#outdated();
  }

  /** outdated takes away what is of an older network than the circle shows, until the clocks are looked for again. */
  #outdated() {
    if (!this.#sums || this.#at === this.#session.step) return;
    this.#sums = null;
    $("sums").hidden = true;
    this.near.hide();
  }

  /** point shows the unit that was pointed at, next to the circle and in the chart below; −1: none. */
  #point(unit, anchor) {
    if (!this.#sums?.phases[unit] || this.#session.running) return this.near.hide();
    $("sums-unit").value = String(unit);
    this.#unit();
    this.near.show(unit, this.#sums, this.#clocks.clocks, anchor, this.#circle.stage);
  }

  #unit() {
    if (!this.#sums) return;
    const unit = Number($("sums-unit").value);
    $("sums-note").textContent = "Its phase after each of the 81 sums of two digits, one token after the second. " +
      "A clock stands at one place for each sum, a half-turn clock at two; any other unit does not. Rest the " +
      "pointer on a unit in the circle, or tap it, to see its own.";
    this.points.set(phasesOf(this.#sums, unit));
  }
}
