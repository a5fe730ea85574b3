// Each page, on a desk and on a phone, as it is seen: letters that can be read, nothing cut off, charts with curves.
// The circle's own letters are held by TestWords of site/circle, at these sizes too.
import assert from "node:assert/strict";
import {readFile, readdir} from "node:fs/promises";
import path from "node:path";
import {test} from "node:test";
import {root} from "./harness.mjs";
import {ready, state, suite, text, tiny, until} from "./page.mjs";
import {curves, letters, looksRight} from "./pixels.mjs";

const {open} = suite();
const phone = {viewport: {width: 390, height: 780}, isMobile: true, hasTouch: true};
const pages = (await readdir(path.join(root, "site")))
  .filter((name) => name.endsWith(".html") && !/^head(er)?\.html$/.test(name));

/** What a page is like when it is worth looking at. */
const prepared = {
  "lab.html": async (page) => {
    await ready(page);
    await page.click("#train");
    await until(() => state(page), (s) => s.startsWith("Trained"), "the end of the training");
    await page.getByText("See the hands that became clocks").waitFor();
  },
  "race.html": async (page) => {
    await until(() => text(page, "lanes"), (s) => s.match(/is ready; answers/g)?.length === 2, "runners");
    await page.click("#go");
    await until(() => text(page, "told"), (s) => s.includes("The race is over"), "the end of the race");
  },
  "embed-frame.html": (page) => until(() => text(page, "verdict"), (s) => /^(Best|It answers)/.test(s), "verdict"),
};
const charts = {
  "lab.html": ["#chart-loss", "#chart-accuracy"], "race.html": ["#chart"],
};
const address = {
  "lab.html": `#${tiny}`, "race.html": "#models=csp,gru&task=parity&max_length=4&steps=3&batch=4&seed=3",
};

for (const name of pages) {
  for (const [size, options] of [["on a desk", {}], ["on a phone", phone]]) {
    test(`${name} looks right ${size}`, async (t) => {
      const page = await open(t, `/${name}${address[name] ?? ""}`, {first: letters, ...options});
      await page.locator("h1, main").first().waitFor();
      await prepared[name]?.(page);
      for (const chart of charts[name] ?? []) {
        const {inks} = await curves(page, chart, {name: `${name} ${chart} ${size}`});
        t.diagnostic(`${chart}: ${JSON.stringify(inks)}`);
      }
      await looksRight(page, `${name} ${size}`);
    });
  }
}

/** reaches lists the scripts that a script of the site loads, itself among them. */
async function reaches(script, seen = new Set()) {
  if (seen.has(script)) return seen;
  seen.add(script);
  const code = await readFile(path.join(root, "site", script), "utf8");
  for (const [, to] of code.matchAll(/(?:from|import)\s*\(?\s*"(\.{1,2}\/[^"]+\.js)"/g)) {
    await reaches(path.join(path.dirname(script), to), seen);
  }
  return seen;
}

test("every page that can draw a chart has the chart library's style sheet, and no other has", async () => {
  const drawing = [];
  for (const name of pages) {
    const html = await readFile(path.join(root, "site", name), "utf8");
    const scripts = [...html.matchAll(/<script[^>]* type="module"[^>]* src="([^"]+)"/g)].map(([, src]) => src);
    const loaded = await Promise.all(scripts.map((src) => reaches(src)));
    const draws = loaded.some((all) => all.has("vendor/uplot/uPlot.esm.js"));
    assert.equal(/<link rel="stylesheet" href="vendor\/uplot\/uPlot\.min\.css">/.test(html), draws, name);
    if (draws) drawing.push(name);
  }
  assert.deepEqual(drawing.sort(), ["embed-frame.html", "lab.html", "race.html"], "pages that draw charts");
});
