// Families next to MHA-CSP: the page fetches their program when one is chosen, and runs race side by side.
import assert from "node:assert/strict";
import path from "node:path";
import {test} from "node:test";
import {temporary} from "./harness.mjs";
import {endless, kept, label, state, step, suite, text, tiny, until} from "./page.mjs";

const {open, start} = suite();
const other = tiny.replace("model=csp", "model=gru").replace("width=8", "width=6");

/** programs counts what of the two programs a page fetches from now on. */
function programs(page) {
  const found = {trainer: 0, families: 0};
  page.on("request", (r) => {
    const name = r.method() === "GET" && r.url().match(/\/(trainer|families)\.[\w.]*wasm/)?.[1];
    if (name) found[name]++;
  });
  return found;
}

test("another family has a program of its own: it trains, answers, is kept, and gives way again", async (t) => {
  const page = await open(t, `/lab.html#${other}`);
  await page.locator("#train:not([disabled])").waitFor();
  await until(() => text(page, "verdict"), (s) => s.length > 0, "verdict");
  assert.equal(await page.locator(".views").isVisible(), false, "there are no clocks to look for");
  await page.click("#train");
  await until(() => state(page), (s) => /^Trained/.test(s), "the end");
  const result = page.locator('[data-kind="result"]'); // which has no hands to show
  assert.match(await result.textContent(), /It has made its 60 steps, and \d.* of the answers to a test are right/);
  assert.equal(await result.getByText("See the hands").count(), 0);
  await page.fill("#expression", "1011");
  await page.press("#expression", "Enter");
  await until(() => text(page, "tokens"), (s) => s.includes("1011"), "read");

  const dir = await temporary(t);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
  const file = path.join(dir, "gru.safetensors");
  await download.saveAs(file);

  // What MHA-CSP alone has is not offered.
  const settings = page.locator("#all-settings");
  await settings.locator("summary").click();
  assert.equal(await page.locator("#set-rotate").isVisible(), false);
  assert.equal(await page.locator("#set-width").isVisible(), true);

  await kept(page);
  await page.reload();
  await page.locator('[data-kind="kept"]').getByRole("button", {name: "Go on with it"}).click();
  await until(() => state(page), (s) => /^Trained: .*, 60 steps$/.test(s), "is there after a reload");
  assert.equal(await step(page), 60);

  // The other program opens what this one wrote, and the first one what is its own.
  const fresh = await start(t, `/lab.html#${tiny}`);
  const found = programs(fresh);
  await fresh.setInputFiles("#file", file);
  await until(() => fresh.locator("#set-width").inputValue(), (v) => v === "6", "the file is open");
  assert.deepEqual(found, {trainer: 0, families: 1});
  await fresh.goto(`${fresh.url().split("#")[0]}#${tiny}&width=9`.replace("width=8&", ""));
  await until(() => fresh.locator(".views").isVisible(), (seen) => seen, "MHA-CSP again, with its clocks");
  assert.deepEqual(found, {trainer: 1, families: 1});
});

test("with the page kept in the browser the other program comes too, and is kept", async (t) => {
  const page = await start(t, `/lab.html#${tiny}`, {offline: true});
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await page.selectOption("#set-model", "gru");
  await until(() => page.url(), (u) => u.includes("model=gru"), "link of the run that is open");
  await page.fill("#expression", "1011");
  await page.press("#expression", "Enter");
  await until(() => text(page, "tokens"), (s) => s.includes("1011"), "read");
  const has = await page.evaluate(async () => {
    const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
    return all.flat().filter((r) => /families\.[\w.]*wasm$/.test(r.url)).length;
  });
  assert.equal(has, 1);
});

test("a choice made while the other program loads takes its place, and reading and training go on", async (t) => {
  const page = await start(t, `/lab.html#${endless}&cores=1`);
  await page.route(/families\.[\w.]*wasm/, () => {}); // it never comes
  await page.click("#train");
  await until(() => step(page), (n) => n > 3, "step");
  await page.selectOption("#set-model", "lstm");
  await Promise.all([page.waitForRequest(/families\.[\w.]*wasm/), page.click("#start-again")]);
  await page.fill("#expression", "11"); // it waits for the program
  await page.press("#expression", "Enter");
  await page.check('input[name="lesson"][value="parity"]');
  await until(() => page.url(), (u) => u.includes("max_length=64"), "link of the lesson");
  await page.fill("#expression", "1011");
  await page.press("#expression", "Enter");
  await until(() => text(page, "tokens"), (s) => s.includes("1011"), "read");
  await page.click("#train");
  await until(() => step(page), (n) => n > 3, "step of the lesson");
  await until(() => label(page), (l) => l === "Pause", "label");
  assert.equal(page.workers().filter((w) => /\/worker\./.test(w.url())).length, 1, "trainers left");
  assert.equal(await page.locator('[data-kind="trouble"], [data-kind="lost"]').count(), 0);
  assert.equal(await text(page, "expression-error"), "");
});

test("a link with a setting that its family does not have says so", async (t) => {
  const page = await start(t, `/lab.html#${other}&rotate=mixed`);
  const words = await page.locator('[data-kind]').allInnerTexts();
  assert.match(words.join(),
    /Turns \(rotate\) is “mixed”\. The model gru has no such setting; .*choose the model csp or mha-csp/);
});

test("runners start together, read the same, and end with their figures", async (t) => {
  const page = await open(t, "/race.html#models=csp,gru,gcn&task=parity&max_length=6&steps=20&batch=8&seed=3&colour=red&task=own");
  await until(() => text(page, "lanes"), (s) => s.match(/is ready; answers/g)?.length === 3, "runners");
  assert.match(await text(page, "told"), /colour is “red”.*race has no such setting.*Task \(task\) is “own”/);
  assert.match(await text(page, "told"), /the same batches of 8, drawn by seed 3/);
  const pictures = await page.locator(".lane .picture:visible").count();
  assert.equal(pictures, 1, "one of them has phases");
  const picture = () => page.locator(".lane .picture canvas").evaluate((c) => c.toDataURL());
  const light = await picture();
  await page.click("#theme");
  await until(async () => await picture() === light, (same) => !same, "the picture has the colours of the light");
  await page.click("#go");
  const over = /The race is over; in the last test: .* %.*; .* %.*; .* %.*\./;
  await until(() => text(page, "told"), (s) => over.test(s), "the end");
  await page.locator("#chart").scrollIntoViewIfNeeded(); // it is drawn where it can be seen
  await until(() => page.locator("#chart").getAttribute("aria-label"), (s) => /at step 20$/.test(s), "curves");
  const tests = await page.locator(".lane dd").allInnerTexts();
  assert.equal(tests.filter((s) => /% of 1,024 \(\d+–\d+ %\), at step 20$/.test(s)).length, 3, tests.join("; "));

  await page.selectOption("#by", "seconds");
  await page.fill("#text", "12");
  await page.press("#text", "Enter");
  await until(() => text(page, "text-error"), (s) => /column 2/.test(s), "a mistake");
  await page.selectOption("#model-1", "gcn");
  await until(() => text(page, "model-1-error"), (s) => /runs already/.test(s), "a runner twice");
  await page.selectOption("#model-1", "lstm");
  await until(() => text(page, "lanes"), (s) => /LSTM/.test(s) && s.match(/is ready; answers/g)?.length === 3, "others");
  assert.match(page.url(), /models=csp%2Clstm%2Cgcn/);
  assert.equal(await text(page, "go"), "Start");
});
