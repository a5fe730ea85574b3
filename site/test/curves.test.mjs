// Curves that do not mislead: samples and intervals next to every share, one test is a point, marks where loss jumps.
import assert from "node:assert/strict";
import {test} from "node:test";
import {built} from "./harness.mjs";
import {kept, step, suite, text, tiny, until} from "./page.mjs";
import {letters, looksRight} from "./pixels.mjs";

const self = suite();
const {start, open} = self;
const said = (page, id) => page.locator(`#${id}`).getAttribute("aria-label");

/** inked counts the pixels of a chart's canvas within its middle that are not empty. */
const inked = (page, id) => page.locator(`#${id} canvas`).evaluate((canvas) => {
  const {width, height} = canvas;
  const {data} = canvas.getContext("2d").getImageData(width * 0.45, 0, width * 0.1, height);
  const alone = new Set(); // colours apart from the grid's grey
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b, a] = data.slice(i, i + 4);
    if (a > 128 && Math.max(r, g, b) - Math.min(r, g, b) > 60) alone.add(i);
  }
  return alone.size;
});

test("Wilson's interval is that of the literature", async (t) => {
  const page = await open(t, "/files.json"); // any address: it only imports
  const charts = await built("scripts/charts.js");
  const list = await page.evaluate(async (url) => {
    const {wilson} = await import(url);
    return [[1, 1], [0.5, 10], [0.9, 100], [0, 20]].map(([p, n]) => Object.values(wilson(p, n)));
  }, `/${charts}`);
  const want = [[0.2065, 1], [0.2366, 0.7634], [0.8256, 0.9448], [0, 0.1611]]; // Newcombe 1998, method 3
  list.flat().forEach((v, i) => assert.ok(Math.abs(v - want.flat()[i]) < 1e-4, `${list}`));
});

test("one test is a point, with its samples and interval; thin groups are faint or left out", async (t) => {
  const run = "task=arithmetic&format=direct&model=csp&width=8&batch=8&steps=3&eval_every=2&eval_samples=150" +
    "&test_samples=0&seed=1&backend=cpu";
  const page = await start(t, `/lab.html#${run}`);
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  await page.click("#step");
  await page.locator("#chart-groups").scrollIntoViewIfNeeded();
  const words = await until(() => said(page, "chart-groups"), (s) => / of \d+ \(/.test(s), "chart");
  for (const group of words.split(": ").slice(1).join(": ").split(/, (?=\d+ operands|one number)/)) {
    assert.match(group, /(operands|one number) [\d.]+ % of \d+ \(\d+–\d+ %\)/, words);
    assert.ok(Number(/of (\d+) /.exec(group)[1]) >= 8, group);
  }
  assert.match(await text(page, "groups-few"), /fewer than 8 samples in a test: .*operands \(\d\)/);
  assert.ok(await inked(page, "chart-groups") > 20, "one test draws no point");
  const thin = await page.locator("#chart-groups + .legend li").evaluateAll((all) => all.map((li) => {
    return [Number(/of (\d+) /.exec(li.textContent)[1]), li.classList.contains("faint")];
  }));
  assert.ok(thin.some(([n]) => n < 30) && thin.some(([n]) => n >= 30), `${thin}`);
  for (const [n, faint] of thin) assert.equal(faint, n < 30, `${n} samples`);
  await page.locator("#chart-accuracy").scrollIntoViewIfNeeded();
  await until(() => said(page, "chart-accuracy"), (s) => /test [\d.]+ % of 150 \(\d+–\d+ %\)/.test(s), "test");
});

test("what is measured beyond the lengths has its samples and interval too", async (t) => {
  const page = await start(t, `/lab.html#${tiny}`);
  await page.click("#lengths");
  await until(() => text(page, "lengths"), (s) => s === "Measure", "button");
  await page.locator("#chart-lengths").scrollIntoViewIfNeeded();
  await until(() => said(page, "chart-lengths"), (s) => /% of 64 \(\d+–\d+ %\)/.test(s), "chart");
  assert.match(await page.locator("#chart-lengths + .legend").textContent(), /95 % interval, 64 samples each/);
});

test("where the curriculum's limit moves the charts say so, also after a reload", async (t) => {
  const run = "task=parity&model=csp&width=16&batch=64&lr=0.01&warmup=5&max_length=64&steps=100000&curriculum=true" +
    "&eval_every=0&test_samples=0&seed=1&backend=cpu";
  const page = await start(t, `/lab.html#${run}`, {first: letters});
  await page.click("#train");
  await page.locator("#chart-loss").scrollIntoViewIfNeeded();
  await until(() => said(page, "chart-loss"), (s) => /to \d+ characters from step \d+/.test(s), "mark");
  assert.ok(await page.locator("#limit-note").isVisible());
  await looksRight(page, "marks of the curriculum");
  await page.click("#train");
  await kept(page);
  await page.reload();
  await self.ready(page);
  await page.locator('[data-kind="kept"]').getByRole("button", {name: "Go on with it"}).click();
  await page.locator("#chart-loss").scrollIntoViewIfNeeded();
  await until(() => said(page, "chart-loss"), (s) => /to \d+ characters from step \d+/.test(s), "mark after a reload");
});
