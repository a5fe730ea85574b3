// Measures this browser: training steps of fixed lengths in a table, and everything in a report to paste. All of it
// goes through the trainer's Worker, by the commands that the page trains with. The address may say more, for tests:
// #report&models=csp&batches=2&seconds=20&software.
import "./article.js";
import {called, markdown, near} from "./bench-report.js";
import {count} from "./numbers.js";
import {Trainer} from "./trainer.js";

const element = (id) => document.getElementById(id);
const fixedCount = 10; // steps measured, after three that warm up
const own = ["mha-csp", "mha-csp-m", "mha-csp-s", "csp", "mha-csp-2"]; // of the first program
const families = ["lstm", "gru", "gdn", "gdn-neg", "arformer", "gcn"];
const checked = ["mha-csp", "mha-csp-m", "mha-csp-s", "csp"]; // two blocks are ill-conditioned

const asked = new URLSearchParams(location.hash.slice(1));
const list = (name, preset) => asked.get(name)?.split(",") ?? preset;
const models = list("models", [...own, ...families]);
const fixedBatches = list("fixed", ["8", "32", "128"]).map(Number);
const batches = list("batches", ["128", "1024"]).map(Number);
const budget = 1000 * Number(asked.get("seconds") ?? 120);
const fine = 500; // ms that a timing takes at least
const every = Math.min(navigator.hardwareConcurrency ?? 1, 64);
const kinds = [ // of computing steps of fixed lengths
  {backend: "gpu", label: called("gpu")}, {backend: "cpu", cores: 1, label: `${called("cpu")}, 1 core`},
  ...every > 1 ? [{backend: "cpu", cores: every, label: `${called("cpu")}, ${every} cores`}] : [],
];

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const say = (text) => { element("status").textContent = text; };

/** One Worker of each program; a lost one is started again. */
const workers = {
  all: {},
  of(model) {
    const program = families.includes(model) ? "families" : "trainer";
    return this.all[program] ??= new Trainer(program);
  },
  drop(trainer) {
    trainer.close();
    for (const name of Object.keys(this.all)) if (this.all[name] === trainer) delete this.all[name];
  },
  end() { for (const t of Object.values(this.all)) this.drop(t); },
};

/** open builds a model on a backend, with the data that every model is measured on. */
async function open(model, backend, batch) {
  const trainer = workers.of(model);
  const run = {
    task: "arithmetic", model, batch, seed: 1, steps: 100000, curriculum: false, long_share: 0, eval_every: 0,
    checkpoint_every: 100000, test_samples: 0,
  };
  try {
    return {trainer, opened: await trainer.send("open", {run, backend})};
  } catch (e) {
    if (e.fatal) workers.drop(trainer);
    throw e;
  }
}

/** steps makes some and returns their reports. */
async function steps(trainer, count) {
  const made = [];
  const hear = ({data}) => made.push(...data.steps);
  trainer.addEventListener("steps", hear);
  try {
    await trainer.send("step", {count});
    return made;
  } catch (e) {
    workers.drop(trainer);
    throw e;
  } finally {
    trainer.removeEventListener("steps", hear);
  }
}

/** fixed fills a row of the table, and returns its line. */
async function fixed({label, ...where}) {
  const row = element("rows").insertRow();
  row.insertCell().textContent = label;
  const figures = [];
  const trainer = workers.of("mha-csp");
  let name = "";
  try {
    for (const n of fixedBatches) {
      say(`${row.cells[0].textContent}, batch ${n} …`);
      const result = await trainer.send("bench", {...where, n, count: fixedCount});
      name = result.adapter + (result.software ? ", software" : "");
      row.cells[0].textContent = `${label} (${name})`;
      figures.push(median(result.milliseconds));
      row.insertCell().textContent = `${figures.at(-1).toFixed(1)} ms`;
    }
  } catch (e) {
    if (e.fatal) workers.drop(trainer);
    const cell = row.insertCell();
    cell.colSpan = fixedBatches.length - figures.length;
    cell.textContent = e.message;
  }
  const batch = (time, i) => `batch ${fixedBatches[i]} ${time.toFixed(1)} ms`;
  return figures.length > 0 ? `${label} (${name}): ${figures.map(batch).join(", ")}` : "";
}

const heading = `mha-csp, prompts 32, targets 36, plain Adam, median of ${fixedCount}`;

/** measure is the table alone. */
async function measure() {
  element("rows").replaceChildren();
  const lines = [];
  for (const kind of kinds) lines.push(await fixed(kind));
  element("line").hidden = false;
  element("line").textContent = `${heading}: ${lines.filter(Boolean).join("; ")}`;
}

/** compare checks a model's first step on WebGPU against the processor's, and ten steps for the same bits twice. */
async function compare(model) {
  const first = {}, saved = [];
  for (const backend of ["cpu", "gpu", "gpu"]) {
    const {trainer} = await open(model, backend, 8);
    [first[backend]] = await steps(trainer, 1);
    if (backend === "cpu") continue;
    await steps(trainer, 9);
    saved.push(new Uint8Array((await trainer.send("save")).checkpoint));
  }
  const same = saved[0].length === saved[1].length && saved[0].every((b, i) => b === saved[1][i]);
  const {right, text} = near(first.gpu, first.cpu);
  return {
    what: `first step of \`${model}\` on WebGPU`, right: right && same,
    text: `${text}; after ten steps ${same ? "the same bits" : "OTHER bits"} in a second run`,
  };
}

/** time is the mean of steps in a row, ms. */
async function time(model, backend, batch) {
  const {trainer} = await open(model, backend, batch);
  await steps(trainer, 1); // compiles kernels, and lays out
  let begin = performance.now();
  await steps(trainer, 1);
  const one = performance.now() - begin;
  const count = Math.min(200, Math.max(2, Math.round(fine / one)));
  begin = performance.now();
  await steps(trainer, count);
  return (performance.now() - begin) / count;
}

/** facts are what measures, and what is measured. */
async function facts(adapter) {
  const info = (await navigator.gpu?.requestAdapter().catch(() => null))?.info;
  const gpu = info && [info.vendor, info.architecture, info.device].filter(Boolean).join(" ");
  return [
    ["GPU", adapter ? `${adapter.adapter}${gpu ? ` (${gpu})` : ""}${adapter.software ? ", computes in software" : ""}`
      : "none"],
    ["browser", navigator.userAgent],
    ["processor", `${count(navigator.hardwareConcurrency, "thread")}; steps take as many as training does`],
    ["page", document.querySelector('meta[name="version"]').content],
    ["measured", new Date().toISOString().slice(0, 16).replace("T", " ") + " UTC"],
  ];
}

/** report measures everything, what matters most first, and shows the block after each figure. */
async function report() {
  const start = performance.now();
  const out = {title: "a browser", facts: [], checks: [], timings: [], models, batches, fixed: [], missing: []};
  const show = () => {
    out.facts = [...known, ["took", `${((performance.now() - start) / 1000).toFixed(0)} s`]];
    element("block").value = markdown(out);
    element("paste").hidden = false;
  };
  let known = [];
  stopped = false;
  const tried = async (what, do_, timing = false) => {
    const why = stopped ? "it was stopped" : performance.now() - start > budget && "the time was spent";
    if (why) return void out.missing.push({what, why, timing});
    say(`${what} …`);
    try {
      return await do_();
    } catch (e) {
      out.missing.push({what, why: e.message, timing});
    } finally {
      show();
    }
  };
  const opened = await tried("WebGPU", async () => (await open("csp", "gpu", 8)).opened);
  known = await facts(opened);
  if (opened) out.title = opened.adapter;
  element("rows").replaceChildren();
  for (const model of checked.filter((m) => opened && models.includes(m))) {
    const verdict = await tried(`check of ${model}`, () => compare(model));
    if (verdict) out.checks.push(verdict);
  }
  for (const kind of asked.has("models") ? [] : kinds) {
    const line = await tried(`steps of fixed lengths, ${kind.label}`, () => fixed(kind));
    if (line) out.fixed.push(`${heading}, ${line}`);
  }
  const backends = ["cpu"];
  if (opened?.software && !asked.has("software")) {
    out.missing.push({what: "training steps on WebGPU", why: "it computes in software; add #report&software to the " +
      "address to measure it all the same"});
  } else if (opened) {
    backends.unshift("gpu");
  }
  for (const group of [models.slice(0, 1), models.slice(1)]) {
    for (const backend of backends) {
      for (const model of group) {
        for (const batch of batches) {
          const what = `${model}, batch ${batch}, ${called(backend)}`;
          const took = await tried(what, () => time(model, backend, batch), true);
          if (took) out.timings.push({model, backend, batch, ms: took});
        }
      }
    }
  }
  show();
}

let stopped = false;

/** busy runs one measurement at a time. */
async function busy(work) {
  const buttons = [element("run"), element("all")];
  for (const b of buttons) b.disabled = true;
  element("stop").hidden = work !== report;
  try {
    await work();
  } finally {
    workers.end();
    say("done");
    for (const b of buttons) b.disabled = false;
    element("stop").hidden = true;
  }
}

element("run").addEventListener("click", () => busy(measure));
element("all").addEventListener("click", () => busy(report));
element("stop").addEventListener("click", () => {
  stopped = true;
  say("stops after this figure …");
});
element("copy").addEventListener("click", async () => {
  const block = element("block");
  try {
    await navigator.clipboard.writeText(block.value);
    say("copied");
  } catch {
    block.select();
    say("copying is not allowed here: the text is selected, copy it with the keyboard");
  }
});
dispatchEvent(new Event("mhacsp-started"));
if (asked.has("run")) busy(measure);
if (asked.has("report")) busy(report);
