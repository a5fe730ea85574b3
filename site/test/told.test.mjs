// What the page says, where, and in which words: seen as a visitor sees it.
import assert from "node:assert/strict";
import {readdir} from "node:fs/promises";
import {test} from "node:test";
import {dist, newPage} from "./harness.mjs";
import {changedAnswer, endless, seek, step, suite, text, tiny, until} from "./page.mjs";
import {inks} from "./pixels.mjs";

const site = suite();
const {again, open, start} = site;

/** seen reports whether an element lies wholly in the window. */
const seen = (locator) => locator.evaluate((e) => {
  const {top, bottom} = e.getBoundingClientRect();
  return e.checkVisibility({visibilityProperty: true}) && top >= 0 && bottom <= innerHeight;
});

test("no verdict stands beneath a mistake, on the page, in a widget, in the race", async (t) => {
  const tried = async (page, input, error, verdict, wrong, right) => {
    await until(() => verdict.isVisible(), (v) => v, "verdict");
    await page.fill(input, wrong);
    await page.press(input, "Enter");
    await until(() => text(page, error), (s) => s !== "", "mistake");
    await until(() => verdict.isVisible(), (v) => !v, "a verdict beneath a mistake", 10_000);
    await page.fill(input, right);
    await page.press(input, "Enter");
    await until(() => verdict.isVisible(), (v) => v, "verdict of the next text");
    assert.equal(await text(page, error), "");
  };
  const page = await again(t);
  await tried(page, "#expression", "expression-error", page.locator("#verdict"), "10x1", "1101");
  const frame = await open(t, "/embed-frame.html?task=parity&expression=101&controls=expression");
  await until(() => text(frame, "verdict"), (s) => /Best guess|answers/.test(s), "verdict");
  await tried(frame, "#expression", "expression-error", frame.locator("#verdict"), "10x1", "1101");
  const race = await open(t, "/race.html#models=csp,gru&task=parity&max_length=6&batch=8");
  await until(() => text(race, "lanes"), (s) => s.match(/is ready; answers/g)?.length === 2, "runners");
  const answers = race.locator(".says", {hasText: "answers"});
  await tried(race, "#text", "text-error", answers.first(), "12", "11");
});

test("what was done is said in sight of what was pressed, once, and an error too", async (t) => {
  const page = await start(t, `/lab.html#${endless}`, {permissions: ["clipboard-read", "clipboard-write"]});
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  const brief = page.locator(".message[data-brief]");
  for (const [button, words] of [["link", "copied"], ["download", "Downloaded"], ["link", "copied"]]) {
    await page.locator(`#${button}`).scrollIntoViewIfNeeded();
    await page.click(`#${button}`);
    await until(() => brief.allInnerTexts(), (all) => all.length === 1 && all[0].includes(words), words);
    assert.ok(await seen(brief), `${words}: out of sight`);
  }
  await page.evaluate(() => { navigator.clipboard.writeText = () => Promise.reject(new Error("denied")); });
  await page.click("#link");
  const whole = (e) => e.scrollWidth <= e.clientWidth;
  await until(() => page.locator("[data-kind=copied]").evaluate(whole), (fits) => fits, "a link that is not cut off");
  await page.locator("[data-kind=copied] button").click();
  await page.setInputFiles("#file", {name: "no.safetensors", mimeType: "", buffer: Buffer.from("not a model")});
  const bad = page.locator(".message.bad");
  await until(() => bad.count(), (n) => n === 1, "error");
  assert.ok(await seen(bad), "the error is out of sight");
  await page.evaluate(() => scrollTo(0, 0));
  await until(() => page.locator(".message.aside").count(), (n) => n === 0, "messages that are not in their place");
  assert.ok(await seen(bad), "the error is not in its place");
  await until(() => brief.count(), (n) => n === 0, "a confirmation goes by itself");
});

test("a warning is a sentence, and calls settings what the form calls them", async (t) => {
  const page = await again(t, tiny.replace("warmup=5", "warmup=200"));
  const says = () => page.locator('[data-kind="warning"] p').allInnerTexts();
  await until(says, (all) => /^Warm-up is 200, .* choose less/.test(all[0]), "warning");
});

test("the help opens at its beginning", async (t) => {
  const page = await start(t, `/lab.html#${tiny}`, {viewport: {width: 800, height: 500}});
  for (const opens of [() => page.click("#help-open"), () => page.locator("body").press("?")]) {
    await opens();
    assert.ok(await seen(page.locator("#help-title")), "the title of the help is out of sight");
    await page.keyboard.press("Escape");
  }
});

test("a hand can be turned where something is read after it, and not behind the last character", async (t) => {
  const page = await start(t, "/lab.html#finished=clocks&backend=cpu&expression=4-(3%2B5)", {reducedMotion: "reduce"});
  const turns = page.locator("[data-turn]"), why = page.getByText("after the last character nothing is");
  await until(() => turns.count(), (n) => n === 8, "buttons");
  const usable = () => turns.evaluateAll((all) => all.filter((b) => !b.disabled).length);
  await seek(page, 18);
  assert.deepEqual([await usable(), await why.isVisible()], [0, true]);
  await seek(page, 17);
  assert.deepEqual([await usable(), await why.isVisible()], [8, false]);
  await turns.first().click();
  const turned = /^You turned one hand by \S+: it still answers 5 /;
  await until(() => changedAnswer(page), (s) => turned.test(s), "what the turn did");
});

test("a chosen theme holds before the style sheets have come, on every page", async (t) => {
  const pages = (await readdir(dist)).filter((name) => name.endsWith(".html"));
  assert.ok(pages.length >= 8, pages.join());
  const page = await newPage(site.browser, {colorScheme: "light", serviceWorkers: "block"});
  t.after(() => page.context().close());
  await page.addInitScript(() => localStorage.setItem("theme", "dark"));
  await page.route(/\.css$/, () => {}); // they never come
  const wrong = [];
  for (const name of pages) {
    await page.goto(`${site.server.url}/${name}`, {waitUntil: "commit"});
    await page.locator("head link, style").first().waitFor({state: "attached"});
    const scheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await until(scheme, (s) => s === "dark", name, 20_000).catch((error) => wrong.push(error.message));
  }
  assert.deepEqual(wrong, []);
});

test("the circle's first picture is of the theme that holds: nothing flashes white in the dark", async (t) => {
  const deaf = () => { // what the page says comes too late
    if (/circle\/frame/.test(location)) addEventListener("message", (e) => e.stopImmediatePropagation(), true);
  };
  const first = (page) => page.addInitScript(deaf);
  const page = await start(t, `/lab.html#${tiny}`, {circle: true, colorScheme: "dark", first});
  const white = async () => { // the frame paints nothing at first: the stage's own colour is neither
    const png = await page.locator("#stage").screenshot();
    const [dark, white] = await inks(page, png, ["#0e1217", "#ffffff"], [0, 0, 0.1, 0.1]);
    return dark.pixels + white.pixels > 0 && white.pixels > dark.pixels;
  };
  await page.locator("#stage iframe").waitFor();
  await until(async () => [await white(), await page.locator("#stage").getAttribute("data-plain")],
    ([white, plain]) => {
      assert.ok(!white, "it is white in the dark");
      return plain === null;
    }, "the circle draws");
  for (let i = 0; i < 8; i++) assert.ok(!await white(), "it is white in the dark");
});

/** told is all that a page says, hidden parts and names of pictures left out. */
const told = (page) => page.locator("main").innerText();

test("data that stands in a sentence neither turns it round nor hides in it", async (t) => {
  const page = await again(t, endless);
  const turned = "right\u202elanoitidart", hebrew = "שלום";
  const lines = Array.from({length: 40}, (_, i) => JSON.stringify({
    prompt: i % 2 ? hebrew : "abc", label: i % 2 ? turned : hebrew, group: turned,
  }));
  const file = {name: "a\u202ecod.jsonl", mimeType: "", buffer: Buffer.from(lines.join("\n"))};
  await page.setInputFiles("#own-file", file);
  await until(() => text(page, "own-facts"), (s) => s.includes("a\\u202ecod.jsonl: 36 samples"), "facts");
  await until(() => page.locator("#samples tr").count(), (n) => n > 0, "samples");
  for (const prompt of [hebrew, "abc"]) {
    await page.fill("#expression", prompt);
    await page.press("#expression", "Enter");
    await until(() => text(page, "tokens"), (s) => s === `▸${prompt}`, "read");
    for (const at of [1, [...prompt].length]) {
      await seek(page, at);
      const says = await until(() => text(page, "verdict"),
        (s) => at === 1 ? /^Best guess/.test(s) : /answers/.test(s), "verdict");
      const data = [says.includes("\\u202e") && "escaped", says.includes("\u2068") && "isolated"].filter(Boolean);
      assert.ok(data.length > 0, says);
    }
  }
  await page.click("#train");
  await page.locator("#classes td").first().waitFor({state: "attached"});
  await page.click("#train");
  assert.doesNotMatch(await told(page), /\u202e/);
  assert.doesNotMatch(await page.locator("#classes").innerHTML(), /\u202e/);
});

test("tokens that stand for no text are no answers", async (t) => {
  const raw = /<(PAD|SOS|EOS|unused \d+)>/;
  const copy = await again(t, "task=arithmetic&format=copy&model=csp&width=8&batch=8&backend=cpu&seed=4");
  const read = async (page) => {
    await until(() => page.locator("#samples tr").count(), (n) => n > 0, "samples");
    const last = Number(await page.getAttribute("#read-at", "max"));
    for (let at = 0; at <= last; at++) {
      await seek(page, at);
      assert.doesNotMatch(await told(page), raw);
    }
    return text(page, "verdict");
  };
  await read(copy);
  const page = await again(t, endless);
  const lines = Array.from({length: 40}, (_, i) => JSON.stringify({prompt: "ab".repeat(1 + i % 3), target: "b"}));
  await page.setInputFiles("#own-file", {name: "b.jsonl", mimeType: "", buffer: Buffer.from(lines.join("\n"))});
  await until(() => text(page, "own-facts"), (s) => s.includes("b.jsonl: 36 samples"), "facts");
  assert.match(await read(page), /^(No answer yet|It answers)/);
});
