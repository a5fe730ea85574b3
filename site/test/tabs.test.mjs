// Runs that the browser keeps: no tab writes over another's, and nothing is said to be kept that is not.
import assert from "node:assert/strict";
import {test} from "node:test";
import {built} from "./harness.mjs";
import {endless, kept, label, step, suite, text, tiny, until, withoutCircle} from "./page.mjs";

const self = suite();
const {start, ready} = self;

/** another opens a second tab in a page's browser. */
async function another(t, page, address = `/lab.html#${tiny}`) {
  const tab = await page.context().newPage();
  await withoutCircle(tab);
  await tab.goto(self.server.url + address);
  await ready(tab);
  return tab;
}

/** train makes steps until there are some more, pauses, and returns the step that is kept. */
async function train(page, more = 5) {
  const from = await step(page);
  await page.click("#train");
  await until(() => step(page), (n) => n > from + more, "step");
  await page.click("#train");
  await until(() => label(page), (l) => l === "Train on", "label");
  return kept(page);
}

const told = (page, kind) => page.locator(`[data-kind="${kind}"]`);

test("a second tab is told, works on a copy, and neither loses its run", async (t) => {
  const page = await start(t, `/lab.html#${endless}`);
  const first = await train(page);
  const tab = await another(t, page, `/lab.html#${endless}`);
  assert.match(await told(tab, "kept").innerText(), /open in another tab/);
  assert.ok(!await tab.locator("#forget").isVisible(), "another tab's run can be deleted here");
  await told(tab, "kept").getByRole("button", {name: "Work on a copy"}).click();
  await until(() => step(tab), (n) => n === first, "step of the copy");
  assert.match(await told(tab, "copy").innerText(), /open in another tab.*a copy/);
  const copy = await train(tab, 20);
  assert.match(await told(tab, "beside").innerText(), /kept as well/);
  const own = await train(page, copy); // further than the copy: the two are told apart by their steps
  await tab.close();
  await page.reload();
  await ready(page);
  await told(page, "kept-earlier").getByRole("button", {name: "Show"}).click();
  for (const [kind, at] of [["kept", own], ["kept-second", copy]]) {
    const offered = new RegExp(`step ${at.toLocaleString("en")},`);
    await until(() => told(page, kind).innerText(), (s) => offered.test(s), kind);
  }
  await told(page, "kept-second").getByRole("button", {name: "Go on with it"}).click();
  await until(() => step(page), (n) => n === copy, "step");
  assert.equal(await told(page, "copy").count(), 0, "no other tab has it open");
  await page.click("#forget");
  await told(page, "forgotten").waitFor();
  await page.reload();
  await ready(page);
  await told(page, "kept").waitFor();
  assert.equal(await told(page, "kept-second").count(), 0);
});

test("an offer that another tab has overtaken deletes nothing", async (t) => {
  const page = await start(t, `/lab.html#${endless}`);
  await train(page);
  const tabs = [];
  for (let i = 0; i < 3; i++) tabs.push(await another(t, page, `/lab.html#${endless}`));
  await page.close();
  for (const tab of tabs) {
    await tab.reload(); // its offer is now of a run that no tab has open
    await ready(tab);
    await told(tab, "kept").getByRole("button", {name: "Delete it"}).waitFor();
  }
  const [stale, later, other] = tabs;
  const refused = async (tab) => {
    await told(tab, "kept").getByRole("button", {name: "Delete it"}).click();
    await until(() => told(tab, "trouble").innerText(), (s) => /Nothing was deleted/.test(s), "refusal");
  };
  await told(other, "kept").getByRole("button", {name: "Go on with it"}).click();
  await until(() => step(other), (n) => n > 0, "the kept run's step");
  const at = await train(other);
  await refused(stale); // the other tab has it open
  await other.close();
  const held = () => later.evaluate(async () => (await navigator.locks.query()).held.map((lock) => lock.name));
  await until(held, (list) => !list.some((name) => name.startsWith("mhacsp-run-")), "locks");
  await refused(later); // it has, but is of another step than was offered
  await later.reload();
  await ready(later);
  const offered = new RegExp(`step ${at.toLocaleString("en")},`);
  await until(() => told(later, "kept").innerText(), (s) => offered.test(s), "the newer run");
});

test("a page that gave its run away and is come back to keeps its own in another place", async (t) => {
  const page = await self.open(t, "/formulas.html");
  const slots = await page.evaluate(async (url) => {
    const store = await import(url), buffer = new ArrayBuffer(8);
    const keep = async (step) => (await store.keep({chosen: {}, checkpoint: buffer, step, when: step})).slot;
    const first = await keep(1);
    store.leave();
    dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}));
    return [first, await keep(2), (await store.kept()).map((record) => record.step).join()];
  }, `/${await built("scripts/store.js")}`);
  assert.deepEqual(slots, ["last", "second", "2,1"]);
});

test("without storage nothing is said to be kept", async (t) => {
  const first = (page) => page.addInitScript(() => {
    const deny = () => { throw new DOMException("no", "SecurityError"); };
    Object.defineProperty(globalThis, "indexedDB", {value: {open: deny}});
    navigator.locks.request = async () => deny();
  });
  const page = await self.open(t, `/lab.html#${endless}`, {first});
  await ready(page);
  await until(() => text(page, "kept-note"), (s) => /no storage: the run ends with this tab\. Download/.test(s), "note");
  await page.click("#train");
  await until(() => step(page), (n) => n > 5, "step");
  await page.click("#train");
  await told(page, "unkept").waitFor();
  await page.workers()[0].evaluate(() => {
    self.postMessage({type: "error", text: "The GPU was lost.", at: -1, fatal: true});
  });
  await told(page, "lost").waitFor();
  assert.ok(!/kept/.test(await told(page, "lost").innerText()));
});
