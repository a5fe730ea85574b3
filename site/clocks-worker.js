// The Web Worker (a classic one) of the program that looks for clocks; the messages: `go doc ./wasm/hands`. What comes
// before the program runs waits in `early`. Where it ends, every message is answered with an error.
"use strict";
importScripts("wasm_exec.js");

self.early = [];
self.onmessage = ({data}) => self.early.push(data);

{
  const end = (why) => {
    const text = `The search for clocks has ended: ${why}. Reload the page.`;
    const tell = (id) => self.postMessage({type: "error", id, text, at: -1, fatal: true});
    for (const {id} of self.early) tell(id);
    self.onmessage = ({data}) => tell(data.id);
  };
  const load = async () => {
    const response = await fetch(new URL("clocks.wasm", self.location.href));
    if (!response.ok) throw new Error(`clocks.wasm could not be loaded (${response.status})`);
    const go = new Go();
    const bytes = await response.arrayBuffer();
    const {instance} = await WebAssembly.instantiate(bytes, go.importObject);
    await go.run(instance);
    return `exit code ${go.exitCode ?? 0}`;
  };
  load().then(end, (error) => end(String(error?.message ?? error)));
}
