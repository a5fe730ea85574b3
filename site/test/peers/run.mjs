// Times training steps of this trainer, TensorFlow.js and jax-js in one Chromium, in turns. README.md says how to run
// it. A peer is timed only after its first step agreed with ours: loss, every gradient, and what Adam made of them.
import {access, mkdtemp, readFile, rm, writeFile} from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import {fileURLToPath} from "node:url";
import {parseArgs} from "node:util";

const here = path.dirname(fileURLToPath(import.meta.url));

const tensorflow = {script: "tfjs-worker.js", package: "@tensorflow/tfjs"};
const jax = {script: "jax-worker.js", module: true, package: "@jax-js/jax"};
const engines = {
  "ours-1": {label: "ours, 1 core", backend: "cpu", cores: 1},
  "ours": {label: "ours, all cores", backend: "cpu", cores: os.cpus().length},
  "tfjs-wasm-1": {label: "TensorFlow.js, WASM", ...tensorflow, device: "wasm", threads: false},
  "tfjs-wasm": {label: "TensorFlow.js, WASM with threads", ...tensorflow, device: "wasm", threads: true},
  "jax-wasm-1": {label: "jax-js, WASM", ...jax, device: "wasm", threads: false},
  "jax-wasm": {label: "jax-js, WASM with threads", ...jax, device: "wasm", threads: true},
  "ours-gpu": {label: "ours, WebGPU", backend: "gpu"},
  "jax-gpu": {label: "jax-js, WebGPU", ...jax, device: "webgpu"},
  "tfjs-gpu": {label: "TensorFlow.js, WebGPU", ...tensorflow, device: "webgpu", most: 8}, // a step may take a minute
};
// How far, relatively, a peer's first step in float32 may be from ours in float64. On WebGPU peers take WGSL's sin and
// cos, which need be right to 2⁻¹¹ only; SwiftShader's are 2e-4 off, and the time loop makes more of that.
const limits = {
  wasm: {lossOff: 1e-4, gradientOff: 1e-3, normOff: 5e-4, updateOff: 1e-3},
  webgpu: {lossOff: 1e-4, gradientOff: 5e-2, normOff: 5e-2, updateOff: 1e-3},
};
const prompt = 32, target = 36, digits = 10; // tokens, as our trainer's own command "bench" draws them

const {values} = parseArgs({options: {
  batches: {type: "string", default: "8,32,128"},
  rounds: {type: "string", default: "3"},
  engines: {type: "string", default: ""},
  turn: {type: "string", default: "2"},
  patience: {type: "string", default: "30"},
  help: {type: "boolean", default: false},
}});
if (values.help) {
  console.log(`node run.mjs [--batches 8,32,128] [--rounds 3] [--engines NAME,…] [--turn 2] [--patience 30]

--rounds    turns that each engine has
--turn      seconds that a turn takes, about; it has one step at least and ten at most
--patience  seconds of a batch size after which an engine has no further turn; it has one turn at least
--engines   of ${Object.keys(engines).join(", ")}; all, if none is named, TensorFlow.js
            on WebGPU for batches of at most ${engines["tfjs-gpu"].most}`);
  process.exit();
}
const [rounds, turn, patience] = [values.rounds, values.turn, values.patience].map(Number);
const batches = values.batches.split(",").map(Number);
const chosen = values.engines ? values.engines.split(",") : Object.keys(engines);
const wrong = chosen.find((name) => !engines[name]) ??
  [...batches, rounds].find((x) => !(Number.isInteger(x) && x > 0)) ?? [turn, patience].find((x) => !(x > 0));
if (wrong !== undefined) stop(`${wrong} is not known here; --help lists what can be chosen`);

/** stop ends the program with a message. */
function stop(message) {
  console.error(`run.mjs: ${message}`);
  process.exit(2);
}

for (const [file, command] of [
  ["node_modules/.package-lock.json", "npm ci"], ["../node_modules/playwright-core", "make setup"],
  ["../../dist/files.json", "make site"],
]) await access(path.join(here, file)).catch(() => stop(`${file} is not there; run ${command} first`));
const {built, command, dist, go, launch, newPage, serve} = await import("../harness.mjs");

/** references writes start values and, for every batch size, tokens and our gradients in float64, into a folder. */
async function references(folder) {
  const at = (name) => path.join(folder, name), program = at("mhacsp"), checkpoint = at("checkpoint.safetensors");
  await go(["build", "-o", program, "./native/mhacsp"]);
  // Embeddings of N(0, 0.3²): gradients in float32 are within 0.03 % of float64's then, with N(0, 1) within 0.7 %.
  await writeFile(at("config.json"), JSON.stringify({model: "mha-csp", embedding_std: 0.3}));
  await command(program, ["init", "--config", at("config.json"), "--seed", "3", "--out", checkpoint]);
  let seed = 1;
  const random = () => (seed = seed * 48271 % 0x7fffffff) % digits; // Lehmer's generator: the same tokens each time
  const rows = (n, length) => Array.from({length: n}, () => Array.from({length}, random));
  for (const n of batches) {
    const batch = at(`batch-${n}.json`), out = at(`gradients-${n}.safetensors`);
    await writeFile(batch, JSON.stringify({prompts: rows(n, prompt), targets: rows(n, target)}));
    await command(program, ["grad", "--checkpoint", checkpoint, "--batch", batch, "--out", out]);
  }
}

const least = (x) => Math.min(...x);
const median = (x) => [...x].sort((a, b) => a - b)[Math.floor(x.length / 2)];
const shown = (x) => x.toFixed(x < 10 ? 2 : x < 100 ? 1 : 0);
const table = (head, rows) => [head, head.map((_, i) => (i ? "--:" : "---")), ...rows]
  .map((row) => `| ${row.join(" | ")} |`).join("\n");

const notes = {}; // by engine: what it says of itself
const named = (name) => engines[name].label + (notes[name] ? ` (${notes[name]})` : "");

/** opened starts an engine on a batch size: the seconds of its first step, or nothing if it is not to be timed. */
async function opened(page, name, n) {
  const spec = engines[name];
  if (!spec.script) {
    const trainer = `/site/${await built("scripts/trainer.js")}`;
    await page.evaluate((args) => globalThis.peers.openOurs(...args), [name, spec, trainer]);
    return 0;
  }
  const first = await page.evaluate((args) => globalThis.peers.openPeer(...args), [name, spec, n]);
  const agrees = Object.entries(limits[spec.device]).every(([what, limit]) => [first[what]].flat()[0] <= limit);
  const worst = ([off, tensor]) => `${off.toExponential(1)} (${tensor})`;
  notes[name] = first.note;
  console.log(`batch ${n}, ${named(name)}: first step after ${shown(first.seconds)} s; loss ` +
    `${first.loss.toFixed(6)}, ours ${first.wanted.toFixed(6)}; farthest off: gradient ${worst(first.gradientOff)}, ` +
    `its norm ${worst(first.normOff)}, step of Adam ${worst(first.updateOff)}: ` +
    (agrees ? "agrees" : "DOES NOT AGREE, and is not timed"));
  if (agrees) return first.seconds;
}

/** measured times all engines on a batch size, in turns: milliseconds by the engine's name. */
async function measured(page, n) {
  const ms = {}, spent = {}, count = {}; // count has the engines that go on, with the steps of a turn
  /** timed does a part of an engine's work; an engine that fails has no further part. */
  const timed = async (name, work) => {
    const begin = performance.now();
    try {
      await work();
    } catch (e) {
      console.log(`batch ${n}, ${named(name)}: ${e.message.split("\n").slice(0, 6).join("\n")}`);
      failed = true;
      delete count[name];
    }
    spent[name] = (spent[name] ?? 0) + (performance.now() - begin) / 1000;
  };
  const steps = async (name, count) => {
    const {milliseconds, note} = await page.evaluate((args) => globalThis.peers.steps(...args), [name, {n, count}]);
    notes[name] = note ?? notes[name];
    return milliseconds;
  };
  for (const name of chosen.filter((name) => values.engines || n <= (engines[name].most ?? Infinity))) {
    await timed(name, async () => {
      const seconds = await opened(page, name, n);
      if (seconds === undefined) return void (failed = true);
      // A second step, not counted: some still compile in it.
      const one = seconds < patience ? (await steps(name, 1))[0] : Infinity;
      count[name] = Math.max(1, Math.min(10, Math.round(1000 * turn / one)));
    });
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(count)) {
      if (ms[name] && spent[name] > patience) continue;
      await timed(name, async () => {
        const made = await steps(name, count[name]);
        (ms[name] ??= []).push(...made);
      });
    }
  }
  for (const name of chosen) await page.evaluate((name) => globalThis.peers.close(name), name);
  for (const [name, x] of Object.entries(ms)) {
    console.log(`batch ${n}, ${named(name)}: least ${shown(least(x))} ms, median ${shown(median(x))} ms, ` +
      `${x.length} steps`);
  }
  return ms;
}

/** report prints what was measured, {[n]: milliseconds by engine}, as tables of Markdown. */
function report(all) {
  const timed = chosen.filter((name) => batches.some((n) => all[n][name]));
  const cell = (name, f) => batches.map((n) => (all[n][name] ? f(n, all[n][name]) : "–"));
  console.log("\n" + table(["ms a step, least / median, batch", ...batches], timed.map((name) =>
    [named(name), ...cell(name, (_, x) => `${shown(least(x))} / ${shown(median(x))}`)])));
  const rows = [];
  for (const own of timed.filter((name) => !engines[name].script)) {
    for (const name of timed.filter((name) => engines[name].script)) {
      if ((engines[own].backend === "gpu") !== (engines[name].device === "webgpu")) continue;
      rows.push([`${engines[name].label}, to ${engines[own].label}`, ...cell(name, (n, x) => {
        const mine = all[n][own];
        return mine ? `${shown(least(x) / least(mine))} / ${shown(median(x) / median(mine))}` : "–";
      })]);
    }
  }
  if (rows.length > 0) console.log("\n" + table(["times as long, least / median, batch", ...batches], rows));
}

let failed = false;
const folder = await mkdtemp(path.join(os.tmpdir(), "mhacsp-peers-"));
const begin = performance.now(), load = () => os.loadavg().map((x) => x.toFixed(1)).join(" ");
let server, browser;
try {
  console.log(`load at the start: ${load()}`);
  await references(folder);
  // A page that is isolated from other origins has threads with shared memory, which all three programs use.
  server = await serve({"/": here, "/site/": dist, "/modules/": path.join(here, "node_modules"), "/data/": folder},
    {"cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp"});
  browser = await launch();
  const page = await newPage(browser);
  await page.goto(`${server.url}/page.html`);
  await page.waitForFunction(() => globalThis.peers);
  const all = {};
  for (const n of batches) all[n] = await measured(page, n);
  for (const problem of page.problems) console.log(`the page said: ${problem}`);
  report(all);
  const version = async (name) => {
    const {version} = JSON.parse(await readFile(path.join(here, "node_modules", name, "package.json"), "utf8"));
    return `${name} ${version}`;
  };
  console.log(`\nChromium ${browser.version()}, ${os.cpus().length} cores (${os.cpus()[0].model}); ` +
    `${await version(tensorflow.package)}, ${await version(jax.package)}; load at the end: ${load()}; ` +
    `${Math.round((performance.now() - begin) / 1000)} s; ${new Date().toISOString().slice(0, 10)}`);
} finally {
  await browser?.close();
  await server?.close();
  await rm(folder, {recursive: true, force: true});
}
process.exitCode = failed ? 1 : 0;
