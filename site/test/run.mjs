// Runs the browser tests: one file more at a time than there are cores, since many wait for what a page shows in its
// own time (with two more two cores took 8 % longer); those that take longest first, so that no core is idle at the
// end. `node --test` takes files by name.
import {readdir} from "node:fs/promises";
import {availableParallelism} from "node:os";
import {run} from "node:test";
import {spec as Spec} from "node:test/reporters";

const longest = [
  "engines", "kernels", "page", "static", "longtask", "lesson", "failures", "circle", "access", "clocks", "bench",
  "embed", "own", "zoo", "trainer",
];

const here = new URL(".", import.meta.url);
const names = (await readdir(here)).filter((f) => f.endsWith(".test.mjs")).map((f) => f.slice(0, -".test.mjs".length));
for (const name of longest) if (!names.includes(name)) throw new Error(`there is no ${name}.test.mjs`);
const rest = names.filter((name) => !longest.includes(name)).sort();

const files = [...longest, ...rest].map((name) => new URL(`${name}.test.mjs`, here).pathname);
const timeout = 2_400_000; // a file that hangs all the same
const tests = run({files, concurrency: availableParallelism() + 1, timeout});
tests.on("test:fail", () => { process.exitCode = 1; });
await tests.compose(new Spec()).forEach((text) => process.stdout.write(text));
