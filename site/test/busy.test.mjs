// A press is answered at once with what goes on, while the trainer measures; and no press is lost or counted twice.
import assert from "node:assert/strict";
import {test} from "node:test";
import {label, state, step, suite, text, until} from "./page.mjs";

const {start} = suite();

// A model whose measurement takes seconds.
const slow = "/lab.html#task=arithmetic&format=direct&model=mha-csp&width=132&heads=4&batch=4&steps=100000" +
  "&eval_every=0&test_samples=0&seed=1&backend=cpu";

/**
 * pressed presses Measure and, while it measures and the state fits a pattern, a button, or chooses a value. It
 * returns what the state says next, and whether it still measures then: an answer that waits for the measurement's
 * end comes later than that, however slow the machine is. All of it is done in the page: a busy machine is late with a
 * second command to it.
 */
const pressed = (page, id, {value, once = ""} = {}) => page.evaluate(async ([id, value, once]) => {
  const [state, lengths, button] = ["state", "lengths", id].map((id) => document.getElementById(id));
  const measures = () => lengths.textContent === "Measuring …";
  lengths.click();
  while (!measures() || !new RegExp(once).test(state.textContent)) await new Promise((done) => { setTimeout(done); });
  const before = state.textContent;
  const next = new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (state.textContent === before && measures()) return;
      observer.disconnect();
      resolve({measures: measures(), first: state.textContent});
    });
    for (const of of [state, lengths]) observer.observe(of, {childList: true, characterData: true, subtree: true});
  });
  if (value) {
    button.value = value;
    button.dispatchEvent(new Event("change", {bubbles: true}));
  } else button.click();
  return next;
}, [id, value, once]);

test("Train pressed while it measures: told at once, the measurement ends, training begins", async (t) => {
  const page = await start(t, slow);
  await page.evaluate(() => {
    window.said = [];
    new MutationObserver(() => said.push(document.getElementById("messages").textContent))
      .observe(document.getElementById("messages"), {childList: true, subtree: true});
  });
  const {measures, first} = await pressed(page, "train");
  assert.ok(measures, "answered when the measurement was over");
  assert.match(first, /measurement ends first.*Training starts/);
  await page.evaluate(async () => { // while it measures: later ones would pause the training
    for (let i = 0; i < 5 && document.getElementById("lengths").textContent === "Measuring …"; i++) {
      document.getElementById("train").click();
      await new Promise((done) => { setTimeout(done); });
    }
  });
  await until(() => step(page), (n) => n > 3, "training");
  await until(() => text(page, "lengths"), (s) => s === "Measure", "button");
  assert.match(await text(page, "lengths-note"), /ended the measurement\. Press Measure/);
  assert.deepEqual(await page.evaluate(() => said), [], "a message about it");
});

test("every other press while it measures is answered at once too", async (t) => {
  const page = await start(t, slow);
  for (const [id, says] of [
    ["step", /One step/], ["samples-again", /The network answers/], ["reset", /Back to the start/],
    ["reseed", /Loading the network/],
  ]) {
    const {measures, first} = await pressed(page, id);
    assert.ok(measures, `${id}: answered when the measurement was over`);
    assert.match(first, says, id);
    await until(() => text(page, "lengths"), (s) => s === "Measure", "end of the measurement");
    await until(() => state(page), (s) => !says.test(s), "what the press waited for");
  }
  assert.equal(await page.locator('[data-kind="trouble"]').count(), 0);
});

test("another family chosen while it measures takes its place, and nothing is said of the measurement", async (t) => {
  const page = await start(t, slow);
  await pressed(page, "set-model", {value: "lstm"});
  await until(() => page.url(), (u) => u.includes("model=lstm"), "link of the run that is open");
  await until(() => text(page, "lengths"), (s) => s === "Measure", "button");
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  assert.equal(await page.locator('[data-kind="trouble"], [data-kind="lost"]').count(), 0);
});

test("measuring while it trains says so, and Pause is answered", async (t) => {
  const page = await start(t, slow);
  await page.click("#train");
  await until(() => step(page), (n) => n > 3, "step");
  const {measures, first} = await pressed(page, "train", {once: "Measuring; the training .* goes on after it"});
  assert.ok(measures, "answered when the measurement was over");
  assert.match(first, /pauses/);
  await until(() => label(page), (l) => l === "Train on", "label");
});
