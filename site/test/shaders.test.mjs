// Every kind of text that the program makes of its shaders (forms in shaders/shaders_test.go), without a GPU. Dawn
// with tint, Chrome's compiler, validates modules and pipelines on its null device, within WebGPU's default limits.
// naga, Firefox's and newer than the one that the program contains, writes SPIR-V, MSL and HLSL.
import assert from "node:assert/strict";
import {execFile} from "node:child_process";
import {mkdtemp, readFile, rm} from "node:fs/promises";
import {tmpdir} from "node:os";
import path from "node:path";
import {before, test} from "node:test";
import {fileURLToPath} from "node:url";
import {promisify} from "node:util";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");

let texts;
before(async () => {
  const dir = await mkdtemp(path.join(tmpdir(), "mhacsp-shaders-"));
  const env = {...process.env, MHACSP_SHADERS: path.join(dir, "texts.json")};
  const args = ["test", "-vet=off", "-count=1", "-run", "^TestTexts$", "./shaders"];
  await promisify(execFile)("go", args, {cwd: root, env});
  texts = Object.entries(JSON.parse(await readFile(env.MHACSP_SHADERS, "utf8")));
  await rm(dir, {recursive: true, force: true});
  assert.ok(texts.length > 500, `only ${texts.length} texts`);
}, {timeout: 600_000});

/** loaded is an npm package, or undefined where it has nothing for this machine and the test is skipped. */
async function loaded(t, name) {
  try {
    return await import(name);
  } catch (err) {
    if (process.env.MHACSP_BROWSER === "require") throw err;
    t.skip(`${name}: ${err.message}`);
  }
}

/** refused lists the texts that check, which throws or returns what is wrong, does not take. */
async function refused(check) {
  const list = [];
  for (const [name, text] of texts) {
    const wrong = await check(text);
    if (wrong) list.push(`${name}: ${wrong}`);
  }
  return list;
}

const start = "@group(0) @binding(0) var<storage, read_write> x : array<f32>;\n";

test("Dawn takes every shader", {timeout: 600_000}, async (t) => {
  const dawn = await loaded(t, "webgpu");
  if (!dawn) return;
  let gpu = dawn.create(["backend=null"]); // while it is held, the process does not end
  const adapter = await gpu.requestAdapter();
  const device = await adapter.requestDevice();
  const check = async (code) => {
    device.pushErrorScope("validation");
    const module = device.createShaderModule({code});
    device.createComputePipeline({layout: "auto", compute: {module, entryPoint: "main"}});
    return (await device.popErrorScope())?.message;
  };
  const large = "var<workgroup> w : array<f32, 5000>;\n@compute @workgroup_size(1) fn main() { x[0] = w[1]; }";
  assert.match(await check(start + large), /workgroup storage/i, "20 kB of workgroup memory are allowed");
  assert.deepEqual(await refused(check), []);
  t.diagnostic(`${texts.length} texts`);
  device.destroy();
  gpu = undefined;
});

test("naga writes SPIR-V, MSL and HLSL of every shader", {timeout: 600_000}, async (t) => {
  const naga = await loaded(t, "naga-wasm");
  if (!naga) return;
  const check = (code) => {
    try {
      const module = naga.parseWgsl(code), info = naga.validate(module);
      const written = [naga.writeSpirv(module, info), naga.writeMsl(module, info), naga.writeHlsl(module, info)];
      info.free();
      module.free();
      return written.some((text) => text.length < 100) ? "nothing is written" : "";
    } catch (err) {
      return err.formatted ?? String(err);
    }
  };
  assert.match(check(start + "@compute @workgroup_size(1) fn main() { x[0] = 1; x[1] = y; }"), /y/);
  assert.deepEqual(await refused(check), []);
  t.diagnostic(`${texts.length} texts, naga ${naga.nagaVersion}`);
});
