// What both peers' Workers share, as a classic script or imported for its effect: answers to the page's messages, one
// by one, and the clock around a step.
"use strict";

/** Answers each message {id, type, …} by the engine's method of that type: {id, ...result} or {id, error}. */
globalThis.answer = (engine) => {
  let last = Promise.resolve();
  globalThis.onmessage = ({data: {id, type, ...fields}}) => {
    last = last.then(async () => {
      try {
        globalThis.postMessage({id, ...await engine[type](fields)});
      } catch (e) {
        globalThis.postMessage({id, error: String(e?.stack ?? e)});
      }
    });
  };
};

/** Makes steps, each of which gives its loss as a number: {milliseconds, losses}. */
globalThis.clocked = async (step, count) => {
  const milliseconds = [], losses = [];
  for (let i = 0; i < count; i++) {
    const begin = performance.now();
    losses.push(await step());
    milliseconds.push(performance.now() - begin);
  }
  return {milliseconds, losses};
};

/** Columns of tokens [B][T], as time loops take them: [T][B]. */
globalThis.columns = (rows) => rows[0].map((_, t) => rows.map((row) => row[t]));
