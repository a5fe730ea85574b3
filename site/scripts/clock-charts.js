// Charts of the clocks: how they form while a model trains, and a unit's phase against the sum of two digits.
import { Lines, Points } from "./charts.js";
import { least, round } from "./clocks.js";

const MOST = 400; // points of a curve; then every second one goes

const GAP = 10; // px between the chart of a unit that is pointed at and what it stands beside,
const NARROWEST = 220; // and how narrow it may become there

/**
 * ClockCharts fills the figures "growth" and "sums" of the page from a Session, its Circle and its Clocks, and
 * "pointed": what "sums" shows, beside the circle while a unit is pointed at.
 */
export class ClockCharts {
  #session;
  #circle;
  #clocks;
  #growth = []; // of {step, best, chance, right}
  #sums = null;

  constructor(session, circle, clocks, $) {
    this.#session = session;
    this.#circle = circle;
    this.#clocks = clocks;
    this.$ = $;
    this.lines = new Lines($("chart-growth"), "How exactly the best unit of each frequency follows the sum",
      "Choose Clocks above the circle, then train.", { share: true });
    this.points = new Points($("chart-sums"), "Phase of a unit against the sum", "Choose Clocks above the circle.");
    this.near = new Points($("chart-pointed"), "Phase of the unit against the sum", "");
    clocks.addEventListener("found", (e) => this.#found(e.detail));
    session.addEventListener("opened", () => this.#clear());
    $("sums-unit").addEventListener("change", () => this.#unit());
    circle.addEventListener("unit", (e) => this.#point(e.detail, circle.stage));
    clocks.addEventListener("unit", ({ detail: { unit, row } }) => this.#point(unit, row));
    const leave = () => this.#point(-1); // a finger that left the circle says so by what it does elsewhere
    addEventListener("pointerdown", leave);
    addEventListener("resize", leave);
    addEventListener("keydown", (e) => { if (e.key === "Escape") leave(); });
  }

  #clear() {
    this.#growth = [];
    this.#sums = null;
    this.$("growth").hidden = this.$("sums").hidden = this.$("pointed").hidden = true;
    this.lines.set(null);
    this.points.set(null);
  }

  #found(found) {
    const right = this.#session.figures?.answer ?? null;
    this.#growth = this.#growth.filter((g) => g.step < found.step);
    this.#growth.push({ ...found, right });
    if (this.#growth.length > MOST) this.#growth = this.#growth.filter((_, i) => i % 2);
    this.#curves(found);
    if (found.task === "arithmetic" && !this.#session.running) this.#look(found);
  }

  #curves({ samples, chance, seconds, best }) {
    const list = this.#growth;
    this.$("growth").hidden = list.length < 2 && !this.#session.running;
    const whole = (share) => `${Math.round(100 * share)} %`;
    this.$("growth-note").textContent = "R of the best unit that goes round once, twice …: how exactly it follows " +
      `the sum. ${whole(least(chance))} and more is a clock. ${samples} texts, chance ` +
      `${whole(chance)}; a look takes ${seconds.toPrecision(2)} s beside the training.`;
    const of = (i) => list.map((g) => g.best[i].r);
    this.lines.set({
      x: list.map((g) => g.step),
      lines: [
        ...best.map((_, i) => ({ name: round(i + 1), y: of(i) })),
        { name: "chance", y: list.map((g) => g.chance) },
        { name: "answers right", y: list.map((g) => g.right), dots: true },
      ],
    });
  }

  async #look(found) {
    try {
      this.#sums = await this.#clocks.sums();
    } catch {
      return; // a model whose texts cannot be followed one by one; the circle says so
    }
    const select = this.$("sums-unit"), before = select.value;
    const clocks = this.#clocks.clocks.map((c) => c.unit);
    const name = (unit) => {
      const c = this.#clocks.clocks.find((x) => x.unit === unit);
      return c ? `${unit}: ${c.half ? "twice its phase " : ""}${round(c.k)}` : String(unit);
    };
    const units = [...clocks, ...this.#sums.phases.map((_, i) => i).filter((i) => !clocks.includes(i))];
    select.replaceChildren(...units.map((u) => new Option(name(u), String(u))));
    if (units.includes(Number(before)) && before !== "") select.value = before;
    this.$("sums").hidden = false;
    this.#unit();
  }

  /** point shows the unit that was pointed at, beside the circle and in the chart below; −1: none. */
  #point(unit, anchor) {
    const pointed = this.$("pointed");
    const some = !!this.#sums?.phases[unit] && !this.#session.running;
    pointed.hidden = !some;
    if (!some) return;
    const select = this.$("sums-unit");
    select.value = String(unit);
    this.#unit();
    this.$("pointed-unit").textContent = `Unit ${select.selectedOptions[0].text}`;
    this.near.set(this.#phases(unit));
    this.#place(pointed, anchor.getBoundingClientRect());
  }

  /**
   * place puts the chart beside the panel of the circle where there is room; else below what was pointed at, or above
   * it, so that what was pointed at stays in sight. Nothing else moves.
   */
  #place(figure, anchor) {
    const panel = figure.offsetParent.getBoundingClientRect(), room = panel.left - 2 * GAP;
    const beside = room >= NARROWEST;
    figure.style.maxWidth = beside ? `${room}px` : "";
    const { width, height } = figure.getBoundingClientRect(), lowest = innerHeight - GAP - height;
    const below = anchor.bottom + GAP, above = anchor.top - GAP - height;
    const left = beside ? panel.left - GAP - width : panel.left + (panel.width - width) / 2;
    let top = Math.min(beside ? Math.max(anchor.top, GAP) : below, lowest);
    if (!beside && below > lowest && above >= GAP) top = above;
    Object.assign(figure.style, { left: `${left - panel.left}px`, top: `${top - panel.top}px` });
  }

  #unit() {
    if (!this.#sums) return;
    const unit = Number(this.$("sums-unit").value);
    this.$("sums-note").textContent = "Its phase after each of the 81 sums of two digits, one token after the second. " +
      "A clock stands at one place for each sum, a half-turn clock at two; any other unit does not. Rest the " +
      "pointer on a unit in the circle, or tap it, to see its own.";
    this.points.set(this.#phases(unit));
  }

  /** phases are a unit's, in degrees, over the sums. */
  #phases(unit) {
    const { values, phases } = this.#sums;
    return { x: values, y: phases[unit].map((p) => (p * 180 / Math.PI + 360) % 360) };
  }
}
