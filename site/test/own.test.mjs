// The user's own data in the page: a dropped file is trained on, answers, is kept, and goes on after a reload.
import assert from "node:assert/strict";
import {writeFile} from "node:fs/promises";
import path from "node:path";
import {test} from "node:test";
import {readFiles, roles} from "../scripts/own.js";
import {command, temporary} from "./harness.mjs";
import {edited, endless, kept, state, step, suite, text, until} from "./page.mjs";

const {again, start} = suite();
const quiet = `/lab.html#${endless}`;

/** Does a text begin as it ends? 64 lines. */
const lines = Array.from({length: 64}, (_, i) => {
  const prompt = i.toString(2).padStart(6, "0");
  return JSON.stringify({prompt, label: prompt[0] === prompt[5] ? "same" : "other", group: prompt[1]});
});

/** drop drops files, {name: text}, on the page as a visitor does. */
const drop = (page, files) => page.evaluate((files) => {
  const dataTransfer = new DataTransfer();
  for (const [name, body] of Object.entries(files)) {
    dataTransfer.items.add(new File([body], name));
  }
  const event = (type) => new DragEvent(type, {dataTransfer, bubbles: true, cancelable: true});
  document.body.dispatchEvent(event("dragover"));
  document.body.dispatchEvent(event("drop"));
}, files);

const facts = (page, part) => until(() => text(page, "own-facts"), (s) => s.includes(part), "facts");
const trouble = (page, part) =>
  until(() => page.locator('[data-kind="trouble"]').allInnerTexts(), (all) => all.join().includes(part), "trouble");

/** set changes a setting as a visitor does. Before the first step that opens another run, which a press waits for. */
const set = (page, key, value) => page.locator(`#set-${key}`).evaluate((input, value) => {
  input.value = value;
  input.dispatchEvent(new Event("change", {bubbles: true}));
}, value);

/** small has the run that is open, and not begun, be one of few numbers a step. */
async function small(page) {
  await set(page, "model", "csp");
  await set(page, "batch", "8");
}

test("a dropped file is split, trains, answers, is kept, and goes on after a reload", async (t) => {
  const page = await start(t, quiet);
  await drop(page, {"ends.jsonl": lines.join("\n")});
  await facts(page, "ends.jsonl: 58 samples for training, 6 for validation, a tenth of the lines");
  assert.match(await text(page, "own-facts"), /2 classes; vocabulary of 2 characters; groups by group/);
  assert.match(await state(page), /ends\.jsonl/);
  assert.ok(await page.locator("#chart-lengths").isHidden(), "lengths cannot be measured");
  await small(page);
  await page.click("#train");
  await until(() => step(page), (n) => n >= 60, "steps");
  await page.click("#train");
  await until(() => text(page, "groups-title"), (s) => s === "By group", "groups");
  await until(() => page.locator("#samples tr").count(), (n) => n === 6, "samples");

  await page.fill("#expression", "01 1");
  await page.press("#expression", "Enter");
  await until(() => text(page, "expression-error"), (s) => /column 3/.test(s), "a character that no line has");
  await page.fill("#expression", "0110");
  await page.press("#expression", "Enter");
  await until(() => text(page, "tokens"), (s) => s === "▸0110", "read");
  await page.locator("#read-at").evaluate((range) => {
    range.value = range.max;
    range.dispatchEvent(new Event("input"));
  });
  await until(() => text(page, "verdict"), (s) => /^It answers (same|other)\. The page cannot check/.test(s),
    "no verdict");

  await page.click("#link");
  assert.match(await page.locator('[data-kind="copied"]').innerText(), /cannot hold your file/);
  assert.ok(!page.url().includes("own"), "the address opens what it says");

  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
  const file = path.join(await temporary(t), "ends.safetensors");
  await download.saveAs(file);
  const {stdout} = await command("go", ["run", "./native/mhacsp", "ask", "--run", file, "0110"]);
  assert.match(stdout, /output +(same|other)/, "the command line answers with the page's model");

  const at = await kept(page);
  await page.reload();
  await page.locator('[data-kind="kept"]').getByRole("button", {name: "Go on with it"}).click();
  await facts(page, "58 samples");
  assert.equal(await step(page), at);
  await page.click("#train");
  await until(() => step(page), (n) => n > at, "it goes on");
});

test("a mistake is told by line and column, and what was open stays open", async (t) => {
  const page = await again(t, endless);
  await drop(page, {"bad.jsonl": [...lines.slice(0, 9), '{"prompt": 7, "label": "same"}'].join("\n")});
  await trouble(page, "bad.jsonl, line 10, column 12:");
  assert.match(await state(page), /Parity/);
  await drop(page, {"a.jsonl": lines[0], "b.jsonl": lines[1]});
  await trouble(page, "a.jsonl and b.jsonl would both be for training");
});

test("files dropped together are told apart by their names", async (t) => {
  const page = await again(t, endless);
  await page.evaluate(() => { // a drag of files that has none
    const event = new DragEvent("drop", {bubbles: true, cancelable: true});
    Object.defineProperty(event, "dataTransfer", {value: {types: ["Files"], files: []}});
    document.body.dispatchEvent(event);
  });
  assert.equal(await page.getByText("none is for training").count(), 0, "nothing was dropped");
  await drop(page, {
    "ends.test.jsonl": lines.slice(0, 5).join("\n"), "ends-validation.jsonl": lines.slice(5, 9).join("\n"),
    "ends.jsonl": lines.slice(9).join("\n"),
  });
  await facts(page, "ends.jsonl: 55 samples for training, 4 for validation, 5 for the test");
  const named = (...names) => roles(names.map((name) => ({name})));
  assert.equal(named("latest.jsonl", "dev.jsonl").train.name, "latest.jsonl", "a test in a word is none");
  assert.throws(() => named("a.jsonl", "test.jsonl"), /none is for validation/);
  assert.throws(() => named("a.safetensors"), /is a model/);
  assert.throws(() => named("a", "b", "c", "d"), /4 files were dropped/);
  const large = (...names) => readFiles(names.map((name) => ({name, size: 40e6})));
  await assert.rejects(large("a.jsonl", "dev.jsonl"), /^Error: The files have 80 MB;/);
});

test("a file too large to be kept is asked for after a reload, and must be the same", async (t) => {
  const first = (page) => edited(page, /scripts\/own[^/]*\.js/, [["KEPT = 8e6", "KEPT = 8e2"]]);
  const page = await start(t, quiet, {first});
  await drop(page, {"large.jsonl": lines.join("\n")});
  await facts(page, "large.jsonl: 58 samples");
  await small(page);
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  await page.click("#train");
  await until(() => step(page), (n) => n > 20, "steps");
  await page.click("#train");
  const at = await kept(page);
  await page.reload();
  await page.locator('[data-kind="kept"]').getByRole("button", {name: "Go on with it"}).click();
  await page.locator('[data-kind="own"]', {hasText: "Drop large.jsonl on the page again"}).waitFor();
  assert.ok(await page.locator("#train").isDisabled(), "there is nothing to train on");
  await page.fill("#expression", "0101");
  await page.press("#expression", "Enter");
  await until(() => text(page, "tokens"), (s) => s === "▸0101", "it answers");
  await drop(page, {"large.jsonl": [...lines].reverse().join("\n")});
  await trouble(page, "is not the file that the run began with");
  await drop(page, {"large.jsonl": lines.join("\n")});
  await page.locator("#train:not([disabled])").waitFor();
  assert.equal(await step(page), at);
  await page.click("#train");
  await until(() => step(page), (n) => n > at, "it goes on");
});

test("a model that the command line trained on its own data answers in the page, and only that", async (t) => {
  const dir = await temporary(t);
  const write = async (name, list) => {
    await writeFile(path.join(dir, name), list.join("\n"));
    return path.join(dir, name);
  };
  await command("go", ["run", "./native/mhacsp", "train",
    "--data", await write("ends.jsonl", lines.slice(8)), "--validation",
    await write("v.jsonl", lines.slice(0, 8)), "--model", "csp", "--width", "8", "--steps", "4", "--batch", "8",
    "--warmup", "1", "--out", path.join(dir, "run")]);
  const page = await again(t, endless);
  await page.setInputFiles("#file", path.join(dir, "run", "model.safetensors"));
  await page.locator('[data-kind="own"]', {hasText: "which is not here"}).waitFor();
  assert.ok(await page.locator("#train").isDisabled());
  await page.fill("#expression", "0101");
  await page.press("#expression", "Enter");
  await until(() => text(page, "tokens"), (s) => s === "▸0101", "it answers");
  await page.click("#lessons label >> nth=2");
  await page.locator("#train:not([disabled])").waitFor();
  assert.equal(await page.locator('[data-kind="own"]').count(), 0);
  assert.equal(await text(page, "own-facts"), "");
});

test("a long repetitive line is trained on; without the bound the error names its place and " +
  "the setting", async (t) => {
  const page = await again(t, endless);
  const laughs = Array.from({length: 16}, (_, i) => {
    const prompt = ["ha ", "no! ", "a", "hoho ha "][i % 4].repeat(2000).slice(0, 700 - i);
    return JSON.stringify({prompt, label: i % 2 ? "loud" : "low"});
  });
  await drop(page, {"laughs.jsonl": laughs.join("\n")});
  await facts(page, "laughs.jsonl: ");
  assert.equal(await page.locator("#set-state_clip").inputValue(), "0.2", "the bound of recommended runs");
  for (const [key, value] of [["model", "csp"], ["batch", "2"], ["seed", "1"]]) await set(page, key, value);
  await page.click("#train");
  await until(() => step(page), (n) => n >= 1, "steps with the bound");
  await page.click("#train");
  await set(page, "state_clip", "0");
  await page.click("#start-again");
  await until(() => step(page), (n) => n === 0, "another run");
  await page.click("#train");
  await trouble(page, "“State gradient clip” 0.2");
  const [said] = await page.locator('[data-kind="trouble"]').allInnerTexts();
  assert.match(said, /laughs\.jsonl, line \d+, \d+ tokens/);
  assert.doesNotMatch(said, /--/, "the page has no flags");
  assert.equal(await page.locator("#set-state_clip").getAttribute("aria-invalid"), "true", "its field is marked");
  assert.ok(await page.locator("#set-state_clip").isVisible(), "and is in sight");
});

test("a table's columns are chosen from lists, odd files are told of, and labels have a table", async (t) => {
  const page = await again(t, endless);
  const warnings = (part) => until(() => text(page, "own-warnings"), (s) => s.includes(part), "warnings");
  assert.ok(await page.locator("#own-fields").isHidden(), "there is no file");
  const rows = lines.map((line, i) => {
    const {prompt, label} = JSON.parse(line);
    return `"${prompt}",${label === "same" ? "שווה" : label},${(i % 3) / 2},${i < 9 ? "" : i}`;
  });
  await drop(page, {"ends.csv": ["\ufefftext,intent,group,free", ...rows, rows[0]].join("\r\n")});
  await trouble(page, "column \"prompt\" is missing");
  await page.locator("#own-prompt:focus").waitFor();
  assert.match(await text(page, "own-warnings"), /column "prompt" is missing/,
    "what is to be chosen is said next to it");
  assert.deepEqual(await page.locator("#own-prompt option").allInnerTexts(),
    ["choose …", "text", "intent", "group", "free"]);
  assert.match(await state(page), /Parity/, "what was open stays open");
  await page.selectOption("#own-prompt", "prompt=text");
  await page.selectOption("#own-answer", "label=intent");
  await facts(page, "ends.csv: 59 samples for training, 6 for validation");
  assert.equal(await page.locator('[data-kind="trouble"]').count(), 0, "the trouble is over");
  assert.match(await text(page, "own-facts"), /groups by group/, "a table's values are texts");
  assert.deepEqual(await page.$$eval("#own-fields select", (all) => all.map((l) => l.value)),
    ["prompt=text", "label=intent", "group=group"]);
  await page.selectOption("#own-group", "");
  await facts(page, "no groups");
  await page.selectOption("#own-answer", "target=intent");
  await facts(page, "sequences of at most");
  await page.selectOption("#own-answer", "label=intent");
  await facts(page, "2 classes");

  await small(page);
  await page.click("#train");
  await page.locator("#by-class").waitFor();
  await page.click("#train");
  const table = await page.locator("#classes").evaluate((table) => {
    const box = table.parentElement.getBoundingClientRect(), own = table.getBoundingClientRect();
    return {rows: [...table.rows].map((r) => [...r.cells].map((c) => c.innerText)), 
      fits: own.width <= box.width + 1, whole: [...table.rows].slice(1).every((r) => r.offsetHeight < 50),
      isolated: table.querySelectorAll("th bdi").length};
  });
  assert.equal(table.rows.length, 3);
  assert.deepEqual(table.rows.slice(1).map((r) => r[0]), ["other", "שווה"]);
  const sum = table.rows.slice(1).flatMap((r) => r.slice(4)).reduce((all, n) => all + Number(n), 0);
  assert.equal(sum, 6, JSON.stringify(table.rows));
  assert.ok(table.whole, "figures are broken over lines");
  assert.ok(table.fits && table.isolated === 4, "the table is whole, its labels have directions of their own");

  await drop(page, {"ends.jsonl": [...lines, lines[0], '{"prompt": "0", "label": "same", "group": 0.5}'].join("\n")});
  await warnings("group\" holds 0.5");
  assert.doesNotMatch(await text(page, "own-warnings"), /--/);
  assert.equal(await page.locator("#own-group").inputValue(), "");
  const ends = lines.slice(0, 20).join("\n");
  await drop(page, {"a.jsonl": ends, "validation.jsonl": lines.slice(18, 24).join("\n"), "test.jsonl": ends});
  await warnings("2 of the 6 samples for validation");
  await warnings("the same as that for training");
  await drop(page, {"half.jsonl": lines.join("\n").replace('"000001"', '"\\ud83d"')});
  await trouble(page, "half.jsonl, line 2, column 12:");
});
