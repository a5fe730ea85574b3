// Accessibility by axe, in light, dark and on a phone; nothing sticks out of a phone's width.
import assert from "node:assert/strict";
import {test} from "node:test";
import {looks, noFindings, suite, tiny, until, step, text} from "./page.mjs";

const {open, ready} = suite();

for (const [name, {rules, ...context}] of Object.entries(looks)) {
  test(`index, embed, race, formulas and paper have no finding of axe: ${name}`, async (t) => {
    const check = async (page, what) => {
      await noFindings(page, what, "", rules);
      const [wide, width] = await page.locator("html").evaluate((e) => [e.scrollWidth, e.clientWidth]);
      assert.ok(wide <= width, `${what} is ${wide} wide in a window of ${width}`);
    };
    const page = await open(t, `/#${tiny}&colour=red`, context);
    await ready(page);
    await page.click("#step");
    await until(() => step(page), (n) => n === 1, "step");
    await page.click("#all-settings summary");
    await page.fill("#set-batch", "many");
    await page.press("#set-batch", "Tab");
    await until(() => text(page, "set-batch-error"), (s) => s.length > 0, "error");
    await check(page, "index");
    await page.click("#help-open");
    await check(page, "help");
    const docs = await open(t, "/embed.html", context);
    await docs.locator("mha-csp#demo").scrollIntoViewIfNeeded(); // it starts when it is seen
    await docs.locator("mha-csp#demo iframe").waitFor();
    const verdict = docs.frameLocator("mha-csp#demo iframe").locator("#verdict");
    await until(() => verdict.textContent(), (s) => /Readout|answers/.test(s), "verdict");
    await check(docs, "embed");
    const race = await open(t, "/race.html#models=csp,gru&steps=5&batch=4&max_length=4&seed=no", context);
    await until(() => text(race, "lanes"), (s) => s.match(/is ready; answers/g)?.length === 2, "runners");
    await check(race, "race");
    await check(await open(t, "/formulas.html", context), "formulas");
    await check(await open(t, "/paper.html", context), "paper");
  });
}
