// Runs the browser tests: two files at a time, those that take longest first, so that no core is idle at the end; then
// those about time alone, one after the other. `node --test` would take the files by name.
import {readdir} from "node:fs/promises";
import {run} from "node:test";
import {spec as Spec} from "node:test/reporters";

const longest = ["zoo", "trainer", "engines", "access", "kernels", "page", "lesson", "clocks", "failures"];
const alone = ["busy", "gpucrash", "longtask"];

const here = new URL(".", import.meta.url);
const names = (await readdir(here)).filter((f) => f.endsWith(".test.mjs")).map((f) => f.slice(0, -".test.mjs".length));
for (const name of [...longest, ...alone]) if (!names.includes(name)) throw new Error(`there is no ${name}.test.mjs`);
const rest = names.filter((name) => !longest.includes(name) && !alone.includes(name)).sort();

for (const [list, concurrency] of [[[...longest, ...rest], 2], [alone, 1]]) {
  const files = list.map((name) => new URL(`${name}.test.mjs`, here).pathname);
  const tests = run({files, concurrency, timeout: 2_400_000}); // a file that hangs all the same
  tests.on("test:fail", () => { process.exitCode = 1; });
  await tests.compose(new Spec()).forEach((text) => process.stdout.write(text));
  if (process.exitCode) break;
}
