// The clocks: what is found in the finished model and in one that trains, the dials' words, cut, turn, the widget.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  changedAnswer as answer, drawnWords as said, looks, noFindings, seek, suite, text, until, withCircle,
} from "./page.mjs";

const site = suite();
const four = "/lab.html#finished=clocks&backend=cpu&expression=4-(3%2B5)";

/** pointAt moves down over the circle until the chart next to it is of a unit whose name fits. */
async function pointAt(page, go, x, name, from = 0.15, by = 0.03) {
  const box = await page.locator("#stage iframe").boundingBox();
  const unit = async () => await page.locator("#pointed").isVisible() ? text(page, "pointed-unit") : "";
  return until(async () => { // where things stand depends on the size of the text
    for (let y = from; y < 0.95; y += by) {
      await go(box.x + x * box.width, box.y + y * box.height);
      await page.waitForTimeout(60);
      const found = await unit();
      if (name.test(found)) return found;
    }
  }, (found) => found, `unit like ${name}`);
}

const heights = (page) => page.evaluate(() => [document.documentElement.scrollHeight, scrollY]);
const place = (page, selector) => page.locator(selector).boundingBox();

test("the finished model’s clocks on a desk", async (t) => {
  // Looking for clocks costs seconds: one page, in one order.
  const page = await site.start(t, four, { circle: true, reducedMotion: "reduce" });
  await page.waitForSelector(".hands li");
  const cuts = page.locator("[data-cut]");
  const move = (x, y) => page.mouse.move(x, y);

  await t.test("there are four; they are cut, turned and made whole again", async () => {
    assert.equal(await page.locator(".hands li").count(), 4);
    const note = await page.locator(".clocks .fine").first().textContent();
    assert.match(note, /^4 of its 116 hands follow the sum: R 0\.\d\d to 0\.\d\d on 200 texts .*luck/);
    assert.equal(await page.locator(".views [aria-pressed=true]").textContent(), "Clocks");
    await seek(page, 18);
    for (let i = 0; i < 4; i++) await cuts.nth(i).click();
    const lost = /^You cut 4 of 4 clocks: the answer went from 5 to \d .*should be 5/;
    await until(() => answer(page), (s) => lost.test(s), "no clocks");
    assert.ok(await page.locator("#verdict").isHidden(), "the whole network's answer stands next to the changed one's");
    await page.click("text=Undo");
    await until(() => answer(page), (s) => s === "", "answer after undo");
    await seek(page, 12);
    for (let i = 0; i < 4; i++) await page.locator("text=Turn +1").nth(i).click();
    const turned = /^You turned the hands by 1: the answer went from 5 to 6 /;
    await until(() => answer(page), (s) => turned.test(s), "turned hands");
    await page.click("text=All units");
    assert.ok(await page.locator("#verdict").isVisible());
    assert.ok(await page.locator(".clocks").isHidden());
    await page.click(".views >> text=Clocks");
    await page.click("text=Undo");
    await until(() => answer(page), (s) => s === "", "answer after undo");
  });

  await t.test("the dials say what they show", async () => {
    await seek(page, 18);
    await until(() => said(page), (s) => /The votes add up to 5, > 99 % sure/.test(s ?? ""), "the circle's words");
    await seek(page, 8);
    const words = await until(() => said(page), (s) => /The true sum so far is 1\./.test(s ?? ""), "its words");
    assert.match(words, /The hand of unit 4 points at 1\./);
    assert.match(words, /\d+ other units know of the minus before the bracket/);
  });

  await t.test("a unit pointed at has its phase drawn against the sum next to it, until it is left", async () => {
    await page.waitForSelector("#sums:not([hidden])");
    await page.evaluate(() => scrollTo(0, 0));
    const chart = page.locator("#chart-pointed"), before = await heights(page);
    await pointAt(page, move, 0.31, /^Unit \d+$/, 0.5, 0.008); // of the row below the dials
    const words = () => chart.getAttribute("aria-label");
    const first = await until(words, (s) => /sum 8 at \d/.test(s), "the chart's words");
    assert.equal(await page.locator("#sums-unit").inputValue(), (await text(page, "pointed-unit")).slice(5));
    assert.match(await pointAt(page, move, 0.2, /turns it/), /^Unit (38|7|4|56): \+1 turns it \d+°/);
    await until(words, (s) => s !== first && /sum 8 at \d/.test(s), "the chart's words");
    const figure = await place(page, "#pointed"), panel = await place(page, ".panel.circle");
    assert.ok(figure.x >= 0 && figure.x + figure.width < panel.x, "the chart does not stand next to the circle");
    assert.ok(figure.y >= 0 && figure.y + figure.height <= 900, "the chart is not on the screen");
    assert.deepEqual(await heights(page), before, "the page moved");
    await noFindings(page, "index", "#pointed");
    await page.mouse.move(5, 5);
    await page.waitForSelector("#pointed", { state: "hidden" });
  });

  await t.test("the keyboard in a clock's buttons shows its chart, and Escape takes it away", async () => {
    await cuts.nth(1).focus();
    await page.keyboard.press("Tab");
    await page.waitForSelector("#pointed");
    assert.equal(await text(page, "pointed-unit"), "Unit 7: +1 turns it 160°");
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#pointed").isHidden());
    await page.keyboard.press("Shift+Tab");
    await page.waitForSelector("#pointed");
    await page.locator("#expression").focus();
    assert.ok(await page.locator("#pointed").isHidden());
  });

  await t.test("axe finds nothing next to the dials, with a clock cut, nor in the dark", async () => {
    await cuts.first().click();
    await until(() => answer(page), (s) => s.length > 0, "answer");
    await noFindings(page, "index", "#clocks");
    await page.emulateMedia({ colorScheme: "dark" });
    await noFindings(page, "index", "#clocks", looks.dark.rules);
    await page.emulateMedia({ colorScheme: "light" });
    await page.click("text=Undo");
  });

  await t.test("on a projector the chart of a unit stands where the votes do, in large letters", async () => {
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.click("#projector");
    await pointAt(page, move, 0.11, /turns it/);
    const figure = await place(page, "#pointed"), stage = await place(page, "#stage");
    assert.ok(figure.x > stage.x + 0.6 * stage.width && figure.x + figure.width <= stage.x + stage.width);
    assert.ok(figure.y >= stage.y && figure.y + figure.height <= stage.y + stage.height + 1);
    const letters = await page.locator("#chart-pointed").evaluate((e) => parseFloat(getComputedStyle(e).fontSize));
    assert.ok(letters >= 16, `letters of ${letters} pixels`);
  });

  await t.test("on a projector each key is a character", async () => {
    const at = () => page.locator("#read-at").inputValue().then(Number);
    const start = await at();
    assert.ok(!await page.locator("#settings").isVisible());
    assert.ok(await page.locator("#stage").isVisible());
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await until(at, (v) => v === start + 2, "position");
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#settings").isVisible());
    await page.locator("#projector").press("Enter");
    await page.locator("#settings").waitFor({ state: "hidden" });
    await page.keyboard.press("Escape");
    await page.locator("#projector:focus").waitFor(); // who came by the keyboard goes on from there
  });

  await t.test("a search that ends says so, and starts again with the next text", async () => {
    await page.workers().find((w) => /clocks-worker/.test(w.url())).evaluate(() => {
      const told = { type: "error", text: "The search for clocks has ended.", at: -1, fatal: true };
      self.onmessage = () => self.postMessage(told);
    });
    await cuts.first().click(); // no answer comes
    const note = () => page.locator(".clocks .fine").first().textContent();
    await until(note, (s) => s === "The search for clocks has ended.", "the reason");
    await page.click("text=Undo");
    await until(note, (s) => /^4 of its 116 hands follow the sum/.test(s), "found again");
    await seek(page, 18);
    await cuts.first().click();
    await until(() => answer(page), (s) => /^You cut 1 of 4 clocks: it still answers 5/.test(s), "no clocks");
  });
});

test("on a phone the chart of a unit tapped leaves the dials in sight, and axe finds nothing", async (t) => {
  const { rules, ...phone } = looks.phone, viewport = { width: 390, height: 844 }; // the circle is in sight
  const page = await site.start(t, four, { circle: true, reducedMotion: "reduce", ...phone, viewport });
  await page.locator("#stage").evaluate((e) => e.scrollIntoView({ block: "center" }));
  await page.waitForSelector("#sums:not([hidden])", { state: "attached" });
  await until(() => said(page), (s) => /The true sum so far/.test(s ?? ""), "the circle's words");
  const before = await heights(page);
  await pointAt(page, (x, y) => page.touchscreen.tap(x, y), 0.2, /turns it/);
  const figure = await place(page, "#pointed"), stage = await place(page, "#stage");
  assert.ok(figure.y > stage.y + 0.6 * stage.height, "the chart hides the dials");
  assert.ok(figure.y + figure.height <= 844 && figure.x >= 0 && figure.x + figure.width <= 390);
  assert.deepEqual(await heights(page), before, "the page moved");
  await page.touchscreen.tap(195, 20);
  assert.ok(await page.locator("#pointed").isHidden(), "a tap elsewhere leaves the chart");
  await noFindings(page, "index", "", rules);
  await page.setViewportSize({ width: 740, height: 360 });
  const roomy = ({ height }) => height >= 280 && height <= 360; // less has no room for the dials
  await until(() => place(page, "#stage"), roomy, "the stage of a phone on its side");
});

test("while a model trains its clocks are looked for, and the curve says how exactly", async (t) => {
  const tiny = "/lab.html#task=parity&model=csp&width=8&batch=16&max_length=8&lr=0.01&warmup=5&steps=100000&seed=4" +
    "&eval_every=5000&eval_samples=32&test_samples=0&backend=cpu";
  const page = await site.start(t, tiny);
  await page.click(".views >> text=Clocks");
  await page.selectOption("#speed", "20"); // the search needs the processor
  await page.click("#train");
  await page.waitForSelector("#growth:not([hidden])");
  const chart = page.locator("#chart-growth");
  await chart.scrollIntoViewIfNeeded();
  const curve = /\+1 turns [\d.]+° [01]\.\d\d,.* chance [01]\.\d\d,.* right [\d.]+ %.*, at step [1-9]/;
  await until(() => chart.getAttribute("aria-label"), (s) => curve.test(s), "curve");
  assert.match(await text(page, "growth-note"), /100 texts, chance [01]\.\d\d; a look takes \d/);
  await page.click("#train");
});

test("a model without clocks says so and offers one; after a step its units are looked at again", async (t) => {
  const page = await site.start(t, "/lab.html#task=arithmetic&model=csp&width=8&batch=4&steps=1000&seed=4" +
    "&eval_every=0&test_samples=0&backend=cpu&expression=3%2B5");
  await page.click(".views >> text=Clocks");
  const note = page.locator(".clocks .fine").first();
  const none =
    /^No hand follows the sum, .* R 0\.\d\d\. .*0\.\d\d is luck, measured on 200 texts\./;
  await until(() => note.textContent(), (s) => none.test(s), "note");

  await t.test("the chart of a unit goes with a step, until the clocks are looked for again", async () => {
    const point = (unit) => page.frames().find((f) => /circle\/frame/.test(f.url())).evaluate((unit) => {
      parent.postMessage({ mhacsp: "circle", type: "unit", unit }, "*");
    }, unit);
    const shows = (seen) => page.waitForSelector("#pointed", { state: seen ? "visible" : "hidden" });
    await page.waitForSelector("#sums", { state: "visible" });
    await page.click(".views >> text=All units");
    await point(3);
    await shows(true);
    await page.click("#step");
    await page.waitForSelector("#sums", { state: "hidden" });
    await shows(false);
    await point(4);
    await page.waitForTimeout(300);
    await shows(false);
    await page.click(".views >> text=Clocks");
    await page.waitForSelector("#sums", { state: "visible" });
    await point(4);
    await shows(true);
  });

  await page.click("text=See a model that has");
  await until(() => page.locator(".hands li").count(), (n) => n === 4, "clocks");
});

test("a widget shows the clocks, and cuts and turns them by its methods", async (t) => {
  const page = await site.open(t, "/embed.html");
  await page.evaluate(() => {
    globalThis.votes = [];
    const e = document.createElement("mha-csp");
    const attributes = { model: "clocks", view: "clocks", expression: "3+5", controls: "play,cut,note" };
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.id = "dials";
    e.addEventListener("votes", (m) => globalThis.votes.push(m.detail));
    document.querySelector("main").replaceChildren(e); // alone
  });
  const last = () => page.evaluate(() => globalThis.votes.at(-1));
  await until(last, (v) => v?.answer === "8" && !v.changed, "votes");
  await page.evaluate(() => { for (const i of [0, 1, 2, 3]) document.getElementById("dials").cut(i); });
  await until(last, (v) => v.cut.length === 4 && v.answer !== "8", "votes of the cut network");
  await page.evaluate(() => document.getElementById("dials").undo());
  await until(last, (v) => v.answer === "8" && !v.changed, "votes of the whole network");
});

test("hands of brackets follow the depth, and before any step by their start values alone", async (t) => {
  const page = await site.start(t, "/lab.html#backend=cpu", withCircle);
  await page.locator("#lessons input[value=brackets]").check();
  await until(() => text(page, "state"), (s) => /^Ready: Matching brackets/.test(s), "brackets");
  await page.click(".views >> text=Clocks");
  const note = page.locator(".clocks .fine").first();
  const alone = /hands? follows? the depth: R 0\.\d\d.* by their start values alone: .* nothing was learnt\.$/;
  await until(() => note.textContent(), (s) => alone.test(s), "note");
  await until(() => said(page), (s) => /The true depth so far is \d\./.test(s ?? ""), "the circle's words");
});
