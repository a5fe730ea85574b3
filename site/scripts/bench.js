// Measures training steps through the trainer's Worker and prints one line that can be pasted anywhere.
const batches = [8, 32, 128];
const count = 10; // steps measured, after three that warm up
const every = navigator.hardwareConcurrency ?? 1;
const kinds = [
  {label: "WebGPU", backend: "gpu"}, {label: "processor, 1 core", backend: "cpu", cores: 1},
  ...every > 1 ? [{label: `processor, ${every} cores`, backend: "cpu", cores: Math.min(every, 64)}] : [],
];
const element = (id) => document.getElementById(id);

/** ask sends one command to the Worker and returns its answer. */
function asker(worker) {
  const waiting = new Map();
  let next = 1;
  worker.onmessage = ({data}) => {
    if (data.fatal) for (const {reject} of waiting.values()) reject(new Error(data.text));
    const one = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.type === "error") one?.reject(new Error(data.text));
    else one?.resolve(data);
  };
  worker.onerror = (e) => { for (const {reject} of waiting.values()) reject(new Error(e.message)); };
  return (message) => new Promise((resolve, reject) => {
    waiting.set(next, {resolve, reject});
    worker.postMessage({...message, id: next++});
  });
}

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function measure() {
  element("run").disabled = true;
  element("rows").replaceChildren();
  const worker = new Worker(new URL("../worker.js", import.meta.url));
  const ask = asker(worker);
  const lines = [];
  for (const {label, ...where} of kinds) {
    const row = element("rows").insertRow();
    row.insertCell().textContent = label;
    const figures = [];
    let name = "";
    try {
      for (const n of batches) {
        element("status").textContent = `${row.cells[0].textContent}, batch ${n} …`;
        const result = await ask({type: "bench", ...where, n, count});
        name = result.adapter + (result.software ? ", software" : "");
        row.cells[0].textContent = `${label} (${name})`;
        figures.push(median(result.milliseconds));
        row.insertCell().textContent = `${figures.at(-1).toFixed(1)} ms`;
      }
      const batch = (ms, i) => `batch ${batches[i]} ${ms.toFixed(1)} ms`;
      lines.push(`${label} (${name}): ${figures.map(batch).join(", ")}`);
    } catch (e) {
      const cell = row.insertCell();
      cell.colSpan = batches.length - figures.length;
      cell.textContent = e.message;
    }
  }
  worker.terminate();
  element("status").textContent = "done";
  element("line").hidden = false;
  element("line").textContent = `mha-csp, prompts 32, targets 36, plain Adam, median of ${count}: ${lines.join("; ")}`;
  element("run").disabled = false;
}

element("run").addEventListener("click", measure);
if (location.hash === "#run") measure();
