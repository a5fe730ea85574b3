// Loads the circle's Go program and runs it where it is called, in a Worker or in the frame. It ends by an error only.
import "../packed.js";
import "./wasm_exec.js";
import { letters } from "./letters.js";

/** run resolves when the program has ended. What it needs around it is globalThis.circle: see wasm/circle/page.go. */
export async function run() {
  globalThis.circle.letters = letters;
  const go = new globalThis.Go();
  const { instance } = await fetchProgram(new URL("circle.wasm", import.meta.url), go.importObject);
  await go.run(instance);
}
