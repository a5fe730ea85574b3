// The backend contract and the first training step of every preset, in the browser, against the float64 CPU twin; and
// the processor's own loops as they run there. MHACSP_KERNEL narrows "every kernel": Output, for one, runs
// TestContract/Output alone, that is OutputForward and OutputBackward; MHACSP_LONG=1 runs every case of each kernel.
import assert from "node:assert/strict";
import {mkdtemp, rm} from "node:fs/promises";
import {tmpdir} from "node:os";
import path from "node:path";
import {after, before, test} from "node:test";
import {buildGoTest, goTest, launch, temporary, unoptimised} from "./harness.mjs";

const kernel = process.env.MHACSP_KERNEL, all = process.env.MHACSP_LONG === "1";

let browser, gpu;
before(async () => {
  gpu = await mkdtemp(path.join(tmpdir(), "mhacsp-kernels-"));
  await buildGoTest(gpu, "./model/backend/webgpu");
  browser = await launch({args: unoptimised});
}, {timeout: 600_000});
after(async () => {
  await browser?.close();
  await rm(gpu, {recursive: true, force: true});
});

// Misuse is refused before a device has a part in it, natively too, where presets have each of two supervisions.
const skip = "-test.skip=^TestContract$/^Misuse$|^TestFirstStep$/^(mha-)?csp$/^final$|^TestFirstStep$/-[2s]$/^prefix$";
for (const [what, pattern, only = ""] of [
  ["every kernel", "TestContract"],
  ["the first training step of every preset", "TestFirstStep"],
  ["every form of the kernels for GPUs, with the same bits", "TestFormsBits", "product-36"],
  ["uploads while the program's memory grows", "TestWriteWhileMemoryGrows"],
  ["kernels that are compiled while the program runs", "TestKernelsCompileBeside"],
  ["the forms of kernels, measured while a run trains", "TestTunerRefuses"],
  ["what a browser lacks, refuses or loses", "TestBrowserFaults"],
]) {
  const part = kernel && pattern === "TestContract" ? kernel : only;
  test(`${what}, in WGSL`, {timeout: 600_000}, async (t) => {
    const args = [`-test.run=^${pattern}$/${part}`, "-test.v", all ? "" : skip];
    const env = {MHACSP_GPU: "require", MHACSP_LONG: all ? "1" : ""};
    const {code, output, problems} = await goTest(t, browser, gpu, args.filter(Boolean), env);
    const passed = output.match(/^ *--- PASS/gm)?.length ?? 0;
    const failed = output.match(/^ *--- FAIL.*$/gm) ?? [];
    t.diagnostic(`${passed} passed, ${failed.length} failed; ${output.match(/adapter "[^"]*"/)?.[0]}`);
    assert.equal(code, 0, failed.join("\n") + "\n" + output.slice(-4000));
    assert.match(output, new RegExp(`^--- PASS: ${pattern} `, "m"), "the test itself did not run");
    if (part) assert.match(output, new RegExp(`^ *--- PASS: ${pattern}/${part}`, "m"), `there is no kernel ${part}`);
    assert.doesNotMatch(output, /^ *--- SKIP/m);
    assert.deepEqual(problems, []);
  });
}

test("the processor's loops, with WebAssembly's vectors, relaxed ones and without", {timeout: 600_000}, async (t) => {
  const browser = await launch(); // which optimises: here the program computes
  t.after(() => browser.close());
  for (const pkg of ["./model/backend/cpu/vec", "./model/backend/cpu"]) {
    const dir = await temporary(t);
    await buildGoTest(dir, pkg);
    for (const simd of ["", "relaxed"]) {
      // Wide cases run the same loops as narrow ones, on more of them; Misuse runs none.
      const args = ["-test.v", "-test.skip=TestFast/./(132|264|300|530)|TestFast/Misuse"];
      if (simd && pkg.endsWith("cpu")) args.push("-test.run=TestFast/(MatMul|Recurrence|Attention|Drive|LSTM)");
      const {code, output, problems} = await goTest(t, browser, dir, args, {MHACSP_SIMD: simd});
      t.diagnostic(`${pkg} ${simd}: ${output.match(/^ *--- PASS/gm)?.length ?? 0} passed`);
      assert.equal(code, 0, (output.match(/^ *--- FAIL.*$/gm) ?? []).join("\n") + "\n" + output.slice(-4000));
      if (pkg.endsWith("vec")) assert.match(output, simd ? /^--- PASS: TestRelaxed /m : /^--- PASS: TestWide /m);
      assert.deepEqual(problems, []);
    }
  }
});
