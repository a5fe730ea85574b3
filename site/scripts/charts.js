// Charts by uPlot. Each keeps its newest data and draws at most ten times a second, and only while it can be seen.
import { colours } from "./colours.js";
import { data as isolated, seen } from "./data.js";
import { html, svg } from "./html.js";
import { count, number, percent, rounded, whole } from "./numbers.js";
import uPlot from "./uplot.js";
import { onChange } from "./theme.js";

const INTERVAL = 100; // ms between redraws

const sequence = [
  ["#2f3ea8", "#a9b6ff"], ["#b4441c", "#ffab85"], ["#0b7a5b", "#6fd6b0"], ["#8a3ea0", "#dd9cf0"],
  ["#7d6200", "#e5c34f"], ["#0a6f93", "#70cdf0"], ["#a12a5a", "#ff9cc0"], ["#4d5562", "#b9c1cf"],
];
const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3], [4, 4], [12, 4], [3, 6], [1, 4]];

const shown = () => {
  const [ink, soft, line, accent, panel, ...list] = colours([
    "--ink", "--soft", "--line", "--accent", "--panel",
    ...sequence.map(([light, dark]) => `light-dark(${light}, ${dark})`),
  ]);
  return { ink, soft, line, accent, panel, list };
};

/** legendMark draws how a line of the chart looks: a dot, or a stroke with the line's pattern. */
function legendMark({ colour, dash, dots }) {
  const dot = { cx: 12, cy: 4, r: 3.4, fill: colour };
  const stroke = { d: "M0 4h24", stroke: colour, "stroke-width": 2.5, "stroke-dasharray": (dash ?? []).join(" ") };
  const mark = dots ? svg("circle", dot) : svg("path", stroke);
  return svg("svg", { viewBox: "0 0 24 8", "aria-hidden": "true" }, mark);
}

/** One chart in one element. Subclasses give uPlot's options and columns from what set() was given. */
class Chart {
  #timer = 0;
  #last = 0;
  #seen = false;
  #plot = null;
  #shape = "";

  /** options: of the kind of chart, as its properties; as: how a share is written. */
  constructor(root, label, empty, options = {}) {
    Object.assign(this, { root, label, as: percent, ...options });
    root.setAttribute("role", "img");
    root.setAttribute("aria-label", `${label}: nothing to show yet`);
    this.note = html("div", { className: "empty", textContent: empty });
    root.append(this.note);
    this.legend = html("ul", { className: "legend" });
    root.after(this.legend);
    new IntersectionObserver((entries) => {
      this.#seen = entries.at(-1).isIntersecting;
      if (this.#seen) this.#later();
    }).observe(root);
    new ResizeObserver(() => this.#plot?.setSize(this.#size())).observe(root);
    onChange(() => { this.#drop(); this.#later(); });
  }

  /** set takes new data, or null for none. */
  set(data) {
    this.data = data;
    this.#later();
  }

  #later() {
    if (this.#timer || !this.#seen) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      this.#last = performance.now();
      this.#draw();
    }, Math.max(0, this.#last + INTERVAL - performance.now()));
  }

  #size() { return { width: Math.max(80, this.root.clientWidth), height: Math.max(80, this.root.clientHeight) }; }

  #drop() {
    this.#plot?.destroy();
    this.#plot = null;
  }

  #draw() {
    const columns = this.data ? this.columns(this.data) : [[]];
    this.note.hidden = columns[0].length > 0;
    if (!this.note.hidden) {
      this.#drop();
      this.legend.replaceChildren();
      this.root.setAttribute("aria-label", `${this.label}: nothing to show yet`);
      return;
    }
    const shape = this.shape?.(this.data) ?? "";
    if (!this.#plot || shape !== this.#shape) {
      this.#drop();
      this.#shape = shape;
      this.colours = shown();
      const plain = { ...this.#size(), legend: { show: false }, cursor: { show: false } };
      this.#plot = new uPlot({ ...plain, ...this.options(this.data, this.colours) }, columns, this.root);
    } else {
      this.#plot.setData(columns);
    }
    this.root.setAttribute("aria-label", `${this.label}: ${this.words(this.data)}`);
    this.keyed(this.data);
  }

  /** keyed fills the legend; a line's pattern says which it is, not its colour alone. */
  keyed(data) {
    const rows = this.key?.(data) ?? [];
    this.legend.replaceChildren(...rows.map(({ name, value, ...look }) =>
      html("li", { className: look.faint ? "faint" : "" }, legendMark(look), name + " ",
        html("b", { textContent: value }))));
  }
}

const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';
const axis = (colours, more = {}) => ({
  stroke: colours.soft, font, grid: { stroke: colours.line, width: 1 }, ticks: { show: false },
  border: { show: false }, ...more,
});
const labels = (text) => (_, ticks) => ticks.map(text); // what uPlot asks for an axis' values
const short = (n) => (n >= 1e6 ? `${rounded(n / 1e6)}M` : n >= 1e3 ? `${rounded(n / 1e3)}k` : rounded(n));

const Z = 1.96; // of a 95 % interval

/** wilson is the 95 % interval of a share that n samples gave (Wilson 1927), {low, high}. */
export function wilson(share, n) {
  const middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n);
  const half = Z / (1 + Z * Z / n) * Math.sqrt(share * (1 - share) / n + Z * Z / (4 * n * n));
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** measured writes a share with the number of samples behind it and its interval. */
export function measured(share, n) {
  const { low, high } = wilson(share, n);
  return `${percent(share)} of ${whole(n)} (${Math.round(100 * low)}–${Math.round(100 * high)} %)`;
}

/** whisker draws a share's interval at x, in the canvas' pixels. */
function whisker(u, x, share, n, colour) {
  const { low, high } = wilson(share, n), { ctx } = u, ratio = uPlot.pxRatio;
  const [top, bottom] = [high, low].map((v) => u.valToPos(v, "y", true)), wing = 3 * ratio;
  ctx.save();
  Object.assign(ctx, { strokeStyle: colour, lineWidth: 1.5 * ratio });
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, bottom);
  for (const y of [top, bottom]) {
    ctx.moveTo(x - wing, y);
    ctx.lineTo(x + wing, y);
  }
  ctx.stroke();
  ctx.restore();
}

/** Fewer samples than this are drawn faintly. */
const THIN = 30;
const FAINT = 0.4;

/**
 * Lines over training steps. data: {x, lines: [{name, y, dots, n}], marks: [{x, text}]}; a `share` chart runs from 0
 * to 1, written by `as`, that of the chart or of a line. n: how many samples are behind each y, where it is a share of
 * some; then intervals are drawn, at each dot, or at a line's end. marks: where something changed, with what it did.
 */
export class Lines extends Chart {
  shape(d) { return d.lines.map((l) => `${l.name}${this.thin(l)}`).join("|"); }
  columns(d) { return [d.x, ...d.lines.map((l) => l.y)]; }
  last(line) { return line.y.findLast((v) => v !== null && v !== undefined); }
  format(l) {
    const value = this.last(l);
    if (value === undefined) return "–";
    if (!this.share) return number(value);
    return l.n ? measured(value, l.n[l.y.lastIndexOf(value)]) : (l.as ?? this.as)(value);
  }
  thin(l) { return !!l.n && !(l.n[l.y.lastIndexOf(this.last(l))] >= THIN); }
  words(d) {
    const ends = d.lines.map((l) => `${l.name} ${this.format(l)}`);
    const marks = (d.marks ?? []).map((m) => `; ${m.text} from step ${m.x}`);
    return `${ends.join(", ")}, at step ${d.x.at(-1)}${marks.join("")}`;
  }
  key(d) {
    return d.lines.map((l, i) => ({
      name: l.name, value: this.format(l), faint: this.thin(l),
      colour: this.colours.list[i % 8], dash: l.dots ? [] : dashes[i % 8], dots: l.dots,
    }));
  }

  options(d, colours) {
    const range = this.share ? () => [0, 1.02] : (_, low, high) => [0, high > 0 ? high * 1.06 : 1];
    const label = !this.share ? short : this.as === percent ? (v) => `${Math.round(100 * v)} %` : this.as;
    // One test alone has no width: its step stands in the middle.
    const steps = (_, low, high) => (low === high ? [low - Math.max(1, low), high + Math.max(1, high)] : [low, high]);
    return {
      scales: { x: { time: false, range: steps }, y: { range } },
      hooks: { draw: [(u) => this.#more(u)] },
      axes: [
        axis(colours, { values: labels(short), space: 60, size: 30 }),
        axis(colours, { values: labels(label), size: 52 }),
      ],
      series: [{}, ...d.lines.map((l, i) => ({
        stroke: colours.list[i % 8], width: l.dots ? 0 : 2.25, dash: dashes[i % 8], spanGaps: true,
        alpha: this.thin(l) ? FAINT : 1,
        points: {
          show: !!(l.dots || l.n), size: l.dots ? 7 : 5, fill: colours.list[i % 8], stroke: colours.panel, width: 1,
        },
        ...(l.dots ? { paths: () => null } : {}),
      }))],
    };
  }

  /** more draws intervals and marks over the lines. */
  #more(u) {
    const { lines, x, marks = [] } = this.data, { ctx, bbox } = u, ratio = uPlot.pxRatio, { list, soft } = this.colours;
    const at = (step) => u.valToPos(step, "x", true);
    lines.forEach((l, i) => {
      if (!l.n) return;
      const last = l.y.findLastIndex((v) => v !== null && v !== undefined);
      ctx.globalAlpha = this.thin(l) ? FAINT : 1;
      l.y.forEach((share, k) => {
        if (share === null || share === undefined || !(l.dots || k === last)) return;
        const aside = l.dots ? 0 : (i - (lines.length - 1) / 2) * 4 * ratio; // ends of lines lie next to one another
        whisker(u, Math.min(at(x[k]) + aside, bbox.left + bbox.width), share, l.n[k], list[i % 8]);
      });
    });
    ctx.globalAlpha = 1;
    ctx.save();
    Object.assign(ctx, {
      strokeStyle: soft, fillStyle: soft, lineWidth: ratio, font: `${11 * ratio}px system-ui, sans-serif`,
      textBaseline: "top", textAlign: "left",
    });
    ctx.setLineDash([3 * ratio, 3 * ratio]);
    let free = bbox.left; // marks that lie close show their lines, and the first of them its text
    for (const mark of marks) {
      const left = at(mark.x), { width } = ctx.measureText(mark.text);
      if (!(left >= bbox.left && left <= bbox.left + bbox.width)) continue;
      ctx.beginPath();
      ctx.moveTo(left, bbox.top);
      ctx.lineTo(left, bbox.top + bbox.height);
      ctx.stroke();
      const begin = Math.min(left + 3 * ratio, bbox.left + bbox.width - width);
      if (begin < free) continue;
      ctx.fillText(mark.text, begin, bbox.top + 2 * ratio);
      free = begin + width + 6 * ratio;
    }
    ctx.restore();
  }
}

const samplesOf = (n) => {
  const all = [...new Set(n ?? [])].sort((a, b) => a - b);
  const most = count(all.at(-1) ?? 0, "sample");
  return all.length === 0 ? "" : all.length === 1 ? `, ${most} each` : `, ${whole(all[0])} to ${most}`;
};

/**
 * Bars, up to `top` or the highest. data: {names, values, chance?, n?}: shares from 0 to 1 but for n, how many samples
 * are behind each value.
 */
export class Bars extends Chart {
  shape(d) { return `${d.names.join("|")}|${!!d.chance}`; }
  columns(d) { return [d.values.map((_, i) => i), d.values, ...(d.chance ? [d.chance] : [])]; }
  words(d) {
    const one = (name, i) => `${name}: ${d.n ? measured(d.values[i], d.n[i]) : percent(d.values[i])}`;
    return d.names.slice(0, 12).map(one).join(", ");
  }
  key(d) {
    if (!d.chance) return [];
    return [
      { name: `right, with its 95 % interval${samplesOf(d.n)}`, value: "", colour: this.colours.accent },
      { name: "a constant guess", value: "", colour: this.colours.list[1], dots: true },
    ];
  }

  options(d, colours) {
    const all = d.names.map((_, i) => i);
    const every = Math.ceil(d.names.length / 12);
    const splits = () => all.filter((i) => i % every === 0);
    const y = (_, low, high) => [0, this.top ?? Math.max(high * 1.08, 1e-6)];
    const bars = {
      fill: colours.accent, stroke: colours.accent, width: 0, points: { show: false },
      paths: uPlot.paths.bars({ size: [0.66, 60], radius: 0.12 }),
    };
    const chance = {
      stroke: colours.list[1], paths: () => null, points: { show: true, size: 9, fill: colours.list[1] },
    };
    return {
      scales: { x: { time: false, range: [-0.6, d.names.length - 0.4] }, y: { range: y } },
      axes: [
        axis(colours, { values: labels((i) => d.names[i]), splits, size: 30, grid: { show: false } }),
        axis(colours, { values: labels((v) => `${+(100 * v).toFixed(1)} %`), size: 52 }),
      ],
      series: [{}, bars, ...(d.chance ? [chance] : [])],
      hooks: { draw: [(u) => this.data?.n?.forEach((n, i) => {
        whisker(u, u.valToPos(i, "x", true), this.data.values[i], n, colours.ink);
      })] },
    };
  }
}

/** Points: an angle in degrees over a small whole number. data: {x, y}. */
export class Points extends Chart {
  columns(d) {
    const order = d.x.map((_, i) => i).toSorted((a, b) => d.x[a] - d.x[b]);
    return [order.map((i) => d.x[i]), order.map((i) => d.y[i])];
  }
  words(d) {
    const at = (v) => d.y.filter((_, i) => d.x[i] === v).map(Math.round).toSorted((a, b) => a - b).join(", ");
    return [...new Set(d.x)].toSorted((a, b) => a - b).map((v) => `sum ${v} at ${at(v)} degrees`).join("; ");
  }

  options(d, colours) {
    const letters = parseFloat(getComputedStyle(this.root).fontSize);
    const large = { font: font.replace("12px", `${letters}px`), gap: 5 };
    const quarters = { values: labels((v) => `${v}°`), splits: () => [0, 90, 180, 270, 360], size: 4 * letters };
    const sums = () => [...new Set(d.x)].toSorted((a, b) => a - b);
    return {
      scales: { x: { time: false, range: [-0.6, Math.max(...d.x) + 0.6] }, y: { range: [-10, 370] } },
      axes: [
        axis(colours, { values: labels(String), splits: sums, size: 2.5 * letters, ...large }),
        axis(colours, { ...quarters, ...large }),
      ],
      series: [{}, {
        stroke: "transparent", paths: () => null,
        points: { show: true, size: 0.58 * letters, fill: colours.accent, stroke: colours.accent, width: 0 },
      }],
    };
  }
}

/** Named points in the plane. data: {points: [{token, x, y}]}. */
export class Scatter extends Chart {
  columns(d) {
    const points = d.points.toSorted((a, b) => a.x - b.x);
    this.sorted = points;
    return [points.map((p) => p.x), points.map((p) => p.y)];
  }
  words(d) { return d.points.map((p) => `${isolated(p.token)} at ${rounded(p.x)}, ${rounded(p.y)}`).join("; "); }

  options(_, colours) {
    const around = (_, low, high) => {
      const all = Math.max(...this.sorted.flatMap((p) => [Math.abs(p.x), Math.abs(p.y)]));
      const reach = Math.max(Math.abs(low), Math.abs(high), 0.2 * all, 1e-6) * 1.25; // two points lie on one line
      return [-reach, reach];
    };
    const values = labels(rounded);
    return {
      scales: { x: { time: false, range: around }, y: { range: around } },
      axes: [axis(colours, { values, space: 70, size: 30 }), axis(colours, { values, size: 48 })],
      series: [{}, { stroke: "transparent", paths: () => null, points: { show: false } }],
      hooks: { draw: [(u) => {
        const ratio = uPlot.pxRatio, { ctx } = u;
        ctx.save();
        ctx.font = `600 ${13 * ratio}px system-ui, sans-serif`;
        ctx.textAlign = "center";
        ctx.textBaseline = "middle";
        for (const p of this.sorted) {
          const x = u.valToPos(p.x, "x", true), y = u.valToPos(p.y, "y", true);
          ctx.beginPath();
          ctx.arc(x, y, 11 * ratio, 0, 2 * Math.PI);
          ctx.fillStyle = colours.accent;
          ctx.fill();
          ctx.fillStyle = colours.panel;
          ctx.fillText(seen(p.token), x, y + ratio);
        }
        ctx.restore();
      }] },
    };
  }
}
