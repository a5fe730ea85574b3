// The page's pure parts, without a browser: links, bounded curves, the vendored library.
import assert from "node:assert/strict";
import {createHash} from "node:crypto";
import {readFile} from "node:fs/promises";
import path from "node:path";
import {test} from "node:test";
import {History} from "../scripts/history.js";
import {lessons} from "../scripts/lesson/lessons.js";
import {say} from "../scripts/reader.js";
import {exactness, number, percent, rounded, size, sure, time, whole} from "../scripts/numbers.js";
import {fit, formatHash, inWords, parseHash, read, runOf, setting} from "../scripts/settings.js";
import {root} from "./harness.mjs";

test("a link says what was chosen, and comes back unchanged", () => {
  for (const {chosen} of lessons) {
    const all = {...chosen, backend: "cpu", background: true, expression: "(3+5) mod 9 & more = 50 %#"};
    const {chosen: back, problems} = parseHash(formatHash(all));
    assert.deepEqual(problems, []);
    assert.deepEqual(back, all);
    assert.deepEqual(runOf(back), chosen, "the page's own keys are not the trainer's");
  }
});

test("what a link has wrong is named with its value and a remedy, the rest counts", () => {
  const [{message}] = parseHash("#positions=rotary").problems;
  assert.match(message, /The model of the trainer’s own choice has no such setting; .* choose the model arformer/);
  const {chosen, problems} = parseHash("#task=parity&lr=fast&steps=-3&colour=red&bacth=9&seed=1.5" +
    "&width=8&width=9&format=direct&skip=maybe");
  assert.deepEqual(chosen, {task: "parity", width: 8});
  const told = Object.fromEntries(problems.map((p) => [p.key, p.message]));
  assert.deepEqual(Object.keys(told).sort(), ["bacth", "colour", "format", "lr", "seed", "skip", "steps", "width"]);
  for (const [key, value, remedy] of [
    ["lr", "fast", /number from/], ["steps", "-3", /whole number from 1 /],
    ["colour", "red", /remove it/], ["bacth", "9", /did you mean batch/],
    ["seed", "1.5", /whole number/], ["width", "9", /twice/],
    ["format", "direct", /arithmetic/], ["skip", "maybe", /true or false/],
  ]) {
    assert.ok(told[key].includes(`${setting(key) ? `${setting(key).label} (${key})` : key} is “${value}”`), told[key]);
    assert.match(told[key], remedy);
  }
});

test("the trainer's errors name settings as the form does, and leave other words alone", () => {
  for (const [said, shown, field] of [
    ["lr is 12; choose a number from 0 to 10", "Learning rate is 12; choose a number from 0 to 10", "lr"],
    ["checkpoint: theta is \"product\"; rotate it", "checkpoint: Angle depends on is \"product\"; rotate it", "theta"],
    ["width is 900; lower width or layers", "Width is 900; lower “Width” or “Blocks”", "width"],
    ["the run ends; use state_clip 0.2", "the run ends; use “State gradient clip” 0.2"],
    ["lr.jsonl line 3: field \"lr\" is a batch of steps", "lr.jsonl line 3: field \"lr\" is a batch of steps"],
  ]) assert.equal(inWords(said, field), shown);
});

test("numbers are as people read them", () => {
  const tiny = [1.234e-9, 1e-7, 0.00009], large = [1580.4, 123456, 1.5e9];
  for (const format of [exactness, number, percent, rounded, size, sure, time, whole]) {
    for (const x of [0, ...tiny, 0.5, 1, ...large]) assert.doesNotMatch(format(x), /\de[+-]?\d|NaN/, format.name);
  }
  assert.deepEqual([1.5804, 0.0277, 300].map(time), ["1.58 s", "27.7 ms", "5.00 min"]);
  assert.deepEqual([1580.4, 0.017, 1e-5, 0].map(number), ["1,580", "0.0170", "under 0.0001", "0"]);
  assert.deepEqual([0.643, 1, 0.00001].map(percent), ["64.3 %", "100 %", "0 %"]);
});

test("a finished model takes no settings of a run, and the link says so", () => {
  const {chosen, problems} = parseHash("#finished=parity&width=8&expression=101&backend=cpu");
  assert.deepEqual(chosen, {finished: "parity", expression: "101", backend: "cpu"});
  assert.equal(problems.length, 1);
  assert.match(problems[0].message, /^Width \(width\) is “8”.*remove/);
});

test("the reading in words: before the first character, small shares, and what is no number", () => {
  const of = (...row) => ({tokens: ["<SOS>", "3", " "], outcomes: ["0", "1"], probabilities: [row, row, row]});
  assert.equal(say(of(0.3, 0.7), 0), "best guess before the first character: 1 (70 %)");
  assert.equal(say(of(0.3, 0.7), 1), "best guess after “3”: 1 (70 %)");
  const other = "best guess after “3 ”: 1 (under 1 %)";
  assert.equal(say(of(0.001, 0.004), 2), other);
  assert.equal(say(of(0.998, 0.002), 1), "best guess after “3”: 0 (over 99 %)");
  const long = {tokens: ["<SOS>", ..."(3 + 5) mod 9 - 4"], outcomes: ["0", "1"], probabilities: Array(18).fill([0.3, 0.7])};
  assert.equal(say(long, 12), "best guess after “(3 + 5) mod ”: 1 (70 %)");
  assert.equal(say(long, 13), "best guess after “…3 + 5) mod 9”: 1 (70 %)");
});

test("numbers are read as written and nothing else passes for one", () => {
  const lr = setting("lr");
  assert.equal(read(lr, "3e-3"), 0.003);
  assert.equal(read(lr, ".5"), 0.5);
  for (const bad of ["", " ", "0x10", "NaN", "Infinity", "1,5", "1e99", "--1", "0"]) {
    assert.throws(() => read(lr, bad), /Choose a number/, bad);
  }
});

test("another task drops what it does not have", () => {
  const chosen = {task: "parity", format: "direct", preset: "author", max_length: 9, seed: 2};
  assert.deepEqual(fit(chosen), {task: "parity", max_length: 9, seed: 2});
});

test("a curve of any length stays bounded, and is the mean of what it saw", () => {
  const curve = new History(["y"], 100);
  const n = 100_000;
  for (let i = 1; i <= n; i++) curve.push(i, {y: i});
  assert.ok(curve.length < 100 && curve.length >= 48, `${curve.length} points`);
  assert.ok(curve.x.at(-1) > n - curve.stride);
  curve.x.forEach((x, i) => assert.equal(curve.y[0][i], x - (curve.stride - 1) / 2));
  const copy = new History(["y"], 100);
  copy.restore(JSON.parse(JSON.stringify(curve)));
  assert.deepEqual(copy.toJSON(), curve.toJSON());
  curve.cut(500);
  assert.ok(curve.x.every((x) => x <= 500));
  copy.restore({x: "no"});
  assert.equal(copy.length, 0);
});

test("a step without a number leaves a gap, not a zero", () => {
  const curve = new History(["a", "b"], 10);
  curve.push(1, {a: 1, b: NaN});
  assert.deepEqual(curve.y, [[1], [null]]);
});

test("every lesson has a seed, and each finished model is small", async () => {
  for (const {name, chosen} of lessons) assert.ok(Number.isInteger(chosen.seed), `${name} has no seed`);
  for (const task of ["arithmetic", "parenthesis", "parity"]) {
    const file = await readFile(path.join(root, "site/demo", `${task}.safetensors`));
    assert.ok(file.length < 500_000, `${task}: ${file.length} bytes`);
    const header = JSON.parse(file.subarray(8, 8 + Number(file.readBigUInt64LE(0))));
    assert.equal(JSON.parse(header.__metadata__.config).task, task);
  }
});

test("every key of a run can be set on the page", async () => {
  const file = await readFile(path.join(root, "site/demo/arithmetic.safetensors"));
  const header = JSON.parse(file.subarray(8, 8 + Number(file.readBigUInt64LE(0))));
  const derived = ["vocab", "classes"];
  const keys = Object.keys(JSON.parse(header.__metadata__.config));
  for (const key of keys.filter((k) => !derived.includes(k))) {
    assert.ok(setting(key), `the page has no setting ${key}`);
  }
});

test("the vendored chart library is the published one", async () => {
  const folder = path.join(root, "site/vendor/uplot");
  const sums = (await readFile(path.join(folder, "SHA256SUMS"), "utf8")).trim().split("\n");
  assert.equal(sums.length, 3);
  for (const line of sums) {
    const [sum, name] = line.split(/\s+/);
    assert.equal(createHash("sha256").update(await readFile(path.join(folder, name))).digest("hex"), sum, name);
  }
});
