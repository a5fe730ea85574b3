// Records demo/first.json, the run that the first page plays: `node record.mjs SEED` after `go run ./site/build
// -quality -1`. It presses Train on that page, keeps what the page shows until the run ends, and gives each moment its
// time: the whole run takes twenty seconds, step by step, however fast the machine is.
import {writeFile} from "node:fs/promises";
import path from "node:path";
import {dist, launch, newPage, root, serve} from "./harness.mjs";

const SECONDS = 20;
const server = await serve({"/": dist}), browser = await launch();
const page = await newPage(browser, {serviceWorkers: "block"});
await page.addInitScript((seed) => {
  crypto.getRandomValues = (list) => list.fill(seed);
  window.frames81 = [];
  addEventListener("mhacsp-frame", ({detail}) => window.frames81.push(detail));
}, Number(process.argv[2] ?? 1));
await page.goto(server.url);
await page.click("#train");
await page.waitForFunction(() => window.frames81.at(-1)?.state === "done", null, {timeout: 600_000, polling: 500});
const frames = await page.evaluate(() => window.frames81);
await browser.close();
await server.close();

const degrees = (list) => list.map((x) => Math.round(x * 360));
const packed = frames.map(({step, loss, answers, sure, hands}) => ({
  t: Number((SECONDS * step / frames.at(-1).step).toFixed(2)), step, loss: loss && Number(loss.toPrecision(3)),
  answers: answers.join(""), sure: sure.map((x) => Math.round(100 * x)),
  hands: hands.map(({unit, k, r, first, second}) =>
    ({unit, k, r: Number(r.toFixed(3)), first: degrees(first), second: degrees(second)})),
}));
const name = path.join(root, "site/demo/first.json");
await writeFile(name, `[\n${packed.map((x) => JSON.stringify(x)).join(",\n")}\n]\n`);
console.log(`${name}: ${packed.length} frames, ${packed.at(-1).t} s, step ${packed.at(-1).step}`);
