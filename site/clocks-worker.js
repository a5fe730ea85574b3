// The Web Worker (a classic one) of the program that looks for clocks; the messages: `go doc ./wasm/hands`. What comes
// before the program runs waits in `early`. Where it ends it says so, with a fatal error that answers all messages.
"use strict";
importScripts("wasm_exec.js", "packed.js");

self.early = [];
self.onmessage = ({data}) => self.early.push(data);

{
  let runs = false; // the program has come
  const end = (why) => {
    const text = !runs ? `The search for clocks could not start. ${why}`
      : `The search for clocks has ended: ${why}. It begins again with the next model or text.`;
    self.postMessage({type: "error", text, at: -1, fatal: true});
  };
  const load = async () => {
    const go = new Go();
    const {instance} = await fetchProgram(new URL("clocks.wasm", self.location.href), go.importObject);
    runs = true;
    await go.run(instance);
    return `exit code ${go.exitCode ?? 0}`;
  };
  load().then(end, (error) => end(String(error?.message ?? error)));
}
