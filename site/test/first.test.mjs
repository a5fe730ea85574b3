// The first page: the clock that is turned, the table of what a network answers, the recorded run, the reader's own.
import assert from "node:assert/strict";
import {readFile} from "node:fs/promises";
import path from "node:path";
import {test} from "node:test";
import {root} from "./harness.mjs";
import {shortRecipe, suite, text, until} from "./page.mjs";

const self = suite();
const recorded = JSON.parse(await readFile(path.join(root, "site/demo/first.json"), "utf8"));

/** quick gives some frames of the recording in some seconds, and the recipe steps that a test can wait for. */
const quick = ({seconds = 0, steps = 2000, frames} = {}) => async (page) => {
  const scale = seconds / recorded.at(-1).t;
  await page.route(/demo\/first[^/]*\.json/, (route) => route.fulfill({
    json: recorded.slice(0, frames).map((frame) => ({...frame, t: frame.t * scale})),
  }));
  await shortRecipe(page, steps);
};
const open = (t, {seconds, steps, frames, ...options} = {}) =>
  self.open(t, "/", {first: quick({seconds, steps, frames}), reducedMotion: "reduce", ...options});

/** colours are the squares' colours as they are painted: [81] of {chroma, hue}, hue in degrees of red, green, blue. */
const colours = (page) => page.evaluate(() => {
  const c = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  return [...document.querySelectorAll("#table td")].map((cell) => {
    c.fillStyle = getComputedStyle(cell).backgroundColor;
    c.fillRect(0, 0, 1, 1);
    const [r, g, b] = c.getImageData(0, 0, 1, 1).data;
    const hue = Math.atan2(Math.sqrt(3) * (g - b), 2 * r - g - b) * 180 / Math.PI;
    return {chroma: Math.max(r, g, b) - Math.min(r, g, b), hue};
  });
});
const right = (page) => until(() => text(page, "figures"), (s) => /\d+ of 81 right/.test(s), "figures")
  .then((s) => Number(/(\d+) of 81/.exec(s)[1]));

/** ends are where the arcs of a dial begin and end, in degrees clockwise from the top. */
const ends = (dial) => dial.locator(".arc").evaluateAll((arcs) => arcs.map((arc) => {
  const points = arc.querySelector("polyline").getAttribute("points").split(" ").map((p) => p.split(",").map(Number));
  const middle = arc.ownerSVGElement.viewBox.baseVal.width / 2;
  const angle = ([x, y]) => (Math.atan2(x - middle, middle - y) * 180 / Math.PI + 360) % 360;
  return [angle(points[0]), angle(points.at(-1))].map(Math.round);
}));

test("two numbers are two arcs, end to end, and a third begins again", async (t) => {
  const page = await open(t), clock = page.locator("#clock svg");
  await page.click("#digits >> text=+3");
  assert.deepEqual(await ends(clock), [[0, 120]]);
  assert.match(await text(page, "clock-said"), /Turned by 3/);
  await page.keyboard.press("5");
  assert.deepEqual(await ends(clock), [[0, 120], [120, 320]]);
  assert.match(await text(page, "clock-said"), /3 \+ 5 = 8.*Adding is turning/);
  assert.equal(await page.locator('#table [aria-selected="true"]').count(), 1);
  assert.match(await text(page, "cell"), /^3 \+ 5: the network says \d/);
  await page.keyboard.press("7");
  assert.deepEqual(await ends(clock), [[0, 280]]);
  assert.match(await text(page, "clock-said"), /^A new sum\. Turned by 7/);
  await page.keyboard.press("9");
  assert.match(await text(page, "clock-said"), /no 9.*9 is 0 here/);
  await page.keyboard.press("5");
  assert.match(await text(page, "clock-said"), /7 \+ 5 = 3.*past 8 it begins again at 0.*not at 12/);
  await page.keyboard.press("Escape");
  assert.deepEqual(await ends(clock), []);
});

test("the hand is dragged, on and back", async (t) => {
  const page = await open(t), box = await page.locator("#clock svg").boundingBox();
  const at = (place) => {
    const angle = 2 * Math.PI * place / 9, r = box.width * 0.3;
    return [box.x + box.width / 2 + r * Math.sin(angle), box.y + box.height / 2 - r * Math.cos(angle)];
  };
  const drag = async (...places) => {
    await page.mouse.move(...at(places[0]));
    await page.mouse.down();
    for (const place of places.slice(1)) await page.mouse.move(...at(place));
    await page.mouse.up();
  };
  await drag(0, 1, 2, 3.2);
  assert.match(await text(page, "clock-said"), /Turned by 3/);
  await drag(3, 2, 1, 0, -1);
  assert.match(await text(page, "clock-said"), /3 − 4 = 8.*back by 4: before 0 comes 8.*turning back/);
  await drag(5, 5.2); // less than half a place is none
  assert.match(await text(page, "clock-said"), /3 − 4 = 8/);
  await drag(8, 9, 10); // on from where it stands, also behind a sum that is done
  assert.match(await text(page, "clock-said"), /^8 \+ 2 = 1\./);
});

test("a square is read by pointer and by keys", async (t) => {
  const page = await open(t);
  await right(page);
  await page.locator("#table td").nth(2 * 9 + 6).hover();
  assert.match(await text(page, "cell"), /^2 \+ 6: the network says \d \(/);
  await page.locator("#table td").nth(2 * 9 + 6).click();
  assert.match(await text(page, "clock-said"), /2 \+ 6 = 8/);
  await page.locator("#table td").first().focus();
  for (const key of ["ArrowDown", "ArrowRight", "ArrowRight", "Enter"]) await page.keyboard.press(key);
  assert.match(await text(page, "clock-said"), /1 \+ 2 = 3/);
});

test("the recorded run plays by itself: a grey table comes to have stripes, and hands rise", async (t) => {
  const begins = await open(t, {frames: 1});
  await right(begins);
  const before = await colours(begins);
  const page = await open(t, {seconds: 3, reducedMotion: "no-preference"});
  await until(() => text(page, "state"), (s) => s.startsWith("A recording: "), "the recording");
  await until(() => text(page, "state"), (s) => s.startsWith("That was a recording"), "the end of the recording");
  await page.waitForTimeout(400); // colours come softly
  const after = await colours(page), mean = (list) => list.reduce((sum, c) => sum + c.chroma, 0) / list.length;
  assert.ok(mean(before) < 15, `the table begins with a chroma of ${mean(before)}`);
  assert.ok(mean(after) > 30, `and ends with one of ${mean(after)}`);
  for (let i = 0; i < 81; i++) { // a stripe has one hue
    const value = (Math.floor(i / 9) + i % 9) % 9, off = after[i].hue - after[value].hue;
    assert.ok(Math.abs(off - 360 * Math.round(off / 360)) < 20, `square ${i}: ${JSON.stringify(after[i])}`);
  }
  await page.keyboard.press("3");
  await page.keyboard.press("5");
  const dials = page.locator("#dials .dial");
  assert.ok(await dials.count() >= 2, "dials");
  for (const dial of await dials.all()) {
    const [[start, middle], [next]] = await ends(dial);
    assert.deepEqual([start, next], [0, middle], "arcs lie end to end");
  }
  await page.click("text=Play it again");
  await until(() => text(page, "state"), (s) => s.startsWith("A recording"), "the recording, again");
});

test("a reader's own run: it trains, pauses, ends with a result, and goes on in the Lab", async (t) => {
  const page = await open(t, {steps: 40});
  await page.click("#train");
  await until(() => text(page, "figures"), (s) => /^step [1-9]/.test(s), "a step");
  const result = /^It can add now: \d+ of the 81 sums, and [\d.]+ % of longer ones\. \S+ of its hands/;
  await until(() => text(page, "state"), (s) => result.test(s), "result");
  assert.equal(await text(page, "train-label"), "Train another");
  await page.click("#lab");
  await page.waitForURL(/lab\.html/);
  await until(() => text(page, "step-now"), (s) => s === "40", "the step of the run in the Lab");
  assert.match(await text(page, "state"), /^Trained/);
  assert.equal(await page.locator('[data-kind="copy"]').count(), 0);
  await page.goto(self.server.url);
  await page.click("text=Open your own network");
  await until(() => text(page, "step-now"), (s) => s === "40", "the step of the run in the Lab, again");
});

test("a run is paused and goes on, and one press is enough", async (t) => {
  const page = await open(t, {steps: 100_000});
  await page.click("#train");
  await until(() => text(page, "train-label"), (s) => s === "Pause", "the label");
  await page.click("#train");
  await until(() => text(page, "train-label"), (s) => s === "Train on", "the pause");
  const paused = await text(page, "state");
  assert.match(paused, /^Paused after \d+ of 100,000 steps/);
  await page.click("#train");
  const learns = /^Your own network learns, in this tab(: about \d+ (seconds|minutes) left)?\.$/;
  await until(() => text(page, "state"), (s) => learns.test(s), "training");
});

test("without the recording or the program it says what is wrong", async (t) => {
  const page = await open(t, {
    problems: /ERR_FAILED|Failed to load/,
    first: async (page) => {
      await page.route(/demo\/first/, (route) => route.abort());
      await page.route(/trainer[^/]*\.wasm/, (route) => route.abort());
    },
  });
  await until(() => text(page, "state"), (s) => /Press Train/.test(s), "state");
  await page.click("#train");
  await page.locator(".message.bad").waitFor();
  await until(() => text(page, "train-label"), (s) => s === "Train", "the button");
  await page.unroute(/trainer[^/]*\.wasm/);
  await page.click("text=Start again");
  await until(() => text(page, "figures"), (s) => /step/.test(s), "a frame");
});

test("without the program that looks for clocks it trains, and says so", async (t) => {
  const page = await open(t, {problems: /ERR_FAILED|Failed to load/, steps: 100_000});
  await page.route(/clocks[^/]*\.wasm/, (route) => route.abort());
  await page.click("#train");
  await page.locator(".message.bad").waitFor();
  await until(() => text(page, "state"), (s) => /learns, in this tab/.test(s), "training");
});

test("a link with settings opens the Lab", async (t) => {
  const page = await self.open(t, "/#task=parity&model=csp&width=8&steps=60&seed=4&backend=cpu");
  await page.waitForURL(/lab\.html#task=parity/);
});
