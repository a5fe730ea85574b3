// The page that all engines run in: a Worker each, driven by run.mjs through `peers`.

/** The tensors of a .safetensors file, by name: {shape, data}. */
async function safetensors(address) {
  const bytes = await (await fetch(address)).arrayBuffer();
  const size = Number(new DataView(bytes).getBigUint64(0, true));
  const {__metadata__: _, ...head} = JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 8, size)));
  return Object.fromEntries(Object.entries(head).map(([name, {dtype, shape, data_offsets: [begin, end]}]) => {
    if (dtype !== "F32") throw new Error(`${address}: ${name} is ${dtype}; only F32 is read`);
    return [name, {shape, data: new Float32Array(bytes.slice(8 + size + begin, 8 + size + end))}];
  }));
}

const norm = (x) => Math.sqrt(x.reduce((sum, v) => sum + v * v, 0));

/** The L2 distance of x from y. */
const distance = (x, y) => norm(x.map((v, i) => v - y[i]));

/** The greatest of a number per name, or one that is none: [number, name]. */
const greatest = (names, f) => names.map((name) => [f(name), name])
  .reduce((most, other) => (other[0] <= most[0] || Number.isNaN(most[0]) ? most : other));

const engines = {};

/** A peer's Worker; ask(type, fields) gives its answer. */
function peer({script, module}) {
  const worker = new Worker(new URL(script, import.meta.url), {type: module ? "module" : "classic"});
  const waiting = new Map();
  let next = 0;
  const fail = (error) => {
    for (const {reject} of waiting.values()) reject(error);
    waiting.clear();
  };
  worker.onerror = (e) => fail(new Error(`${script}: ${e.message}`));
  worker.onmessage = ({data: {id, error, ...result}}) => {
    const {resolve, reject} = waiting.get(id) ?? {};
    waiting.delete(id);
    if (error) reject?.(new Error(error));
    else resolve?.(result);
  };
  return {
    ask: (type, fields = {}) => new Promise((resolve, reject) => {
      waiting.set(++next, {resolve, reject});
      worker.postMessage({...fields, id: next, type});
    }),
    close: () => worker.terminate(),
  };
}

/**
 * Opens a peer on the batch of a size and makes its first step. How far this is from ours: the loss, the worst
 * parameter's gradient (L2) and its norm, and the worst parameter's first step of Adam. All are relative, and a
 * gradient counts as a hundredth of all gradients together at least: samples cancel in small ones, in float32 too.
 */
async function openPeer(name, spec, n) {
  const engine = engines[name] = peer(spec);
  const [tensors, expected] = await Promise.all(["checkpoint", `gradients-${n}`].map((file) =>
    safetensors(`/data/${file}.safetensors`)));
  const batch = await (await fetch(`/data/batch-${n}.json`)).json();
  const {note} = await engine.ask("open", {...spec, tensors, ...batch});
  const begin = performance.now();
  const {loss, gradients, parameters} = await engine.ask("check");
  const seconds = (performance.now() - begin) / 1000;
  const names = Object.keys(tensors), wanted = expected.loss.data[0];
  const whole = Math.hypot(...names.map((name) => norm(expected[name].data)));
  const size = (name) => Math.max(norm(expected[name].data), whole / 100);
  const update = (name) => {
    const moved = parameters[name].map((x, i) => x - tensors[name].data[i]);
    const step = gradients[name].map((g) => -1e-3 * g / (Math.abs(g) + 1e-8));
    return distance(moved, step) / norm(step);
  };
  return {
    note, seconds, loss, wanted, lossOff: Math.abs(loss - wanted) / wanted,
    gradientOff: greatest(names, (name) => distance(gradients[name], expected[name].data) / size(name)),
    normOff: greatest(names, (name) => Math.abs(norm(gradients[name]) - norm(expected[name].data)) / size(name)),
    updateOff: greatest(names, update),
  };
}

/** Our trainer, by the command that bench.html measures with. */
async function openOurs(name, {backend, cores}, script) {
  const {Trainer} = await import(script);
  const trainer = new Trainer();
  engines[name] = {
    async ask(type, {n, count}) {
      const {milliseconds, adapter} = await trainer.send("bench", {backend, cores, n, count});
      return {milliseconds, ...(backend === "gpu" && {note: adapter})};
    },
    close: () => trainer.close(),
  };
  await trainer.ready;
}

globalThis.peers = {
  openPeer, openOurs,
  steps: (name, fields) => engines[name].ask("steps", fields),
  close(name) {
    engines[name]?.close();
    delete engines[name];
  },
};
