// The page of the paper: what was measured is there in tables and in figures with words, on paper and offline too.
import assert from "node:assert/strict";
import {test} from "node:test";
import {suite} from "./page.mjs";

const site = suite();
const open = (t, options) => site.open(t, "/paper.html", options);

test("verdicts, tables and figures are there", async (t) => {
  const page = await open(t);
  const numbers = await page.locator(".score b").allTextContents();
  const claims = await page.locator(".claims tbody tr:has(td)").count();
  assert.equal(numbers.reduce((sum, n) => sum + Number(n), 0), claims, "a claim has no verdict, or two");
  for (const title of ["Table 1: exact match, and right answers, arithmetic of shorter runs",
    "Table 2: the format of the answer", "Table 3: ablations, exact match, and right answers"]) {
    const table = page.locator("table", {has: page.locator(`caption:text-is("${title}")`)});
    assert.match(await table.locator("tbody").textContent(), /paper\s+50\.3/, title);
  }
  for (const by of ["operands", "depth of brackets"]) {
    const row = (what) => {
      const caption = page.locator(`caption:text-is("Arithmetic by ${by}: ${what}")`);
      const head = page.locator("th:text-is('repeat csp')");
      return page.locator("table", {has: caption}).locator("tbody tr", {has: head}).textContent();
    };
    assert.notEqual(await row("exact match"), await row("right answers"), by);
  }
  const digits = await page.locator("td .n").count();
  assert.ok(digits > 20, `${digits} numbers of runs`);
  const pictures = page.locator("figure img");
  assert.ok(await pictures.count() >= 5, "figures are missing");
  for (const picture of await pictures.all()) {
    await picture.scrollIntoViewIfNeeded();
    const [width, alt] = await picture.evaluate(async (e) => {
      await e.decode();
      return [e.naturalWidth, e.alt];
    });
    assert.ok(width > 500 && alt.length > 20, `${width}, ${alt}`);
  }
  await page.locator("figcaption summary").first().click();
  assert.ok(await page.locator("figcaption p").first().isVisible());
});

test("in the plot each dot lies where its number says, and a range goes around the dot of its mean", async (t) => {
  for (const options of [{}, {viewport: {width: 390, height: 844}, javaScriptEnabled: false}]) {
    const page = await open(t, options);
    let ranges = 0;
    const rows = await page.locator(".plot tbody tr:has(td)").evaluateAll((rows) => rows.map((row) => {
      const strip = row.querySelector("svg").getBoundingClientRect();
      const at = (dot) => {
        const {x, width} = row.querySelector(dot).getBoundingClientRect();
        return 100 * (x + width / 2 - strip.x) / strip.width;
      };
      const range = row.querySelector(".range"), numbers = [...row.querySelectorAll("td")].slice(1);
      const [paper, ours] = numbers.map((cell) => Number(cell.textContent));
      return {
        text: row.textContent, ours, dots: [[at(".theirs"), paper], [at(".ours"), ours]],
        range: range && [range.x1, range.x2].map((x) => x.baseVal.valueInSpecifiedUnits),
      };
    }));
    for (const {text, ours, dots, range} of rows) {
      for (const [at, number] of dots) assert.ok(Math.abs(at - number) < 1.5, `${text}: dot of ${number} at ${at}`);
      if (!range) continue;
      const [from, to] = range;
      assert.ok(from <= ours + 0.1 && ours <= to + 0.1, `${from} to ${to} around ${ours}`);
      ranges++;
    }
    assert.ok(ranges > 10, `${ranges} ranges`);
  }
});

test("the verdicts that are not reproduced stand in groups, to which the counts lead", async (t) => {
  const page = await open(t);
  await page.locator(".score .better a").click();
  await page.locator("#better th").waitFor();
  assert.ok(await page.locator("#better th").evaluate((e) => e.getBoundingClientRect().top < innerHeight));
  for (const kind of ["better", "worse", "not-reproduced"]) {
    const count = Number(await page.locator(`.score .${kind} b`).textContent());
    assert.equal(await page.locator(`#${kind} tr:has(td)`).count(), count, kind);
  }
});

test("what the page lists as there has a row of its own", async (t) => {
  const page = await open(t);
  await page.locator("text=Every run that is there").click();
  const list = page.locator("details:has(summary:text-is('Every run that is there'))");
  const rows = await list.locator("tbody tr").allTextContents();
  const whole = (await page.locator(".cover td").allTextContents())
    .reduce((sum, cell) => sum + [...cell.matchAll(/(\d+)(?:\/| thin)/g)].reduce((n, m) => n + Number(m[1]), 0), 0);
  assert.equal(rows.length, whole);
});

test("the trainer's page leads here, and printing hides what is not text", async (t) => {
  const page = await site.open(t);
  await page.click("#theme");
  await page.emulateMedia({media: "print"});
  const styles = (of) => page.locator(of).evaluate((e) => [getComputedStyle(e).color, getComputedStyle(e).overflow]);
  assert.equal((await styles("h1"))[0], "rgb(28, 30, 38)", "the dark theme is for screens");
  assert.equal((await styles(".samples .scroll"))[1], "visible", "paper has all rows");
  await page.emulateMedia({media: "screen"});
  await page.locator("footer a[href='paper.html']").click();
  await page.locator("h1:text-is('The paper, checked')").waitFor();
  await page.emulateMedia({media: "print"});
  await page.locator(".contents").waitFor({state: "hidden"}); // the style sheet may come after the title
  assert.ok(await page.locator(".claims").isVisible());
});
