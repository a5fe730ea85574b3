// The embeddable element and the frame behind it.
import assert from "node:assert/strict";
import {cp, mkdtemp, readFile, rm, writeFile} from "node:fs/promises";
import path from "node:path";
import {after, before, test} from "node:test";
import {dist, launch, newPage, root, serve, temporary, unoptimised} from "./harness.mjs";
import {until, withoutCircle} from "./page.mjs";
import {tmpdir} from "node:os";

let host, blog, browser, folder;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "mhacsp-blog-"));
  host = await serve({"/": dist});
  blog = await serve({"/": folder}); // another origin, as a writer's own site is
  browser = await launch({args: unoptimised});
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

/** show opens HTML with elements in it on another origin than the elements'; circle: true draws theirs too. */
async function show(t, body, {problems, circle} = {}) {
  await writeFile(path.join(folder, "index.html"), article(body));
  const page = await newPage(browser);
  if (!circle) await withoutCircle(page);
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
    <mha-csp id="b" task="parity" expression="101" controls="play,step,scrub"></mha-csp>`, {circle: true});
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
    e.style.blockSize = "700px";
    return [e.offsetHeight, e.shadowRoot.querySelector("iframe").offsetHeight];
  });
  assert.deepEqual(size, [700, 700]);
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
  await withoutCircle(page);
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
  await withoutCircle(page);
  await page.goto(`${host.url}/embed-frame.html?task=parity&expression=101&controls=play,stop&colour=red`);
  await until(() => page.locator("#verdict").textContent(), (s) => /Best guess|answers/.test(s), "verdict");
  assert.ok(await page.locator("#play").isVisible());
  assert.ok(!await page.locator("#back").isVisible());
  for (const [asked, ...wants] of [
    ["task=sums", "task is “sums”", "arithmetic", "modarith."], ["task=own", "task is “own”", "modarith."],
    ["task=mod3", "task is “mod3”. There are finished models of arithmetic, parenthesis, parity:"],
    ["model=constructor", "model is “constructor”. Choose one of: arithmetic, clocks, parenthesis, parity."],
    ["task=parity&buttons=play,stop", "buttons is “stop”."], ["task=parity&controls=stop", "controls is “stop”."],
  ]) {
    await page.goto(`${host.url}/embed-frame.html?${asked}`);
    await until(() => page.locator("#mistakes").textContent(), (s) => wants.every((w) => s.includes(w)), asked);
  }
});

/** box is where an element stands, and how large. */
const box = (page, selector) => page.locator(selector).evaluate((e) => {
  const { width, height } = e.getBoundingClientRect();
  return {width, height};
});

test("where a minifier has emptied controls the default holds; buttons is another name for it", async (t) => {
  const page = await show(t, `<mha-csp id="a" task="parity" controls></mha-csp>
    <mha-csp id="b" task="parity" controls buttons="scrub"></mha-csp>
    <mha-csp id="c" task="parity" buttons="none"></mha-csp>`);
  const seen = (id) => page.frameLocator(`mha-csp#${id} iframe`).locator("body").evaluate(() => {
    return ["play", "back", "at"].filter((id) => document.getElementById(id)?.checkVisibility());
  });
  for (const [id, want] of [["a", ["play", "back"]], ["b", ["at"]], ["c", []]]) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    await until(() => heard(page, id, "ready"), (l) => l.length > 0, `${id} is ready`);
    assert.deepEqual(await seen(id), want, id);
  }
  await page.evaluate(() => document.getElementById("c").setAttribute("buttons", "play"));
  await until(() => seen("c"), (list) => list.join() === "play", "c with buttons changed");
});

test("a mistake in an attribute stands until it is mended", async (t) => {
  const page = await show(t, `<mha-csp id="a" task="parity" expression="101" autoplay speed="0" layer="none"
    view="dials"></mha-csp>`);
  const told = page.frameLocator("mha-csp#a iframe").locator("#mistakes");
  await until(() => heard(page, "a", "answer"), (l) => l.length > 0, "the answer");
  const both = await told.innerText();
  assert.match(both, /speed is “0”/);
  assert.match(both, /view is “dials”/);
  assert.equal((await heard(page, "a", "trouble")).length, 2);
  await page.evaluate(() => document.getElementById("a").setAttribute("speed", "3"));
  await until(() => told.innerText(), (s) => !/speed/.test(s) && /view is “dials”/.test(s), "what is left");
});

test("a wrong text at the start is told, and nothing loads for ever", async (t) => {
  const page = await show(t, `<mha-csp id="a" task="parity" expression="10x"></mha-csp>`);
  const [trouble] = await until(() => heard(page, "a", "trouble"), (l) => l.length > 0, "trouble");
  assert.equal(trouble.at, 2);
  const frame = page.frameLocator("mha-csp#a iframe");
  assert.equal(await frame.locator("#verdict").textContent(), "");
  assert.ok((await frame.locator("#expression-error").textContent()).length > 10);
  assert.equal(await frame.locator("#expression").inputValue(), "10x"); // where the reader can mend it
});

test("steps, places, marks and clocks are whole numbers, and clocks those that there are", async (t) => {
  const page = await show(t, `<mha-csp id="a" task="parity" expression="1011"></mha-csp>`);
  await until(() => heard(page, "a", "answer"), (l) => l.length > 0, "the answer");
  const call = async (body, pattern) => {
    const before = (await heard(page, "a", "trouble")).length;
    await page.evaluate(`{ const e = document.getElementById("a"); ${body} }`);
    const list = await until(() => heard(page, "a", "trouble"), (l) => l.length > before, body);
    assert.match(list.at(-1).text, pattern);
  };
  await call("e.step(0.5)", /by is “0\.5”/);
  await call("e.seek('x')", /at is “x”/);
  await call("e.cut(0)", /clock is “0”/);
  await call("e.turn(1.5)", /clock is “1\.5”/);
  await page.evaluate(() => { document.getElementById("a").seek(2); document.getElementById("a").step(1); });
  await until(() => heard(page, "a", "position"), (l) => l.at(-1).at === 3, "the step after");
  assert.ok((await heard(page, "a", "position")).every((p) => Number.isInteger(p.at)));
});

test("in a table, a float, an inline-block and next to others it has a width; in a narrow place it fits", async (t) => {
  const one = (id, around, end = "</div>") => `${around}<mha-csp id="${id}" task="parity"></mha-csp>${end}`;
  const page = await show(t, one("cell", "<table><tr><td>", "<td>text</table>") +
    one("float", "<div style='float:left'>") + one("block", "<br clear=all><div style='display:inline-block'>") +
    one("flex", "<div style='display:flex'>") +
    one("grid", "<div style='display:grid; grid-template-columns: auto auto'>", "<p>text</div>") +
    one("narrow", "<div style='width:200px'>"));
  for (const id of ["cell", "float", "block", "flex", "grid"]) {
    const {width} = await box(page, `#${id}`);
    assert.ok(width >= 272 && width <= 481, `${id} is ${width} px wide`);
  }
  assert.equal((await box(page, "#narrow")).width, 200);
  await page.setViewportSize({width: 320, height: 600});
  for (const id of ["float", "block"]) assert.ok((await box(page, `#${id}`)).width <= 304, id);
});

test("a small element grows to what its parts need, with clocks too", async (t) => {
  const page = await show(t, `<style>mha-csp { height: 200px; width: 340px; border: 1px solid }</style>
    <mha-csp id="a" task="parity" expression="101"></mha-csp>
    <mha-csp id="b" model="clocks" view="clocks" expression="3+5" buttons="play,step,note,cut"></mha-csp>`);
  for (const [id, least] of [["a", 236], ["b", 368]]) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    const frame = page.frameLocator(`mha-csp#${id} iframe`);
    await until(() => heard(page, id, "answer"), (l) => l.length > 0, "the answer");
    if (id === "b") await frame.locator("[data-cut]").first().waitFor();
    const fits = await until(() => frame.locator("main").evaluate((main) => ({
      stage: document.getElementById("stage").clientHeight, over: main.scrollHeight - innerHeight,
      wide: main.scrollWidth - innerWidth,
    })), (now) => now.over <= 0, `${id} has room`);
    assert.ok(fits.stage >= least && fits.wide <= 0, JSON.stringify(fits));
  }
});

test("what stands behind # in a plain frame's address counts, also where a host drops the query", async (t) => {
  const page = await newPage(browser);
  t.after(() => page.context().close());
  await withoutCircle(page);
  const asked = "#task=parity&expression=1101&controls=scrub&theme=dark";
  await page.goto(`${host.url}/embed-frame.html?task=arithmetic${asked}`);
  await until(() => page.locator("#tokens").textContent(), (s) => s.includes("1101"), "the text");
  assert.ok(await page.locator("#at").isVisible() && !await page.locator("#play").isVisible());
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await page.evaluate(() => { location.hash = "task=arithmetic&expression=3+5"; });
  await until(() => page.locator("#tokens").textContent(), (s) => /3\s?\+\s?5/.test(s), "the text of another address");
});

for (const [what, files, body, says, options = {}] of [
  ["embed.js alone", {"embed.js": true}, `<script defer src="embed.js"></script><mha-csp></mha-csp>`,
    /do not lie next to its script, at http.*site\/dist/],
  ["embed.js under another name, as a module", {"circle.js": true},
    `<script type="module" src="circle.js"></script><mha-csp></mha-csp>`, /do not lie next to its script, at http/],
  ["a page whose policy forbids the frame", {}, `<mha-csp></mha-csp>`, /of this page.* frame-src must name http/,
    {headers: (host) => ({"content-security-policy": `script-src 'self' ${host}; frame-src 'self'`})}],
]) {
  test(`${what}: the element names the reason`, async (t) => {
    const folder = await temporary(t), headers = options.headers?.(host.url);
    for (const name of Object.keys(files)) await cp(path.join(dist, "embed.js"), path.join(folder, name));
    const elsewhere = await serve({"/": folder}, headers);
    const page = await newPage(browser);
    t.after(async () => {
      await page.context().close();
      await elsewhere.close();
    });
    const script = Object.keys(files).length ? "" : `<script defer src="${host.url}/embed.js"></script>`;
    await writeFile(path.join(folder, "index.html"), `<!doctype html><title>A blog</title>${script}${body}`);
    await page.goto(elsewhere.url);
    await until(() => page.locator("mha-csp p").textContent(), (s) => says.test(s) && !/X-Frame/.test(s), what);
  });
}

test("in a page with Cross-Origin-Embedder-Policy it works, with a host that sends nothing of the kind", async (t) => {
  const folder = await temporary(t);
  const isolated = await serve({"/": folder},
    {"cross-origin-embedder-policy": "credentialless", "cross-origin-opener-policy": "same-origin"});
  const page = await newPage(browser);
  t.after(async () => {
    await page.context().close();
    await isolated.close();
  });
  await writeFile(path.join(folder, "index.html"),
    article(`<mha-csp id="a" task="parity" expression="101"></mha-csp>`));
  await page.goto(isolated.url);
  assert.ok(await page.evaluate(() => crossOriginIsolated));
  await until(() => heard(page, "a", "answer"), (l) => l.length > 0, "the answer");
});

test("a sandbox without allow-same-origin is named", async (t) => {
  const page = await show(t, `<iframe sandbox="allow-scripts" width="400" height="400"
    src="${host.url}/embed-frame.html#task=parity"></iframe>`, {problems: /./});
  const guard = page.frameLocator("iframe").locator("#guard");
  await until(() => guard.textContent(), (s) => /allow-same-origin/.test(s), "what the frame says");
});

test("the snippet of embed.html makes elements follow a page's switch, later ones too", async (t) => {
  const text = await readFile(path.join(root, "site/embed.html"), "utf8");
  const [, code] = /id="dark-switch"><code>([^]*?)<\/code>/.exec(text);
  const snippet = code.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
  const page = await show(t, `<mha-csp id="a" task="parity" expression="101"></mha-csp>${snippet}`);
  const theme = (id) => page.locator(`#${id}`).getAttribute("theme");
  assert.equal(await theme("a"), "light");
  await page.evaluate(() => document.documentElement.classList.add("dark"));
  await until(() => theme("a"), (s) => s === "dark", "the class of the document");
  await page.evaluate(() => {
    document.documentElement.className = "";
    document.documentElement.dataset.theme = "dark";
    document.body.append(Object.assign(document.createElement("mha-csp"), {id: "later"}));
  });
  await until(() => theme("later"), (s) => s === "dark", "an element that came later");
  const html = page.frameLocator("mha-csp#a iframe").locator("html");
  await until(() => html.getAttribute("data-theme"), (s) => s === "dark", "the frame");
});
