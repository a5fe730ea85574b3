// The half-turn clocks of the default model: dials on the page and in the widget, cut, turned and made whole again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { changedAnswer as answer, drawnWords as said, seek, suite, until, withCircle } from "./page.mjs";

const site = suite();

test("the default model shows three half-turn clocks; all turned by one add one to the answer", async (t) => {
  const address = "/lab.html#finished=arithmetic&backend=cpu&expression=4-(3%2B5)";
  const page = await site.start(t, address, withCircle);
  const fetched = () => site.server.requests.some((r) => /clocks\.[0-9a-f]*\.wasm/.test(r));
  await page.waitForTimeout(500);
  assert.ok(!fetched(), "the program that looks for clocks is fetched before anybody wants it");
  await page.click(".views >> text=Clocks");
  await page.waitForSelector(".hands li");
  assert.ok(fetched());
  assert.equal(await page.locator(".hands li").count(), 3);
  const note = await page.locator(".clocks .fine").first().textContent();
  assert.match(note, /^3 of its 84 hands follow the sum by half turns: R 0\.99 to 1\.00 on 200 texts /);
  assert.match(note, /0\.\d\d is luck.* turns half of it/);
  await seek(page, 8); // the 3 was read: 4 − 3
  const words = await until(() => said(page), (s) => /The true sum so far is 1\./.test(s ?? ""), "its words");
  for (const [unit, mark] of [[15, "1"], [31, "1"], [22, "1 and 4 and 7"]]) {
    assert.match(words, new RegExp(`The hand of unit ${unit} points at ${mark}\\.`));
  }
  if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-read.png` });
  await seek(page, 18);
  const end = /Unit 15 no longer keeps the sum\..*The votes add up to 5, > 99 % sure/s;
  await until(() => said(page), (s) => end.test(s ?? ""), "words at the end");
  if (process.env.SHOT) await page.screenshot({ path: `${process.env.SHOT}-end.png` });
  await seek(page, 12);
  const buttons = page.locator("text=Turn +1");
  const placed = () => buttons.first().evaluate((b) => b.getBoundingClientRect().y + scrollY);
  const place = await placed();
  for (let i = 0; i < 3; i++) await buttons.nth(i).click();
  const turned = /^You turned the hands by 1: the answer went from 5 to 6 /;
  await until(() => answer(page), (s) => turned.test(s), "turned lines");
  assert.equal(await placed(), place); // nothing moves under a finger that turns on
  await page.click("text=Undo");
  const cuts = page.locator("[data-cut]");
  for (let i = 0; i < 3; i++) await cuts.nth(i).click();
  const lost = /^You cut 3 of 3 clocks: the answer went from 5 to \d .*should be 5/;
  await until(() => answer(page), (s) => lost.test(s), "no lines");
});

test("a widget shows the half-turn clocks of the default model and turns them", async (t) => {
  const page = await site.open(t, "/embed.html");
  await page.evaluate(() => {
    globalThis.told = { clocks: [], votes: [] };
    const e = document.createElement("mha-csp");
    const attributes = { model: "arithmetic", view: "clocks", expression: "3+5", controls: "play,turn,note" };
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.id = "dials";
    for (const type of ["clocks", "votes"]) e.addEventListener(type, (m) => globalThis.told[type].push(m.detail));
    document.querySelector("main").replaceChildren(e); // alone
  });
  const last = (type) => page.evaluate((type) => globalThis.told[type].at(-1), type);
  const found = await until(() => last("clocks"), (c) => c, "clocks");
  const units = found.half_turns.map((h) => [h.unit, h.k, h.partner.unit]);
  assert.deepEqual(units, [[15, 1, 40], [31, -4, 32], [22, -3, 12]]);
  assert.deepEqual(found.clocks, []);
  await until(() => last("votes"), (v) => v?.answer === "8" && !v.changed, "votes");
  await page.evaluate(() => {
    const e = document.getElementById("dials");
    e.seek(4);
    for (const i of [0, 1, 2]) e.turn(i, 2);
  });
  await until(() => last("votes"), (v) => v.changed && v.answer === "1", "votes of turned lines");
  await page.evaluate(() => document.getElementById("dials").undo());
  await until(() => last("votes"), (v) => v.answer === "8" && !v.changed, "votes of the whole network");
});
