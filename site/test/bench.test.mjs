// The page that measures: its report is one block of Markdown that can be copied, with checks and times, with WebGPU
// and without, and what is wrong or missing is told.
import assert from "node:assert/strict";
import {test} from "node:test";
import {markdown, near} from "../scripts/bench-report.js";
import {launch, newPage} from "./harness.mjs";
import {accessible, edited, suite, text, until} from "./page.mjs";

const suiteOf = suite({args: []}); // it measures
const done = (page) => until(() => text(page, "status"), (s) => s === "done", "the end", 240_000); // of a whole report

/** rows reads the tables of a Markdown text; all rows of a table have the same number of cells. */
function rows(markdown) {
  const found = [];
  let before = 0;
  for (const line of markdown.split("\n")) {
    const cells = line.startsWith("|") ? line.slice(1, -1).split("|").map((c) => c.trim()) : [];
    if (before > 0 && cells.length > 0) assert.equal(cells.length, before, line);
    before = cells.length;
    if (cells.length > 0) found.push(cells);
  }
  return found;
}

const sample = {
  title: "Card | 3090", facts: [["GPU", "Card | 3090"]], models: ["csp", "gru"], batches: [128, 1024],
  checks: [{what: "first step of `csp`", right: false, text: "loss off by 2"}], fixed: ["gpu: batch 8 1.0 ms"],
  timings: [{model: "csp", backend: "gpu", batch: 128, ms: 1.25}],
  missing: [{what: "a", why: "late", timing: true}, {what: "b", why: "late", timing: true}, {what: "c", why: "late"}],
};

test("the report's text: a wrong result is told, a missing time is a dash, names break no table", () => {
  const block = markdown(sample);
  assert.match(block, /^### mhacsp report: Card ¦ 3090\n/);
  assert.match(block, /^\* \*\*WRONG\*\* first step of `csp`: loss off by 2$/m);
  const all = rows(block);
  assert.deepEqual(all.find((r) => r[0] === "`csp`"), ["`csp`", "1.25 (102 400)", "–"]);
  assert.deepEqual(all.find((r) => r[0] === "`gru`"), ["`gru`", "–", "–"]);
  assert.match(block, /^\* c; 2 timings \(– in the table\): late$/m);
  assert.equal(near({loss: 1, norm: 2}, {loss: 1, norm: 2}).right, true);
  assert.equal(near({loss: 1.0001, norm: 2}, {loss: 1, norm: 2}).right, false);
  assert.equal(near({loss: 1, norm: 2.001}, {loss: 1, norm: 2}).right, false);
  assert.equal(near({loss: NaN, norm: 2}, {loss: 1, norm: 2}).right, false);
});

/** quick has the page measure little: few steps, of networks of a width that a GPU in software computes in no time. */
const quick = (page) => edited(page, /scripts\/bench\.[^/]*\.js/, [
  ["model, batch, seed", "model, width: 16, batch, seed"], ["fixedCount = 10", "fixedCount = 2"],
  ["fine = 500", "fine = 50"],
]);

test("a report with WebGPU: checks, times of both, a block to copy", async (t) => {
  const address = "/bench.html#report&models=csp&batches=2&seconds=600&software";
  const permissions = ["clipboard-read", "clipboard-write"];
  const page = await suiteOf.open(t, address, {permissions, first: quick});
  await done(page);
  const block = await page.inputValue("#block");
  t.diagnostic(block);
  assert.match(block, /^\* \*\*right\*\* first step of `csp` on WebGPU: .* the same bits in a second run$/m);
  const row = rows(block).find((r) => r[0] === "`csp`");
  assert.equal(row.length, 3);
  for (const c of row.slice(1)) assert.match(c, /^[\d.]+ \([\d ]+\)$/);
  assert.doesNotMatch(block, /Not measured/);
  await page.click("#copy");
  await until(() => text(page, "status"), (s) => s === "copied", "copied");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), block);
});

test("a report without WebGPU says why, and has the processor's times; it can be stopped", async (t) => {
  const browser = await launch({webgpu: false});
  t.after(() => browser.close());
  const page = await newPage(browser);
  await page.goto(`${suiteOf.server.url}/bench.html#models=gru,csp,lstm,mha-csp&batches=2,3,4,6,8,12`);
  await page.click("#all");
  await until(() => page.inputValue("#block"), (s) => /^\| `gru` \| [\d.]+ \(/m.test(s), "a first figure");
  await page.click("#stop");
  await done(page);
  const block = await page.inputValue("#block");
  assert.match(block, /^\| GPU \| none \|$/m);
  const none = /^\* WebGPU: Computes on is "gpu": .*: this browser.s WebGPU has none to offer; choose auto or cpu$/m;
  assert.match(block, none);
  assert.match(block, /timings? \(– in the table\): it was stopped$/m);
  rows(block);
  assert.deepEqual(page.problems, []);
});

test("one model, in a moment; and the page is accessible", async (t) => {
  const page = await suiteOf.open(t, "/bench.html#fixed=2", {first: quick});
  await page.click("#run");
  await done(page);
  const line = await text(page, "line");
  assert.match(line,
    /^mha-csp, prompts 32, .*WebGPU \(.*\): batch 2 [\d.]+ ms; processor, 1 core \(.*batch 2 [\d.]+ ms$/);
  const cores = await page.evaluate(() => navigator.hardwareConcurrency);
  assert.equal(await page.locator("#rows tr").count(), cores > 1 ? 3 : 2);
  await accessible(page);
});
