// A trainer's Worker without the page around it, in any engine: a test sends it commands and has its answers.
import assert from "node:assert/strict";
import {until} from "./page.mjs";

/** A run whose steps take some milliseconds; shorter ones are not spread over cores. */
export const spreading = {
  task: "arithmetic", model: "mha-csp-s", width: 32, heads: 2, batch: 34, steps: 1000, eval_every: 0, eval_samples: 8,
  test_samples: 0, state_clip: 0.01,
};

/**
 * begin starts a Worker of the program named, "trainer" or "families", in a page; what was there before ends. do()
 * sends a command and returns its answer, saved() the whole state of the run: files as base64.
 */
export async function begin(page, script, program = "trainer") {
  await page.evaluate(start, [script, program]);
  return {page, do: (type, fields = {}) => page.evaluate((m) => window.send(m), {...fields, type}), saved() {
    return this.do("save", {full: true}).then(({checkpoint, state}) => ({checkpoint, state}));
  }};
}

function start([script, name]) {
  window.trainer?.terminate();
  const waiting = new Map();
  const base64 = (buffer) => btoa(Array.from(new Uint8Array(buffer), (b) => String.fromCharCode(b)).join(""));
  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  let next = 1;
  const trainer = window.trainer = new Worker(script, {name});
  trainer.onmessage = ({data}) => {
    for (const k of ["checkpoint", "state"]) if (data[k]) data[k] = base64(data[k]);
    waiting.get(data.id)?.(data);
  };
  window.send = (message) => new Promise((resolve) => {
    for (const k of ["checkpoint", "state"]) if (message[k]) message[k] = bytes(message[k]);
    waiting.set(next, resolve);
    trainer.postMessage({...message, id: next++});
  });
}

/** opened opens a run on that many cores. */
export async function opened(w, cores, more = {}) {
  const answer = await w.do("open", {run: spreading, backend: "cpu", cores, ...more});
  assert.equal(answer.type, "opened", answer.text);
}

/** steps trains on to a step, a few at a time, and returns how many cores computed the last of each. */
export async function steps(w, to) {
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
export async function untilSpread(w) {
  const {step} = await until(() => w.do("step", {count: 4}), ({cores}) => cores === 2, "two cores");
  return step;
}
