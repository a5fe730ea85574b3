// What can be chosen on the page, and how a choice stands in the URL. The keys of a run are those of the configuration
// that every checkpoint carries; a key left out means the trainer's own default, which stands only in the trainer and
// comes back complete when a run is opened. Pure functions: no document, no window.

/**
 * One setting.
 * kind: "choice", "integer", "number", "boolean" or "text". tasks, models: those that have it, where not all do.
 * group: where its control stands ("main" is always in sight). page: the page's own, not part of the run.
 */
const field = (key, kind, label, help, more = {}) => ({ key, kind, label, help, group: "training", ...more });
const choice = (key, label, choices, help, more) => field(key, "choice", label, help, { choices, ...more });

const strings = ["parenthesis", "mod3", "parity", "modarith"];
const drawn = ["arithmetic", ...strings]; // by the program, not from files
const csp = ["csp", "mha-csp", "mha-csp-2", "mha-csp-m", "mha-csp-s"];

// Where a control stands.
const main = { group: "main" }, model = { group: "model" }, data = { group: "data" };
const page = { group: "page", page: true };

/** otherFamily reports whether a model is of another family, which the page's second program has. */
export const otherFamily = (model) => model !== undefined && !csp.includes(model);

export const settings = [
  choice("task", "Task", {
    arithmetic: "Arithmetic mod 9", parenthesis: "Matching brackets", mod3: "Counting mod 3",
    parity: "Parity of bits", modarith: "Arithmetic mod 5", own: "A file of your own",
  }, "What the network learns.", main),
  choice("preset", "Expressions", { author: "As the public code draws", paper: "As the paper says (2 to 5 numbers)" },
    "How the expressions are drawn.", { ...main, tasks: ["arithmetic"] }),
  choice("format", "Answer format",
    { direct: "The answer alone", copy: "A copy, then the answer", repeat: "Answer, copy, answer" },
    "What the network has to write after an expression.", { ...main, tasks: ["arithmetic"] }),
  choice("model", "Model", {
    "mha-csp-s": "MHA-CSP, state turns", "mha-csp-m": "MHA-CSP, with a memory of positions",
    "mha-csp": "MHA-CSP, as in the paper", "mha-csp-2": "MHA-CSP, two blocks", csp: "CSP, no attention",
    lstm: "LSTM", gru: "GRU", gdn: "Gated DeltaNet", "gdn-neg": "Gated DeltaNet, β to 2", arformer: "Transformer",
    gcn: "GCN, a graph of brackets",
  }, "The preset that the sizes below start from.", main),
  choice("supervision", "Supervision", { final: "From the last state alone", prefix: "At every position" },
    "Where the answer is read.", { ...main, models: csp }),
  field("lr", "number", "Learning rate", "Peak step size of the optimiser.", { ...main, min: 1e-7, max: 10 }),
  field("batch", "integer", "Batch", "Samples in each step.", { ...main, min: 1, max: 4096 }),
  field("steps", "integer", "Steps", "Length of the whole run.", { ...main, min: 1, max: 1e7 }),
  field("seed", "integer", "Seed", "Fixes start values and data: the same seed gives the same run.",
    { ...main, min: 0, max: Number.MAX_SAFE_INTEGER }),
  choice("backend", "Computes on", { auto: "GPU if there is one", gpu: "GPU (WebGPU)", cpu: "CPU" },
    "Where the numbers are computed.", { ...main, page: true }),

  field("cores", "integer", "Processor cores", "Cores to use, at most. Empty: chosen for you.",
    { page: true, min: 1, max: 64 }),
  choice("fma", "Sums of products",
    { 1: "In one operation, where the browser can: faster", 0: "In two: the same result in every browser" },
    "How the processor adds. In two, runs of different browsers can be compared digit by digit.", { page: true }),

  field("width", "integer", "Width", "Hidden units: dots on the circle, where they have a phase.",
    { ...model, min: 1, max: 1024 }),
  field("heads", "integer", "Heads", "Attention heads; they divide the width.",
    { ...model, models: [...csp, "arformer", "gdn", "gdn-neg"], min: 1, max: 64 }),
  field("layers", "integer", "Blocks", "Blocks, or layers, on top of one another.", { ...model, min: 1, max: 64 }),
  choice("rotate", "Turns", { state: "the state", input: "the input", mixed: "half and half" },
    "What a token turns.", { ...model, models: csp }),
  field("rotate_share", "number", "Share that turns",
    "With half and half: the share of units that turn.", { ...model, models: csp, min: 0, max: 1 }),
  choice("theta", "Angle depends on", { token: "the token", state: "token and state", product: "token times state" },
    "", { ...model, models: csp }),
  choice("fusion", "Heads share distances", { mesh: "meshed", pooled: "pooled", mean: "as a mean" },
    "", { ...model, models: csp }),
  choice("ablation", "Left out", {
    none: "nothing", "no-tree": "the tree", "no-lse": "the log-sum-exp", "no-B": "the fusion weights",
    "no-norm": "the normalisation", "no-omega": "the memory’s turning", "random-omega": "the memory’s even rates",
    "learned-omega": "the memory’s fixed rates", "no-pi": "the memory’s clearing",
    "fixed-psi": "learning where the copy begins", "no-zeta": "the memory’s gates",
    "norm-memory": "the memory’s lengths",
  }, "A part of the model to do without, as in the paper’s Table 3; the last seven need a memory.",
    { ...model, models: csp }),
  field("skip", "boolean", "Skip connections", "In all blocks but the last.", { ...model, models: csp }),
  field("memory", "integer", "Memory", "Units that remember what stands at each position; 0: none.",
    { ...model, models: csp, min: 0, max: 1024 }),
  field("memory_period", "integer", "Memory’s period", "Tokens after which it begins again; 0: as many as its units.",
    { ...model, models: csp, min: 0, max: 65536 }),
  field("embedding_std", "number", "Embedding spread",
    "Standard deviation of the first embeddings.", { ...model, models: csp, min: 1e-6, max: 999 }),
  field("gate_bias", "number", "Gate bias", "First bias of the input gates.",
    { ...model, models: csp, min: -100, max: 100 }),
  field("delta_bias", "number", "Forgetting bias",
    "First bias of the forgetting.", { ...model, models: csp, min: -100, max: 100 }),

  choice("positions", "Positions", { learned: "learned", rotary: "turned (rotary)", none: "none" },
    "How the Transformer knows where a token stands.", { ...model, models: ["arformer"] }),
  field("context", "integer", "Context", "Tokens that the Transformer has positions for.",
    { ...model, min: 1, max: 65536, models: ["arformer"] }),
  field("beta_range", "integer", "Range of β", "1, or 2 for negative eigenvalues.",
    { ...model, min: 1, max: 2, models: ["gdn", "gdn-neg"] }),
  choice("links", "Links", { brackets: "the chain and its brackets", chain: "the chain alone" },
    "What a position is linked with.", { ...model, models: ["gcn"] }),

  field("min_length", "integer", "Shortest string", "In characters.", { ...data, min: 1, max: 65536, tasks: strings }),
  field("max_length", "integer", "Longest string", "In characters.", { ...data, min: 1, max: 65536, tasks: strings }),
  field("brackets", "boolean", "Brackets", "Brackets in the expressions.", { ...data, tasks: ["modarith"] }),
  choice("operators", "Operators", { "+-*": "+ − ×", "+-": "+ −" }, "", { ...data, tasks: ["modarith"] }),
  choice("split", "Tests", { structure: "held-out structures", iid: "drawn as training is" }, "",
    { ...data, tasks: drawn }),
  field("curriculum", "boolean", "Easy ones first",
    "Short expressions or strings first, longer ones as it masters them.", { ...data, tasks: drawn }),
  field("long_share", "number", "Share of long ones",
    "Share of the training expressions that have three to six numbers or more; 0: as they come.",
    { ...data, min: 0, max: 1, tasks: ["arithmetic"] }),
  field("eval_every", "integer", "Steps between validations", "0: only at the end.", { ...data, min: 0, max: 1e7 }),
  field("eval_samples", "integer", "Samples of a validation", "", { ...data, min: 1, max: 1e6 }),
  field("eval_batch", "integer", "Evaluated at once", "", { ...data, min: 1, max: 4096 }),
  field("test_samples", "integer", "Samples of the test", "At the end; 0: no test.", { ...data, min: 0, max: 1e6 }),
  field("patience", "integer", "Patience",
    "Validations without a better loss before stopping; 0: never stop early.", { ...data, min: 0, max: 1e6 }),
  field("checkpoint_every", "integer", "Steps between checkpoints", "", { ...data, min: 1, max: 1e7 }),

  choice("schedule", "Schedule", { cosine: "cosine", constant: "constant" }, "Course of the learning rate."),
  field("warmup", "integer", "Warm-up", "Steps in which the rate rises.", { min: 0, max: 1e7 }),
  field("lr_floor", "number", "Last share", "Share of the rate at the end of the cosine.", { min: 0, max: 1 }),
  choice("optimizer", "Optimiser", { adam: "Adam", adamw: "AdamW" }, ""),
  field("beta1", "number", "β₁", "Decay of the first moment.", { min: 0, max: 0.999999 }),
  field("beta2", "number", "β₂", "Decay of the second moment.", { min: 0, max: 0.999999 }),
  field("eps", "number", "ε", "", { min: 1e-30, max: 1 }),
  field("weight_decay", "number", "Weight decay", "", { min: 0, max: 1 }),
  field("clip", "number", "Gradient clip", "Greatest norm; 0: none.", { min: 0, max: 1e6 }),
  field("state_clip", "number", "State gradient clip",
    "Bound on the gradient of one unit in the time loop, which long texts need; 0: none.",
    { models: csp, min: 0, max: 1e6 }),
  field("answer_weight", "number", "Answer’s weight",
    "Weight of the answer in the loss of sequences.", { min: 0, max: 10000, tasks: drawn }),

  field("expression", "text", "Expression", "What the circle reads.", { ...page, max: 1000 }),
  field("background", "boolean", "Train in hidden tabs", "Go on when the tab is hidden.", page),
  choice("finished", "Finished model", { arithmetic: "mod 9", clocks: "mod 9, with four clocks", parenthesis: "brackets", parity: "parity" },
    "A model that was trained before.", page),
];

const byKey = new Map(settings.map((s) => [s.key, s]));

/** setting returns the setting of that key, or undefined. */
export const setting = (key) => byKey.get(key);

/** drawnTask is the task's setting where no file can be given. */
export const drawnTask = { ...setting("task"), choices: Object.fromEntries(
  Object.entries(setting("task").choices).filter(([task]) => task !== "own")) };

/** applies reports whether a setting exists for a task and a model; undefined: the trainer's own model. */
export const applies = (s, task, model = csp[0]) =>
  (!s.tasks || s.tasks.includes(task)) && (!s.models || s.models.includes(model));

/** A value that cannot stand: what is wrong, which value, and what to do. name: what the visitor knows it by. */
export class Problem extends Error {
  constructor(key, value, remedy, name = key) {
    super(`${name} is “${shorten(value)}”. ${remedy}`);
    this.key = key;
  }
}

// Words that may be keys: no part of a name or a quotation.
const keys = "(?<![\\w\"“.-])([a-z][a-z0-9_]*)(?![\\w\".=-])";
const each = new RegExp(keys, "g"), told = new RegExp(`\\b(lower|raise|choose|set|change|or) ${keys}`, "g");
const plainWord = /^[a-z]+$/; // a key that may be a word of the sentence, too

/** inWords is what the trainer says of settings, of the one in `field` at first, with the form's names for keys. */
export function inWords(text, field = "") {
  const name = (all, key) => (byKey.has(key) ? `“${byKey.get(key).label}”` : all);
  const odd = (key) => byKey.has(key) && (!plainWord.test(key) || ["lr", "eps", "theta", "ablation"].includes(key));
  return text
    .replace(`${field} is `, (all) => (byKey.has(field) ? `${byKey.get(field).label} is ` : all))
    .replace(told, (all, verb, key) => `${verb} ${name(key, key)}`)
    .replace(each, (all, key) => (odd(key) ? name(all, key) : all));
}

/** shorten is a text of at most 60 characters, the end of a longer one cut off. */
export const shorten = (text) => (text.length > 60 ? text.slice(0, 57) + "…" : text);

/** bound is a number as it can be typed. */
const bound = (x) => (x > 0 && x < 1e-6 ? String(x)
  : x.toLocaleString("en", { useGrouping: false, maximumFractionDigits: 6 }));

/** inAddress is a setting's name and how the address has it. */
const inAddress = (s) => `${s.label} (${s.key})`;

/** read turns the text of a value into the value, or throws a Problem. name: what the visitor knows the setting by. */
export function read(s, text, name = s.label) {
  const refuse = (remedy) => { throw new Problem(s.key, String(text), remedy, name); };
  switch (s.kind) {
    case "choice":
      if (!Object.hasOwn(s.choices, text)) refuse(`Choose one of: ${Object.keys(s.choices).join(", ")}.`);
      return text;
    case "boolean":
      if (text === "true" || text === "1" || text === "") return true;
      if (text === "false" || text === "0") return false;
      return refuse("Choose true or false.");
    case "integer":
    case "number": {
      const range = `Choose a ${s.kind === "integer" ? "whole number" : "number"} ` +
        `from ${bound(s.min)} to ${bound(s.max)}.`;
      const decimal = /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i;
      const value = decimal.test(String(text).trim()) ? Number(text) : NaN;
      if (!(value >= s.min && value <= s.max)) refuse(range);
      if (s.kind === "integer" && !Number.isSafeInteger(value)) refuse(range);
      return value;
    }
    default:
      if (text.length > s.max) refuse(`At most ${s.max} characters are possible; shorten it.`);
      return text;
  }
}

/**
 * parseHash reads "#task=parity&seed=3". It returns what could be read (chosen, a plain object) and one Problem for
 * each part that could not; such a part is left out, so the page still opens.
 */
export function parseHash(hash) {
  const chosen = {}, problems = [];
  for (const [key, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    const s = byKey.get(key);
    if (!s) {
      const near = nearest(key);
      const remedy = near ? `did you mean ${near}?` : "remove it from the address.";
      problems.push(new Problem(key, text, `There is no setting of this name; ${remedy}`));
      continue;
    }
    if (Object.hasOwn(chosen, key)) {
      problems.push(new Problem(key, text, "It stands in the address twice; the first one counts.", inAddress(s)));
      continue;
    }
    try {
      chosen[key] = read(s, text, inAddress(s));
    } catch (problem) {
      problems.push(problem);
    }
  }
  const task = chosen.task ?? "arithmetic";
  for (const key of Object.keys(chosen)) {
    const s = byKey.get(key), { tasks, models } = s;
    if (applies(s, task, chosen.model)) continue;
    const model = chosen.model ?? "of the trainer’s own choice";
    const [kind, value, those] = tasks?.includes(task) ?? true ? ["model", model, models] : ["task", task, tasks];
    const remedy = `The ${kind} ${value} has no such setting; remove it, or choose the ${kind} ${those.join(" or ")}.`;
    problems.push(new Problem(key, String(chosen[key]), remedy, inAddress(s)));
    delete chosen[key];
  }
  if (chosen.finished) {
    for (const key of Object.keys(chosen).filter((k) => !byKey.get(k).page)) {
      const remedy = "A finished model has its own settings; remove this one, or remove finished to train a model " +
        "of your own.";
      problems.push(new Problem(key, String(chosen[key]), remedy, inAddress(byKey.get(key))));
      delete chosen[key];
    }
  }
  return { chosen, problems };
}

/** formatHash writes what was chosen, in the order of the settings. parseHash reads it back unchanged. */
export function formatHash(chosen) {
  const parts = new URLSearchParams();
  for (const s of settings) if (chosen[s.key] !== undefined) parts.set(s.key, String(chosen[s.key]));
  return "#" + parts;
}

/** only is the part of a choice whose keys are wanted. */
const only = (chosen, wanted) => Object.fromEntries(Object.entries(chosen).filter(([key]) => wanted(key)));

/** runOf is the part of a choice that makes the run: what the trainer is opened with. */
export const runOf = (chosen) => only(chosen, (key) => byKey.has(key) && !byKey.get(key).page);

const lasting = ["backend", "cores", "fma", "background"];

/** pageOf is the part of a choice that outlives a run: what computes, and whether it trains in a hidden tab. */
export const pageOf = (chosen) => only(chosen, (key) => lasting.includes(key));

/** fit drops what a task or a model does not have, after another was chosen. */
export function fit(chosen) {
  const { task = "arithmetic", model } = chosen;
  return only(chosen, (key) => byKey.has(key) && applies(byKey.get(key), task, model));
}

/** nearest is the known key within two edits of a wrong one, or "". */
function nearest(key) {
  let best = "", least = 3;
  for (const { key: known } of settings) {
    const d = edits(key.slice(0, 40), known);
    if (d < least) [best, least] = [known, d];
  }
  return best;
}

function edits(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}
