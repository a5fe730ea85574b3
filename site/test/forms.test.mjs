// The forms of the GPU's kernels that the page keeps, without a browser.
import assert from "node:assert/strict";
import {test} from "node:test";
import {begins, forgetForms, forms, formsText, keepForms} from "../scripts/forms.js";

const record = (batch, value = "registers") => ({
  adapter: "An adapter", kernels: "1", width: 132, angle: "token", batch, clock: "wall",
  choices: [{knob: "forward", value, times: [{value: "streamed", ms: 2}, {value: "registers", ms: 1.5}]}],
});

function stored(text) {
  let kept = text;
  globalThis.localStorage = {getItem: () => kept, setItem: (_, value) => { kept = value; },
    removeItem: (name) => { assert.equal(name, "forms"); kept = null; }};
}

test("a record takes the place of that of its key, and one of nothing leaves none", () => {
  stored(null);
  keepForms(record(64));
  keepForms(record(128));
  keepForms(record(64, "streamed"));
  assert.deepEqual(forms(), [record(128), record(64, "streamed")]);
  const {choices, ...nothing} = record(64);
  keepForms({...nothing, tries: 1});
  assert.equal(forms().at(-1).tries, 1);
  keepForms(nothing);
  assert.deepEqual(forms(), [record(128)]);
  for (let i = 0; i < 100; i++) keepForms(record(1000 + i));
  assert.equal(forms().length, 50);
  assert.equal(forms().at(-1).batch, 1099);
});

test("a record with one try more than the kept one says that a measurement begins", () => {
  stored(null);
  const {choices, ...open} = record(64);
  assert.ok(begins({...open, tries: 1}));
  keepForms({...open, tries: 1}); // it began, and the page was closed by force
  assert.ok(begins({...open, tries: 2}));
  keepForms({...open, tries: 2});
  assert.ok(!begins({...open, tries: 1}), "it was put off");
  assert.ok(!begins(record(64)), "it came to its end");
  assert.ok(begins({...open, angle: "state", tries: 1}), "another key");
  assert.match(formsText({tries: 3}), /usual forms, since 3 measurements did not come to an end/);
});

test("what was measured can be forgotten", () => {
  stored(null);
  keepForms(record(64));
  forgetForms();
  assert.deepEqual(forms(), []);
  keepForms(record(128));
  assert.deepEqual(forms(), [record(128)]);
});

test("what is damaged or of another version counts as nothing, and so does a browser that stores nothing", () => {
  for (const text of ["", "{", "[]", "null", '{"version":2,"records":[]}', '{"version":1,"records":7}']) {
    stored(text);
    assert.deepEqual(forms(), [], text);
    keepForms(record(64));
    assert.deepEqual(forms(), [record(64)], text);
  }
  delete globalThis.localStorage;
  assert.deepEqual(forms(), []);
  keepForms(record(64));
  forgetForms();
});

test("the page says what was chosen, what it gains and what went wrong", () => {
  assert.equal(formsText(record(64)), "kernels forward registers (−25 % of a step)");
  assert.equal(formsText(record(64, "streamed")), "kernels forward streamed");
  const {choices, ...nothing} = record(64);
  assert.equal(formsText({...nothing, notes: ["the measurement ended early: …"]}),
    "kernels in their usual forms; the measurement ended early: …");
});
