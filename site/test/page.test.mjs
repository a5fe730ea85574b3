// The trainer's page as its visitors use it, on the real trainer.
import assert from "node:assert/strict";
import {readFile, writeFile} from "node:fs/promises";
import path from "node:path";
import {test} from "node:test";
import {dist, temporary} from "./harness.mjs";
import {endless, kept, label, state, step, suite, text, tiny, until, withCircle} from "./page.mjs";

const self = suite();
const {again, open, start, ready} = self;

test("one button trains, pauses and goes on; the curves and figures fill", async (t) => {
  const page = await again(t, endless);
  assert.equal(await label(page), "Train");
  assert.match(await state(page), /not practised yet/);
  await page.click("#train");
  await until(() => step(page), (n) => n >= 45, "step");
  assert.equal(await label(page), "Pause");
  assert.match(await page.locator(".lede").innerText(), /Press “Train” and watch it/);
  await page.click("#train");
  await until(() => label(page), (l) => l === "Train on", "label");
  const at = await step(page);
  await page.waitForTimeout(300);
  assert.equal(await step(page), at, "it went on after Pause");
  for (const id of ["f-loss", "f-answer", "f-ms", "f-tokens", "f-parameters", "f-memory", "f-adapter"]) {
    await until(() => text(page, id), (s) => /\d|[a-z]/.test(s), id);
  }
  for (const id of ["chart-loss", "chart-accuracy", "chart-embedding", "chart-spectrum"]) {
    await page.locator(`#${id}`).scrollIntoViewIfNeeded();
    await page.locator(`#${id} canvas`).waitFor();
    const said = () => page.locator(`#${id}`).getAttribute("aria-label");
    await until(said, (s) => s && !s.includes("nothing to show"), id);
  }
  assert.equal(await text(page, "f-adapter"), "processor, fused WebAssembly vectors");
  const shown = page.locator("#samples td:last-child");
  const verdicts = await until(() => shown.allTextContents(), (l) => l.length > 0, "samples");
  assert.ok(verdicts.every((v) => /^[✓✗] /.test(v)), `verdicts ${verdicts}`);
  await page.click("#train");
  await until(() => step(page), (n) => n > at, "step after Train on");
});

test("reset rewinds to the same first weights: the same first step", async (t) => {
  const page = await again(t);
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  const first = await until(() => text(page, "f-loss"), (v) => v !== "–", "loss");
  await page.click("#step");
  await until(() => step(page), (n) => n === 2, "step");
  await page.click("#reset");
  await until(() => step(page), (n) => n === 0, "step after reset");
  await until(() => text(page, "f-loss"), (v) => v === "–", "loss after reset");
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  assert.equal(await until(() => text(page, "f-loss"), (v) => v !== "–", "loss"), first);
});

test("a link gives the same run, seed included; a new seed another", async (t) => {
  const loss = (page) => until(() => text(page, "f-loss"), (v) => v !== "–", "loss");
  const page = await again(t);
  await page.click("#step");
  const first = await loss(page);
  const other = await start(t, new URL(page.url()).hash.replace(/^/, "/lab.html"));
  assert.equal(other.url(), page.url());
  await other.click("#step");
  assert.equal(await loss(other), first);
  const seen = [];
  do { // now and then two seeds' losses have the same three digits
    const before = other.url();
    await other.click("#reseed");
    await until(() => step(other), (n) => n === 0, "step");
    await until(() => text(other, "f-loss"), (v) => v === "–", "loss of the new run");
    await until(() => Promise.resolve(other.url()), (u) => u !== before, "link");
    await other.click("#step");
    seen.push(await loss(other));
  } while (seen.at(-1) === first && seen.length < 3);
  assert.notEqual(seen.at(-1), first, `${seen}`);
});

test("a link that is partly wrong opens, and says kindly what and why", async (t) => {
  const page = await start(t, `/lab.html#${tiny}&lr=fast&colour=red`.replace("&lr=0.01", ""));
  const told = await page.locator('[data-kind="link"]').innerText();
  for (const part of ["Learning rate (lr) is “fast”", "Choose a number from", "colour is “red”", "remove it"]) {
    assert.ok(told.includes(part), told);
  }
  assert.equal(await page.locator("#set-width").inputValue(), "8");
  await page.evaluate(() => {
    location.hash = "#task=parity&model=csp&width=8&heads=4&batch=0&max_length=8&backend=cpu&seed=1";
  });
  await until(() => page.locator('[data-kind="link"]').innerText(), (s) => s.includes("Batch (batch) is “0”"),
    "message");
});

test("a setting that the trainer refuses is told at its field, the run stays", async (t) => {
  const page = await again(t, tiny.replace("model=csp", "model=mha-csp"));
  await page.click("#all-settings summary");
  await page.fill("#set-heads", "3");
  await page.press("#set-heads", "Tab");
  await until(() => page.locator("#messages").innerText(),
    (s) => /^Width is 8, .*heads/.test(s) && /choose/.test(s), "message");
  assert.equal(await page.locator("#set-width").inputValue(), "8");
  await page.fill("#set-batch", "many");
  await page.press("#set-batch", "Tab");
  assert.match(await text(page, "set-batch-error"), /^Batch is “many”. Choose a whole number/);
  assert.equal(await page.locator("#set-batch").getAttribute("aria-invalid"), "true");
});

test("nothing is begun while a field holds no value, and Train goes to it", async (t) => {
  const page = await again(t);
  const set = async (id, value) => {
    await page.fill(`#set-${id}`, value);
    await page.press(`#set-${id}`, "Tab");
  };
  await set("lr", "99");
  await set("batch", "-5");
  await set("steps", "50");
  const both = /^Not begun: mend “Learning rate” and “Batch” in the settings first\.$/;
  for (const begin of [() => page.click("#train"), () => page.click("#step"), () => page.click("#reseed")]) {
    await begin();
    await until(() => state(page), (s) => both.test(s), "what to mend");
    assert.equal(await page.evaluate(() => document.activeElement.id), "set-lr");
    assert.equal(await step(page), 0);
  }
  assert.deepEqual([await page.inputValue("#set-lr"), await page.inputValue("#set-batch")], ["99", "-5"]);
  await set("lr", "0.02");
  await set("batch", "16");
  await until(() => Promise.resolve(page.url()), (u) => /batch=16/.test(u) && /lr=0.02/.test(u) && /steps=50/.test(u),
    "all three, once they are mended");
  await page.click("#train");
  await until(() => step(page), (n) => n > 0, "steps");
});

test("a run that came to its end is kept when it is trained again, and can be opened", async (t) => {
  const page = await start(t, `/lab.html#${tiny.replace("steps=60", "steps=20")}`);
  await page.click("#train");
  await until(() => label(page), (l) => l === "Train again", "the end");
  await page.click("#train");
  const offer = page.locator(".message", {hasText: "A run of yours is kept here: Parity of bits, step 20"});
  await offer.waitFor();
  await until(() => label(page), (l) => l === "Train again", "the end again");
  await kept(page);
  assert.ok(await offer.isVisible());
  await offer.getByRole("button", {name: "Go on with it"}).click();
  await until(() => state(page), (s) => /^Trained: .* 20 steps/.test(s), "the finished run");
});

test("settings that do not go together stay as chosen, with the remedy, until mended or undone", async (t) => {
  const page = await again(t);
  const before = page.url();
  const choose = (model) => page.locator("#set-model").selectOption(model);
  const marked = async () => {
    const remedy = /choose another model, or a task that writes/;
    await until(() => text(page, "set-model-error"), (s) => remedy.test(s), "mark");
    assert.deepEqual([await page.locator("#set-task").inputValue(), await page.locator("#set-model").inputValue()],
      ["parity", "mha-csp-m"]);
    assert.match(await text(page, "pending-text"), /cannot be trained as they are/);
    assert.ok(!await page.locator("#start-again").isVisible(), "there is nothing to start");
  };
  await choose("mha-csp-m");
  await marked();
  assert.equal(page.url(), before, "the open run stays");
  await page.click("#undo");
  assert.equal(await page.locator("#set-model").inputValue(), "csp");
  assert.equal(await text(page, "set-model-error"), "");
  assert.ok(!await page.locator("#pending").isVisible());
  await choose("mha-csp-m");
  await marked();
  await choose("mha-csp-s");
  await until(() => Promise.resolve(page.url()), (u) => u.includes("task=parity&model=mha-csp-s"), "the mended run");
  assert.ok(!await page.locator("#pending").isVisible());
  await page.evaluate(() => { location.hash = "#task=parity&model=mha-csp-m&backend=cpu"; });
  await marked();
  const told = await page.locator('[data-kind="trouble"]').innerText();
  for (const part of ["whose memory", "“One digit plus one digit” is open"]) assert.ok(told.includes(part), told);
  await page.locator("#set-task").selectOption("arithmetic");
  const mended = "task=arithmetic&model=mha-csp-m";
  await until(() => Promise.resolve(page.url()), (u) => u.includes(mended), "the mended link");
  assert.equal(await page.locator('[data-kind="trouble"]').count(), 0, "the message stays");
});

test("changing a setting in mid-run asks first; Undo and Start again do what they say", async (t) => {
  const page = await again(t);
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  const before = page.url();
  await page.fill("#set-batch", "16");
  await page.press("#set-batch", "Tab");
  await page.locator("#pending").waitFor();
  assert.equal(page.url(), before);
  await page.click("#undo");
  assert.equal(await page.locator("#set-batch").inputValue(), "8");
  await page.fill("#set-batch", "16");
  await page.press("#set-batch", "Tab");
  await page.click("#pending button[type=submit]");
  await until(() => step(page), (n) => n === 0, "step");
  await until(() => Promise.resolve(page.url()), (u) => u.includes("batch=16"), "link");
});

test("what is pressed while settings open their run is done to that run", async (t) => {
  const page = await again(t, endless);
  for (const id of ["train", "step"]) {
    await page.evaluate((id) => {
      for (const batch of [id.length, 16]) { // the second run waits for the first
        document.querySelector("#set-batch").value = batch;
        document.querySelector("#set-batch").dispatchEvent(new Event("change", {bubbles: true}));
      }
      document.querySelector(`#${id}`).click();
    }, id);
    await until(() => Promise.resolve(page.url()), (u) => u.includes("batch=16"), "link");
    await until(() => step(page), (n) => n >= 1, "step of the run that was chosen");
    assert.match(await state(page), id === "train" ? /^Training/ : /^Paused at step 1 /);
    await page.click("#reset");
    await until(() => step(page), (n) => n === 0, "the start");
  }
});

test("a mistake in what is typed stays while training reads the older text again", async (t) => {
  const page = await again(t, endless);
  await page.click("#train");
  await page.fill("#expression", "12");
  await page.press("#expression", "Enter");
  await until(() => text(page, "expression-error"), (s) => s.includes("column 2"), "error");
  await page.click("#train"); // the pause reads the older text
  await until(() => label(page), (l) => l === "Train on", "label");
  await until(() => page.locator("#samples > *").count(), (n) => n > 0, "samples");
  await page.evaluate(() => { document.querySelector("#samples").firstElementChild.dataset.old = ""; });
  await page.click("#step"); // so does a step; what it reads is there before its samples are
  await until(() => page.locator("#samples > [data-old]").count(), (n) => n === 0, "samples of the step");
  assert.match(await text(page, "expression-error"), /column 2/);
  assert.equal(await page.getAttribute("#expression", "aria-invalid"), "true");
  await page.fill("#expression", "11");
  await page.press("#expression", "Enter");
  await until(() => text(page, "expression-error"), (s) => s === "", "no error");
});

test("opened from the disk the page says what it needs", async (t) => {
  for (const name of ["index.html", "lab.html", "embed.html"]) {
    const page = await open(t, "/formulas.html", {problems: /CORS|ERR_FAILED/});
    await page.goto(`file://${path.join(dist, name)}`);
    await until(() => page.locator("main > .notice").first().textContent(), (s) => /Serve its folder/.test(s), name);
  }
});

test("the next run is kept beside the one before; an earlier step is not kept over a later one", async (t) => {
  const page = await start(t, `/lab.html#${endless}`);
  await page.click("#step");
  await page.click("#train");
  await until(() => step(page), (n) => n > 3, "step");
  await page.click("#train");
  await until(() => label(page), (l) => l === "Train on", "label");
  const first = await kept(page);
  await page.reload();
  await ready(page);
  await page.locator('[data-kind="kept"]').waitFor();
  await page.click("#train");
  await until(() => step(page), (n) => n > first + 3, "step");
  await page.click("#train");
  await until(() => label(page), (l) => l === "Train on", "label");
  const second = await kept(page);
  await page.locator("#timeline").evaluate((range) => {
    range.value = 1;
    range.dispatchEvent(new Event("change"));
  });
  await until(() => step(page), (n) => n === 1, "an earlier step");
  await hidden(page); // as leaving it does
  await page.waitForTimeout(500); // else the reload could cut off what should not be written
  await page.reload();
  await ready(page);
  const says = (kind, at) => until(() => page.locator(`[data-kind="${kind}"]`).innerText(),
    (s) => s.includes(`step ${at.toLocaleString("en")},`), kind);
  await says("kept-second", second);
  await page.locator('[data-kind="kept-earlier"]').getByRole("button", {name: "Show"}).click();
  await says("kept", first);
});

test("a model goes out as a file and comes back; a damaged file is refused with its reason", async (t) => {
  const dir = await temporary(t);
  const page = await start(t);
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
  assert.match(download.suggestedFilename(), /\.safetensors$/);
  const file = path.join(dir, "model.safetensors");
  await download.saveAs(file);
  const bytes = await readFile(file);
  const config = JSON.parse(JSON.parse(bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE(0)))).__metadata__.config);
  assert.deepEqual([config.task, config.width, config.seed], ["parity", 8, 4]);

  const other = await start(t, `/lab.html#${tiny.replace("width=8", "width=12")}`);
  await other.setInputFiles("#file", file);
  await until(() => other.locator("#set-width").inputValue(), (v) => v === "8", "width");
  assert.match(await other.locator('[data-kind="loaded"]').innerText(),
    /model\.safetensors is open: Parity of bits, after 1 training step\./);

  const bad = path.join(dir, "bad.safetensors");
  await writeFile(bad, bytes.subarray(0, bytes.length - 100));
  await other.setInputFiles("#file", bad);
  const refused = (s) => s.includes("bad.safetensors could not be opened");
  const told = await until(() => other.locator("#messages").innerText(), refused, "message");
  assert.ok(told.length > 60, told);
  await writeFile(bad, "not a model");
  await other.setInputFiles("#file", bad);
  await other.waitForTimeout(200);
  const at = await step(other);
  await other.click("#train"); // the page is as it was
  await until(() => step(other), (n) => n > at, "step");
});

test("everything has a key, and a key never acts while one types", async (t) => {
  const page = await start(t, `/lab.html#${endless}`);
  await page.locator("body").press("s");
  await until(() => step(page), (n) => n === 1, "step after S");
  await page.locator("body").press("r");
  await until(() => step(page), (n) => n === 0, "step after R");
  await page.locator("body").press(" ");
  await until(() => label(page), (l) => l === "Pause", "label after Space");
  await page.locator("body").press(" ");
  await until(() => label(page), (l) => l !== "Pause", "label after Space");
  const url = page.url();
  await page.locator("body").press("n");
  await until(() => Promise.resolve(page.url()), (u) => u !== url, "link after N");
  await page.locator("body").press("t");
  assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  await page.locator("body").press("?");
  assert.ok(await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  assert.ok(!await page.locator("#help").isVisible());
  await page.locator("body").press("e");
  await page.keyboard.type("101 srn?");
  assert.equal(await page.locator("#expression").inputValue(), "101 srn?");
  assert.equal(await step(page), 0);
  assert.ok(!await page.locator("#help").isVisible());
  // Single keys can be switched off.
  await page.click("#help-open");
  await page.uncheck("#keys");
  await page.keyboard.press("Escape");
  await page.locator("body").press("s");
  await page.waitForTimeout(200);
  assert.equal(await step(page), 0);
  // Every button can be reached with Tab and shows it.
  await page.locator("#main").focus();
  await page.keyboard.press("Tab");
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.notEqual(outline, "none");
});

test("a typed text is read in the circle; a mistake in it is shown at its place", async (t) => {
  const page = await start(t, `/lab.html#${tiny}`, {circle: true, viewport: withCircle.viewport});
  await page.fill("#expression", "10x1");
  await page.press("#expression", "Enter");
  const told = await until(() => text(page, "expression-error"), (s) => s.length > 0, "error");
  assert.equal(await page.locator("#expression-error mark").textContent(), "x", told);
  assert.equal(await page.locator("#expression").getAttribute("aria-invalid"), "true");
  await page.fill("#expression", "1101");
  await page.press("#expression", "Enter");
  await until(() => text(page, "expression-error"), (s) => s === "", "error");
  await until(() => Promise.resolve(page.url()), (u) => u.includes("expression=1101"), "link");
  const circle = async () => page.frames().find((f) => /circle/.test(f.url()));
  const frame = await until(circle, (f) => f, "the circle's frame");
  await frame.locator("canvas").waitFor();
  await until(() => page.locator("#read-at").inputValue(), (v) => Number(v) > 0, "position while it plays");
  await page.locator("#read-at").focus();
  await page.keyboard.press("End");
  await until(() => text(page, "verdict"), (s) => /answers .+: [✓✗] /.test(s), "verdict");
});

test("the run is offered after a reload, goes on where it was, and can be deleted", async (t) => {
  const page = await start(t, `/lab.html#${endless}`);
  await page.click("#train");
  await until(() => step(page), (n) => n >= 25, "step");
  await page.click("#train");
  await until(() => label(page), (l) => l === "Train on", "label");
  const at = await kept(page);
  await page.reload();
  await ready(page);
  await page.locator('[data-kind="kept"]').getByRole("button", {name: "Go on with it"}).click();
  await until(() => step(page), (n) => n === at, "step");
  await page.locator("#chart-loss").scrollIntoViewIfNeeded();
  await page.locator("#chart-loss canvas").waitFor(); // its curve came back too
  await page.click("#step");
  await until(() => step(page), (n) => n === at + 1, "step");
  await page.click("#forget");
  await page.locator('[data-kind="forgotten"]').waitFor();
  await hidden(page); // as leaving it does
  await page.reload();
  await ready(page);
  await page.waitForTimeout(300);
  assert.equal(await page.locator('[data-kind="kept"]').count(), 0);
});

/** hidden hides the page, which keeps the run. */
const hidden = (page) => page.evaluate(() => {
  Object.defineProperty(document, "hidden", {configurable: true, get: () => true});
  document.dispatchEvent(new Event("visibilitychange"));
});

test("training pauses while the tab is hidden, unless told otherwise", async (t) => {
  const page = await start(t, `/lab.html#${endless}`);
  const hide = (hidden) => page.evaluate((value) => {
    Object.defineProperty(document, "hidden", {configurable: true, get: () => value});
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
  await page.click("#train");
  await until(() => step(page), (n) => n > 3, "step");
  await hide(true);
  await until(() => label(page), (l) => l === "Train on", "label");
  await kept(page); // and it was kept
  await hide(false);
  await until(() => label(page), (l) => l === "Pause", "label");
  for (const flips of [[true, false], [true, false, true, false]]) { // faster than the trainer answers
    const before = await step(page);
    await page.evaluate((flips) => {
      for (const value of flips) {
        Object.defineProperty(document, "hidden", {configurable: true, get: () => value});
        document.dispatchEvent(new Event("visibilitychange"));
      }
    }, flips);
    await until(() => step(page), (n) => n > before + 20, `step after ${flips}`);
    await until(() => label(page), (l) => l === "Pause", "label");
  }
  await page.check("#background");
  await until(() => Promise.resolve(page.url()), (u) => u.includes("background=true"), "link");
  await hide(true);
  const at = await step(page);
  await until(() => step(page), (n) => n > at + 3, "step in a hidden tab");
});

test("hidden tabs, and the text while its task stays, outlive a changed setting", async (t) => {
  const page = await again(t);
  const hash = (pattern) => until(() => page.url(), (u) => pattern.test(u), String(pattern));
  const batch = async (n) => {
    await page.fill("#set-batch", n);
    await page.press("#set-batch", "Tab");
  };
  await page.check("#background");
  await page.fill("#expression", "110");
  await page.press("#expression", "Enter");
  await hash(/expression=110/);
  await batch("16");
  await hash(/batch=16.*expression=110.*background=true/);
  assert.ok(await page.isChecked("#background"));
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  await batch("32");
  await page.locator("#pending").waitFor();
  await page.uncheck("#background"); // while it waits
  await page.click("#start-again");
  await hash(/batch=32/);
  assert.ok(!page.url().includes("background"), page.url());
  await page.check("#background");
  await page.locator("#set-task").selectOption("parenthesis");
  await hash(/task=parenthesis/);
  assert.ok(!page.url().includes("expression"), page.url());
  await page.click("#finished");
  await hash(/finished=parenthesis/);
  await page.click("#reseed");
  await hash(/task=parenthesis.*backend=cpu.*background=true/);
});

test("a link whose program did not come is opened when it does", async (t) => {
  const program = /\/trainer\.[0-9a-f]+\.wasm/;
  const first = (page) => page.route(program, (route) => route.abort());
  const page = await open(t, `/lab.html#${tiny}`, {first, problems: /ERR_FAILED|Failed to load/});
  const again = page.locator('[data-kind="lost"]').getByRole("button", {name: "Start again"});
  await again.waitFor();
  await page.unroute(program);
  await again.click();
  await ready(page);
  assert.equal(await page.inputValue("#set-width"), "8");
  assert.match(page.url(), /task=parity.*width=8/);
});

test("a kept run that cannot be opened keeps its place, and so does the one that is open", async (t) => {
  const page = await start(t, `/lab.html#${endless}`, {problems: /ERR_FAILED|Failed to load/});
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  await hidden(page);
  assert.equal(await kept(page), 1);
  // A run of another family in a place of its own, as another tab would have left it.
  await page.evaluate(async () => {
    const db = await new Promise((done) => { indexedDB.open("mhacsp").onsuccess = (e) => done(e.target.result); });
    const runs = db.transaction("runs", "readwrite").objectStore("runs");
    const last = await new Promise((done) => { runs.get("last").onsuccess = (e) => done(e.target.result); });
    const chosen = {...last.chosen, model: "lstm"}, run = {...last.run, model: "lstm"};
    runs.put({...last, chosen, run, step: 40}, "second");
    await new Promise((done) => { runs.transaction.oncomplete = done; });
    db.close();
  });
  await page.reload();
  await ready(page);
  const offered = (kind) => page.locator(`[data-kind="${kind}"]`).getByRole("button", {name: "Go on with it"});
  const earlier = () => page.locator('[data-kind="kept-earlier"]').getByRole("button", {name: "Show"}).click();
  await earlier();
  await offered("kept").click();
  await until(() => step(page), (n) => n === 1, "step");
  await page.route(/\/families\.[0-9a-f]+\.wasm/, (route) => route.abort());
  await offered("kept-second").click();
  await page.locator('[data-kind="trouble"]').waitFor();
  await page.click("#step");
  await until(() => step(page), (n) => n === 2, "the run before goes on");
  await hidden(page);
  assert.equal(await kept(page), 2);
  await page.reload();
  await ready(page);
  await earlier();
  const offers = [["kept", /Parity of bits, step 2,/], ["kept-second", /Parity of bits, step 40,/]];
  for (const [kind, says] of offers) assert.match(await page.locator(`[data-kind="${kind}"]`).innerText(), says);
});

test("a lost device is told, and the run goes on from its last save", async (t) => {
  const page = await again(t, endless);
  await page.click("#train");
  await until(() => step(page), (n) => n >= 10, "step");
  await page.click("#train");
  await until(() => label(page), (l) => l === "Train on", "label");
  const at = await kept(page);
  await page.workers()[0].evaluate(() => {
    self.postMessage({type: "error", text: "The GPU was lost. Open the run again.", at: -1, fatal: true});
  });
  const box = page.locator('[data-kind="lost"]');
  await box.waitFor();
  assert.match(await box.innerText(), /GPU was lost/);
  assert.ok(await page.locator("#train").isDisabled());
  await box.getByRole("button", {name: "Go on from the last save"}).click();
  await until(() => step(page), (n) => n === at, "step");
  await page.click("#step");
  await until(() => step(page), (n) => n === at + 1, "step");
});

test("the finished model answers, and its link shows it again", async (t) => {
  const page = await start(t, "/lab.html");
  await page.click("#finished");
  await until(() => state(page), (s) => s.includes("finished model"), "state");
  assert.equal(await page.locator("#expression").inputValue(), "(3+5) mod 9");
  await until(() => page.locator("#samples .right").count(), (n) => n >= 6, "right answers of 12");
  await page.locator("#read-at").focus();
  await page.keyboard.press("End");
  await until(() => text(page, "verdict"), (s) => s.includes("answers 8: ✓ right"), "verdict");
  await page.reload();
  await ready(page);
  await until(() => state(page), (s) => s.includes("finished model"), "state");
  await page.fill("#expression", "(3+5");
  await page.press("#expression", "Enter");
  await until(() => text(page, "expression-error"), (s) => /column 5/.test(s), "error");
});

test("each task has its own finished model, and the words of the page are the task's", async (t) => {
  const page = await again(t); // parity
  await page.click("#finished");
  await until(() => state(page), (s) => s === "A finished model: Parity of bits", "state");
  assert.match(page.url(), /finished=parity/);
  assert.equal(await text(page, "samples-note"), "Texts of a test, answered on its own.");
  assert.equal(await text(page, "lengths-title"), "Longer texts");
  const chart = page.locator("#chart-embedding");
  await chart.scrollIntoViewIfNeeded();
  const two = (s) => /^Digits: 0 at [^;]*; 1 at [^;]*$/.test(s);
  await until(() => chart.getAttribute("aria-label"), two, "points of 0 and 1");
  await page.fill("#set-steps", "50"); // of a new run of that task
  await page.press("#set-steps", "Tab");
  await page.click("#start-again");
  await until(() => page.url(), (u) => /#task=parity&.*steps=50/.test(u), "link");
  assert.match(await state(page), /^Ready: Parity of bits/);
  await page.check('input[name="lesson"][value="brackets"]');
  await until(() => text(page, "embedding-title"), (s) => s === "Where the brackets sit", "title");
  await page.check('input[name="lesson"][value="sums"]');
  await until(() => text(page, "lengths-title"), (s) => s === "More and more numbers", "title");
  assert.equal(await text(page, "accuracy-note"), "In training, and in a test. Sums of two numbers or more are new to it.");
});

test("without JavaScript each page says what it needs", async (t) => {
  for (const address of ["/", "/lab.html", "/race.html", "/embed.html", "/embed-frame.html", "/bench.html"]) {
    // Nothing is drawn: there is no route to lay.
    const page = await open(t, address, {javaScriptEnabled: false, circle: true});
    assert.match(await page.locator("noscript").innerText(), /JavaScript.*switched off/, address);
  }
});

test("formulas need no script: sections by name, real subscripts, what is wide scrolls in its box", async (t) => {
  for (const width of [390, 1280]) {
    const page = await open(t, "/lab.html", {javaScriptEnabled: false, circle: true, viewport: {width, height: 800}});
    await page.click('footer a[href="formulas.html"]');
    await page.click('.contents a[href="#s4"]');
    const top = (await page.locator("#s4").boundingBox()).y;
    assert.ok(top >= 0 && top < 100, `section 4 begins at ${top}`);
    assert.equal(await page.locator("article h2[id^=s]").filter({hasText: /^\d/}).count(), 11);
    const tree = page.locator("#s4 ~ .formula").first();
    assert.match(await tree.innerHTML(), /C̃<sub>ij<\/sub> = log\(1 \+ Σ<sub>t=j<\/sub><sup>i−1<\/sup>/);
    const boxes = page.locator("body, .formula, .scroll, article > pre");
    const ends = await boxes.evaluateAll((all) => all.map((e) => e.getBoundingClientRect().right));
    const whole = await page.locator("html").evaluate((e) => e.scrollWidth);
    for (const right of [...ends, whole]) assert.ok(right <= width, `${right} of ${width}`);
  }
});

test("a text too long to show is refused in one line, and training goes on", async (t) => {
  const attends = endless.replace("model=csp", "model=mha-csp").replace("width=8", "width=8&heads=2");
  const page = await again(t, attends);
  await page.click("#train");
  await until(() => step(page), (n) => n > 5, "step");
  await page.fill("#expression", "10".repeat(400));
  await page.press("#expression", "Enter");
  await until(() => text(page, "expression-error"), (s) => /800 tokens.*256.*shorten it/.test(s), "error");
  const at = await step(page);
  await until(() => step(page), (n) => n > at, "step");
  assert.equal(await label(page), "Pause");
});

test("accuracy beyond the trained lengths comes on demand", async (t) => {
  const page = await again(t);
  await page.click("#lengths");
  await until(() => text(page, "lengths"), (s) => s === "Measure", "button");
  await page.locator("#chart-lengths").scrollIntoViewIfNeeded();
  await until(() => page.locator("#chart-lengths").getAttribute("aria-label"), (s) => /%/.test(s), "chart");
});

test("another run takes the old network's reading away before its own is there", async (t) => {
  const page = await again(t, tiny);
  assert.equal(await page.locator("#tokens span").count(), 8);
  await page.evaluate(() => {
    window.seen = []; // what the reading showed whenever it changed
    const tokens = document.getElementById("tokens");
    new MutationObserver(() => seen.push(tokens.textContent)).observe(tokens, {childList: true});
  });
  await page.check('input[name="lesson"][value="sums"]');
  await until(() => page.locator("#tokens").textContent(), (s) => s.includes("mod"), "tokens of the other run");
  const seen = await page.evaluate(() => window.seen);
  assert.equal(seen[0], "");
  assert.ok(seen.slice(1).every((s) => s.includes("mod")), JSON.stringify(seen));
  assert.ok(await page.locator("#read-play").isEnabled());
});

test("the screen is kept on while it trains and no longer", async (t) => {
  const first = (page) => page.addInitScript(() => {
    window.locks = [];
    const request = async () => {
      const lock = Object.assign(new EventTarget(), {held: true, async release() { lock.held = false; }});
      locks.push(lock);
      return lock;
    };
    Object.defineProperty(navigator, "wakeLock", {value: {request}});
  });
  const page = await open(t, `/lab.html#${endless}`, {first});
  await ready(page);
  const held = () => page.evaluate(() => locks.map((l) => l.held));
  assert.deepEqual(await held(), []);
  await page.click("#train");
  await until(held, (l) => l.join() === "true", "lock");
  await until(() => step(page), (n) => n > 5, "step");
  await page.click("#train");
  await until(held, (l) => l.join() === "false", "lock after the pause");
});

test("the controls stay where they are while a text is read", async (t) => {
  const page = await start(t, "/lab.html#finished=arithmetic", {reducedMotion: "reduce"});
  await until(() => state(page), (s) => s.includes("finished model"), "state");
  await page.fill("#expression", "8 - ((3 + 5) - 4 + (2 + 7))");
  await page.press("#expression", "Enter");
  await until(() => page.locator("#read-at").getAttribute("max"), (m) => Number(m) > 20, "the text's length");
  const {tops, heights} = await page.evaluate(() => {
    const range = document.getElementById("read-at"), verdict = document.getElementById("verdict");
    const tops = new Set(), heights = new Set();
    for (let at = 0; at <= range.max; at++) {
      range.value = at;
      range.dispatchEvent(new Event("input"));
      tops.add(range.getBoundingClientRect().top);
      const lines = document.createRange();
      lines.selectNodeContents(verdict);
      heights.add(lines.getBoundingClientRect().height);
    }
    return {tops: [...tops], heights: [...heights]};
  });
  assert.ok(heights.length > 1, "one line and two are among them");
  assert.equal(tops.length, 1, `tops are ${tops}`);
  const longest = "Best guess after “…3 + 5) mod 9”: 1 (under 1 %). Its answer comes at the end.";
  for (const [address, sizes] of [
    ["/lab.html", [[320, 640], [360, 640], [430, 900], [500, 900], [740, 360], [844, 390], [1000, 700], [1180, 800]]],
    ["/embed-frame.html?task=parity", [[280, 400], [360, 400], [456, 500], [580, 500]]],
  ]) {
    await page.goto(self.server.url + address);
    await page.waitForFunction(() => /^Best guess|answers/.test(document.getElementById("verdict").textContent));
    for (const [width, height] of sizes) {
      await page.setViewportSize({width, height});
      const [low, high] = await page.locator("#verdict").evaluate((verdict, longest) => ["", longest].map((words) => {
        verdict.textContent = words;
        return verdict.getBoundingClientRect().height;
      }), longest);
      assert.equal(high, low, `${address} at ${width} × ${height}`);
    }
  }
});

test("less motion: the reading does not play by itself", async (t) => {
  const page = await start(t, `/lab.html#${tiny}`, {reducedMotion: "reduce"});
  await page.waitForTimeout(800);
  assert.equal(await page.locator("#read-play").getAttribute("aria-pressed"), "false");
  assert.equal(await page.locator("#read-at").inputValue(), "0");
});

test("the page works offline after the first visit, and asks nobody but its own host", async (t) => {
  const page = await open(t, `/lab.html#${tiny}`, {offline: true, problems: /ERR_INTERNET_DISCONNECTED|Failed to load resource/});
  const asked = new Set();
  page.on("request", (r) => asked.add(new URL(r.url()).origin));
  await ready(page);
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await page.context().setOffline(true);
  await page.reload();
  await ready(page);
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step");
  await page.click('footer a[href="formulas.html"]');
  assert.equal(await page.locator("h1").textContent(), "The model in formulas");
  const line = await page.locator("h2").first().evaluate((e) => getComputedStyle(e).borderTopStyle);
  assert.equal(line, "solid"); // its styles too
  assert.deepEqual([...asked].filter((o) => o !== "null"), [new URL(page.url()).origin]);
});
