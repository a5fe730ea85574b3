// On a phone Train and the circle are on screen together, upright and on its side.
import assert from "node:assert/strict";
import {test} from "node:test";
import {endless, label, suite, until} from "./page.mjs";

const {start} = suite();

test("Train and the circle are on screen together", async (t) => {
  const page = await start(t, `/lab.html#${endless}`, {
    viewport: {width: 360, height: 640}, isMobile: true, hasTouch: true,
  });
  for (const [name, width, height] of [["small", 360, 640], ["usual", 390, 780], ["on its side", 844, 390]]) {
    await t.test(name, async () => {
      await page.setViewportSize({width, height});
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
      const before = await label(page);
      await page.tap("#train"); // nothing covers it
      await until(() => label(page), (s) => s !== before, "label");
    });
  }
});
