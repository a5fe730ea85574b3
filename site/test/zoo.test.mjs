// Every family is opened, asked and trained on every task, and its picture follows. Formats and supervisions take
// turns over the families, so that each comes; with MHACSP_LONG=1 every family has all of them. The table is made
// from the page's settings, which TestPageKnows of wasm/session holds to the zoo.
import assert from "node:assert/strict";
import {test} from "node:test";
import {example} from "../scripts/lesson/lessons.js";
import {applies, setting} from "../scripts/settings.js";
import {seek, state, suite, text, until, withCircle} from "./page.mjs";

const {open} = suite();
const choices = (key) => Object.keys(setting(key).choices);
const small = {
  width: 8, heads: 2, memory: 4, batch: 8, steps: 3, warmup: 0, lr: 0.1, seed: 4, curriculum: false, max_length: 16,
  eval_every: 0, eval_samples: 8, test_samples: 0, checkpoint_every: 1000, backend: "cpu", cores: 1,
};
/** Tasks with their formats, and a text of each; own data need files, and own.test.mjs has them. */
const tasks = choices("task").filter((task) => task !== "own").flatMap((task) => {
  const expression = {modarith: "1+2*3", mod3: "2101"}[task] ?? example(task);
  const formats = applies(setting("format"), task) ? choices("format") : [undefined];
  return formats.map((format) => ({task, format, expression}));
});

/** A memory is handed on to an answer that is written from a last state: the trainer refuses others in words. */
const refused = ({memory, task, supervision}) => !!memory && !(task === "arithmetic" && supervision === "final");

/** All rows of a model, with those settings alone that it has with the task. */
const everyRow = (model) => tasks.flatMap(({task, ...more}) => {
  const has = ([key, value]) =>
    value !== undefined && applies(setting(key), task, model) && (key !== "memory" || model === "mha-csp-m");
  const supervisions = applies(setting("supervision"), task, model) ? choices("supervision") : [undefined];
  return supervisions.map((supervision) =>
    Object.fromEntries(Object.entries({...small, model, task, ...more, supervision}).filter(has)));
});

/** One row of each task, another one for each model; what is refused comes last. */
const rows = (model) => {
  const every = everyRow(model);
  const all = [...new Set(every.map((row) => row.task))].map((task) => every.filter((row) => row.task === task));
  const turn = choices("model").indexOf(model);
  const taken = process.env.MHACSP_LONG === "1" ? all.flat() : all.map((of) => of[turn % of.length]);
  return taken.sort((a, b) => refused(a) - refused(b));
};

test("each format and supervision comes with some family", () => {
  for (const key of ["format", "supervision"]) {
    const come = new Set(choices("model").flatMap(rows).map((row) => row[key]));
    for (const choice of choices(key)) assert.ok(come.has(choice), `${key} ${choice}`);
  }
  assert.ok(choices("model").flatMap(rows).some(refused), "a memory where it is refused");
});

/** What can be shown next to the units. Angles and what is fused are MHA-CSP's; csp has no attention. */
const layers = (model) => {
  const all = ["distance", "tree", "fusion", "attention"];
  return {csp: [], arformer: ["attention"]}[model] ?? (applies(setting("fusion"), "parity", model) ? all : []);
};

/** What the circle says of the picture that it draws; at the end of a text alone, or "". */
const said = async (page) =>
  await page.frames().find((f) => /circle\/frame/.test(f.url()))?.locator("#status").textContent() ?? "";
const drawn = async (page) => {
  const words = await said(page);
  return /^Token (\d+) of \1, /.test(words) ? words : "";
};

/** Goes to the start, where the circle has the reading that the page has, and to the end. */
async function toTheEnd(page, what) {
  await seek(page, 0);
  await until(() => said(page), (words) => words.startsWith("Token 1 of "), `${what}: drawn`);
  await seek(page, await page.locator("#read-at").getAttribute("max"));
  return until(() => drawn(page), (words) => words !== "", `${what}: drawn to its end`);
}

const told = (page) => page.locator('[data-kind="circle"], [data-kind="trouble"], [data-kind="lost"]').allInnerTexts();
const bare = (s) => s.replace(/[^0-9a-z()*]/g, "");

/** tried opens a row in a page, asks, trains, and looks at what is drawn. */
async function tried(page, row) {
  const {model} = row, what = [model, row.task, row.format, row.supervision].filter(Boolean).join(" ");
  await page.locator('[data-kind="trouble"]').evaluateAll((all) => all.forEach((of) => of.remove())); // of another row
  await page.goto(`${page.url().split("#")[0]}#${new URLSearchParams(row)}`);
  if (refused(row)) {
    await until(() => told(page), (all) => /memory.*choose/i.test(all), `${what}: why it is refused`);
    return;
  }
  const asked = async () => [await state(page), bare(await text(page, "tokens")), await told(page)];
  const open = ([state, tokens]) => state.startsWith("Ready: ") && tokens.includes(bare(row.expression));
  const [, , problems] = await until(asked, open, `${what}: open and asked`);
  const first = await toTheEnd(page, what);
  assert.match(await text(page, "verdict"), /^It (answers .+: [✓✗]|has not practised yet)/, what);
  const offered = page.locator("#read-layer option:not(:disabled)");
  assert.deepEqual(await offered.evaluateAll((all) => all.map((o) => o.value)), ["none", ...layers(model)], what);
  await page.selectOption("#read-layer", layers(model).at(-1) ?? "none");

  await page.click("#train");
  await until(() => state(page), (s) => s.startsWith("Trained"), `${what}: trained`);
  const both = async () => [await drawn(page), await text(page, "verdict")];
  await until(both, ([words, verdict]) => {
    const answer = /^It answers (.+): [✓✗]/.exec(verdict)?.[1];
    const same = answer === "without a number" || words.includes(`answer ${answer}: `);
    return words !== "" && words !== first && same;
  }, `${what}: drawn again, with the answer that the page has`);
  assert.deepEqual([problems, await told(page)], [[], []], what);
  assert.equal(await page.locator("#stage canvas.plain").count(), 0, `${what}: a plain picture stands in`);
}

test("every family is opened, asked and trained on every task, and drawn", async (t) => {
  // One page for all: to load the circle's program takes as long as to try a family.
  const page = await open(t, "/lab.html#finished=parity&backend=cpu", withCircle);
  for (const model of choices("model")) {
    await t.test(model, async () => {
      for (const row of rows(model)) await tried(page, row);
    });
  }
});
