// A tab whose memory is short: it keeps none that it has no use for, and the page says so before it trains, or in one
// sentence when it dies of it.
import assert from "node:assert/strict";
import {test} from "node:test";
import {dist, prepended, unoptimised} from "./harness.mjs";
import {endless, kept, step, suite, text, until, withCircle} from "./page.mjs";

// One program has 96 MB at most.
const self = suite({args: [...unoptimised, "--js-flags=--wasm-max-mem-pages=1536"]});
const {open, ready} = self;
const large = endless.replace("max_length=8", "max_length=64").replace("width=8", "width=64")
  .replace("eval_samples=32", "eval_samples=4096&eval_batch=4096");

test("what the tab has no memory for is refused in words, and what is to be lower is named", async (t) => {
  const page = await open(t, `/lab.html#${large}`);
  const refused = (s) => /is 4096, which takes \d+ MB of memory.*lower it/.test(s);
  await until(() => text(page, "messages"), refused, "the refusal");
});

/** buffers is what each tab's process holds in ArrayBuffers, and in what responses are read into, in MB. */
async function buffers() {
  const session = await self.browser.newBrowserCDPSession(), events = [];
  session.on("Tracing.dataCollected", ({value}) => events.push(...value));
  const complete = new Promise((done) => session.on("Tracing.tracingComplete", done));
  await session.send("Tracing.start", {transferMode: "ReportEvents", traceConfig: {
    includedCategories: ["disabled-by-default-memory-infra"], excludedCategories: ["*"],
    memoryDumpConfig: {triggers: []},
  }});
  await session.send("Tracing.requestMemoryDump", {levelOfDetail: "detailed"});
  await session.send("Tracing.end");
  await complete;
  await session.detach();
  const size = (list, name) => parseInt(list[`partition_alloc/partitions/${name}`]?.attrs.size.value ?? "0", 16) / 1e6;
  return events.map((e) => e.args?.dumps?.allocators).filter((list) => list?.["partition_alloc/partitions/buffer"])
    .map((list) => size(list, "array_buffer") + size(list, "buffer"));
}

test("the files of the programs are not kept in the tab's memory once they run", async (t) => {
  const page = await open(t, `/lab.html#${endless}`, {...withCircle, offline: true});
  await ready(page);
  await page.locator("#stage:not([data-plain]) iframe").waitFor();
  await page.waitForFunction(() => navigator.serviceWorker.controller); // it has all files, for later visits
  const found = await buffers();
  assert.ok(found.length > 0, "Chromium tells nothing of its buffers");
  assert.ok(Math.max(...found) < 15, `${found.map(Math.round).join(", ")} MB in buffers`);
});

test("a device with 1 GB of memory gets no circle but a plain picture, and is told", async (t) => {
  const page = await open(t, `/lab.html#${endless}`, {
    circle: true,
    first: (page) => page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, "deviceMemory", {get: () => 1});
    }),
  });
  await ready(page);
  const told = await page.locator('[data-kind="circle"] p').innerText();
  assert.equal(told, "The circle is left out: this device has 1 GB of memory. A plain picture stands in for it.");
  assert.equal(await page.locator("#stage iframe").count(), 0);
  await page.locator("#stage[data-plain]").waitFor();
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
