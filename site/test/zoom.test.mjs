// Formulas in place: in text they come from the build; a button opens them from the page of formulas, which is fetched
// once.
import assert from "node:assert/strict";
import {test} from "node:test";
import {built} from "./harness.mjs";
import {noFindings, suite, tiny} from "./page.mjs";

const site = suite();
const phone = {viewport: {width: 390, height: 844}};

/** buttons are added to a page, each for a section and some left sides. */
async function buttons(page, ...list) {
  await page.evaluate(async ([script, list]) => {
    const {zoom} = await import(script);
    for (const [id, ...rest] of list) {
      const button = document.createElement("button");
      Object.assign(button, {id, textContent: `Formulas of ${id}`});
      document.querySelector("main").prepend(button);
      zoom(button, ...rest);
    }
  }, [`./${await built("scripts/zoom.js")}`, list]);
}

test("a button opens the lines of a section; the page of formulas is fetched once", async (t) => {
  const page = await site.open(t, "/embed.html", phone);
  await buttons(page, ["a", "s8-loss"], ["b", "s2", ["θ_t", "p_t"]]);
  const before = site.server.requests.filter((name) => name === "/formulas.html").length;
  const box = page.locator(".zoom:popover-open");
  for (const [id, rows, text] of [["a", 1, /loss = Σn wn/], ["b", 2, /θt = π · tanh[^]*pt = eiθt ⊙ ht−1/]]) {
    await page.click(`#${id}`);
    await box.locator(".formula").waitFor();
    assert.equal(await box.locator(".row").count(), rows);
    assert.match(await box.textContent(), text);
    await noFindings(page, id, ".zoom:popover-open");
    const place = await box.boundingBox();
    assert.ok(place.x >= 0 && place.x + place.width <= 390 && place.y + place.height <= 844, JSON.stringify(place));
    await page.keyboard.press("Escape");
    assert.equal(await box.count(), 0);
  }
  assert.equal(site.server.requests.filter((name) => name === "/formulas.html").length, before + 1);
  await page.click("#a");
  await box.locator("a").click();
  await page.locator("h3#s8-loss").waitFor();
});

test("where the page of formulas does not come it is told, and the next time it is tried again", async (t) => {
  const page = await site.open(t, "/embed.html", {problems: /formulas\.html|Failed to load resource/});
  await page.route("**/formulas.html", (route) => route.fulfill({status: 503, body: ""}), {times: 1});
  await buttons(page, ["a", "s8-loss"]);
  await page.click("#a");
  await page.locator(".zoom:popover-open", {hasText: "503"}).waitFor();
  await page.click("#a");
  await page.click("#a");
  await page.locator(".zoom:popover-open .formula").waitFor();
});

test("the Lab's charts, and what its circle shows, have their formulas", async (t) => {
  const page = await site.start(t, `/lab.html#${tiny}`);
  const box = page.locator(".zoom:popover-open");
  const opens = async (selector, text) => {
    await page.locator(selector).click();
    await box.locator(".formula").waitFor();
    assert.match(await box.textContent(), text);
    await page.keyboard.press("Escape");
  };
  await opens("[data-formula=s8-loss]", /loss = Σn wn/);
  await opens("#read-formula", /ht = gt/);
  await page.selectOption("#read-layer", "tree");
  await opens("#read-formula", /C̃ij = log/);
});

test("lesson and paper have formulas of the build, without a script", async (t) => {
  for (const name of ["lesson", "paper"]) {
    const page = await site.open(t, `/${name}.html`, {javaScriptEnabled: false, ...phone});
    const texts = await page.locator("details.zoom .formula").allTextContents();
    assert.ok(texts.length >= 3 && texts.every((text) => text.includes(" = ")), `${name}: ${texts}`);
  }
});
