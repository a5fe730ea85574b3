// What the other tests wait with: each wait ends, and says what it waited for.
import assert from "node:assert/strict";
import {readFile, readdir} from "node:fs/promises";
import path from "node:path";
import {test} from "node:test";
import {launch, newPage, patience, root, within} from "./harness.mjs";
import {until} from "./page.mjs";

test("a wait that does not end fails, and names what it waited for", async (t) => {
  assert.ok(patience() >= 60_000 && patience() <= 240_000);
  await assert.rejects(within(new Promise(() => {}), "the moon", 20), /^Error: the moon: nothing after/);
  assert.equal(await within(Promise.resolve(3), "three", 20), 3);
  await assert.rejects(until(() => 3, (n) => n === 4, "four", 20), /^AssertionError.*: four: still 3 after/);
  const browser = await launch();
  t.after(() => browser.close());
  const page = await newPage(browser, {}, 300);
  await assert.rejects(page.evaluate((n) => new Promise(() => n), 17), /evaluate .*new Promise.* of \[17\]: nothing/);
  await assert.rejects(page.waitForFunction(() => window.moon), /waiting for .*window\.moon.*: .*300ms/s);
  await assert.rejects(page.locator("#moon").waitFor(), /300ms.*#moon/s);
});

test("no test sends a page's request on, which a busy machine can lose", async () => {
  const folder = path.join(root, "site/test");
  for (const name of await readdir(folder)) {
    if (!name.endsWith(".mjs")) continue;
    const calls = (await readFile(path.join(folder, name), "utf8")).match(/\broute\.(fetch|continue|fallback)\(/g);
    assert.equal(calls, null, name);
  }
});
