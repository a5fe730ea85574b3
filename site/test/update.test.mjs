// The host has another version: the open page stays whole, tells, and updates when it is told to; offline works after
// it too.
import assert from "node:assert/strict";
import {cp, readFile, readdir, rename, writeFile} from "node:fs/promises";
import path from "node:path";
import {test} from "node:test";
import {built, dist, temporary} from "./harness.mjs";
import {endless, kept, label, step, suite, text, until} from "./page.mjs";

const self = suite();

/**
 * another makes a version of the site in a folder: other words on the page, and the Worker's script under another
 * name.
 */
async function another(t, letter) {
  const dir = await temporary(t);
  await cp(dist, dir, {recursive: true});
  const version = letter.repeat(12), old = await built("worker.js"), renamed = `worker.${version}.js`;
  await rename(path.join(dir, old), path.join(dir, renamed));
  for (const name of await readdir(dir, {recursive: true})) {
    if (!/\.(html|js)$/.test(name)) continue;
    const file = path.join(dir, name), before = await readFile(file, "utf8");
    let after = before.replaceAll(old, renamed);
    if (name.endsWith(".html")) after = after.replace(/(<meta name="version" content=").*?"/, `$1${version}"`);
    if (name === "sw.js") after = after.replace(/const VERSION = ".*?"/, `const VERSION = "${version}"`);
    if (name === "lab.html") after = after.replace(/<p class="brand">.*?<\/p>/, `<p class="brand">${version}</p>`);
    if (after !== before) await writeFile(file, after);
  }
  return {dir, version};
}

const title = "a newer version is told, the open page stays whole, and Reload brings it with the run kept";

test(title, async (t) => {
  const problems = /ERR_INTERNET_DISCONNECTED|Failed to load resource/;
  const page = await self.start(t, `/lab.html#${endless}`, {offline: true, problems});
  const context = page.context();
  await page.waitForFunction(() => navigator.serviceWorker.controller);
  await page.click("#train");
  await until(() => step(page), (n) => n >= 25, "step");
  await page.click("#train");
  await until(() => label(page), (l) => l === "Train on", "label");
  const at = await kept(page);
  assert.equal(await page.locator('[data-kind="update"]').count(), 0);

  const [b, c] = [await another(t, "b"), await another(t, "c")];
  self.server.folders["/"] = b.dir; // what A's page still loads is not there any more
  const other = await context.newPage(); // any visit looks for a newer version
  await other.goto(self.server.url + `/lab.html#${endless}`);
  const box = page.locator('[data-kind="update"]');
  await box.waitFor();
  assert.match(await box.innerText(), /newer version/);
  await other.close();
  assert.notEqual(await text(page, "state"), "");
  await page.workers().find((w) => /\/worker\./.test(w.url())).evaluate(() => {
    self.postMessage({type: "error", text: "The GPU was lost.", at: -1, fatal: true});
  });
  await page.locator('[data-kind="lost"]').getByRole("button", {name: "Go on from the last save"}).click();
  await page.locator("#step:not([disabled])").click(); // the old page starts its Worker again
  await until(() => step(page), (n) => n === at + 1, "step");

  await box.getByRole("button", {name: "Reload"}).click();
  await page.locator(".brand", {hasText: b.version}).waitFor();
  const offered = page.locator('[data-kind="kept"]');
  await offered.waitFor();
  const next = (at + 1).toLocaleString("en"); // the step since the last save too
  assert.match(await offered.innerText(), new RegExp(`step ${next},`));
  await self.ready(page);

  await context.setOffline(true);
  await page.reload();
  await page.locator(".brand", {hasText: b.version}).waitFor();
  await self.ready(page);
  await page.click("#step");
  await until(() => step(page), (n) => n === 1, "step offline");
  await context.setOffline(false);

  self.server.folders["/"] = c.dir;
  await page.reload();
  await page.locator('[data-kind="update"]').waitFor();
  const left = await until(() => page.evaluate(() => caches.keys()), (l) => l.length === 2, "caches");
  const newest = [`mhacsp / ${b.version}`, `mhacsp / ${c.version}`];
  assert.deepEqual(left.sort(), newest, "one version before the newest is kept");

  for (const dir of [b.dir, dist]) { // the host goes back to B, and from there to A: B's pages are still open
    self.server.folders["/"] = dir;
    await page.reload();
    await page.locator('[data-kind="update"]').waitFor();
  }
  await until(() => page.evaluate(() => caches.keys()), (l) => l.length === 2 && !l.includes(newest[1]), "caches");

  const dir = await temporary(t); // another program has the port now
  await writeFile(path.join(dir, "index.html"), "<!doctype html><title>Another</title><p>Another program");
  self.server.folders["/"] = dir;
  await page.goto(self.server.url + "/");
  await page.locator("p", {hasText: "Another program"}).waitFor();
});
