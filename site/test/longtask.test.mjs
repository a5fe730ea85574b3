// The main thread while the page opens and trains, the circle drawn: no task keeps a visitor's key or tap waiting
// long.
import assert from "node:assert/strict";
import {test} from "node:test";
import {newPage} from "./harness.mjs";
import {endless, step, suite, text, until} from "./page.mjs";

const self = suite();
// 50 ms are asked, and BENCHMARKS.md says what was measured. Slow machines reach more; this limit only a mistake does,
// such as the circle's program on the page's own thread.
const LIMIT = 250; // ms

/**
 * traced runs work() and returns the longest task of the page's main thread, in ms: {cpu, wall}. What the processor
 * worked is the page's own and holds under a neighbour's load; the wall's time has the neighbours and the graphics
 * driver in it.
 */
async function traced(browser, page, work) {
  await browser.startTracing(page, {categories: ["toplevel"]});
  await work();
  const {traceEvents} = JSON.parse((await browser.stopTracing()).toString());
  const thread = (e) => `${e.pid}/${e.tid}`;
  const named = traceEvents.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain");
  const mains = new Set(named.map(thread));
  const tasks = traceEvents.filter((e) => e.ph === "X" && /RunTask$/.test(e.name) && mains.has(thread(e)));
  assert.ok(tasks.length > 100, `${tasks.length} tasks were traced`);
  return {cpu: Math.max(...tasks.map((e) => e.tdur ?? 0)) / 1000, wall: Math.max(...tasks.map((e) => e.dur)) / 1000};
}

// What is looked at differs from the first visit on: a second one on a phone is that of a desktop, and so are dials.
for (const [name, viewport, looked] of [
  ["desktop", {width: 1280, height: 900}, ["first visit", "training with the dials"]],
  ["phone", {width: 390, height: 800}, ["first visit", "second visit", "training"]],
]) {
  test(`no long task on the main thread: ${name}`, async (t) => {
    const page = await newPage(self.browser, {viewport});
    t.after(async () => {
      await page.context().close();
      assert.deepEqual(page.problems, []);
    });
    const opened = async (go) => {
      await go();
      await self.ready(page);
      const said = () => page.evaluate(() => {
        return document.querySelector("#stage iframe")?.contentDocument?.getElementById("status")?.textContent;
      });
      await until(said, (s) => /^Token/.test(s), "circle");
    };
    const trains = async (go) => {
      await go();
      const from = await step(page);
      await page.waitForTimeout(2000); // the circle reads the text again every 1.5 s
      await until(() => step(page), (n) => n > from, "step");
    };
    const works = {
      "first visit": () => opened(() => page.goto(`${self.server.url}/lab.html#${endless}`)),
      "second visit": () => opened(() => page.reload()),
      training: () => trains(() => page.click("#train")),
      "training with the dials": () => trains(async () => {
        await page.click("#train");
        await page.click(".views >> text=Clocks");
        await until(() => text(page, "growth-note"), (s) => /a look takes \d/.test(s), "clocks looked for");
      }),
    };
    for (const what of looked) {
      const {cpu, wall} = await traced(self.browser, page, works[what]);
      t.diagnostic(`${what}: longest task ${wall.toFixed(0)} ms, of which the processor worked ${cpu.toFixed(0)} ms`);
      assert.ok(cpu <= LIMIT, `${what}: a task of ${cpu} ms of the processor's time`);
    }
  });
}
