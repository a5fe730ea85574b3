// One run at a time, without a browser: a Worker that does what the test says stands in for the trainer.
import assert from "node:assert/strict";
import {test} from "node:test";
import {setImmediate as settled} from "node:timers/promises";
import {pauseWhileHidden} from "../scripts/hidden.js";
import {Session} from "../scripts/session.js";

/** workers are those that were begun, in order; each keeps what it was sent, and says what it is told to. */
let workers = [];
globalThis.Worker = class extends EventTarget {
  sent = [];
  ended = false;
  constructor(_, {name}) {
    super();
    this.name = name;
    workers.push(this);
  }
  postMessage(message) { this.sent.push(message); }
  terminate() { this.ended = true; }
  async say(message) {
    this.dispatchEvent(new MessageEvent("message", {data: message}));
    await settled();
  }
  /** answer replies to the last command of a type. */
  answer(type, reply) { return this.say({...reply, id: this.sent.findLast((m) => m.type === type).id}); }
  /** open answers what opens a run: it is open, at a step. */
  open(step = 0, state = "paused") {
    return this.answer("open", {type: "opened", run: this.sent.at(-1).run, step, state});
  }
};

const parity = {task: "parity", model: "csp"}, brackets = {task: "parenthesis", model: "csp"};
const lstm = {task: "parity", model: "lstm"};

/** ends waits until something fails because a newer choice took its place. */
const ends = (promise) => assert.rejects(promise, {aborted: true, fatal: false});

/** begun is a session whose first run is open, at a step. */
async function begun(session, open, step, state) {
  await settled();
  await workers[0].say({type: "ready"});
  await workers[0].open(step, state);
  await open;
  return session;
}

/** opened is a session in which a run of parity is open, at a step. */
async function opened(step) {
  workers = [];
  const session = new Session({keeps: false}), open = session.open(parity);
  return begun(session, open, step);
}

test("a newer choice takes the place of one whose program still loads, and nothing waits for that one", async () => {
  const session = await opened();
  const first = ends(session.open(lstm));
  await settled();
  assert.deepEqual(workers.map((w) => w.name), ["trainer", "families"]);
  const read = ends(session.send("read", {text: "101"})), newest = session.open(brackets);
  await first;
  await read;
  assert.deepEqual(workers.map((w) => w.ended), [false, true]);
  await workers[0].open();
  await newest;
  assert.equal(session.opened.run.task, "parenthesis");
  assert.deepEqual(session.chosen, brackets);
  assert.equal(workers.length, 2);
});

test("the first choice of a page gives way too while its program loads", async () => {
  workers = [];
  const session = new Session({keeps: false}), first = ends(session.open(lstm));
  await settled();
  const newest = session.open(parity);
  await first;
  assert.deepEqual(workers.map((w) => [w.name, w.ended]), [["families", true], ["trainer", false]]);
  await workers[1].say({type: "ready"});
  await workers[1].open();
  await newest;
  assert.equal(session.state, "ready");
});

test("what comes after a run that is just opened waits for it, and falls back on it", async () => {
  const session = await opened();
  const first = ends(session.open(brackets));
  await settled();
  const overtaken = ends(session.open({...lstm, seed: 1}));
  const text = "families.wasm could not be loaded (404)";
  const newest = assert.rejects(session.open(lstm), {message: text, fatal: false, aborted: false});
  await settled();
  assert.equal(workers.length, 1);
  await workers[0].open(3);
  await first; // it is told, so that what was to follow it does not
  await overtaken;
  assert.deepEqual([session.chosen, session.step], [brackets, 3]);
  await workers[1].say({type: "error", text, at: -1, fatal: true});
  await newest;
  assert.deepEqual(workers.map((w) => w.ended), [false, true]);
  assert.deepEqual([session.chosen, session.opened.run.task, session.state], [brackets, "parenthesis", "paused"]);
});

test("a finished model that comes late does not replace what was chosen since", async () => {
  const session = await opened();
  let arrive;
  globalThis.fetchPacked = () => new Promise((resolve) => { arrive = resolve; });
  const finished = ends(session.open({finished: "parity"})), newest = session.open(brackets);
  await settled();
  await workers[0].open();
  await newest;
  arrive(new Response(new ArrayBuffer(8)));
  await finished;
  assert.ok(!workers[0].sent.some((m) => m.type === "load"));
  assert.deepEqual(session.chosen, brackets);
});

test("a measurement that ends with its run is no trouble of the next", async () => {
  const session = await opened();
  const told = [];
  session.addEventListener("trouble", (e) => told.push(e.detail));
  const lengths = ends(session.send("lengths", {n: 64})), newest = session.open(lstm);
  await settled();
  await workers[1].say({type: "ready"});
  await workers[1].open();
  await newest;
  await lengths;
  assert.deepEqual([told, session.state, workers[0].ended], [[], "ready", true]);
});

test("the last test is kept in place of the validation at its step, and nothing else is", async () => {
  const session = await opened();
  const tell = (step, role, samples) => workers[0].say({type: "eval", step, role, samples});
  const seen = () => session.evaluations.map((e) => [e.step, e.role, e.samples]);
  await tell(10, "validation", 512);
  await tell(20, "validation", 512);
  await tell(20, "test", 1024);
  assert.deepEqual(seen(), [[10, "validation", 512], [20, "test", 1024]]);
  await tell(10, "validation", 512); // again, after a seek
  await tell(15, "test", 1024);
  await tell(20, "validation", 512);
  assert.deepEqual(seen(), [[10, "validation", 512], [20, "test", 1024]]);
});

test("figures are those of the step that one went back to, and move when training goes on from it", async () => {
  const session = await opened();
  const tell = (from, to) => workers[0].say({type: "steps", steps: Array.from({length: to - from + 1}, (_, i) => {
    const step = from + i;
    return {step, loss: 1 / step, exact: 0, answer: step / 100, seconds: 0.01, tokens: 8};
  })});
  for (let step = 1; step <= 10; step++) await tell(step, step);
  const then = {...session.figures};
  await tell(11, 40);
  const curve = session.steps.toJSON();
  const seek = session.seek(10);
  await settled();
  await workers[0].answer("seek", {type: "status", state: "paused", step: 10});
  await seek;
  for (const name of ["loss", "answer"]) assert.ok(Math.abs(session.figures[name] - then[name]) < 1e-12, name);
  await tell(11, 12);
  assert.ok(session.figures.answer > then.answer, "they stand still");
  assert.equal(session.step, 12);
  assert.deepEqual(session.steps.toJSON(), curve, "what was drawn is drawn once");
});

/** resumed is a session that went on with a kept run of 60 steps. */
async function resumed(step, state, chosen = parity, more = {}) {
  workers = [];
  const session = new Session(), run = {...chosen, steps: 60, ...more};
  const open = session.open(chosen, {chosen, run, step, checkpoint: new ArrayBuffer(8)});
  return begun(session, open, step, state);
}

test("a kept run and a model from a file that go back to the start have learned nothing", async () => {
  const session = await resumed(40);
  session.adopt("second");
  const reset = session.reset();
  await settled();
  await workers[0].answer("reset", {type: "opened", run: session.opened.run, step: 0});
  await reset;
  assert.deepEqual([session.state, session.trained], ["ready", false]);
  assert.deepEqual([session.kept, session.mine], [0, "second"], "the run that begins again has the slot of before");

  const load = session.load(new ArrayBuffer(8));
  await settled();
  await workers[0].answer("load", {type: "opened", run: parity, step: 0});
  await load;
  assert.equal(session.trained, true);
  const again = session.reset();
  await settled();
  await workers[0].answer("reset", {type: "opened", run: parity, step: 0});
  await again;
  assert.equal(session.trained, false);
});

test("a kept run that had ended is open as one that has ended", async () => {
  assert.equal((await resumed(60, "done")).state, "done");
  assert.equal((await resumed(40, "done")).state, "done", "by early stopping");
  assert.equal((await resumed(60, "paused")).state, "paused", "its test is still to come");
});

test("a run waits for its file until another is open, whatever is refused meanwhile", async () => {
  const own = {task: "own", model: "csp"}, data = {train: {path: "large.jsonl"}};
  const session = await resumed(20, "paused", own, {data});
  assert.equal(session.awaits.step, 20);
  const damaged = assert.rejects(session.load(new ArrayBuffer(8)), {message: "checkpoint: too short"});
  await settled();
  await workers[0].answer("load", {type: "error", text: "checkpoint: too short", at: -1});
  await damaged;
  globalThis.fetchPacked = () => Promise.reject(new TypeError("offline"));
  await assert.rejects(session.open({finished: "parity"}), /could not be loaded/);
  assert.equal(session.awaits.step, 20);
  const another = session.open(brackets);
  await settled();
  await workers[0].open();
  await another;
  assert.equal(session.awaits, null);
});

test("a run that was deleted from the storage is not kept again before it moves on", async () => {
  const session = await resumed(20), saves = () => workers[0].sent.filter((m) => m.type === "save").length;
  const told = [];
  session.addEventListener("unkept", (e) => told.push(e.detail.step)); // there is no storage here
  const under = session.keep();
  await settled();
  session.deleted();
  await workers[0].answer("save", {type: "saved", step: 20, checkpoint: new ArrayBuffer(8)});
  await under;
  await session.keep();
  assert.deepEqual([saves(), told], [1, []]);
  await workers[0].say({type: "status", state: "paused", step: 21});
  const moved = session.keep();
  await settled();
  await workers[0].answer("save", {type: "saved", step: 21, checkpoint: new ArrayBuffer(8)});
  await moved;
  assert.deepEqual([saves(), told], [2, [21]]);
});

test("a tab hidden while it goes to a step trains no further when it is seen again", async () => {
  const session = await opened(40), page = (globalThis.document = new EventTarget());
  pauseWhileHidden(session, {trouble: assert.fail});
  const hide = async (hidden) => {
    page.hidden = hidden;
    page.dispatchEvent(new Event("visibilitychange"));
    await settled();
  };
  const sent = () => workers[0].sent.map((m) => m.type).slice(1);
  const seek = session.seek(10);
  await settled();
  await workers[0].say({type: "status", state: "running", step: 5}); // it trains again what lies between
  await hide(true);
  await hide(false);
  await workers[0].answer("seek", {type: "status", state: "paused", step: 10});
  await seek;
  assert.deepEqual(sent(), ["seek"]);
  assert.equal(session.state, "paused");

  await workers[0].say({type: "status", state: "running", step: 11});
  await hide(true);
  await workers[0].answer("pause", {type: "status", state: "paused", step: 12});
  await hide(false);
  assert.deepEqual(sent(), ["seek", "pause", "start"], "training pauses, and goes on");
});

test("a page that goes while kernels are measured takes its try back; a trainer that ends does not", async () => {
  let kept = null;
  globalThis.localStorage = {getItem: () => kept, setItem: (_, value) => { kept = value; }};
  const tries = () => JSON.parse(kept).records.map((r) => r.tries);
  const record = {adapter: "A", kernels: "1", width: 8, batch: 64, tries: 2};
  const session = await opened();
  kept = JSON.stringify({version: 1, records: [{...record, tries: 1}]});
  await workers[0].say({type: "forms", record, used: false});
  assert.deepEqual(tries(), [2]);
  session.leave();
  assert.deepEqual(tries(), [1]);
  session.leave();
  assert.deepEqual(tries(), [1], "once");
  await workers[0].say({type: "forms", record, used: false});
  await workers[0].say({type: "error", text: "gone", at: -1, fatal: true});
  session.leave();
  const again = session.open(parity);
  await settled();
  assert.deepEqual(tries(), [2], "a form may have ended it");
  again.catch(() => {});
  delete globalThis.localStorage;
});

test("what begins to train in a hidden page pauses, unless it may train there", async () => {
  const session = await opened();
  const page = new EventTarget();
  page.hidden = true;
  globalThis.document = page;
  let stays = true;
  pauseWhileHidden(session, {stays: () => stays, trouble: (error) => assert.fail(error)});
  const sent = (type) => workers[0].sent.filter((m) => m.type === type).length;
  const pauses = sent("pause");
  await workers[0].say({type: "status", state: "running", step: 1, stepsPerSecond: 1});
  assert.equal(sent("pause"), pauses);
  stays = false;
  await workers[0].say({type: "status", state: "running", step: 2, stepsPerSecond: 1});
  assert.equal(sent("pause"), pauses + 1);
  await workers[0].say({type: "status", state: "running", step: 3, stepsPerSecond: 1});
  assert.equal(sent("pause"), pauses + 1, "once");
  delete globalThis.document;
});

test("the memory that is shown is that of now, and of many tests the newest stays", async () => {
  const session = await opened();
  await workers[0].say({type: "status", state: "running", step: 1, stepsPerSecond: 1, memory: 77});
  assert.equal(session.memory, 77);
  for (let step = 1; step <= 301; step++) await workers[0].say({type: "eval", role: "validation", step, samples: 1});
  assert.equal(session.evaluations.at(-1).step, 301);
  assert.ok(session.evaluations.length < 200);
});
