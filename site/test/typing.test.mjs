// What is typed or pasted means what it looks like; a mistake is shown briefly, at its place.
import assert from "node:assert/strict";
import {test} from "node:test";
import {suite, text, tiny, until} from "./page.mjs";

const self = suite();
const {again, start} = self;
const sums = "/lab.html#finished=arithmetic&backend=cpu&expression=1%2B1";

/** paste puts a text into a field as a visitor pastes it. */
const paste = (field, text) => field.evaluate((input, text) => {
  input.focus();
  input.select();
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const event = new ClipboardEvent("paste", {clipboardData, bubbles: true, cancelable: true});
  if (input.dispatchEvent(event)) document.execCommand("insertText", false, text);
}, text);

const error = (page) => text(page, "expression-error");

test("signs, full-width characters and pasted lines mean what they look like", async (t) => {
  const page = await start(t, sums);
  const field = page.locator("#expression");
  for (const [typed, tokens] of [
    ["4−(1–2)", "4 - (1 - 2)"], ["（３＋５）　ｍｏｄ　９", "(3 + 5)"], ["7\u00a0\u2212\u20098", "7 - 8"],
  ]) {
    await page.fill("#expression", typed);
    await page.press("#expression", "Enter");
    await until(() => text(page, "tokens"), (s) => s.replaceAll("\u00a0", " ").startsWith(`▸${tokens} mod 9`), typed);
    assert.equal(await error(page), "");
    assert.equal(await field.inputValue(), typed, "what was typed stays as typed");
  }
  await paste(field, "(3\r\n + 4)\r\nmod 9\r\n");
  assert.equal(await field.inputValue(), "(3  + 4) mod 9");
  await page.press("#expression", "Enter");
  await until(() => text(page, "tokens"), (s) => s.replaceAll("\u00a0", " ").startsWith("▸(3 + 4) mod 9"), "pasted");
  await page.fill("#expression", "2×3");
  await page.press("#expression", "Enter");
  await until(() => error(page), (s) => /column 2: .*no other operators/.test(s), "×");
  assert.equal(await page.locator("#expression-error mark").textContent(), "×", "the mark shows what was typed");
});

test("a text that training never had is read, and one of the same answer is offered", async (t) => {
  for (const address of [
    "/lab.html#finished=arithmetic&backend=cpu&expression=9%2B1",
    "/embed-frame.html?task=arithmetic&expression=9%2B1&controls=play,step,expression",
    "/embed-frame.html?task=arithmetic&expression=9%2B1",
  ]) {
    const page = await self.open(t, address);
    const said = page.locator(".unpractised");
    await until(() => said.textContent(), (s) => /\b0 to 8\b.*\b9 is 0\b/.test(s),
      `${address} says what is practised`);
    assert.ok((await said.boundingBox()).height > 10, "it is seen");
    await page.getByRole("button", {name: "Ask 0 + 1"}).click();
    await until(() => text(page, "tokens"), (s) => s.replaceAll("\u00a0", " ").startsWith("▸0 + 1 mod 9"),
      "asked instead");
    await until(() => said.textContent(), (s) => s === "", "nothing is to be said of it");
    assert.equal(await page.locator("#expression").inputValue(), "0 + 1");
  }
});

test("what training never had is said once, for all numbers together", async (t) => {
  const page = await again(t, `${tiny.replace("task=parity", "task=modarith")}&expression=((9%2B7))`);
  const said = page.locator(".unpractised");
  await until(() => said.textContent(), (s) => s.startsWith("It has practised 0 to 4; 9 is 4, 7 is 2 here."), "once");
  await page.fill("#expression", "1+2*3");
  await page.press("#expression", "Enter");
  await until(() => said.textContent(), (s) => s.startsWith("It has practised a bracket around every two"), "pairs");
});

test("beneath a text that cannot be read nothing plays, and no older answer stands", async (t) => {
  const page = await start(t, sums, {reducedMotion: "no-preference"});
  const ask = async (typed) => {
    await page.fill("#expression", typed);
    await page.press("#expression", "Enter");
  };
  for (const typed of ["hello?", "(3+5", ""]) {
    await ask("((9+1)+(2+2))+(3+4)+(5+5)");
    await page.locator(".unpractised:not(:empty)").waitFor();
    await until(() => text(page, "read-play"), (s) => s === "Pause", "the long sum plays");
    await ask(typed);
    await until(() => error(page), (s) => s.length > 0, typed);
    assert.equal(await text(page, "read-play"), "Play", "it plays no longer");
    for (const old of ["#verdict", ".unpractised", "#tokens"]) assert.ok(!await page.locator(old).isVisible(), old);
    assert.ok(Number(await page.locator("#stage").evaluate((e) => getComputedStyle(e).opacity)) < 0.5);
    assert.ok(await page.locator("#read-play").isDisabled());
    await page.locator("h1").click();
    await page.keyboard.press("c");
    assert.equal(await text(page, "read-play"), "Play", "nor by a key");
  }
  await ask("1+1");
  await until(() => page.locator("#verdict").isVisible(), (seen) => seen, "an answer again");
});

test("a text that is too long is told before it is cut", async (t) => {
  const page = await again(t);
  await paste(page.locator("#expression"), "10".repeat(600));
  await until(() => error(page), (s) => /has 1200 characters; at most 1000 are read/.test(s), "while it is typed");
  assert.equal((await page.locator("#expression").inputValue()).length, 1200);
  await page.press("#expression", "Enter");
  await until(() => page.getAttribute("#expression", "aria-invalid"), (s) => s === "true", "refused");
  assert.match(await error(page), /Shorten it/);
  await page.fill("#expression", "10");
  await until(() => error(page), (s) => s === "", "gone while it is typed");
});

test("the echo of a long mistake has three lines at most, on the page and in a small frame", async (t) => {
  const long = "10".repeat(300) + "x" + "01".repeat(150);
  for (const [address, viewport] of [
    [`/lab.html#${tiny}`, {width: 360, height: 740}],
    ["/embed-frame.html?task=parity&controls=expression", {width: 280, height: 480}],
  ]) {
    const page = await self.open(t, address, {viewport});
    await page.locator("#tokens span").first().waitFor({state: "attached"});
    await page.fill("#expression", long);
    await page.press("#expression", "Enter");
    const mark = page.locator("#expression-error mark");
    await until(() => mark.count(), (n) => n === 1, "mark");
    assert.equal(await mark.textContent(), "x");
    const [lines, inside] = await page.locator("#expression-error .where").evaluate((e) => {
      const {lineHeight} = getComputedStyle(e), box = e.getBoundingClientRect();
      const mark = e.querySelector("mark").getBoundingClientRect();
      return [Math.round(box.height / parseFloat(lineHeight)), mark.bottom <= box.bottom + 1];
    });
    assert.ok(lines <= 3, `${lines} lines in ${address}`);
    assert.ok(inside, "the mark is out of sight");
  }
});
