// The embeddable element and the frame behind it.
import assert from "node:assert/strict";
import {mkdtemp, rm, writeFile} from "node:fs/promises";
import path from "node:path";
import {after, before, test} from "node:test";
import {dist, launch, newPage, serve} from "./harness.mjs";
import {until} from "./page.mjs";
import {tmpdir} from "node:os";

let host, blog, browser, folder;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mhacsp-blog-"));
  host = await serve({"/": dist});
  blog = await serve({"/": folder}); // another origin, as a writer's own site is
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await host?.close();
  await blog?.close();
  await rm(folder, {recursive: true, force: true});
});

/** A page of another site, with the element in its body: it hears every event of every element. */
const article = (body) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>A blog</title><link rel="icon" href="data:,">
<script>
window.before = Object.keys(window);
window.heard = [];
addEventListener("DOMContentLoaded", () => {
  for (const e of document.querySelectorAll("mha-csp")) {
    for (const type of ["ready", "answer", "position", "progress", "trouble"]) {
      e.addEventListener(type, (event) => heard.push({id: e.id, type, detail: event.detail}));
    }
  }
});
</script>
<script defer src="${host.url}/embed.js"></script><body>${body}</body></html>`;

/** show opens HTML with elements in it on another origin than the elements'. */
async function show(t, body, problems) {
  await writeFile(path.join(folder, "index.html"), article(body));
  const page = await newPage(browser);
  t.after(async () => {
    const found = [...page.problems]; // a request that is still under way ends with the page and is none
    await page.unrouteAll({behavior: "ignoreErrors"});
    await page.context().close();
    for (const problem of found) assert.match(problem, problems ?? /^no problem at all$/);
  });
  await page.goto(blog.url);
  return page;
}

/** heard is the detail of every event of a type that an element dispatched so far. */
const heard = (page, id, type) => page.evaluate(([id, type]) => {
  return window.heard.filter((h) => h.id === id && h.type === type).map((h) => h.detail);
}, [id, type]);

test("two elements on a page of another site: each reads its own text, and nothing leaks", async (t) => {
  const page = await show(t, `<mha-csp id="a" expression="(3+5) mod 9" autoplay speed="20"></mha-csp>
    <mha-csp id="b" task="parity" expression="101" controls="play,step,scrub"></mha-csp>`);
  const [a] = await until(() => heard(page, "a", "answer"), (l) => l.length > 0, "answer of a");
  const [b] = await until(() => heard(page, "b", "answer"), (l) => l.length > 0, "answer of b");
  assert.deepEqual([a.answer, a.expected, a.right], ["8", "8", true]);
  assert.deepEqual([b.expected, b.right], ["0", true]);
  assert.equal((await heard(page, "a", "ready")).length, 1);
  assert.ok((await heard(page, "a", "ready"))[0].parameters > 1000);
  await until(() => heard(page, "a", "position"), (l) => l.some((p) => p.at === p.tokens - 1), "a read to its end");
  assert.ok(!(await heard(page, "b", "position")).some((p) => p.playing), "b has no autoplay");
  const leaked = await page.evaluate(() => {
    const known = [...window.before, "before", "heard", "a", "b"];
    return Object.keys(window).filter((k) => !known.includes(k));
  });
  assert.deepEqual(leaked, []);
  const circles = async () => page.workers().map((w) => w.url().includes("/circle/")).sort().join();
  await until(circles, (s) => s === "false,false,true,true", "a trainer and a circle each");
  await page.evaluate(() => document.getElementById("a").remove());
  await until(() => Promise.resolve(page.workers().length), (n) => n === 2, "workers");
  await page.evaluate(() => document.getElementById("b").remove());
  await until(() => Promise.resolve(page.workers().length), (n) => n === 0, "workers");
  await until(() => Promise.resolve(page.frames().length), (n) => n === 1, "frames left");
});

test("it starts when scrolled into view; methods and attributes work; a removed one starts again", async (t) => {
  const page = await show(t, `<div style="height:3000px"></div>
    <mha-csp id="a" task="parity" expression="1"></mha-csp>`);
  await page.waitForTimeout(400);
  assert.equal(page.frames().length, 1, "it started out of sight");
  await page.evaluate(() => { document.getElementById("a").step(1); document.getElementById("a").scrollIntoView(); });
  await until(() => heard(page, "a", "answer"), (l) => l.length > 0, "answer");
  await page.evaluate(() => document.getElementById("a").read("1101"));
  await until(() => heard(page, "a", "answer"), (l) => l.at(-1).text.includes("1101"), "answer to read()");
  await page.evaluate(() => document.getElementById("a").setAttribute("expression", "11x"));
  const [trouble] = await until(() => heard(page, "a", "trouble"), (l) => l.length > 0, "trouble");
  assert.equal(trouble.at, 2);
  await page.evaluate(() => {
    const e = document.getElementById("a");
    e.remove();
    document.body.append(e);
    e.scrollIntoView();
  });
  await until(() => heard(page, "a", "ready"), (l) => l.length === 2, "ready again");
  const size = await page.evaluate(() => {
    const e = document.getElementById("a");
    e.style.blockSize = "200px";
    return [e.offsetHeight, e.shadowRoot.querySelector("iframe").offsetHeight];
  });
  assert.deepEqual(size, [200, 200]);
});

/** A run of parity that is over in a moment, for an element's settings; its steps come with it. */
const quick = "model=csp&width=8&batch=8&max_length=8&eval_every=0&test_samples=0&backend=cpu";

test("with train it trains, and says how it goes", async (t) => {
  const page = await show(t, `<mha-csp id="a" task="parity" train autoplay settings="${quick}&steps=40"></mha-csp>`);
  const list = await until(() => heard(page, "a", "progress"), (l) => l.at(-1)?.step === 40, "progress to the end");
  assert.ok(list.every((p) => p.loss > 0 && p.answer >= 0 && p.answer <= 1));
  await until(() => heard(page, "a", "answer"), (l) => l.at(-1)?.step === 40, "an answer of the trained network");
});

test("what is typed while it trains stays", async (t) => {
  const page = await show(t, `<mha-csp id="a" task="parity" expression="101" train autoplay
    controls="train,expression" settings="${quick}&steps=60"></mha-csp>`);
  const frame = page.frameLocator("mha-csp#a iframe");
  await until(() => heard(page, "a", "progress"), (l) => l.length > 0, "progress");
  await frame.locator("#expression").fill("11 and more");
  await until(() => heard(page, "a", "answer"), (l) => l.at(-1)?.step === 60, "an answer of the trained network");
  assert.equal(await frame.locator("#expression").inputValue(), "11 and more");
});

test("the line to type in and its button stand apart", async (t) => {
  const page = await newPage(browser);
  t.after(() => page.context().close());
  await page.goto(`${host.url}/embed-frame.html?task=parity&controls=expression`);
  await page.locator("#ask").waitFor();
  const line = await page.locator("#expression").boundingBox();
  const button = await page.locator("#ask button").boundingBox();
  assert.ok(button.x - (line.x + line.width) >= 4, `${line.x + line.width} to ${button.x}`);
  assert.ok(line.width > 2 * button.width && Math.abs(line.y - button.y) < line.height / 2, "in one row");
});

test("a head that is not there is told", async (t) => {
  const page = await show(t, `<mha-csp id="a" layer="distance" head="4"></mha-csp>
    <mha-csp id="b" task="parity" head="0"></mha-csp>`);
  const told = (id, what) => {
    return until(() => heard(page, id, "trouble"), (l) => l.some((x) => what.test(x.text)), `trouble of ${id}`);
  };
  await told("a", /^head is “4”\. Choose a head from 0 to 3\.$/);
  await told("b", /^head is “0”\. This model has no attention/);
});

test("an attribute that is taken away leaves what holds without it", async (t) => {
  const page = await show(t, `<mha-csp id="a" theme="dark" speed="20" layer="distance" head="2" view="clocks"
    controls="scrub,layer"></mha-csp><mha-csp id="b" task="parity" train head="0" controls="none"></mha-csp>`);
  const [a, b] = ["a", "b"].map((id) => page.frameLocator(`mha-csp#${id} iframe`));
  await until(() => a.locator("#head").inputValue(), (head) => head === "2", "head of a");
  await until(() => heard(page, "b", "trouble"), (l) => l.length === 1, "b has no head");
  const look = async () => ({
    theme: await a.locator("html").getAttribute("data-theme"), layer: await a.locator("#layer").inputValue(),
    head: await a.locator("#head").inputValue(), clocks: await a.locator("#stage[data-clocks]").count(),
    play: await a.locator("#play").isVisible(), scrub: await a.locator("#at").isVisible(),
    train: await b.locator("#train").isVisible(),
  });
  const with_ = {theme: "dark", layer: "distance", head: "2", clocks: 1, play: false, scrub: true, train: false};
  assert.deepEqual(await look(), with_);
  await page.evaluate(() => {
    for (const e of document.querySelectorAll("mha-csp")) {
      for (const name of ["theme", "speed", "layer", "head", "view", "controls"]) e.removeAttribute(name);
    }
  });
  const without = {theme: null, layer: "none", head: "0", clocks: 0, play: true, scrub: false, train: true};
  await until(look, (now) => JSON.stringify(now) === JSON.stringify(without), "without attributes");
  assert.deepEqual([(await heard(page, "a", "trouble")).length, (await heard(page, "b", "trouble")).length], [0, 1]);
});

test("the plain frame says what is wrong with its address, and still shows the rest", async (t) => {
  const page = await newPage(browser);
  t.after(() => page.context().close());
  await page.goto(`${host.url}/embed-frame.html?task=parity&expression=101&controls=play,stop&colour=red`);
  await until(() => page.locator("#verdict").textContent(), (s) => /Readout|answers/.test(s), "verdict");
  assert.ok(await page.locator("#play").isVisible());
  assert.ok(!await page.locator("#back").isVisible());
  await page.goto(`${host.url}/embed-frame.html?task=sums`);
  const error = page.locator("#expression-error");
  await until(() => error.textContent(), (s) => s.includes("task is “sums”") && s.includes("arithmetic"), "error");
});
