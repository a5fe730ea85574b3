// What the tests of the page share: one server and one browser a file, a run small enough for every test.
import assert from "node:assert/strict";
import {AxeBuilder} from "@axe-core/playwright";
import {readFile} from "node:fs/promises";
import path from "node:path";
import {after, before} from "node:test";
import {dist, launch, newPage, patience, serve, unoptimised} from "./harness.mjs";

/** A run that trains in a blink on the CPU. */
export const tiny = "task=parity&model=csp&width=8&batch=8&max_length=8&lr=0.01&warmup=5&steps=60&seed=4" +
  "&eval_every=20&eval_samples=32&test_samples=0&backend=cpu";

/** The same without an end that a test could reach by accident. */
export const endless = tiny.replace("steps=60", "steps=100000");

/** The circle drawn, but seldom and small: in software each picture of a playing reading costs what a step does. */
export const withCircle = {circle: true, reducedMotion: "reduce", viewport: {width: 700, height: 500}};

/** What stands in the circle's frame where a test is not about it. */
export const noCircle = {contentType: "text/html", body: "<!doctype html><html lang=en><title>Phase circle</title>" +
    "<script>alive = true</script>"};

/**
 * withoutCircle leaves the circle out of a page. A route of Playwright's would have every request of the page wait for
 * an answer from here; this one is asked about the circle's frame alone.
 */
export async function withoutCircle(page) {
  const session = await page.context().newCDPSession(page);
  session.on("Fetch.requestPaused", ({requestId}) => session.send("Fetch.fulfillRequest", {
    requestId, responseCode: 200, body: btoa(noCircle.body),
    responseHeaders: [{name: "content-type", value: noCircle.contentType}],
  }).catch(() => {})); // the page may be closed meanwhile
  await session.send("Fetch.enable", {patterns: [{urlPattern: "*/circle/frame*.html*"}]});
}

/**
 * suite starts a server and a browser for a file's tests; open() gives a ready page and closes it after the test. The
 * browser does not optimise WebAssembly, unless options say otherwise.
 */
export function suite(options = {}) {
  const self = {};
  before(async () => {
    self.server = await serve({"/": dist});
    self.browser = await launch({args: unoptimised, ...options});
  });
  after(async () => {
    await self.browser?.close();
    await self.server?.close();
  });
  /**
   * open(t, address, {problems}): problems is a pattern that problems of this test must fit; without it there must be
   * none: no console error, no uncaught rejection, no failed request. first(page) is done before the address is gone
   * to. circle: true draws the circle too; a test that is not about it leaves it out, since it takes seconds of a
   * small machine's time to draw in software. offline: true lets the page keep itself for later visits, 29 MB that
   * other tests do without.
   */
  self.open = async (t, address = `/lab.html#${tiny}`, options = {}) => {
    const {problems, first, circle = false, offline = false, ...context} = options;
    const serviceWorkers = offline ? "allow" : "block";
    const page = await newPage(self.browser, {viewport: {width: 1280, height: 900}, serviceWorkers, ...context});
    if (!circle) await withoutCircle(page);
    t.after(async () => {
      await says(t, page);
      await page.context().close();
      for (const problem of page.problems) assert.match(problem, problems ?? /^no problem at all$/);
    });
    await first?.(page);
    await page.goto(self.server.url + address);
    return page;
  };
  self.ready = ready;
  self.start = async (t, address, options) => {
    const page = await self.open(t, address, options);
    await self.ready(page);
    return page;
  };
  /** again opens a run in the page of those tests that call it, as a changed link does: pages cost more than runs. */
  let common, seed = 4;
  self.again = async (t, run = tiny) => {
    const page = await (common ??= self.start({after() {}}));
    t.after(async () => {
      await says(t, page);
      if (!t.passed) common = null; // it may be in any state
      assert.deepEqual(page.problems.splice(0), []);
    });
    await page.evaluate((hash) => { location.hash = hash; }, run.replace("seed=4", `seed=${++seed}`));
    await until(() => page.inputValue("#set-seed"), (s) => s === String(seed), "the run");
    await self.ready(page);
    return page;
  };
  return self;
}

/** says adds to a failed test what its page says and met: a wait in vain alone does not tell why. */
async function says(t, page) {
  if (t.passed) return;
  const words = await page.locator("#state, #messages").allTextContents().catch((error) => [error.message]);
  t.diagnostic(JSON.stringify({words, problems: page.problems, lines: page.lines.slice(-10)}));
}

/** ready waits until a run is open and was read. */
export async function ready(page) {
  await page.locator("#train:not([disabled])").waitFor();
  await page.waitForFunction(() => document.getElementById("verdict").textContent.length > 0);
}

export const label = (page) => page.locator("#train-label").textContent();
export const state = (page) => page.locator("#state").textContent();
export const step = async (page) => Number((await page.locator("#step-now").textContent()).replaceAll(",", ""));
/** kept waits until the page has put the run, as it stands, into the browser's storage, and returns its step. */
export function kept(page) {
  const stored = () => page.locator("#forget").getAttribute("data-step");
  return until(() => step(page), async (n) => await stored() === String(n), "step, kept");
}
export const text = (page, id) => page.locator(`#${id}`).textContent();

/**
 * until waits until an asynchronous value passes a test, and says the last value if it does not. limit in ms, where it
 * is not patience. What is long in coming is asked for less often: a question costs the browser too.
 */
export async function until(get, passes, what, limit) {
  const begin = Date.now();
  for (let value, waited = 0; ; await new Promise((done) => setTimeout(done, Math.min(40 + waited / 10, 250)))) {
    if (await passes(value = await get())) return value;
    waited = Date.now() - begin;
    if (waited > (limit ?? patience())) assert.fail(`${what}: still ${JSON.stringify(value)} after ${waited} ms`);
  }
}

/**
 * hideAlike hides rows of tables that differ from one before in texts and numbers alone, in place and names not: axe
 * looks at one of each kind. It returns how to show them again.
 */
const hideAlike = (page) => page.evaluateHandle(() => {
  const seen = new Set();
  const again = [...document.querySelectorAll("tbody > tr:not([hidden])")].filter((row) => {
    let kind = row.outerHTML.replace(/>[^<]*\S[^<]*</g, ">x<") + row.sectionRowIndex % 2;
    kind = kind.replace(/(?<! (?:id|for|headers|aria-\w+))="[^"]*"/g, (value) => value.replace(/[\d.]+/g, "0"));
    for (let e = row.parentElement; e; e = e.parentElement) kind += `${e.tagName}.${e.className}`;
    return seen.size === seen.add(kind).size;
  });
  for (const row of again) row.hidden = true;
  return () => { for (const row of again) row.hidden = false; };
});

/**
 * noFindings: axe has none on a page, or in the parts of it that fit a selector. Legacy mode has axe in the page
 * itself gather the frames: all are of one origin here, and no list of all that passed travels between them. rules
 * may choose of axe's rules.
 */
export async function noFindings(page, what, part = "", rules = (axe) => axe) {
  const has = await Promise.all(page.frames().map((f) => f.evaluate(() => "axe" in window).catch(() => false)));
  const axeSource = has.every(Boolean) ? ";" : undefined; // a megabyte of script, which is there from the time before
  const axe = rules(new AxeBuilder({page, axeSource}).setLegacyMode().options({resultTypes: ["violations"]}));
  const {violations} = await (part ? axe.include(part) : axe).analyze();
  const places = (v) => v.nodes.map((n) => n.target.join(" ")).join(", ");
  assert.deepEqual(violations.map((v) => `${what}: ${v.id}: ${places(v)}`), []);
}

/**
 * How a page is looked at by axe: what the context of each is, and axe's rules. What light and dark have in common is
 * looked at once, and so are the colours of a phone.
 */
export const looks = {
  light: {},
  dark: {colorScheme: "dark", rules: (axe) => axe.withRules(["color-contrast"])},
  phone: {
    viewport: {width: 360, height: 740}, isMobile: true, hasTouch: true,
    rules: (axe) => axe.disableRules(["color-contrast"]),
  },
};

/**
 * accessible holds a page, as it stands, to each of these looks: axe has no finding, nothing sticks out of the window,
 * and light and dark have grounds of their own.
 */
export async function accessible(page) {
  const grounds = new Set();
  for (const [look, {colorScheme = "light", viewport, rules}] of Object.entries(looks)) {
    await page.emulateMedia({colorScheme});
    if (viewport) await page.setViewportSize(viewport);
    await page.waitForFunction(() => document.getAnimations().every((a) => !(a instanceof CSSTransition)));
    const show = await hideAlike(page);
    await noFindings(page, look, "", rules);
    await show.evaluate((show) => show());
    const [wide, width, ground] = await page.locator("html").evaluate((e) => {
      return [e.scrollWidth, e.clientWidth, getComputedStyle(e).backgroundColor];
    });
    grounds.add(ground);
    assert.ok(wide <= width, `${look}: ${wide} wide in a window of ${width}`);
  }
  assert.equal(grounds.size, 2, "one in light, one in the dark");
}

/** What the model answers whose clocks were cut or turned. */
export const changedAnswer = (page) => page.locator(".clocks .verdict").textContent();

/** Reads as far as a token. */
export const seek = (page, at) => page.evaluate((at) => {
  const range = document.getElementById("read-at");
  range.value = at;
  range.dispatchEvent(new Event("input"));
}, at);

/** The circle's own description of its picture. */
export const drawnWords = (page) =>
  page.frames().find((f) => /circle\/frame/.test(f.url()))?.locator("body").ariaSnapshot();

/** edited gives the pages a script of theirs with other words in it, [[from, to]]: the first of each. */
export const edited = (page, script, changes) => page.route(script, async (route) => {
  let body = await readFile(path.join(dist, new URL(route.request().url()).pathname), "utf8");
  for (const [from, to] of changes) {
    assert.ok(body.includes(from), `${script} has no ${from}`);
    body = body.replace(from, to);
  }
  await route.fulfill({contentType: "text/javascript", body});
});

/** shortRecipe gives the pages the first ready-made run with a narrow network and that many steps. */
export const shortRecipe = (page, steps) => edited(page, /scripts\/lesson\/lessons[^/]*\.js/,
  [["width: 48", "width: 16"], ["eval_every: 200", "eval_every: 10"], ["steps: 2000", `steps: ${steps}`]]);
