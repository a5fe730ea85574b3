// Training on several cores: helper Workers change nothing but the time, whatever becomes of them.
import assert from "node:assert/strict";
import path from "node:path";
import {after, before, test} from "node:test";
import {built, dist, launch, newPage, serve} from "./harness.mjs";
import {text, until} from "./page.mjs";

const isolation = {"cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp"};
// A step must take some milliseconds, or it is not spread.
const run = {
  task: "arithmetic", model: "mha-csp-s", width: 32, heads: 2, batch: 34, steps: 1000, eval_every: 0, eval_samples: 8,
  test_samples: 0, state_clip: 0.01,
};

let browser;
before(async () => { browser = await launch(); }, {timeout: 120_000});
after(() => browser?.close());

/**
 * A Worker on a page. prelude runs in it and in its helpers first. do() sends a command and returns its answer;
 * a file comes back as base64.
 */
async function worker(t, {headers = {}, prelude = "", problems = []} = {}) {
  const script = await built("worker.js");
  const server = await serve({"/": dist}, headers, (file, name) => {
    return path.basename(name) === script ? Buffer.concat([Buffer.from(prelude), file]) : file;
  });
  t.after(server.close);
  const page = await newPage(browser);
  t.after(async () => {
    await page.context().close();
    for (const p of page.problems) assert.ok(problems.some((allowed) => allowed.test(p)), p);
  });
  await page.route("**/empty", (route) => route.fulfill({
    contentType: "text/html", headers, body: "<!doctype html><link rel=icon href=data:,>",
  }));
  await page.goto(`${server.url}/empty`);
  await page.evaluate((script) => {
    const waiting = new Map();
    let next = 1;
    const trainer = new Worker(script);
    trainer.onmessage = ({data}) => {
      if (data.checkpoint) data.checkpoint = new Uint8Array(data.checkpoint).toBase64();
      if (data.state) data.state = new Uint8Array(data.state).toBase64();
      waiting.get(data.id)?.(data);
    };
    window.send = (message) => new Promise((resolve) => {
      for (const k of ["checkpoint", "state"]) if (message[k]) message[k] = Uint8Array.fromBase64(message[k]).buffer;
      waiting.set(next, resolve);
      trainer.postMessage({...message, id: next++});
    });
  }, `${server.url}/${script}`);
  return {page, do: (type, fields = {}) => page.evaluate((m) => window.send(m), {...fields, type})};
}

/** opened opens a run on so many cores. */
async function opened(w, cores, more = {}) {
  const answer = await w.do("open", {run, backend: "cpu", cores, ...more});
  assert.equal(answer.type, "opened", answer.text);
}

/** steps trains on to a step, a few at a time, and returns how many cores computed the last of each. */
async function steps(w, to) {
  const seen = [];
  for (let at = 0; at < to;) {
    const answer = await w.do("step", {count: Math.min(4, to - at)});
    assert.equal(answer.type, "status", answer.text);
    at = answer.step;
    seen.push(answer.cores);
  }
  return seen;
}

/** untilSpread trains, four steps at a time, until two cores compute, and returns where that was. */
async function untilSpread(w) {
  for (;;) {
    const {cores, step} = await w.do("step", {count: 4});
    if (cores === 2) return step;
  }
}

/** saved is the whole state. */
const saved = async (w) => {
  const {checkpoint, state} = await w.do("save", {full: true});
  return {checkpoint, state};
};

const alone = new Map(); // state after so many steps on one core
async function aloneAt(t, step) {
  if (!alone.has(step)) {
    const w = await worker(t);
    await opened(w, 1);
    assert.ok((await steps(w, step)).every((cores) => cores === 1));
    alone.set(step, await saved(w));
  }
  return alone.get(step);
}

for (const [what, headers] of [["memory changes hands", {}], ["memory is shared", isolation]]) {
  test(`two cores come to the bits of one where ${what}, and a resumed run too`, {timeout: 480_000}, async (t) => {
    const w = await worker(t, {headers});
    assert.equal(await w.page.evaluate(() => crossOriginIsolated), headers === isolation);
    await opened(w, 2);
    const half = await untilSpread(w);
    const there = await saved(w);
    await steps(w, half + 8);
    const end = await saved(w);
    assert.deepEqual(there, await aloneAt(t, half));
    assert.deepEqual(end, await aloneAt(t, half + 8));
    await opened(w, 1, there);
    await steps(w, half + 8);
    assert.deepEqual(await saved(w), end, "from two cores on one");
  });
}

// In a helper, what is posted on this channel sets `told`.
const channel = `new BroadcastChannel("test").onmessage = ({data}) => { told = data; };`;
const failing = (how) => `if (self.name === "helper") {
  let told = "";
  ${channel}
  const post = self.postMessage.bind(self);
  self.postMessage = (...a) => { if (!told) post(...a); else ${how}; };
}\n`;
for (const [what, prelude] of Object.entries({
  "stops answering": failing("0"),
  "answers late": failing("setTimeout(post, 300, ...a)"),
  "dies in the midst": failing('if (told !== "said") { told = "said"; throw new Error("it dies"); } else post(...a)'),
})) {
  test(`a helper that ${what} changes nothing`, {timeout: 480_000}, async (t) => {
    const w = await worker(t, {prelude});
    await opened(w, 2);
    const half = await untilSpread(w);
    await w.page.evaluate(() => new BroadcastChannel("test").postMessage("now"));
    const seen = await steps(w, half + 12);
    if (what !== "answers late") assert.equal(seen.at(-1), 1);
    assert.deepEqual(await saved(w), await aloneAt(t, half + 12));
  });
}

for (const [what, prelude, problems] of [
  ["does not start", 'if (self.name === "helper") throw new Error("no helper here");\n', [/no helper here/]],
  ["cannot be had", "delete self.Worker;\n"],
]) {
  test(`a helper that ${what} changes nothing`, {timeout: 480_000}, async (t) => {
    const w = await worker(t, {prelude, problems});
    await opened(w, 2);
    assert.ok((await steps(w, 12)).every((cores) => cores === 1));
    assert.deepEqual(await saved(w), await aloneAt(t, 12));
  });
}

test("the page says how many cores compute, and takes a bound from its address", {timeout: 480_000}, async (t) => {
  const server = await serve({"/": dist});
  t.after(server.close);
  const keys = new URLSearchParams({...run, backend: "cpu"});
  for (const cores of [2, 1]) {
    const page = await newPage(browser);
    t.after(() => page.context().close());
    await page.goto(`${server.url}/#${keys}&cores=${cores}`);
    await page.locator("#train:not([disabled])").click();
    if (cores === 2) await until(() => text(page, "f-adapter"), (x) => x.endsWith(", 2 cores"), "cores");
    else await until(() => text(page, "step-now"), (x) => Number(x) > 20, "step");
    assert.equal(await text(page, "f-adapter"), `processor, WebAssembly vectors${cores === 2 ? ", 2 cores" : ""}`);
    assert.equal(new URL(page.url()).hash.includes(`cores=${cores}`), true);
    assert.deepEqual(page.problems, []);
  }
});
