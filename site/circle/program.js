// Loads the circle's Go program and runs it where it is called, in a Worker or in the frame itself. It ends only by an
// error.
import "../packed.js";
import "./wasm_exec.js";

/**
 * run resolves when the program has ended. What it needs of its surroundings is globalThis.circle: see
 * wasm/circle/page.go.
 */
export async function run() {
  const go = new globalThis.Go();
  const program = await fetchPacked(new URL("circle.wasm", import.meta.url));
  if (!program.ok) throw new Error(`${program.url} answers ${program.status}; build the site again with make site`);
  // A file host that does not know the type gets the slower way.
  const { instance } = program.headers.get("content-type")?.startsWith("application/wasm")
    ? await WebAssembly.instantiateStreaming(program, go.importObject)
    : await WebAssembly.instantiate(await program.arrayBuffer(), go.importObject);
  await go.run(instance);
}
