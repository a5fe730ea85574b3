// A browser without WebGPU.
import assert from "node:assert/strict";
import {test} from "node:test";
import {label, step, suite, text, tiny, until} from "./page.mjs";

const {start} = suite({webgpu: false});

test("without WebGPU the processor trains, and the page says so", async (t) => {
  const page = await start(t, `/lab.html#${tiny.replace("&backend=cpu", "")}`);
  await until(() => text(page, "notice"), (s) => /WebGPU/.test(s), "notice");
  assert.ok(await page.locator("#notice").isVisible());
  await page.click("#train");
  await until(() => label(page), (l) => l === "Train again", "label");
  assert.equal(await step(page), 60);
});
