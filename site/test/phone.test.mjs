// On a phone Train and the circle are on screen together, upright and on its side.
import assert from "node:assert/strict";
import {test} from "node:test";
import {suite, tiny, until} from "./page.mjs";

const {start} = suite();

for (const [name, width, height] of [["small", 360, 640], ["usual", 390, 780], ["on its side", 844, 390]]) {
  test(`Train and the circle are on screen together: ${name}`, async (t) => {
    const page = await start(t, `/#${tiny}`, {viewport: {width, height}, isMobile: true, hasTouch: true});
    const places = () => page.evaluate(() => {
      return ["train", "state", "stage"].map((id) => document.getElementById(id).getBoundingClientRect().toJSON());
    });
    await page.evaluate(() => {
      const stage = document.getElementById("stage").getBoundingClientRect();
      scrollTo(0, Math.max(0, stage.bottom + scrollY - innerHeight));
    });
    const together = ([train, state, stage]) => {
      const apart = state.bottom <= stage.top + 1 || train.right <= stage.left || state.right <= stage.left;
      return train.top >= 0 && train.bottom <= height && stage.top >= 0 && stage.bottom <= height + 1 && apart;
    };
    await until(places, together, "places");
    const [, , stage] = await places();
    assert.ok(Math.min(stage.width, stage.height) >= 200, `the circle has ${stage.width} × ${stage.height}`);
    await page.tap("#train"); // nothing covers it
    await until(() => page.locator("#train-label").textContent(), (s) => s !== "Train", "label");
  });
}

test("on a phone on its side the clocks have dials", async (t) => {
  const side = {viewport: {width: 740, height: 360}, isMobile: true, hasTouch: true};
  const page = await start(t, "/#finished=clocks&backend=cpu&expression=3%2B5", side);
  await page.click(".views >> text=Clocks");
  const {height} = await page.locator("#stage").boundingBox();
  assert.ok(height >= 280 && height <= 360, `the stage is ${height} high`); // less has no room for three dials
});
