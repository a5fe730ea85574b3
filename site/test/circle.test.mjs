// The phase circle in its frame: messages, keys, stillness, refusals.
import assert from "node:assert/strict";
import {copyFile, mkdir, mkdtemp, rm} from "node:fs/promises";
import {tmpdir} from "node:os";
import path from "node:path";
import {after, before, test} from "node:test";
import {built, dist, launch, newPage, prepended, root, serve, unoptimised, wasmExec} from "./harness.mjs";
import {until} from "./page.mjs";
import {picture} from "./pixels.mjs";

const tokens = ["<SOS>", "(", "2", " ", "+", " ", "3", ")", " ", "mod", " ", "9", " ", "=", " "];
let browser, dir, server;

before(async () => {
  dir = await mkdtemp(path.join(tmpdir(), "mhacsp-circle-"));
  await mkdir(path.join(dir, "circle"));
  await copyFile(path.join(dist, await built("circle/circle.wasm")), path.join(dir, "circle/circle.wasm"));
  for (const name of ["frame.html", "start.js", "worker.js", "program.js", "letters.js"]) {
    await copyFile(path.join(root, "site/circle", name), path.join(dir, "circle", name));
  }
  await copyFile(path.join(root, "site/packed.js"), path.join(dir, "packed.js"));
  await copyFile(await wasmExec(), path.join(dir, "circle/wasm_exec.js"));
  await copyFile(path.join(root, "site/test/fixtures/circle.html"), path.join(dir, "index.html"));
  server = await serve({"/": dir});
  browser = await launch({args: unoptimised});
}, {timeout: 300_000});
after(async () => {
  await browser?.close();
  await server?.close();
  await rm(dir, {recursive: true, force: true});
});

const counting = `globalThis.draws = globalThis.frames = 0;
{
  const request = requestAnimationFrame;
  globalThis.requestAnimationFrame = (f) => { globalThis.frames++; return request(f); };
  const draw = WebGL2RenderingContext.prototype.drawElements;
  WebGL2RenderingContext.prototype.drawElements = function (...a) { draws++; return draw.apply(this, a); };
}
`;

/**
 * A page around a circle that is ready; draws() is what its program sent to the graphics card so far. inFrame: the
 * browser cannot draw in a Worker. prelude runs in the Worker before its script.
 */
async function open(t, {inFrame = false, prelude, ...options} = {}) {
  const page = await newPage(browser, {viewport: {width: 640, height: 450}, ...options});
  t.after(async () => {
    await page.unrouteAll({behavior: "ignoreErrors"});
    await page.context().close();
    assert.deepEqual(page.problems, []);
  });
  if (inFrame) await page.addInitScript(`delete HTMLCanvasElement.prototype.transferControlToOffscreen; ${counting}`);
  else {
    // The script's import is hoisted over what is prepended.
    await page.context().route("**/circle/worker.js", prepended(dir, counting + (prelude ?? "")));
  }
  await page.route("**/favicon.ico", (r) => r.fulfill({status: 204}));
  await page.goto(server.url + "/");
  await page.waitForFunction(() => heard.some((m) => m.type === "ready"));
  const frame = page.frames().find((f) => f.url().endsWith("frame.html"));
  assert.equal(page.workers().length, inFrame || prelude ? 0 : 1);
  const draws = () => (page.workers()[0] ?? frame).evaluate(() => globalThis.draws);
  return {
    page, frame, draws,
    send: (m) => page.evaluate((m) => send(m), m),
    /** Reads a text; the same one again has newer weights, and its place stays. */
    read: (tokens, seed) => page.evaluate(([tokens, seed]) => {
      return send({type: "reading", reading: sample(tokens, seed)});
    }, [tokens, seed]),
    /** Takes the text away, as a network that is gone does, and forgets what was heard. */
    async clear() {
      await page.evaluate(() => send({type: "reading", reading: null}));
      await page.waitForFunction(at, -1);
      await page.evaluate(() => { heard.length = 0; });
    },
    position: () => page.evaluate(() => heard.filter((m) => m.type === "position").at(-1)),
    errors: () => page.evaluate(() => heard.filter((m) => m.type === "error").map((m) => m.text)),
    until: (f, arg) => page.waitForFunction(f, arg),
    /** Waits until nothing is drawn any more, then counts what is drawn in a second. */
    async drawnAtRest() {
      for (let last = -1, now; (now = await draws()) !== last; last = now) await page.waitForTimeout(500);
      const first = await draws();
      await page.waitForTimeout(1000);
      return await draws() - first;
    },
  };
}

const at = (at) => heard.filter((m) => m.type === "position").at(-1)?.at === at;

/** What holds wherever the program runs. */
const everywhere = {
  "keys work, and Tab leaves the circle": async (c) => {
    await c.read(tokens);
    await c.until(at, tokens.length - 1);
    await c.frame.locator("canvas").focus();
    for (const [key, want] of [
      ["Home", {at: 0}], ["ArrowRight", {at: 1}], ["3", {layer: "tree"}], ["h", {head: 1}],
      ["+", {charactersPerSecond: 2.25}], ["End", {at: 14}], ["1", {layer: "none"}],
    ]) {
      await c.page.keyboard.press(key);
      await c.until((want) => {
        const position = heard.filter((m) => m.type === "position").at(-1);
        return Object.keys(want).every((k) => position[k] === want[k]);
      }, want);
    }
    await c.page.keyboard.press("Tab");
    assert.equal(await c.page.evaluate(() => document.activeElement.id), "after");
    assert.equal(await c.frame.locator("canvas").getAttribute("tabindex"), "0");
  },

  "what is read is said in words though it plays at once": async (c) => {
    await c.send({type: "speed", charactersPerSecond: 0.2});
    await c.page.evaluate((tokens) => {
      send({type: "reading", reading: sample(tokens)});
      send({type: "seek", at: 0});
      send({type: "play"});
    }, tokens);
    await c.frame.locator("#status", {hasText: "Token 1 of 15"}).waitFor({state: "attached"});
    assert.ok((await c.position()).playing);
    await c.send({type: "speed", charactersPerSecond: 1.5});
  },

  "what the circle's font lacks is lettered by the browser": async (c) => {
    const seen = {};
    for (const word of ["שלום", "ולםש", "漢字", "字漢", "سلام", "لاسم"]) {
      await c.read(["<SOS>", word, "abc"]);
      await c.until(at, 2);
      await c.drawnAtRest();
      seen[word] = (await picture(c.page.locator("#frame"), `circle-${Object.keys(seen).length}`)).toString("base64");
      await c.clear();
    }
    assert.equal(new Set(Object.values(seen)).size, 6, "words of as many letters differ");
  },

  "a reading is shown, played to its end and told": async (c) => {
    await c.read(tokens);
    await c.until(at, tokens.length - 1);
    await c.send({type: "speed", charactersPerSecond: 10});
    await c.send({type: "play"});
    await c.until(() => {
      const positions = heard.filter((m) => m.type === "position");
      return positions.some((m) => m.playing) && !positions.at(-1).playing;
    });
    const told = await c.page.evaluate(() => heard.filter((m) => m.playing).map((m) => m.at));
    assert.equal(told[0], 0);
    assert.deepEqual(told, [...told].sort((a, b) => a - b), "the places come in order");
    assert.equal((await c.position()).at, tokens.length - 1);
    await c.send({type: "seek", at: 3});
    await c.until(at, 3);
    await c.read(tokens, 1);
    await c.send({type: "step", by: 1});
    await c.until(at, 4);
    await c.until(() => frame.contentDocument.getElementById("status").textContent.startsWith("Token 5 of 15"));
    assert.deepEqual(await c.errors(), []);
  },

  "it draws while it plays and not at rest, nor hidden": async (c) => {
    assert.equal(await c.drawnAtRest(), 0, "empty");
    const frames = async () => c.page.workers()[0]?.evaluate(() => globalThis.frames);
    const asked = await frames();
    await c.page.waitForTimeout(500);
    assert.equal(await frames(), asked, "frames asked for at rest");
    await c.read(tokens);
    await c.until(at, tokens.length - 1);
    assert.equal(await c.drawnAtRest(), 0, "a reading at rest");
    const before = await c.draws();
    await c.send({type: "speed", charactersPerSecond: 0.5}); // so that it still plays when it is hidden
    await c.send({type: "play"});
    await until(c.draws, (n) => n > before + 20, "draws");
    await c.send({type: "visible", visible: false});
    assert.equal(await c.drawnAtRest(), 0, "hidden while playing");
    const hidden = (await c.position()).at;
    await c.send({type: "visible", visible: true});
    await c.until((n) => heard.filter((m) => m.type === "position").at(-1).at > n, hidden);
  },

  "a memory is shown and told; a dot under the pointer is told, and one that it left is not": async (c) => {
    await c.page.evaluate((tokens) => send({type: "reading", reading: remembering(tokens)}), tokens);
    const said = () => frame.contentDocument.getElementById("status").textContent
      .endsWith("The memory has 4 units; over the text the longest is 2.00 long.");
    await c.until(said);
    assert.equal(await c.drawnAtRest(), 0, "at rest");
    const shot = () => c.page.locator("#frame").screenshot();
    const plain = await shot();
    await c.page.mouse.move(300, 300); // the ground
    await c.page.waitForTimeout(300);
    assert.ok(plain.equals(await shot()), "something is told next to the dots");
    await c.page.mouse.move(191, 185); // unit 0, right of the middle
    await until(async () => plain.equals(await shot()), (same) => !same, "the unit under the pointer is not told");
    await c.page.mouse.move(10, 440); // out of the frame
    await until(async () => plain.equals(await shot()), (same) => same, "a pointer that left is still on its dot");
    await c.page.evaluate((tokens) => {
      const reading = remembering(tokens);
      reading.memory[3].pop();
      send({type: "reading", reading});
    }, tokens);
    await c.until(() => heard.some((m) => m.type === "error" && m.text.includes("memory[3] has 7 values")));
  },
};

/** holds makes a subtest of each, all on one page: opening one costs more than all that is done on it. */
async function holds(t, c, tests) {
  for (const [title, work] of Object.entries(tests)) {
    await t.test(title, async () => {
      await work(c);
      if (await c.position()) await c.clear();
    });
  }
}

test("in a Worker", async (t) => {
  await holds(t, await open(t, {hasTouch: true}), {
    "what cannot be followed is answered in words, what others send is not heard": refused, ...everywhere,
    "a finger scrubs on the track": scrubbed,
  });
});

test("in the frame", async (t) => holds(t, await open(t, {inFrame: true}), everywhere));

test("a Worker that cannot draw: the circle is drawn in the frame", async (t) => {
  for (const prelude of ["OffscreenCanvas.prototype.getContext = () => null;", "throw new Error('not here');"]) {
    const c = await open(t, {prelude});
    assert.equal(c.page.workers().length, 0);
    await c.read(tokens);
    await c.until(at, tokens.length - 1);
    await c.send({type: "seek", at: 3});
    await c.until(at, 3);
    assert.equal(await c.frame.locator("canvas").count(), 1);
    assert.deepEqual(await c.errors(), []);
  }
});

async function scrubbed(c) {
  await c.read(tokens);
  await c.until(at, tokens.length - 1);
  const cdp = await c.page.context().newCDPSession(c.page);
  const {width, height} = await c.page.locator("#frame").boundingBox();
  const touch = (type, x, y) => {
    return cdp.send("Input.dispatchTouchEvent", {type, touchPoints: type === "touchEnd" ? [] : [{x: x * width, y}]});
  };
  let found = -1, speed = 2; // where the track lies; elsewhere a finger that moves does nothing
  for (let y = 4; y < height && found < 0; y += 4) {
    await touch("touchStart", 0.4, y);
    await touch("touchMove", 0.5, y);
    speed = 5 - speed; // what is told of the new speed is told after the touch
    await c.send({type: "speed", charactersPerSecond: speed});
    await c.until((speed) => heard.filter((m) => m.type === "position").at(-1).charactersPerSecond === speed, speed);
    if ((await c.position()).at === 7) found = y;
    else await touch("touchEnd");
  }
  assert.ok(found > 0, "no track under a finger");
  await touch("touchMove", 0.01, found);
  await c.until(at, 0);
  await touch("touchMove", 0.99, height - 1); // as long as it is down it scrubs
  await c.until(at, tokens.length - 1);
  await touch("touchEnd");
}

async function refused(c) {
  for (const [m, says] of [
    [{type: "sing"}, /"sing" is not known/],
    [{type: "view", name: "all"}, /view is "all"/],
    [{type: "dials", dials: 3}, /dials is of type number/],
    [{type: "seek"}, /no number "at"/],
    [{type: "layer", name: "trees"}, /"trees" is not known/],
    [{type: "speed", charactersPerSecond: 0}, /must be above 0/],
    [{type: "touch", phase: "hover", x: 0, y: 0}, /"hover": send down, move or up/],
    [{type: "reading", reading: 5}, /send an object/],
    [{type: "reading", reading: {}}, /tokens is not a list/],
  ]) {
    const known = (await c.errors()).length;
    await c.send(m);
    await c.until((n) => heard.filter((m) => m.type === "error").length > n, known);
    assert.match((await c.errors()).at(-1), says);
  }
  await c.page.evaluate((tokens) => {
    const reading = sample(tokens);
    reading.state[3].pop();
    send({type: "reading", reading});
  }, tokens);
  await c.until(() => heard.some((m) => m.type === "error" && m.text.includes("state[3] has 79 values")));
  const known = (await c.errors()).length;
  // Not from the page around it.
  await c.frame.evaluate(() => postMessage({mhacsp: "circle", type: "sing"}, location.origin));
  await c.send({mhacsp: "other", type: "sing"});
  await c.send({type: "pause"});
  await c.page.waitForTimeout(500);
  assert.equal((await c.errors()).length, known);
  assert.equal(await c.position(), undefined, "nothing was read: there is no position");
}
