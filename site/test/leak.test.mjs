// Memory over 10 000 training steps on WebGPU, with the page around them. Takes minutes: MHACSP_LONG=1 runs it.
import assert from "node:assert/strict";
import {readFile} from "node:fs/promises";
import {test} from "node:test";
import {dist, launch, newPage, serve} from "./harness.mjs";
import {step, text, until} from "./page.mjs";

const run = "task=arithmetic&format=direct&model=mha-csp-s&width=12&heads=2&batch=4&lr=0.001&steps=20000&seed=4" +
  "&eval_every=1000&eval_samples=32&test_samples=0&backend=gpu";
// Before the first the states to go back to and the programs' heaps reach their sizes.
const points = [4000, 7000, 10_000, 14_000];

/**
 * reached waits until the page shows a step. The page itself looks: every question by the browser's driver leaves some
 * hundred bytes in it, several megabytes in a run.
 */
const reached = (page, at) => page.mainFrame().evaluate((at) => new Promise((resolve) => {
  const now = document.getElementById("step-now");
  const look = () => {
    if (Number(now.textContent.replaceAll(",", "")) < at) return;
    observer.disconnect();
    resolve();
  };
  const observer = new MutationObserver(look);
  observer.observe(now, {childList: true});
  look();
}), at);

/** Bytes of a kind of the browser's processes that lie in memory. */
async function resident(cdp, kind) {
  const {processInfo} = await cdp.send("SystemInfo.getProcessInfo");
  let sum = 0;
  for (const {type, id} of processInfo) {
    if (type !== kind) continue;
    sum += 1024 * Number((await readFile(`/proc/${id}/status`, "utf8")).match(/^VmRSS:\s+(\d+)/m)[1]);
  }
  return sum;
}

const skip = !process.env.MHACSP_LONG && "MHACSP_LONG=1 runs it";

test("memory stays flat over 10 000 steps on WebGPU", {timeout: 3_600_000, skip}, async (t) => {
  // Only a page that is isolated from other origins may measure itself.
  const server = await serve({"/": dist}, {
    "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp",
  });
  t.after(server.close);
  const browser = await launch({args: ["--enable-blink-features=ForceEagerMeasureMemory", "--js-flags=--expose-gc"]});
  t.after(() => browser.close());
  const cdp = await browser.newBrowserCDPSession();
  const page = await newPage(browser);
  await page.goto(`${server.url}/lab.html#${run}`);
  await page.locator("#train:not([disabled])").click();
  const seen = [];
  for (const at of points) {
    await reached(page, at);
    await page.click("#train"); // at rest, so that a step under way is not measured
    await until(() => text(page, "train-label"), (l) => l === "Train on", "label");
    // Without these collections what is measured is when the last one was.
    for (const heap of [page, ...page.workers()]) await heap.evaluate(() => { gc(); gc(); });
    const {bytes: scripts} = await page.evaluate(() => performance.measureUserAgentSpecificMemory());
    // The programs' own memory does not count among the scripts'. The circle's has no name, the trainer's is "wasm".
    const trains = (w) => /\/worker\.[0-9a-f]+\.js$/.test(w.url()) && !w.url().includes("/circle/");
    const program = await page.workers().find(trains).evaluate(() => wasm.instance.exports.mem.buffer.byteLength);
    seen.push({
      step: await step(page), page: scripts + program, scripts, program,
      device: await text(page, "f-memory"), gpu: await resident(cdp, "GPU"), renderer: await resident(cdp, "renderer"),
    });
    t.diagnostic(JSON.stringify(seen.at(-1)));
    if (at !== points.at(-1)) await page.click("#train");
  }
  const [first, last] = [seen[0], seen.at(-1)];
  for (const what of ["page", "gpu"]) {
    const told = `${what}: ${first[what]} at step ${first.step}, ${last[what]} at step ${last.step}`;
    assert.ok(last[what] <= 1.05 * first[what], told);
  }
  assert.equal(last.device, first.device, "the trainer's buffers");
  assert.deepEqual(page.problems, []);
});
