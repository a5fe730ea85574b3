// A tab whose memory is short: the page says so before it trains, or in one sentence when it dies of it.
import assert from "node:assert/strict";
import {test} from "node:test";
import {dist, prepended, unoptimised} from "./harness.mjs";
import {endless, kept, step, suite, text, until} from "./page.mjs";

// One program has 96 MB at most.
const {open, ready} = suite({args: [...unoptimised, "--js-flags=--wasm-max-mem-pages=1536"]});
const large = endless.replace("max_length=8", "max_length=64").replace("width=8", "width=64")
  .replace("eval_samples=32", "eval_samples=4096&eval_batch=4096");

test("what the tab has no memory for is refused in words, and what is to be lower is named", async (t) => {
  const page = await open(t, `/lab.html#${large}`);
  const refused = (s) => /is 4096, which takes \d+ MB of memory.*lower it/.test(s);
  await until(() => text(page, "messages"), refused, "the refusal");
});

test("a trainer that runs out of memory says what to lower, and the last save is there", async (t) => {
  const page = await open(t, `/lab.html#${large.replace("eval_every=20", "eval_every=40")}`, {
    first: (page) => page.route(/\/worker[^/]*\.js/, prepended(dist,
      'Object.defineProperty(self, "room", {get: () => () => true, set() {}});\n')),
  });
  await ready(page);
  await page.selectOption("#speed", "5");
  await page.click("#train");
  await until(() => step(page), (n) => n > 0, "a step");
  await page.click("#train");
  const at = await kept(page);
  await page.selectOption("#speed", "0");
  await page.click("#train"); // until the first test, of which all samples are computed at once
  const told = await until(() => text(page, "messages"), (s) => s.includes("memory"), "the sentence");
  assert.match(told, /ran out of memory and has ended; open a smaller model/);
  assert.match(told, new RegExp(`kept as it was at step ${at.toLocaleString("en")}`));
  await page.click("text=Go on from the last save");
  await until(() => step(page), (n) => n === at, "the step of the last save");
});
