// The page of the open problems: every number of a plot, and every dot and line, is what the records say. Its pictures
// come from .github/benchmarks/open.py; run that after a change of the records.
import assert from "node:assert/strict";
import {readFile} from "node:fs/promises";
import path from "node:path";
import {test} from "node:test";
import {root} from "./harness.mjs";
import {suite} from "./page.mjs";

const site = suite();
const open = (t, options) => site.open(t, "/open.html", options);
const phone = {viewport: {width: 390, height: 844}, javaScriptEnabled: false};

/** rows are the lines of a table of .github/benchmarks/log, as objects. */
async function rows(name) {
  const text = await readFile(path.join(root, ".github/benchmarks/log", name), "utf8");
  const [head, ...lines] = text.trimEnd().split("\n").map((line) => line.split("\t"));
  return lines.map((cells) => Object.fromEntries(head.map((key, i) => [key, cells[i]])));
}

const mean = (values) => values.reduce((sum, v) => sum + v, 0) / values.length;
const figure = (text) => Number(text.replace("−", "-"));

/** plotted are the rows of a plot: name, mean, and the ends of the interval. */
const plotted = async (plot) => (await plot.locator("tbody tr:has(td)").evaluateAll((all) => all.map((row) =>
  [row.querySelector("th"), ...row.querySelectorAll("td:nth-child(n + 3)")].map((e) => e.textContent.trim()))))
  .map(([name, middle, ends]) => [name, figure(middle), ...ends.split("–").map(figure)]);

/** close holds a row of a plot to the values behind it, of three or of six seeds. */
function close([name, middle, from, to], values, what) {
  const m = mean(values), n = values.length, student = {3: 4.303, 6: 2.571}[n];
  const half = student * Math.sqrt(values.reduce((sum, v) => sum + (v - m) ** 2, 0) / (n - 1) / n);
  const want = [m, Math.max(0, m - half), Math.min(100, m + half)];
  [middle, from, to].forEach((v, i) => assert.ok(Math.abs(v - want[i]) < 0.06, `${what} ${name}: ${v}, ${want[i]}`));
}

test("transfer: means and intervals are those of the records", async (t) => {
  const page = await open(t), cells = new Map();
  for (const {task, model, seed, group, samples, exact} of await rows("transfer.tsv")) {
    const key = `${task} ${/^(jump combined|longer|deeper)$/.test(group) ? "beyond" : "like"} ${model}`;
    const seeds = cells.get(key) ?? {}, [right, n] = seeds[seed] ?? [0, 0];
    cells.set(key, {...seeds, [seed]: [right + exact * samples, n + Number(samples)]});
  }
  const shown = [];
  for (const plot of await page.locator(".plots .plot").all()) shown.push(...await plotted(plot));
  const tasks = [...new Set([...cells.keys()].map((key) => key.split(" ")[0]))];
  const keys = tasks.flatMap((task) => ["like", "beyond"].flatMap((part) =>
    [...cells.keys()].filter((key) => key.startsWith(`${task} ${part} `))));
  assert.equal(shown.length, keys.length);
  keys.forEach((key, i) => {
    assert.equal(shown[i][0], key.split(" ")[2], key);
    close(shown[i], Object.values(cells.get(key)).map(([right, n]) => right / n), key);
  });
});

test("heads and parts: means and intervals are those of the records", async (t) => {
  const page = await open(t), all = await rows("open.tsv");
  const settings = ["heads=1", "heads=2", "heads=4", "heads=12",
    ...["none", "no-B", "no-tree", "no-lse", "no-norm"].map((part) => `ablation=${part}`)];
  const shown = await plotted(page.locator("#heads ~ .plot").first());
  assert.equal(shown.length, settings.length);
  settings.forEach((name, i) => close(shown[i], all.filter((r) => r.settings === name && r.step === "2000")
    .map((r) => Number(r.exact)), name));
});

test("changed networks: means and intervals are those of the records", async (t) => {
  const page = await open(t), ends = new Map();
  const add = (run, seed, exact) => ends.set(run, {...ends.get(run), [seed]: Number(exact)}); // the last step stays
  for (const {settings, seed, exact} of await rows("open.tsv")) add(settings, seed, exact);
  for (const {run, seed, exact} of await rows("switches.tsv")) add(run, seed, exact);
  const shown = await plotted(page.locator("#changed ~ .plot").first());
  const runs = ["heads=4", "apart 0.1", "weight_decay=0.0001", "apart 0.1 decay", "heads=4", "token", "ssm"];
  assert.equal(shown.length, runs.length);
  runs.forEach((run, i) => close(shown[i], Object.values(ends.get(run)), run));
});

test("dots lie where their numbers say, lines end where the picture's description says", async (t) => {
  for (const options of [{}, phone]) {
    const page = await open(t, options);
    for (const plot of await page.locator(".plot").all()) {
      const axis = await plot.locator(".axis span").allTextContents();
      const low = figure(axis[0]), high = figure(axis.at(-1));
      const at = (await plot.locator("tbody tr:has(td)").evaluateAll((all) => all.map((row) => {
        const strip = row.querySelector("svg").getBoundingClientRect();
        const dot = row.querySelector(".ours").getBoundingClientRect();
        return [(dot.x + dot.width / 2 - strip.x) / strip.width, row.querySelectorAll(".seed").length];
      })));
      const numbers = await plotted(plot);
      assert.equal(at.length, numbers.length);
      numbers.forEach(([name, middle], i) => {
        assert.ok(Math.abs(at[i][0] - (middle - low) / (high - low)) < 0.015, `${name}: ${middle} at ${at[i][0]}`);
        assert.ok([3, 6].includes(at[i][1]), `${name}: ${at[i][1]} seeds`);
      });
    }
    const charts = await page.locator("svg.chart").evaluateAll((all) => all.map((svg) => ({
      label: svg.getAttribute("aria-label").replace(/\s+/g, " "),
      ticks: [...svg.querySelectorAll("text[text-anchor=end]")].filter((e) => e.getAttribute("x") === "30")
        .map((e) => [Number(e.textContent.replace("−", "-")), Number(e.getAttribute("y")) - 4]),
      lines: [...svg.querySelectorAll("polyline")].map((e) => [...e.points].map(({x, y}) => [x, y])),
    })));
    assert.ok(charts.length >= 8, `${charts.length} charts`);
    for (const {label, ticks, lines} of charts) {
      const [[least, bottom]] = ticks, [most, top] = ticks.at(-1);
      const said = label.split("; ").flatMap((part) => part.slice(part.lastIndexOf(": ") + 2).split(", ").map(figure));
      assert.equal(said.length, lines.length, label);
      lines.forEach((points, i) => {
        const inside = ([x, y]) => x >= 35 && x <= 349 && y <= bottom + 1 && y >= top - 1;
        assert.ok(points.length > 2 && points.every(inside), `${label}: line ${i + 1} leaves the axes`);
        const end = least + (bottom - points.at(-1)[1]) / (bottom - top) * (most - least);
        assert.ok(Math.abs(end - said[i]) <= (most - least) * 0.01, `${label}: line ${i + 1} ends at ${end}`);
      });
    }
  }
});

test("the first page and the page of the paper lead here", async (t) => {
  for (const [from, link] of [["/", ".on a[href='open.html']"], ["/paper.html", ".contents a[href='open.html']"]]) {
    const page = await site.open(t, from);
    await page.click(link);
    await page.locator("h1:text-is('Open problems, tried')").waitFor();
  }
});
