// The trainer's Worker by itself: the protocol of wasm/protocol in a real browser, on WebGPU and on the processor.
import assert from "node:assert/strict";
import {mkdtemp, readFile, rm, writeFile} from "node:fs/promises";
import {tmpdir} from "node:os";
import path from "node:path";
import {after, before, test} from "node:test";
import {lessons} from "../scripts/lesson/lessons.js";
import {built, command, dist, go, launch, newPage, prepended, serve, temporary} from "./harness.mjs";

let browser, server, script, folder, binary;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mhacsp-trainer-"));
  binary = path.join(folder, "mhacsp");
  await go(["build", "-o", binary, "./native/mhacsp"]);
  server = await serve({"/": dist});
  browser = await launch();
  script = `${server.url}/${await built("worker.js")}`;
}, {timeout: 300_000});
after(async () => {
  await browser?.close();
  await server?.close();
  await rm(folder, {recursive: true, force: true});
});

const run = {
  task: "arithmetic", format: "direct", model: "mha-csp-s", width: 12, heads: 2, batch: 6, steps: 40, seed: 7,
  eval_every: 0, eval_samples: 12, test_samples: 12, eval_batch: 6, embedding_std: 0.3,
};

const emptyPage = {contentType: "text/html", body: "<!doctype html><link rel=icon href=data:,>"};

/**
 * A page with a Worker. do() sends a command and returns its answer; files go and come as base64. events() are all
 * messages so far; a problem on the console fails the test.
 */
async function worker(t, {of = browser, problems = [], prelude = ""} = {}) {
  const page = await newPage(of);
  t.after(async () => {
    const found = [...page.problems]; // a request that is still under way ends with the page and is none
    await page.context().unrouteAll({behavior: "ignoreErrors"}).catch(() => {}); // its browser may be closed already
    await page.context().close();
    for (const p of found) assert.ok(problems.some((allowed) => allowed.test(p)), p);
  });
  await page.route("**/empty", (route) => route.fulfill(emptyPage));
  await page.context().route(script, prepended(dist, prelude));
  await page.goto(`${server.url}/empty`);
  await page.evaluate((script) => {
    const code = (bytes) => {
      let s = "";
      for (const x of new Uint8Array(bytes)) s += String.fromCharCode(x);
      return btoa(s);
    };
    const decode = (s) => Uint8Array.from(atob(s), (c) => c.charCodeAt(0)).buffer;
    const plain = (m) => {
      return Object.fromEntries(Object.entries(m).map(([k, v]) => [k, v instanceof ArrayBuffer ? code(v) : v]));
    };
    window.heard = [];
    window.waiting = new Map();
    window.next = 1;
    window.trainer = new Worker(script);
    trainer.onerror = (e) => heard.push({type: "broken", text: e.message});
    trainer.onmessage = ({data}) => {
      const message = plain(data);
      heard.push({...message, at_ms: performance.now()});
      waiting.get(data.id)?.(message);
    };
    window.send = (message) => new Promise((resolve) => {
      const id = next++;
      const m = {...message, id};
      for (const k of ["checkpoint", "state"]) if (m[k]) m[k] = decode(m[k]);
      waiting.set(id, resolve);
      trainer.postMessage(m, ["checkpoint", "state"].flatMap((k) => m[k] ? [m[k]] : []));
    });
  }, script);
  return {
    page,
    do: (type, fields = {}) => page.evaluate((m) => window.send(m), {...fields, type}),
    events: (type) => page.evaluate((type) => window.heard.filter((m) => !type || m.type === type), type),
    until: (what, arg, timeout) => page.waitForFunction(what, arg, timeout && {timeout}),
  };
}

/** Losses of the steps so far. */
const losses = async (w) => (await w.events("steps")).flatMap((m) => m.steps).map((s) => [s.step, s.loss]);

/** clear forgets what was heard. */
const clear = (w) => w.page.evaluate(() => { heard.length = 0; });

/** evaluated is what the command line's eval says of 12 test samples, by a checkpoint of the page. */
async function evaluated(t, saved) {
  const file = path.join(await temporary(t), saved.name);
  await writeFile(file, Buffer.from(saved.checkpoint, "base64"));
  const {stdout} = await command(binary,
    ["eval", "--checkpoint", file, "--split", "test", "--n", "12", "--backend", "cpu", "--json"]);
  const told = JSON.parse(stdout);
  assert.equal(told.n, 12);
  return told;
}

const near = (x, y, bound, what) =>
  assert.ok(Math.abs(x - y) / y <= bound, `${what}: ${x}, and ${y} on the processor`);

// The browser's own loss of a device: its promise, its empty answers to all that comes after.
const losable = `{
  const request = GPUAdapter.prototype.requestDevice;
  GPUAdapter.prototype.requestDevice = async function (...a) { return self.device = await request.apply(this, a); };
}`;

// A software GPU takes half a minute to compile a model's kernels: what needs them is one test.
for (const backend of ["gpu", "cpu"]) {
  const more = backend === "gpu" ? "; as the processor computes; and its device is lost" : "";
  test(`open, step, start, pause, reset, seek on the ${backend}${more}`, async (t) => {
    const w = await worker(t, {prelude: losable});
    await w.do("open", {run, backend: "cpu"});
    await w.do("step");
    const twin = (await w.events("steps"))[0].steps[0];
    await clear(w);
    // A busy machine must not reach the end before the pause.
    const opened = await w.do("open", {run: {...run, steps: 100_000}, backend});
    assert.equal(opened.type, "opened", opened.text);
    assert.deepEqual([opened.backend, opened.step, opened.run.width, opened.run.lr], [backend, 0, 12, 0.001]);
    assert.ok(opened.parameters > 500 && opened.memory > 4 * opened.parameters && opened.adapter);
    assert.equal(opened.software, backend === "gpu");
    assert.equal(/software/.test(opened.notice), backend === "gpu");
    assert.equal((await w.do("step", {count: 5})).step, 5);
    const prepared = (await w.events("preparing")).map((m) => [m.done, m.all]);
    if (backend === "cpu") assert.deepEqual(prepared, []);
    else {
      assert.ok(prepared.length > 10 && prepared.at(-1)[0] === prepared.at(-1)[1], JSON.stringify(prepared));
      let last = 0; // every round counts from 1 to its end
      for (const [done, all] of prepared) {
        assert.equal(done, last + 1, JSON.stringify(prepared));
        last = done < all ? done : 0;
      }
    }
    const made = (await w.events("steps"))[0].steps[0];
    near(made.loss, twin.loss, 1e-5, "loss");
    near(made.norm, twin.norm, 1e-4, "norm");
    const first = await losses(w);
    assert.deepEqual(first.map(([step]) => step), [1, 2, 3, 4, 5]);

    await w.do("start");
    await w.until(() => heard.filter((m) => m.type === "steps").flatMap((m) => m.steps).some((s) => s.step >= 8));
    const paused = await w.do("pause");
    assert.equal(paused.state, "paused", paused.text);
    const count = (await losses(w)).length;
    assert.equal(count, paused.step);
    await new Promise((done) => setTimeout(done, 300));
    assert.equal((await losses(w)).length, count, "steps after the pause was confirmed");

    assert.equal((await w.do("reset")).step, 0);
    await clear(w);
    await w.do("step", {count: 5});
    assert.deepEqual(await losses(w), first, "the same initial weights bring the same losses");

    await w.do("step", {count: 7});
    const late = await w.do("save");
    await w.do("seek", {step: 3});
    const there = await w.do("seek", {step: 12});
    assert.deepEqual([there.state, there.step], ["paused", 12]);
    assert.equal((await w.do("save")).checkpoint, late.checkpoint, "seek back and forward ends at the same bits");
    const own = await w.do("evaluate", {n: 12});
    near(own.loss, (await evaluated(t, late)).loss, 1e-4, "loss of an evaluation");
    if (backend === "gpu") await lose(w);
  });
}

/** lose takes the device away in training: that is one fatal error, after the newest state kept. */
async function lose(w) {
  await clear(w);
  await w.do("step", {count: 7});
  await new Promise((done) => setTimeout(done, 600)); // every twentieth state is kept, at most two a second
  await w.do("step");
  await w.do("start");
  await w.until(() => heard.filter((m) => m.type === "steps").flatMap((m) => m.steps).some((s) => s.step >= 23));
  await w.page.workers()[0].evaluate(() => self.device.destroy());
  await w.until(() => heard.some((m) => m.type === "error"));
  const events = await w.events();
  const error = events.find((m) => m.type === "error"), saved = events.find((m) => m.type === "saved");
  assert.equal(error.fatal, true);
  assert.match(error.text, /lost/);
  assert.ok(saved && saved.step >= 20 && events.indexOf(saved) < events.indexOf(error), "no state was handed over");
  assert.equal(events.filter((m) => m.type === "error").length, 1);
  const {checkpoint, state} = saved;
  const again = await w.do("open", {run: {...run, steps: 100000}, checkpoint, state, backend: "gpu"});
  assert.deepEqual([again.type, again.backend, again.step], ["opened", "gpu", saved.step], again.text);
  const on = await w.do("open", {run: {...run, steps: 100000}, checkpoint, state, backend: "cpu"});
  assert.deepEqual([on.type, on.step], ["opened", saved.step], on.text);
  assert.equal((await w.do("step", {count: 2})).step, saved.step + 2);
}

test("a question while training is answered, and training goes on", async (t) => {
  const w = await worker(t);
  await w.do("open", {run: {...run, steps: 100000, batch: 32, width: 32}, backend: "cpu"});
  await w.do("start");
  await w.until(() => heard.some((m) => m.type === "steps"));
  const reading = await w.do("read", {text: "(3+5)"});
  assert.deepEqual([reading.type, reading.expected], ["reading", "8"]);
  assert.equal(reading.right, reading.answer === "8");
  assert.equal(reading.tokens[0], "<SOS>");
  const T = reading.tokens.length;
  assert.deepEqual([reading.state.length, reading.state[0].length], [T, 2 * 32]);
  assert.deepEqual([reading.probabilities.length, reading.modulus], [T, 9]);
  assert.deepEqual([reading.attention.length, reading.attention[1].length, reading.fusion.length], [2, T, T]);
  for (let i = 0; i < T; i++) {
    const sum = reading.attention[0][i].reduce((a, b) => a + b, 0);
    assert.ok(Math.abs(sum - 1) < 1e-4, `attention row ${i} sums to ${sum}`);
    for (let k = 0; k < 32; k++) {
      const radius = Math.hypot(reading.state[i][k], reading.state[i][32 + k]);
      assert.ok(Math.abs(radius - 1) < 1e-3);
    }
  }
  const {samples} = await w.do("samples", {n: 4});
  assert.equal(samples.length, 4);
  assert.ok(samples.every((s) => s.right === (s.answer === s.expected) && s.target.endsWith("<EOS>")));
  const embedding = await w.do("embedding");
  assert.ok(embedding.points.length === 10 && Math.abs(embedding.spectrum.reduce((a, b) => a + b) - 1) < 1e-6);
  const wrong = await w.do("read", {text: "3 + x"});
  assert.deepEqual([wrong.type, wrong.at, wrong.field, wrong.fatal], ["error", 4, "text", false]);
  const evaluation = await w.do("evaluate", {n: 20});
  assert.deepEqual([evaluation.role, evaluation.samples], ["test", 20]);
  const before = (await w.do("speed", {stepsPerSecond: 0})).step;
  await w.until((before) => {
    return heard.filter((m) => m.type === "steps").flatMap((m) => m.steps).some((s) => s.step > before);
  }, before);
  // Steps come in bundles, at most one in 50 ms.
  const times = (await w.events("steps")).map((m) => m.at_ms), took = times.at(-1) - times[0];
  assert.ok(times.length < took / 40 + 10, `${times.length} messages in ${took} ms`);
  assert.equal((await w.do("pause")).state, "paused");
});

test("a checkpoint goes from the browser to the command line and back", async (t) => {
  const dir = await temporary(t);
  const w = await worker(t);
  await w.do("open", {run, backend: "cpu"});
  await w.do("step", {count: 3});
  const saved = await w.do("save", {full: true});
  assert.equal(saved.name, "arithmetic-mha-csp-s-seed-7-step-3.safetensors");
  const own = await w.do("evaluate", {n: 12});
  near(own.loss, (await evaluated(t, saved)).loss, 1e-4, "loss");

  const out = path.join(dir, "run");
  await command(binary, [
    "train", "--out", out, "--backend", "cpu", "--task", "parity", "--model", "csp", "--width", "8", "--steps", "5",
    "--batch", "4", "--max-length", "8", "--eval-samples", "8", "--test-samples", "0",
  ]);
  const theirs = (await readFile(path.join(out, "model.safetensors"))).toString("base64");
  const loaded = await w.do("load", {checkpoint: theirs});
  assert.equal(loaded.type, "opened");
  assert.deepEqual([loaded.run.task, loaded.run.width], ["parity", 8]);
  const state = (await readFile(path.join(out, "optimizer.safetensors"))).toString("base64");
  const whole = await w.do("open", {checkpoint: theirs, state, run: {steps: 8}, backend: "cpu"});
  assert.deepEqual([whole.type, whole.step], ["opened", 5], whole.text);
  assert.equal((await w.do("step", {count: 2})).step, 7);
});

test("a corrupt checkpoint is one clear error, and what was open stays", async (t) => {
  const w = await worker(t);
  await w.do("open", {run, backend: "cpu"});
  await w.do("step", {count: 2});
  const saved = await w.do("save", {full: true});
  const cut = Buffer.from(saved.checkpoint, "base64").subarray(0, 3000).toString("base64");
  const nonsense = Buffer.from("nonsense").toString("base64");
  for (const fields of [{checkpoint: cut}, {checkpoint: nonsense}, {checkpoint: saved.checkpoint, state: cut}]) {
    await clear(w);
    const error = await w.do("load", fields);
    assert.deepEqual([error.type, error.fatal, error.field], ["error", false, fields.state ? "state" : "checkpoint"]);
    assert.ok(error.text.length > 30 && !/panic|goroutine/.test(error.text), error.text);
    assert.equal((await w.events()).length, 1);
  }
  assert.equal((await w.do("pause")).step, 2);
  const refused = await w.do("open", {run: {...run, lr: -1}});
  assert.deepEqual([refused.type, refused.field], ["error", "lr"]);
  assert.equal((await w.do("open", {run, colour: "red"})).type, "error");
});

test("without WebGPU the processor trains, and auto says so", async (t) => {
  const plain = await launch({webgpu: false});
  t.after(() => plain.close());
  // One browser has the interface and no adapter, the other not even that.
  const older = await worker(t, {of: plain, prelude: "Object.defineProperty(navigator, 'gpu', {value: undefined});"});
  await older.until(() => heard.some((m) => m.type === "ready"));
  assert.equal((await older.events("ready"))[0].webgpu, false);
  assert.match((await older.do("open", {run})).notice, /no WebGPU.*processor/);
  const w = await worker(t, {of: plain});
  const opened = await w.do("open", {run, backend: "auto"});
  assert.equal(opened.backend, "cpu");
  assert.match(opened.notice, /no WebGPU.*processor/);
  assert.equal((await w.do("step", {count: 2})).step, 2);
  const refused = await w.do("open", {run, backend: "gpu"});
  assert.deepEqual([refused.type, refused.field], ["error", "backend"]);
  assert.match(refused.text, /choose auto or cpu/);
});

test("auto does not take a WebGPU that computes in software, and says so", async (t) => {
  const w = await worker(t);
  const opened = await w.do("open", {run, backend: "auto"});
  assert.deepEqual([opened.backend, opened.software], ["cpu", false]);
  assert.match(opened.notice, /WebGPU computes in software.*processor instead/);
  assert.equal((await w.do("step", {count: 2})).step, 2);
});

test("a program that cannot start, or ends, is one fatal error", async (t) => {
  const missing = await newPage(browser);
  t.after(() => missing.context().close());
  await missing.route("**/empty", (route) => route.fulfill(emptyPage));
  await missing.context().route(/trainer\..*\.wasm/, (route) => route.fulfill({status: 404}));
  await missing.goto(`${server.url}/empty`);
  const heard = await missing.evaluate((script) => new Promise((resolve) => {
    const list = [], w = new Worker(script);
    w.onmessage = ({data}) => {
      if (list.push(data) === 1) w.postMessage({type: "read", id: 2, text: "1"});
      else resolve(list);
    };
    w.postMessage({type: "open", id: 1});
  }), script);
  assert.deepEqual(heard.map((m) => [m.type, m.fatal, m.id]), [["error", true, undefined], ["error", true, 2]]);
  assert.match(heard[0].text, /404/);
});

test("the lessons for a class are learnt in the steps that they have", async (t) => {
  const dir = await temporary(t);
  await Promise.all(lessons.filter((l) => l.name !== "full").map(async ({name, chosen}) => {
    const out = path.join(dir, name);
    const flag = ([key, value]) => `--${key.replaceAll("_", "-")}=${value}`;
    const flags = Object.entries({...chosen, eval_samples: 1024}).map(flag);
    await command(binary, ["train", "--out", out, "--backend", "cpu", "--threads", "1", ...flags]);
    const metrics = await readFile(path.join(out, "metrics.jsonl"), "utf8");
    const events = metrics.trim().split("\n").map((line) => JSON.parse(line));
    const {step, report} = events.findLast((e) => e.event === "eval");
    assert.equal(step, chosen.steps);
    const {answer, count} = report.by_operands?.[2] ?? report; // of sums, those of two numbers
    assert.ok(answer / count >= 0.95, `${name}: ${answer} of ${count} unseen are right`);
  }));
});

test("parity is learnt to 100 %", async (t) => {
  const w = await worker(t);
  const parity = {
    task: "parity", model: "csp", width: 24, batch: 64, max_length: 16, lr: 0.01, warmup: 20, steps: 600, seed: 4,
    eval_every: 0, eval_samples: 256, test_samples: 256,
  };
  await w.do("open", {run: parity, backend: "cpu"});
  await w.do("start");
  await w.until(() => heard.some((m) => m.type === "done"), null, 240_000); // the whole run
  const test = (await w.events("eval")).find((m) => m.role === "test");
  assert.equal(test.answer, 1, `answers right: ${test.answer} of ${test.samples}`);
  const lengths = await w.do("lengths", {n: 8});
  assert.ok(lengths.sets.length >= 3 && lengths.sets.every((s) => s.accuracy >= 0 && s.chance >= 0.5));
});
