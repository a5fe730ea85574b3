// The browser's GPU process ends in the midst of training: WebGPU is gone, and so is what the circle draws with.
import assert from "node:assert/strict";
import {test} from "node:test";
import {endless, state, step, suite, text, until, withCircle} from "./page.mjs";

const self = suite();

const title = "a GPU process that crashes: the trainer says so and goes on from a state of seconds ago, " +
  "the circle draws on";

test(title, async (t) => {
  const cdp = await self.browser.newBrowserCDPSession();
  const address = `/lab.html#${endless.replace("backend=cpu", "backend=gpu")}`;
  const page = await self.start(t, address, withCircle);
  const picture = async () => (await page.locator("#stage").screenshot()).toString("base64");
  await page.locator("#read-at").focus();
  await page.keyboard.press("End");
  await until(() => text(page, "verdict"), (s) => /answers .+: [✓✗] /.test(s), "verdict");
  await page.selectOption("#speed", "20");
  await page.click("#train");
  await until(() => step(page), (n) => n >= 75, "step");
  await cdp.send("Browser.crashGpuProcess");
  const box = page.locator('[data-kind="lost"]');
  const told = () => box.innerText().catch(() => "");
  await until(told, (s) => /lost/.test(s) && /kept as it was at step/.test(s), "message");
  assert.doesNotMatch(await box.innerText(), /send open first/);
  assert.match(await state(page), /has stopped/);
  const reached = await step(page);
  const kept = Number(await page.locator("#forget").getAttribute("data-step"));
  // Every twentieth state is kept, at most two a second: at 20 steps a second each of them, but for a slow machine's
  // hurry.
  assert.ok(kept > 0 && reached - kept <= 45, `kept at step ${kept}, lost at ${reached}`);

  await box.getByRole("button", {name: "Go on from the last save"}).click();
  await until(() => state(page), (s) => /^Paused at step/.test(s), "state");
  assert.equal(await step(page), kept);
  assert.match(await text(page, "f-adapter"), /SwiftShader/i);
  await page.click("#step");
  await until(() => step(page), (n) => n === kept + 1, "step");

  // The circle came back by itself: two readings show two pictures.
  const read = async (expression) => {
    await page.fill("#expression", expression);
    await page.press("#expression", "Enter");
    await until(() => page.locator("#tokens").textContent(), (s) => s.includes(expression), "tokens");
    await page.locator("#read-at").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("End");
  };
  await read("1101");
  const first = await picture();
  await read("0001110");
  await until(picture, (p) => p !== first, "another picture");
});
