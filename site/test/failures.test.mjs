// A part that fails is told with what to do, and the rest goes on: no page stands at "Starting" for ever.
import assert from "node:assert/strict";
import {test} from "node:test";
import {dist, prepended} from "./harness.mjs";
import {suite, text, tiny, until} from "./page.mjs";

const self = suite();
const {open, ready} = self;

const address = `/lab.html#${tiny}&expression=1101`;

/** read plays the reading to its end in text and picture. */
async function reads(page) {
  await page.locator("#stage canvas.plain").waitFor();
  assert.ok(await page.locator("#tokens").isVisible(), "the tokens are not shown in text");
  await until(() => text(page, "verdict"), (s) => /answers .+: [✓✗] /.test(s), "verdict at the end");
  assert.equal(await page.locator("#read-play").getAttribute("aria-pressed"), "false");
  const shades = await page.locator("#stage canvas.plain").evaluate((canvas) => {
    const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });
  assert.ok(shades > 4, `the picture has ${shades} colours`);
  await until(() => page.locator("#stage iframe").count(), (n) => n === 0, "frames that cover the picture");
}

/** noWebGL opens an address of the page in a browser that draws in two dimensions only. */
async function noWebGL(t, address, options) {
  const none = (canvas) => `{
    const {getContext} = ${canvas}.prototype;
    ${canvas}.prototype.getContext = function (kind, ...more) {
      return kind.startsWith("webgl") ? null : getContext.call(this, kind, ...more);
    };
  }
`;
  const first = async (page) => {
    await page.addInitScript(none("HTMLCanvasElement"));
    await page.context().route(/\/circle\/worker[^/]*\.js/, prepended(dist, none("OffscreenCanvas")));
  };
  const page = await open(t, address, {circle: true, first, ...options});
  await ready(page);
  return page;
}

test("without WebGL 2 the reading goes on in text next to a plain picture, and follows the training", async (t) => {
  const page = await noWebGL(t, address);
  await reads(page);
  assert.match(await page.locator('[data-kind="circle"]').innerText(), /no WebGL 2; switch hardware acceleration on/);
  await page.click("#train");
  await until(() => text(page, "verdict"), (s) => /answers/.test(s) && !/not practised/.test(s), "the trained answer");
  await page.click("#read-play");
  await until(() => page.locator("#read-at").inputValue(), (v) => v === "0" || v === "1", "position after Play");
  await reads(page);
});

test("without WebGL 2 the plain picture shows the dials where Clocks is chosen", async (t) => {
  const clocks = "/lab.html#finished=clocks&backend=cpu&expression=4-(3%2B5)";
  const page = await noWebGL(t, clocks, {reducedMotion: "reduce"});
  const picture = page.locator("#stage canvas.plain");
  const seek = (at) => page.locator("#read-at").evaluate((range, at) => {
    range.value = at;
    range.dispatchEvent(new Event("input"));
  }, at);
  const says = (pattern) => until(() => picture.getAttribute("aria-label"), (s) => pattern.test(s), "what is drawn");
  await seek(8);
  await says(/^Plain picture of the clocks\. The true sum so far is 1\. .*\+1 turns it 40°: points at 1\./);
  const shot = () => picture.screenshot().then((png) => png.toString("base64"));
  const dials = await shot();
  await page.locator("[data-cut]").first().click();
  await says(/turns it .*: cut: nobody reads it\./);
  assert.notEqual(await shot(), dials, "a cut clock looks like one that is not");
  await page.click("text=All units");
  await says(/^Plain picture of the units/);
  await page.click(".views >> text=Clocks");
  await page.click("text=Undo");
  await says(/points at 1\.[^:]*: points at 1\.[^:]*: points at 1\.$/);
});

for (const [what, pattern, says] of [
  ["circle.wasm", /circle\.[0-9a-f]+\.wasm/, /circle cannot be shown/],
  ["the frame", /circle\/frame[^/]*\.html/, /circle did not load\. Reload/],
  ["the frame's script", /circle\/start[^/]*\.js/, /circle did not load\. Reload/],
]) {
  test(`without ${what} the reading goes on`, async (t) => {
    const first = (page) => page.route(pattern, (route) => route.abort());
    const page = await open(t, address, {circle: true, first, problems: /ERR_FAILED|Failed to load/});
    await ready(page);
    await reads(page);
    assert.match(await page.locator('[data-kind="circle"]').innerText(), says);
  });
}

test("a script that does not load, or fails, is told on the page and in a frame", async (t) => {
  for (const [name, way, says] of [
    ["reader", (route) => route.abort(), /did not load: reader\.[0-9a-f]+\.js.*reload the page/],
    ["charts", (route) => route.fulfill({status: 404}), /did not load.*charts\.[0-9a-f]+\.js/],
    ["form", (route) => route.fulfill({contentType: "text/javascript", body: "export const build = 0; nowhere();"}),
      /failed: .*nowhere is not defined.*form\.[0-9a-f]+\.js cut short or changed/],
    ["reader", (route) => route.fulfill({contentType: "text/javascript", body: "export const ("}), /failed: .*Syntax/],
  ]) {
    for (const address of ["/lab.html", "/embed-frame.html"]) {
      if (address !== "/lab.html" && name !== "reader") continue;
      const first = (page) => page.route(new RegExp(`/scripts/${name}\\.`), way);
      const page = await open(t, address, {first, problems: /ERR_FAILED|Failed to load|nowhere|SyntaxError/});
      await until(() => page.locator("#guard").textContent(), (s) => says.test(s), `${name} on ${address}`);
      assert.ok(!/Starting …|Loading …/.test(await page.locator("main").innerText()));
    }
  }
});

test("a trainer that does not come is told, with the way on", async (t) => {
  for (const [pattern, says] of [
    [/\/worker\.[0-9a-f]+\.js/, /trainer could not run/], [/\/wasm_exec\./, /trainer could not run/],
    [/\/trainer\.[0-9a-f]+\.wasm/, /trainer could not start\. .*trainer\.[0-9a-f]+\.wasm could not be fetched/],
  ]) {
    const first = (page) => page.route(pattern, (route) => route.abort());
    const page = await open(t, address, {first, problems: /ERR_FAILED|Failed to load/});
    const box = page.locator('[data-kind="lost"]');
    await until(() => box.innerText(), (s) => says.test(s) && /reload the page/i.test(s), String(pattern));
    assert.equal(await text(page, "state"), "The trainer has stopped.");
  }
});

test("a browser whose language is none starts as any other", async (t) => {
  const first = (page) => page.addInitScript(() => {
    Object.defineProperty(Navigator.prototype, "language", {configurable: true, get: () => "C"});
  });
  const page = await open(t, address, {first});
  await ready(page);
  await page.click("#step");
  await page.locator("#chart-loss").scrollIntoViewIfNeeded();
  await page.locator("#chart-loss canvas").waitFor();
});
