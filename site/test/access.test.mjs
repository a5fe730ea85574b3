// Accessibility by axe, in light, dark and on a phone; nothing sticks out of a phone's width.
import assert from "node:assert/strict";
import {test} from "node:test";
import {accessible, suite, tiny, until, step, text} from "./page.mjs";

const {open, ready} = suite();

/** Each page, as it is when a visitor has done something with it; bench.test.mjs has the one that measures. */
const pages = {
  async index(t) {
    const page = await open(t, `/lab.html#${tiny}&colour=red`);
    await ready(page);
    await page.click("#step");
    await until(() => step(page), (n) => n === 1, "step");
    await page.click("#all-settings summary");
    await page.fill("#set-batch", "many");
    await page.press("#set-batch", "Tab");
    await until(() => text(page, "set-batch-error"), (s) => s.length > 0, "error");
    return page;
  },
  async help(t) {
    const page = await open(t, `/lab.html#${tiny}`);
    await ready(page); // a button is pale while it fades in
    await page.click("#help-open");
    return page;
  },
  async embed(t) {
    const page = await open(t, "/embed.html");
    await page.locator("mha-csp#demo").scrollIntoViewIfNeeded(); // it starts when it is seen
    await page.locator("mha-csp#demo iframe").waitFor();
    const verdict = page.frameLocator("mha-csp#demo iframe").locator("#verdict");
    await until(() => verdict.textContent(), (s) => /Best guess|answers/.test(s), "verdict");
    return page;
  },
  async "the first page"(t) {
    const page = await open(t, "/", {reducedMotion: "reduce"});
    await until(() => text(page, "figures"), (s) => s.includes("of 81 right"), "the recording's end");
    await page.click("#digits >> text=+3");
    return page;
  },
  async race(t) {
    const page = await open(t, "/race.html#models=csp,gru&steps=5&batch=4&max_length=4&seed=no");
    await until(() => text(page, "lanes"), (s) => s.match(/is ready; answers/g)?.length === 2, "runners");
    return page;
  },
  formulas: (t) => open(t, "/formulas.html"),
  paper: (t) => open(t, "/paper.html"),
  "open problems": (t) => open(t, "/open.html"),
};

for (const [name, opened] of Object.entries(pages)) {
  test(`axe has no finding in ${name}, in light, in the dark and as narrow as a phone`, async (t) => {
    await accessible(await opened(t));
  });
}

test("where the system sets the colours, what is chosen, read and answered still differs from the rest", async (t) => {
  const options = {forcedColors: "active", reducedMotion: "reduce"};
  const grounds = (page, ...places) => Promise.all(places.map((place) =>
    page.locator(place).first().evaluate((e) => getComputedStyle(e).backgroundColor)));
  const page = await open(t, "/lab.html#task=arithmetic&model=csp&width=8&batch=4&backend=cpu", options);
  await ready(page);
  for (const pair of [
    [".views [aria-pressed=true]", ".views [aria-pressed=false]"], ["#tokens .now", "#tokens span:not(.now)"],
  ]) {
    const [on, off] = await grounds(page, ...pair);
    assert.notEqual(on, off, pair[0]);
  }
  const line = await page.locator(".bar nav [aria-current]").evaluate((e) => getComputedStyle(e).textDecorationLine);
  assert.equal(line, "underline");
  const start = await open(t, "/", options);
  await until(() => text(start, "figures"), (s) => s.includes("of 81 right"), "the recording’s end");
  const [zero, one] = await grounds(start, "#table tr:nth-child(2) td:nth-of-type(1)",
    "#table tr:nth-child(2) td:nth-of-type(2)");
  assert.notEqual(zero, one, "squares of two answers");
});

test("what the Tab key goes back to is not behind what stays in view", async (t) => {
  const high = {viewport: {width: 640, height: 512}}, low = {viewport: {width: 640, height: 400}}; // twice the size
  /** back goes so many controls back from one; none is behind a bar. */
  const back = async (page, from, many, bar) => {
    await page.locator(from).first().focus();
    for (let i = 0; i < many; i++) {
      await page.keyboard.press("Shift+Tab");
      const [name, hidden] = await page.evaluate((bar) => {
        const e = document.activeElement, {top} = e.getBoundingClientRect(), over = document.querySelector(bar);
        const own = over.contains(e) || e.localName === "iframe"; // a frame is tall
        return [e.outerHTML.slice(0, 80), !own && top < over.getBoundingClientRect().bottom];
      }, bar);
      assert.ok(!hidden, `${name} is behind ${bar}`);
    }
  };
  await back(await open(t, "/lesson.html", high), "#exact .guesses button", 20, "#stage");
  const page = await open(t, `/lab.html#${tiny}`, low);
  await ready(page);
  await back(page, "#own", 10, ".start");
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  await page.fill("#set-batch", "9");
  await page.press("#set-batch", "Tab");
  await page.click("#all-settings summary");
  await back(page, "#background", 20, "#pending");
});
