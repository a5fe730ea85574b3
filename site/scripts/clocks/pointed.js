// The chart of the unit that is pointed at: its phase against the sums of two digits, next to the circle.
import { Points } from "../charts.js";
import { turns } from "./dial.js";
import { $ } from "../html.js";

const GAP = 10; // px between the chart and what it stands beside,
const NARROWEST = 220; // how narrow it may become there,
const VOTES = 0.4; // and the share of a wide stage that the votes have, on its right (arrangeDials in site/circle)

/** unitName is a unit's number, and what +1 does to it where it is a clock. */
export function unitName(unit, clocks) {
  const c = clocks.find((x) => x.unit === unit);
  return c ? `${unit}: ${c.half ? "twice its phase " : ""}${turns(c.k)}` : String(unit);
}

/** phasesOf are a unit's, in degrees, over the 81 sums as Clocks.sums() gives them. */
export function phasesOf({ values, phases }, unit) {
  return { x: values, y: phases[unit].map((p) => (p * 180 / Math.PI + 360) % 360) };
}

/** Pointed fills the figure "pointed", which is shown while a unit is pointed at. */
export class Pointed {
  #figure = $("pointed");
  #name = $("pointed-unit");
  #points = new Points($("chart-pointed"), "Phase of the unit against the sum", "");

  constructor() {
    const leave = () => this.hide(); // a finger that left the circle says so by what it does elsewhere
    addEventListener("pointerdown", leave);
    addEventListener("resize", leave);
    addEventListener("keydown", (e) => { if (e.key === "Escape") leave(); });
  }

  hide() { this.#figure.hidden = true; }

  /** show tells of a unit of these sums; anchor is what was pointed at: the stage, or a clock's row of buttons. */
  show(unit, sums, clocks, anchor, stage) {
    this.#figure.hidden = false;
    this.#name.textContent = `Unit ${unitName(unit, clocks)}`;
    this.#points.set(phasesOf(sums, unit));
    this.#place(anchor.getBoundingClientRect(), stage.getBoundingClientRect());
  }

  /**
   * place puts the chart next to the panel of the circle where there is room; else, on a wide stage, where the votes
   * stand; else below what was pointed at, or above it. What was pointed at stays in sight, and nothing else moves.
   */
  #place(anchor, stage) {
    const figure = this.#figure, panel = figure.offsetParent.getBoundingClientRect();
    const put = (left, top) => {
      Object.assign(figure.style, { left: `${left - panel.left}px`, top: `${top - panel.top}px` });
    };
    const room = panel.left - 2 * GAP, beside = room >= NARROWEST;
    const votes = VOTES * stage.width - 2 * GAP;
    const over = !beside && stage.width >= 1.25 * stage.height && votes >= NARROWEST;
    figure.classList.toggle("over", over);
    Object.assign(figure.style, {
      maxWidth: beside ? `${room}px` : "", width: over ? `${votes}px` : "",
      height: over ? `${0.75 * stage.height - GAP}px` : "",
    });
    if (over) return put(stage.right - GAP - votes, stage.top + 0.25 * stage.height);
    const { width, height } = figure.getBoundingClientRect(), lowest = innerHeight - GAP - height;
    const below = anchor.bottom + GAP, above = anchor.top - GAP - height;
    const left = beside ? panel.left - GAP - width : panel.left + (panel.width - width) / 2;
    const top = Math.min(beside ? Math.max(anchor.top, GAP) : below, lowest);
    put(left, !beside && below > lowest && above >= GAP ? above : top);
  }
}
