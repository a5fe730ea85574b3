// Starts the circle's program in its frame and says in words what keeps it from running.
const fail = (text) => {
  const p = document.getElementById("failed");
  p.textContent = text;
  p.hidden = false;
  if (parent !== self) {
    const origin = location.origin === "null" ? "*" : location.origin;
    parent.postMessage({ mhacsp: "circle", type: "error", text }, origin);
  }
};
try {
  if (!document.createElement("canvas").getContext("webgl2")) {
    throw new Error("this browser has no WebGL 2; switch hardware acceleration on or use another browser");
  }
  const go = new Go();
  const program = await fetch("circle.wasm");
  if (!program.ok) throw new Error(`${program.url} answers ${program.status}; build the site again with make site`);
  // A file host that does not know the type gets the slower way.
  const { instance } = program.headers.get("content-type")?.startsWith("application/wasm")
    ? await WebAssembly.instantiateStreaming(program, go.importObject)
    : await WebAssembly.instantiate(await program.arrayBuffer(), go.importObject);
  await go.run(instance);
  fail("The circle stopped. Reload the page to see it again.");
} catch (e) {
  fail(`The circle cannot be shown: ${e.message}.`);
}
