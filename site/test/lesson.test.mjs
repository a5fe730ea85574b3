// The lesson: guess and reveal, a stage that follows the story, hands cut, turned and predicted, projector, print,
// offline.
import assert from "node:assert/strict";
import { test } from "node:test";
import { looks, noFindings, shortRecipe, suite, text, until } from "./page.mjs";

const site = suite();
const open = (t, options) => site.open(t, "/lesson.html", { reducedMotion: "reduce", ...options });
const said = (page, view) => page.locator(`[data-stage=${view}] > .said`).first().textContent();
const says = (page, view, pattern) =>
  until(() => said(page, view), (s) => pattern.test(s), `on the stage: ${pattern}`);
/** reveal opens a part's answer and presses one of its steps. */
const reveal = async (page, part, name) => {
  await page.locator(`#${part} .reveal`).evaluate((e) => { e.open = true; });
  if (name) await page.locator(`#${part} .steps button`, { hasText: name }).click();
};
const arcs = (page, selector) => page.locator(`#network figure:first-child ${selector}`).count();

test("the lesson as it is opened", async (t) => {
  const page = await open(t);

  await t.test("each part asks one question before it shows, and one guess is right", async () => {
    const parts = page.locator(".part:has(.reveal)");
    assert.equal(await parts.count(), 9); // all but the seventh, which sums up
    for (let i = 0; i < 9; i++) {
      assert.equal(await parts.nth(i).locator(".guesses [data-right]").count(), 1, `part ${i + 1}`);
      assert.ok(!await parts.nth(i).locator(".answer").isVisible(), `part ${i + 1}`);
    }
  });

  await t.test("on paper every part has its question, answer and drawn clocks", async () => {
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    for (const id of ["clock", "minus", "brackets", "digits", "votes", "train", "break", "limits", "exact"]) {
      const part = page.locator(`#${id}`);
      assert.ok(await part.locator(".question").isVisible(), id);
      assert.ok(await part.locator(".answer").isVisible(), id);
      if (!["train", "break"].includes(id)) assert.ok(await part.locator(".paper svg.dial:visible").count() > 0, id);
    }
    assert.ok(!await page.locator("#stage").isVisible());
    assert.ok(await page.locator("#teacher table").isVisible());
    await page.evaluate(() => dispatchEvent(new Event("afterprint")));
    assert.equal(await page.locator("details[open]").count(), 0);
    await page.emulateMedia({ media: "screen" });
  });

  await t.test("a guess opens the answer by the keyboard, and the clock is turned", async () => {
    await page.locator("#clock .guesses button").first().focus();
    await page.keyboard.press("Enter");
    assert.ok(await page.locator("#clock .answer").isVisible());
    assert.match(await page.locator("#clock .guessed").textContent(), /^You guessed “at 11”\. It is not so/);
    await page.locator("#clock .guesses [data-right]").click();
    assert.match(await page.locator("#clock .guessed").textContent(), /^You guessed “at 2”\. Right/);
    await says(page, "turn", /7 \+ 4 = 11/);
    await page.evaluate(() => scrollTo(0, 0));
    await page.click("#turned >> text=Back to the start");
    await page.locator("#turned .digits >> text=+7").click();
    await page.locator("#turned .digits >> text=+4").click();
    await says(page, "turn", /7 \+ 4 = 11, modulo 9 that is 2\./);
    await page.locator("#turned >> text=Switch to −").click();
    await page.locator("#turned .digits >> text=−5").click();
    await says(page, "turn", /2 − 5 = −3, modulo 9 that is 6\./);
  });

  await t.test("the reader steers 3 − (6 + 2), the wrong way and the right one", async () => {
    await reveal(page, "brackets", "Back, then on");
    await says(page, "steer", /^It ends at 8\. But .*The minus stands before the whole bracket/);
    await page.click("#steered >> text=Again");
    await page.click("#steered >> text=back by 6");
    await page.click("#steered >> text=back by 2");
    await says(page, "steer", /^Both numbers turn back, and it ends at 4\./);
    assert.equal(await page.locator("#steered .arc").count(), 3);
  });

  await t.test("waves are moved by hand and add up to one peak; one alone leads by less", async () => {
    await reveal(page, "votes", "All at 4");
    await says(page, "waves", /^4 leads, with 3\.0 votes/);
    await page.click("#votes .steps >> text=The slow hand alone");
    await says(page, "waves", /^4 leads, with 1\.0 votes to 0\.8 for 3, 5\./);
    await page.locator("#waves input[type=range]").first().focus();
    await page.keyboard.press("ArrowRight");
    await says(page, "waves", /^5 leads, with 1\.0 votes/);
  });
});

test("the stage follows the story and is never loaded again", async (t) => {
  const page = await open(t), programs = [];
  page.on("worker", (w) => programs.push(w.url()));
  const stage = await page.locator("#network").elementHandle();
  const middle = (selector) => page.locator(selector).evaluate((e) => e.scrollIntoView({ block: "center" }));
  await middle("#digits .question");
  await says(page, "network", /^After “3” the sum so far is 3\./);
  assert.equal(await page.locator("#network figure").count(), 4);
  assert.deepEqual([await arcs(page, ".arc"), await arcs(page, ".under")], [1, 1]);
  await reveal(page, "digits", "After the 5");
  await says(page, "network", /^After “5\)” the sum so far is 8\./);
  assert.deepEqual([await arcs(page, ".arc"), await arcs(page, ".under")], [2, 2]);
  await page.click("#digits .steps >> text=At the end");
  await says(page, "network", /^It answers 8, over 99 % sure\. That is right\./);

  await t.test("what is scrolled to is shown", async () => {
    await page.mouse.wheel(0, 1); // by hand
    await middle("#digits .steps li:nth-child(3)");
    await says(page, "network", /^It answers 4, over 99 %/);
    await middle("#clock .question");
    await page.waitForSelector("#turned:visible");
    await says(page, "turn", /0 \+ 7 = 7/); // the question stands open: its answer is not played
    await middle("#votes .question");
    await page.waitForSelector("#waves:visible");
    assert.ok(!await page.locator("#network").isVisible());
  });

  await t.test("by its own buttons it goes on, back and plays, and says how exactly", async () => {
    await reveal(page, "exact", "A good one");
    const captions = () => page.locator("#network figcaption").allTextContents();
    await until(captions, (list) => list.every((s) => /^\d+° off; R 0\.9\d$/.test(s)), "degrees");
    await page.click("#network >> text=How exactly?");
    const plain = ["40°", "80°", "120° back", "160°"].map((angle) => `+1 turns it ${angle}`);
    assert.deepEqual(await captions(), plain);
    await page.click("[aria-label='One step back']");
    await says(page, "network", /^After “2\)” the sum so far is 4/);
    await page.click("[aria-label='One step back']");
    await says(page, "network", /^After “\+” the sum so far is 6/);
    await page.click("#network >> text=Play");
    await says(page, "network", /^It answers 4/);
  });

  await t.test("hands are turned and cut: the answer follows them, or is lost", async () => {
    await reveal(page, "break", "Turn all by one");
    await says(page, "network", /^It answers 5, \S.* sure\. $/);
    const cut = (n, left) => until(async () => [await page.locator("#network .cut").count(),
      await said(page, "network")], ([cut, words]) => cut === n && left.test(words), `${n} cut`);
    await page.click("#break .steps >> text=Cut all four");
    await cut(4, /^It answers \d, [1-8]?\d %/);
    await page.click("#break .steps >> text=Whole");
    await says(page, "network", /^It answers 4, over 99 % sure/);
    await reveal(page, "votes", "Cut one");
    await cut(1, /^It answers 4/);
    await page.selectOption("#marks", "3");
    await page.locator("#predict .digits button").nth(7).click();
    const predicted = page.locator("#predict .guessed");
    const predicts = (pattern) => until(() => predicted.textContent(), (s) => pattern.test(s), `${pattern}`);
    await predicts(/^You predicted 7\. It answers 7,.*You know/);
    await page.locator("#predict .digits button").nth(2).click();
    await predicts(/^You predicted 2\. It answers 7,.*4 \+ 3 is 7/);
  });

  await t.test("sums that it gets wrong are found and counted; what is no sum is said to be none", async () => {
    await reveal(page, "limits", "A nested one");
    await says(page, "network", /^It answers 0, 9\d % sure\. Right would be 7\./);
    const read = async (sum, pattern) => {
      await page.fill("#hunted", sum);
      await page.keyboard.press("Enter");
      await until(() => text(page, "hunt-said"), (s) => pattern.test(s), sum);
    };
    await read("3 − 2", /^3 − 2 is 1\. It answers 1/); // as the page writes it
    await read("1+2", /^1\+2 is 3\. It answers 3, .* right/);
    await read("0-(4-(1-(3+5)))", /is 7\. It answers 8, .* wrong\. You found one/);
    await read("3+", /^It knows the numbers 0 to 8.*At place 3/);
    await read("😀+9", /^It knows the numbers 0 to 8.*At place 1/); // the first mistake, though it knows no 9
    await read("3+9 =", /^It knows the numbers 0 to 8.*At place 3/);
    await read("(3+5) mod 9 mod 9", /^It knows the numbers 0 to 8.*At place 11/);
    await says(page, "network", /^It answers 8/); // the sum before is still there
    await read("0 - (4-(1-(3+5)))", /wrong/);
    assert.match(await text(page, "tally"), /^Tried here: 3\. Wrong: 1 \(0−\(4−\(1−\(3\+5\)\)\)\)\.$/);
  });

  assert.ok(await stage.evaluate((e) => e.isConnected), "the stage was made again");
  assert.equal(programs.filter((url) => /clocks-worker/.test(url)).length, 1, "the program was started again");
});

test("a network is trained on the stage: the table fills, and the end is told", async (t) => {
  const page = await open(t, { first: (page) => shortRecipe(page, 30) });
  await reveal(page, "train", "Train");
  await until(() => text(page, "figures"), (s) => /^step \d+ · \d+ of 81 right$/.test(s), "figures");
  await until(() => text(page, "ended"), (s) => /^It can add now: \d+ of the 81 sums/.test(s), "the end");
  assert.match(await page.locator("#table td").first().textContent(), /^\d$/);
  await page.locator("#table td").nth(20).click();
  assert.match(await text(page, "cell"), /^2 \+ 2: the network says \d/);
});

for (const [width, height] of [[1366, 768], [1920, 1080]]) {
  test(`on a projector of ${width} × ${height} each key is a step, and nothing is cut off`, async (t) => {
    const page = await open(t, { viewport: { width, height }, first: (page) => shortRecipe(page, 30) });
    const where = async () => (await page.locator(".remote span").textContent()).split(" · ")[0];
    await page.evaluate(() => scrollTo(0, 0));
    await page.keyboard.press("p");
    const ends = Number((await where()).split(" of ")[1]);
    assert.ok(ends > 25 && ends < 40, `${ends} screens in ten minutes`);
    let all = Infinity;
    for (let i = 1; i <= ends + all; i++) {
      if (i > ends) all = Number((await where()).split(" of ")[1]);
      assert.equal(await where(), i <= ends ? `${i} of ${ends}` : `Further: ${i - ends} of ${all}`);
      if (await page.locator("#network").isVisible()) await says(page, "network", /^(After|It answers|Nothing)/);
      if (await page.locator("#train.asks").isVisible()) {
        assert.ok(!await page.locator("#train-button").isVisible(), "the question can be skipped");
      }
      if (await page.locator("[data-do=train]").isVisible()) {
        await until(() => page.locator("#ended").isVisible(), (b) => b, "the end of the training");
      }
      const out = await page.evaluate(() => {
        const bottom = document.querySelector(".remote").getBoundingClientRect().top + 1;
        return [...document.querySelectorAll(".story *, .stage *")].filter((e) => {
          const box = e.getBoundingClientRect();
          return e.checkVisibility() && box.width && (box.bottom > bottom || box.right > innerWidth + 1);
        }).map((e) => e.outerHTML.slice(0, 80));
      });
      assert.deepEqual(out, [], `screen ${i}`);
      await page.keyboard.press(i % 2 ? "PageDown" : "ArrowRight");
      if (await page.locator("#ended").isVisible()) { // there and back it is still trained
        await page.keyboard.press("ArrowLeft");
        assert.match(await text(page, "train-button"), /^Train another$/);
        await page.keyboard.press("ArrowRight");
      }
    }
    await page.keyboard.press("ArrowLeft");
    assert.equal(await where(), `Further: ${all - 1} of ${all}`);
    while (!await page.locator("#waves").isVisible()) await page.keyboard.press("ArrowLeft");
    await page.locator("#waves input[type=range]").first().click(); // it gives the keys back
    const slid = await where();
    await page.keyboard.press("ArrowLeft");
    assert.notEqual(await where(), slid);
    await page.keyboard.press("Escape");
    assert.ok(!await page.locator(".remote").isVisible());
    await page.evaluate(() => document.getElementById("limits").scrollIntoView());
    await page.keyboard.press("p");
    const now = await page.locator(".part.now h2").textContent();
    assert.match(now, /^9\./, "it begins elsewhere than where the reader is");
  });
}

/** accessible: axe finds nothing in the lesson, all of it open, on each picture of the stage, in each way. */
async function accessible(page, ...ways) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((d) => { d.open = true; }));
  await reveal(page, "votes", "Cut one");
  await says(page, "network", /^It answers/);
  for (const view of ["network", "turn", "steer", "waves", "train"]) {
    await page.evaluate((view) => {
      for (const e of document.querySelectorAll("[data-stage]")) e.hidden = e.dataset.stage !== view;
    }, view);
    for (const { colorScheme = "light", rules } of ways) {
      await page.emulateMedia({ colorScheme });
      await noFindings(page, `lesson, ${view}, ${colorScheme}`, view === "network" ? "" : "#stage", rules);
    }
  }
  const [wide, width] = await page.locator("html").evaluate((e) => [e.scrollWidth, e.clientWidth]);
  assert.ok(wide <= width, `the page is ${wide} wide in a window of ${width}`);
}

test("axe finds nothing, light or dark", async (t) => accessible(await open(t), looks.light, looks.dark));

test("axe finds nothing on a phone, and the stage leaves room for the story", async (t) => {
  const page = await open(t, looks.phone);
  await accessible(page, looks.phone);
  const { height } = await page.locator("#stage").boundingBox();
  assert.ok(height < 0.6 * page.viewportSize().height, `the stage is ${height} high`);
});

test("on small phones every picture of the stage is seen, and the steps can be pressed", async (t) => {
  const page = await open(t, { viewport: { width: 320, height: 568 } });
  const steps = [["minus", "7 − 5"], ["brackets", "Both back"], ["digits", "At the end"], ["votes", "All at 4"],
    ["votes", "own votes"]];
  for (const [width, height] of [[320, 568], [375, 812], [812, 375]]) {
    await page.setViewportSize({ width, height });
    for (const [part, step] of steps) {
      await reveal(page, part, step);
      const found = await until(() => page.locator("#stage").evaluate((stage) => {
        const box = stage.getBoundingClientRect(), shown = (e) => e.checkVisibility();
        const all = [...stage.querySelectorAll("svg, p, button, input, label")].filter(shown);
        const { scrollWidth, clientWidth } = document.documentElement;
        return {
          wide: scrollWidth - clientWidth,
          outside: all.filter((e) => {
            const { left, right, bottom } = e.getBoundingClientRect();
            return left < box.left - 1 || right > box.right + 1 || bottom > box.bottom + 1;
          }).map((e) => e.outerHTML.slice(0, 60)),
          pictures: all.filter((e) => e.matches("svg")).map((e) => e.getBoundingClientRect().height),
          letters: Math.min(...[...stage.querySelectorAll(".dial text")].filter(shown).map((e) =>
            parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a)),
        };
      }), ({ pictures }) => pictures.length, "pictures");
      const what = `${part}, ${step} at ${width} × ${height}: ${JSON.stringify(found)}`;
      assert.ok(found.wide <= 0 && !found.outside.length, what);
      assert.ok(Math.min(...found.pictures) >= 60, what);
      assert.ok(found.letters >= 6, what); // of several in one place; none where votes are shown
    }
  }
});

test("on a phone the projector has the text below the stage, and its buttons within reach", async (t) => {
  const page = await open(t, { viewport: { width: 320, height: 568 } });
  await page.click("#projector");
  await page.locator(".remote >> text=Next").click();
  const box = (place) => page.locator(place).boundingBox();
  const [stage, story, remote] = await Promise.all([box("#stage"), box(".story"), box(".remote")]);
  assert.ok(stage.width > 260 && story.width > 260, `the stage is ${stage.width} wide, the text ${story.width}`);
  assert.ok(stage.y + stage.height <= story.y && story.y + story.height <= remote.y + 1, "one above the other");
  for (const button of await page.locator(".remote button").all()) {
    const { x, width } = await button.boundingBox();
    assert.ok(x >= 0 && x + width <= 320, await button.textContent());
  }
  await page.locator(".remote >> text=Leave").click();
  await page.locator(".remote").waitFor({ state: "hidden" });
});

test("it works again without a network", async (t) => {
  const page = await open(t, { offline: true });
  await page.evaluate(() => navigator.serviceWorker.ready);
  await page.context().setOffline(true);
  await page.reload();
  await reveal(page, "digits", "At the end");
  await says(page, "network", /^It answers 8/);
});
