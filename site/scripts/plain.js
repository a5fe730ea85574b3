// A plain picture of a reading on a 2D canvas. It stands in until the circle's program draws, and where that cannot.
import { colours } from "./colours.js";
import { seen } from "./data.js";
import { html } from "./html.js";
import { drawDials, fitted, sayDials } from "./clocks/plain-dials.js";

const BARS = 9; // outcomes that are drawn at most,
const RESIDUES = 12; // but more of them where they are residues: one that is left out would seem to be missing
const font = (size) => `${size}px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif`;
const point = (x, y, r, turn) => [x + r * Math.sin(turn), y - r * Math.cos(turn)];

/** Plain owns a canvas in `stage`. Angles grow with the clock from the top. */
export class Plain {
  #canvas = html("canvas", { className: "plain", role: "img" });
  #shown = null;
  #observer = new ResizeObserver(() => this.redraw());

  constructor(stage) {
    stage.append(this.#canvas);
    this.#observer.observe(this.#canvas);
  }

  /**
   * show draws a reading after the token at `at`: all units, or the dials where clocks is true. dials are the message
   * of the clocks' Worker, {none: lines}, or null where they are not known yet; those of another text are not drawn.
   */
  show(reading, at, { clocks = false, dials = null } = {}) {
    const fits = dials?.none || dials?.moments.length === reading.tokens.length;
    this.#shown = { reading, at, clocks, dials: fits ? dials : null };
    this.#canvas.setAttribute("aria-label", clocks ? `Plain picture of the clocks. ${sayDials(this.#shown.dials, at)}`
      : "Plain picture of the units and the answer; the text below says the same");
    this.redraw();
  }

  close() {
    this.#observer.disconnect();
    this.#canvas.remove();
  }

  /** redraw draws the same again, in the size and the colours of the moment. */
  redraw() {
    const canvas = this.#canvas, ratio = devicePixelRatio, { clientWidth: width, clientHeight: height } = canvas;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const c = canvas.getContext("2d");
    if (!c || !this.#shown || width < 40 || height < 40) return;
    c.scale(ratio, ratio);
    const names = ["--ink", "--soft", "--line", "--accent", "--hand-0", "--hand-1", "--hand-2"];
    const arcs = colours(["--arc-0", "--arc-1", "--arc-2"]);
    const [ink, soft, line, accent, ...hands] = colours(names);
    const wide = width > 1.35 * height; // the bars stand next to the circle, else below
    const bars = wide ? { x: 0.62 * width, y: 0.12 * height, w: 0.34 * width, h: 0.72 * height }
      : { x: 0.08 * width, y: 0.76 * height, w: 0.84 * width, h: 0.16 * height };
    const room = wide ? { x: 0, w: bars.x, h: height } : { x: 0, w: width, h: bars.y };
    const r = 0.5 * Math.min(room.w, room.h) - 26;
    const look = { ink, soft, line, accent, hands, arcs, font };
    const { clocks, dials, at } = this.#shown;
    if (clocks) drawDials(c, { y: 0, ...room, h: room.h - (wide ? 0 : 12) }, dials, at, look);
    else if (r > 12) this.#circle(c, room.x + room.w / 2, room.h / 2, r, look);
    this.#bars(c, bars, look);
  }

  #circle(c, x, y, r, { ink, soft, line, accent }) {
    const { reading, at } = this.#shown, { modulus, width, state, probabilities } = reading;
    if (!width && !modulus) return; // neither units nor residues stand on it
    c.strokeStyle = line;
    c.lineWidth = 1.5;
    c.beginPath();
    c.arc(x, y, r, 0, 2 * Math.PI);
    c.stroke();
    Object.assign(c, { textAlign: "center", textBaseline: "middle", fillStyle: ink, font: `600 ${font(14)}` });
    for (let k = 0; k < modulus; k++) {
      c.fillText(fitted(c, seen(reading.outcomes[k]), 2 * r), ...point(x, y, r + 14, 2 * Math.PI * k / modulus));
    }
    c.fillStyle = soft;
    for (let unit = 0; unit < width; unit++) {
      const re = state[at][unit], im = state[at][width + unit];
      if (!re && !im) continue; // no phase
      c.beginPath();
      c.arc(...point(x, y, r, Math.atan2(im, re)), 3, 0, 2 * Math.PI);
      c.fill();
    }
    if (!modulus) return;
    let re = 0, im = 0;
    probabilities[at].slice(0, modulus).forEach((p, k) => {
      re += p * Math.cos(2 * Math.PI * k / modulus);
      im += p * Math.sin(2 * Math.PI * k / modulus);
    });
    c.strokeStyle = at === reading.tokens.length - 1 ? accent : soft;
    c.lineWidth = 4;
    c.lineCap = "round";
    c.beginPath();
    c.moveTo(x, y);
    c.lineTo(...point(x, y, 0.86 * r * Math.hypot(re, im), Math.atan2(im, re)));
    c.stroke();
  }

  #bars(c, { x, y, w, h }, { ink, soft, line, accent }) {
    const { reading, at, clocks, dials } = this.#shown, ended = at === reading.tokens.length - 1;
    const changed = clocks && ended && dials?.answers?.length; // with what is cut and turned
    const row = changed ? dials.probabilities : reading.probabilities[at];
    const outcomes = changed ? dials.answers : reading.outcomes;
    let all = row.map((p, k) => ({ p, k }));
    const kept = reading.modulus <= RESIDUES ? reading.modulus : 0, rank = ({ p, k }) => (k < kept ? 2 : p);
    const most = Math.max(BARS, kept);
    if (all.length > most) all = all.sort((a, b) => rank(b) - rank(a)).slice(0, most).sort((a, b) => a.k - b.k);
    const best = Math.max(...row), step = w / all.length;
    Object.assign(c, { textAlign: "center", textBaseline: "top", font: font(13) });
    all.forEach(({ p, k }, i) => {
      const left = x + (i + 0.15) * step, middle = x + (i + 0.5) * step;
      c.fillStyle = line;
      c.fillRect(left, y + h - 1, 0.7 * step, 1);
      c.fillStyle = p === best && (ended || !clocks) ? accent : soft;
      c.fillRect(left, y + h * (1 - p), 0.7 * step, h * p);
      c.fillStyle = ink;
      c.fillText(fitted(c, outcomes[k] === "<EOS>" ? "end" : seen(outcomes[k]), 0.95 * step), middle, y + h + 4);
    });
  }
}
