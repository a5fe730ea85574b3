// The lesson: guess and reveal, steps that move the widgets, cut and turned by hand, projector, print, offline.
import assert from "node:assert/strict";
import { test } from "node:test";
import { looks, noFindings, suite, text, until } from "./page.mjs";

const site = suite();
const open = (t, options) => site.open(t, "/lesson.html", options);

test("the lesson as it is opened", async (t) => {
  const page = await open(t);

  await t.test("each part asks one question before it shows, and one guess is right", async () => {
    const parts = page.locator(".part:has(.reveal)");
    assert.equal(await parts.count(), 8);
    for (let i = 0; i < 8; i++) {
      assert.equal(await parts.nth(i).locator(".guesses [data-right]").count(), 1, `part ${i + 1}`);
      assert.ok(!await parts.nth(i).locator(".answer").isVisible(), `part ${i + 1}`);
    }
    assert.equal(page.frames().length, 1, "a widget started before anybody wanted it");
  });

  await t.test("on paper every part has its question, answer and drawn clocks", async () => {
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    for (const id of ["clock", "digits", "minus", "brackets", "votes", "train", "break", "limits"]) {
      const part = page.locator(`#${id}`);
      assert.ok(await part.locator(".question").isVisible(), id);
      assert.ok(await part.locator(".answer").isVisible(), id);
      assert.equal(await part.locator("mha-csp:visible").count(), 0, id);
      if (id !== "train") assert.ok(await part.locator(".paper svg.dial:visible").count() > 0, id);
    }
    assert.ok(await page.locator("#teacher table").isVisible());
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator("details[open]").count(), 0);
    await page.emulateMedia({ media: "screen" });
  });

  await t.test("a guess opens the answer by the keyboard, and the perfect clock adds", async () => {
    assert.ok(!await page.locator("#clock .answer").isVisible(), "the answer is shown before the guess");
    const guess = page.locator("#clock .guesses button").first();
    await guess.focus();
    await page.keyboard.press("Enter");
    assert.ok(await page.locator("#clock .answer").isVisible());
    assert.match(await page.locator("#clock .guessed").textContent(), /^You guessed “at 11”\. Look/);
    await page.locator("#clock .guesses [data-right]").click();
    assert.match(await page.locator("#clock .guessed").textContent(), /^You guessed “at 2”\. Right/);
    const clock = page.locator("#clock .perfect").first();
    await clock.locator("text=+7").click();
    await clock.locator("text=+4").click();
    assert.match(await clock.locator(".said").textContent(), /7 \+ 4 = 11, modulo 9 that is 2\./);
    await clock.locator("text=+ or −").click();
    await clock.locator("text=−5").click();
    assert.match(await clock.locator(".said").textContent(), /2 − 5 = −3, modulo 9 that is 6\./);
  });

  await t.test("waves without a clock lead by less", async () => {
    await page.click("#votes summary");
    const said = page.locator("#waves .said");
    assert.match(await said.textContent(), /5 leads by 3\.0\./);
    await page.click("#waves button.hand-1");
    await page.click("#waves button.hand-2");
    assert.match(await said.textContent(), /next are 4, 6 with 0\.8\. 5 leads by 0\.2\./);
  });

  await t.test("on a projector each key is a step", async () => {
    const where = () => page.locator(".remote span").textContent();
    await page.evaluate(() => scrollTo(0, 0));
    await page.keyboard.press("p");
    assert.equal(await where(), "Screen 1 of 11");
    assert.equal(await page.locator(".part:visible").count(), 1);
    await page.keyboard.press("PageDown");
    assert.ok(await page.locator("#clock .question").isVisible());
    assert.ok(!await page.locator("#clock .answer").isVisible());
    await page.keyboard.press("ArrowRight");
    assert.ok(await page.locator("#clock .answer").isVisible());
    await page.keyboard.press("ArrowLeft");
    assert.ok(!await page.locator("#clock .answer").isVisible());
    for (let i = 0; i < 4; i++) await page.keyboard.press("ArrowRight");
    assert.equal(await page.locator("#digits .steps li:visible").count(), 1);
    assert.match(await page.locator("#digits .steps li:visible").textContent(), /points at 3/);
    await page.keyboard.press("Escape");
    await page.evaluate(() => document.getElementById("limits").scrollIntoView());
    await page.keyboard.press("p");
    assert.equal(await where(), "Screen 9 of 11", "it begins elsewhere than where the reader is");
    await page.keyboard.press("Escape");
    assert.ok(await page.locator("#teacher").isVisible());
    assert.ok(!await page.locator(".remote").isVisible());
  });
});

test("the lesson’s widgets", async (t) => {
  const page = await open(t);

  await t.test("cutting a clock and turning the hands changes the answer", async () => {
    await page.evaluate(() => {
      globalThis.votes = [];
      document.querySelector("#broken mha-csp").addEventListener("votes", (e) => globalThis.votes.push(e.detail));
    });
    await page.click("#break summary");
    await page.locator("#broken").scrollIntoViewIfNeeded();
    const says = (pattern) => until(() => text(page, "said"), (s) => pattern.test(s), "what it says");
    const bars = () => page.evaluate(() => globalThis.votes.at(-1).probabilities);
    const press = (name) => page.click(`#broken .steps >> text=${name}`);
    await press("Whole");
    await says(/^Whole: it answers 5, over 99 % sure/);
    const whole = await bars();
    await press("Cut one");
    await says(/^You cut 1 of 3 clocks: it answers 5, 7\d % sure/);
    const cut = await bars();
    assert.ok(whole[5] - cut[5] > 0.2, `${whole[5]} and, cut, ${cut[5]}`);
    await press("Cut all three");
    await says(/^You cut 3 of 3 clocks: it answers 1, \d\d % sure/);
    await press("Turn by hand");
    await says(/^You turned the hands: it answers 6, over 99 % sure/);
  });

  await t.test("the half-turn clocks of the other model are turned, and it answers one more", async () => {
    await page.evaluate(() => {
      globalThis.votes = [];
      document.querySelector("#other mha-csp").addEventListener("votes", (e) => globalThis.votes.push(e.detail));
    });
    await page.locator("#other mha-csp").scrollIntoViewIfNeeded();
    const last = (passes) => until(() => page.evaluate(() => globalThis.votes.at(-1)), (v) => v && passes(v), "votes");
    await page.click("#other .steps >> text=After the 3");
    await last((v) => v.answer === "8" && !v.changed);
    await page.click("#other .steps >> text=Turn by hand");
    await last((v) => v.answer === "0" && v.changed);
  });

  await t.test("few widgets live at once", async () => {
    const widgets = () => page.frames().filter((f) => /embed-frame/.test(f.url())).length;
    for (const part of ["digits", "minus", "brackets", "votes"]) {
      await page.click(`#${part} summary`);
      await page.locator(`#${part} mha-csp`).scrollIntoViewIfNeeded();
      await page.locator(`#${part} mha-csp iframe`).waitFor();
      await page.evaluate((id) => document.querySelector(`#${id} mha-csp`).scrollIntoView(), part);
    }
    await until(async () => widgets(), (n) => n <= 2, "widgets");
    await page.locator("#digits .away").evaluate((e) => e.scrollIntoView());
    await page.locator("#digits mha-csp iframe").waitFor();
  });
});

/** accessible: axe finds nothing in the lesson, all of it open, nor on the projector, as it looks in each way. */
async function accessible(page, ...ways) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
  await page.locator("#digits mha-csp").scrollIntoViewIfNeeded();
  const verdict = page.frameLocator("#digits mha-csp iframe").locator("#verdict");
  await until(() => verdict.textContent(), (s) => /Best guess|answers/.test(s), "verdict");
  const look = async (what) => {
    for (const { colorScheme = "light", rules } of ways) {
      await page.emulateMedia({ colorScheme });
      await noFindings(page, `${what}, ${colorScheme}`, "", rules);
    }
  };
  await look("lesson");
  const [wide, width] = await page.locator("html").evaluate((e) => [e.scrollWidth, e.clientWidth]);
  assert.ok(wide <= width, `the page is ${wide} wide in a window of ${width}`);
  await page.evaluate(() => document.getElementById("projector").click());
  await look("on the projector");
}

test("a dial pointed at shows where its hand stood after all sums; axe finds nothing, light or dark", async (t) => {
  const page = await open(t, { circle: true, reducedMotion: "reduce" });
  await page.click("#digits summary");
  await page.click("#digits .steps >> text=After the 3");
  const frame = page.frameLocator("#digits mha-csp iframe");
  const found = /3 of its 116 hands follow the sum/;
  await until(() => frame.locator(".clocks").textContent(), (s) => found.test(s), "clocks");
  const box = await frame.locator("#stage").boundingBox();
  const name = frame.locator("#pointed-unit");
  await until(async () => { // until the dials are drawn, nothing is there to be pointed at
    for (let y = 0.3; y < 0.7; y += 0.05) {
      await page.mouse.move(box.x + 0.11 * box.width, box.y + y * box.height);
      await page.waitForTimeout(100);
    }
    await page.mouse.move(box.x + 0.11 * box.width, box.y + 0.45 * box.height);
    return name.textContent();
  }, (s) => s === "Unit 43: once round", "the chart's unit");
  await until(() => frame.locator("#chart-pointed").getAttribute("aria-label"), (s) => /sum 8 at \d/.test(s), "chart");
  await noFindings(page, "lesson", "#digits");
  await accessible(page, looks.light, looks.dark);
});

test("axe finds nothing on a phone", async (t) => accessible(await open(t, looks.phone), looks.phone));

test("it works again without a network", async (t) => {
  const page = await open(t, { offline: true });
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.context().setOffline(true);
  await page.reload();
  await page.click("#digits summary");
  await page.locator("#digits mha-csp").scrollIntoViewIfNeeded();
  const verdict = page.frameLocator("#digits mha-csp iframe").locator("#verdict");
  await until(() => verdict.textContent(), (s) => /Best guess|answers/.test(s), "verdict");
});
