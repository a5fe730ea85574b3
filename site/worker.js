// The trainer's Web Worker (a classic one): loads the Go program that the Worker is named after, "trainer" or
// "families", and gets out of the way. The program takes the messages from then on; those that come before it runs
// wait in `early`. When the program ends, which it never does by itself, the page is told with a fatal error, once.
//
// A Worker named "helper" was started by another one, to take a part of its training steps. Its first message has the
// program, compiled.
"use strict";
importScripts("wasm_exec.js", "packed.js");

self.early = [];
self.onmessage = ({data}) => self.early.push(data);

{
  const last = []; // what the program printed last: the reason, where it ended by a panic
  const print = console.log;
  console.log = (...line) => {
    last.push(line.join(" "));
    if (last.length > 200) last.shift();
  };
  let runs = false; // the program has come
  const end = (why) => {
    console.log = print;
    const panic = last.find((line) => line.startsWith("panic:") || line.startsWith("fatal error:"));
    const memory = [...last, why].some((line) => /out of memory|allocation failed/i.test(line));
    const text = memory
      ? "The trainer ran out of memory and has ended; open a smaller model, a smaller batch, shorter texts or fewer " +
        "cores, or reload the page."
      : !runs ? `The trainer could not start. ${why}`
      : `The trainer has ended: ${panic ?? why}. Open the run again from the last save, or reload the page.`;
    self.postMessage({type: "error", text, at: -1, fatal: true});
    self.onmessage = ({data}) => self.postMessage({type: "error", id: data?.id, text, at: -1, fatal: true});
  };
  /** compiled is a program to instantiate. */
  const compiled = async (imports) => {
    if (self.name === "helper") {
      const first = await new Promise((resolve) => { self.onmessage = ({data}) => resolve(data); });
      self.early.push(first);
      self.onmessage = ({data}) => self.early.push(data);
      return {module: first.module, instance: await WebAssembly.instantiate(first.module, imports)};
    }
    const file = self.name === "families" ? "families.wasm" : "trainer.wasm";
    return fetchProgram(new URL(file, self.location.href), imports);
  };
  const load = async () => {
    const go = new Go();
    const program = await compiled(go.importObject);
    runs = true;
    // recruit starts a helper, or returns null. The program is neither fetched nor compiled again.
    globalThis.recruit = (preset, config, fused) => {
      try {
        const worker = new Worker(self.location.href, {name: "helper"});
        // It never fails this Worker: one that is ended while it loads has an error when nobody listens any more.
        worker.addEventListener("error", (e) => e.preventDefault());
        worker.postMessage({module: program.module, preset, config, fused});
        return worker;
      } catch {
        return null; // a browser whose Workers start no Workers
      }
    };
    // room reports whether each of some Workers may take that many bytes: of half of what the device has, of what
    // phones leave to a tab (300 to 400 MB) in addition to the page itself, and of what the browser gives one program.
    globalThis.room = (bytes, workers) => {
      const device = navigator.deviceMemory ?? (/Mobi/.test(navigator.userAgent) ? 0.25 : 64);
      if (bytes * workers > device * 2 ** 29) return false;
      try {
        return bytes < 2 ** 26 || !!new WebAssembly.Memory({initial: Math.ceil(bytes / 2 ** 16)});
      } catch {
        return false;
      }
    };
    // poolSend and poolTake copy a message between the program's memory and a buffer that two Workers have in turn:
    // shared memory where the page is isolated from other origins, else memory that changes hands. far is the other
    // Worker, or in a helper this scope.
    const numbers = (at, count) => new Uint8Array(program.instance.exports.mem.buffer, at, 4 * count);
    globalThis.poolSend = (far, atInts, ints, atFloats, floats) => {
      const size = 4 * (ints + floats), Memory = self.crossOriginIsolated ? SharedArrayBuffer : ArrayBuffer;
      if (!(far.buffer?.byteLength >= size)) far.buffer = new Memory(size);
      const to = new Uint8Array(far.buffer);
      to.set(numbers(atInts, ints));
      to.set(numbers(atFloats, floats), 4 * ints);
      far.postMessage({buffer: far.buffer, ints, floats}, Memory === ArrayBuffer ? [far.buffer] : []);
    };
    globalThis.poolTake = (far, {buffer, ints, floats}, atInts, atFloats) => {
      far.buffer = buffer;
      numbers(atInts, ints).set(new Uint8Array(buffer, 0, 4 * ints));
      numbers(atFloats, floats).set(new Uint8Array(buffer, 4 * ints, 4 * floats));
    };
    globalThis.wasm = program; // the WebGPU binding reads the program's memory through this name
    await go.run(program.instance);
    return `exit code ${go.exitCode ?? 0}`;
  };
  load().then(end, (error) => end(String(error?.message ?? error)));
}
