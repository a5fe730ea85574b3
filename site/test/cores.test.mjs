// Training on several cores: helper Workers change nothing but the time, whatever becomes of them.
import assert from "node:assert/strict";
import path from "node:path";
import {after, before, test} from "node:test";
import {built, dist, launch, newPage, root, serve, unoptimised, within} from "./harness.mjs";
import {text, until, withoutCircle} from "./page.mjs";
import {begin, opened, spreading, steps, untilSpread} from "./trainer-worker.mjs";

const isolation = {"cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp"};

let browser;
before(async () => { browser = await launch({args: unoptimised}); });
after(() => browser?.close());

/** A Worker on a page. prelude runs in it and in its helpers first. A file is sent when hold(name) lets it go. */
async function worker(t, {headers = {}, prelude = "", problems = [], program, hold = () => {}} = {}) {
  const script = await built("worker.js");
  const folders = {"/": dist, "/fixtures/": path.join(root, "site/test/fixtures")};
  const server = await serve(folders, headers, async (file, name) => {
    await hold(name);
    return path.basename(name) === script ? Buffer.concat([Buffer.from(prelude), file]) : file;
  });
  t.after(server.close);
  const page = await newPage(browser);
  t.after(async () => {
    await page.context().close();
    for (const p of page.problems) assert.ok(problems.some((allowed) => allowed.test(p)), p);
  });
  await page.goto(`${server.url}/fixtures/empty.html`);
  return begin(page, `${server.url}/${script}`, program);
}

const alone = new Map(); // state after that many steps on one core
async function aloneAt(t, step) {
  if (!alone.has(step)) {
    const w = await worker(t);
    await opened(w, 1);
    assert.ok((await steps(w, step)).every((cores) => cores === 1));
    alone.set(step, await w.saved());
  }
  return alone.get(step);
}

for (const [what, headers] of [["memory changes hands", {}], ["memory is shared", isolation]]) {
  test(`two cores come to the bits of one where ${what}, and a resumed run too`, async (t) => {
    const w = await worker(t, {headers});
    assert.equal(await w.page.evaluate(() => crossOriginIsolated), headers === isolation);
    await opened(w, 2);
    const half = await untilSpread(w);
    const there = await w.saved();
    await steps(w, half + 8);
    const end = await w.saved();
    assert.deepEqual(there, await aloneAt(t, half));
    assert.deepEqual(end, await aloneAt(t, half + 8));
    await opened(w, 1, there);
    await steps(w, half + 8);
    assert.deepEqual(await w.saved(), end, "from two cores on one");
  });
}

test("another family comes to the same bits on two cores as on one", async (t) => {
  const run = {...spreading, model: "gru", heads: undefined, state_clip: undefined};
  const w = await worker(t, {program: "families"});
  await opened(w, 2, {run});
  const end = await untilSpread(w) + 4;
  await steps(w, end);
  const two = await w.saved();
  await opened(w, 1, {run});
  await steps(w, end);
  assert.deepEqual(two, await w.saved());
});

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
  test(`a helper that ${what} changes nothing`, async (t) => {
    const w = await worker(t, {prelude});
    await opened(w, 2);
    const half = await untilSpread(w);
    await w.page.evaluate(() => new BroadcastChannel("test").postMessage("now"));
    const seen = await steps(w, half + 12);
    if (what !== "answers late") assert.equal(seen.at(-1), 1);
    assert.deepEqual(await w.saved(), await aloneAt(t, half + 12));
  });
}

for (const [what, prelude, problems] of [
  ["does not start", 'if (self.name === "helper") throw new Error("no helper here");\n', [/no helper here/]],
  ["cannot be had", "delete self.Worker;\n"],
]) {
  test(`a helper that ${what} changes nothing`, async (t) => {
    const w = await worker(t, {prelude, problems});
    await opened(w, 2);
    assert.ok((await steps(w, 12)).every((cores) => cores === 1));
    assert.deepEqual(await w.saved(), await aloneAt(t, 12));
  });
}

test("what a helper posted before it was let go is heard by nobody", async (t) => {
  const w = await worker(t, {prelude: `if (self.name !== "helper") {
    const terminate = Worker.prototype.terminate;
    Worker.prototype.terminate = function () {
      terminate.call(this);
      setTimeout(() => this.dispatchEvent(new MessageEvent("message", {data: {}})));
    };
  }\n`});
  await opened(w, 2);
  await untilSpread(w);
  await opened(w, 1); // without helpers
  await steps(w, 4); // nothing on the console
});

test("a helper that is let go while it loads is no error of the trainer", async (t) => {
  const loader = await built("wasm_exec.js"), never = new Promise(() => {});
  let asked = 0; // for the loader: by the trainer, then by its helper
  const w = await worker(t, {hold: (name) => (path.basename(name) === loader && ++asked > 1 ? never : null)});
  await opened(w, 2);
  await w.page.evaluate(() => {
    window.errors = [];
    window.trainer.onerror = (e) => errors.push(e.message);
  });
  const begun = w.page.waitForEvent("worker");
  await until(() => w.do("step", {count: 4}), () => asked === 2, "a helper that loads");
  const helper = await begun, ended = new Promise((done) => helper.once("close", done));
  await opened(w, 1); // without helpers
  await within(ended, "the end of the helper");
  await steps(w, 4);
  assert.deepEqual(await w.page.evaluate(() => window.errors), []);
});

test("the page says how many cores compute, and takes a bound from its address", async (t) => {
  const server = await serve({"/": dist});
  t.after(server.close);
  const keys = new URLSearchParams({...spreading, backend: "cpu"});
  for (const cores of [2, 1]) {
    const page = await newPage(browser);
    t.after(() => page.context().close());
    await withoutCircle(page);
    await page.goto(`${server.url}/lab.html#${keys}&cores=${cores}`);
    await page.locator("#train:not([disabled])").click();
    if (cores === 2) await until(() => text(page, "f-adapter"), (x) => x.endsWith(", 2 cores"), "cores");
    else await until(() => text(page, "step-now"), (x) => Number(x) > 20, "step");
    assert.equal(await text(page, "f-adapter"), `processor, fused WebAssembly vectors${cores === 2 ? ", 2 cores" : ""}`);
    assert.equal(new URL(page.url()).hash.includes(`cores=${cores}`), true);
    assert.deepEqual(page.problems, []);
  }
});
