// Ready-made runs. Small models that learn visibly within a minute on an ordinary laptop's processor; everything that
// is not named here is the trainer's default for the task.

const quick = { warmup: 50, seed: 1, eval_every: 50, eval_samples: 256, test_samples: 0 };

export const lessons = [
  {
    name: "sums", title: "One digit plus one digit", note: "then longer sums, modulo 9", expression: "(3+5) mod 9",
    chosen: {
      task: "arithmetic", format: "direct", model: "mha-csp-s", theta: "product", width: 48, gate_bias: -1.3,
      embedding_std: 0.7, batch: 96, lr: 0.004, beta2: 0.99, weight_decay: 0.0005, long_share: 0.3, steps: 2000,
      curriculum: true, ...quick, eval_every: 200,
    },
  },
  {
    name: "brackets", title: "Brackets", note: "does every one have its partner?", expression: "((()())())",
    chosen: {
      task: "parenthesis", model: "csp", width: 32, batch: 64, lr: 0.003, steps: 800, max_length: 48, ...quick,
    },
  },
  {
    name: "parity", title: "Parity of 64 bits", note: "is the number of ones odd?", expression: "1011001",
    chosen: {
      task: "parity", model: "csp", width: 16, batch: 64, lr: 0.003, steps: 600, max_length: 64, ...quick,
    },
  },
  {
    name: "full", title: "The paper’s task", note: "answer, copy, answer: takes the longest",
    expression: "((2 + 3) - 4) mod 9", chosen: { task: "arithmetic", seed: 1 },
  },
];

/** The finished models that come with the page, by task; and one of arithmetic that has four clocks. */
export const finished = {
  arithmetic: new URL("../../demo/arithmetic.safetensors", import.meta.url),
  clocks: new URL("../../demo/clocks.safetensors", import.meta.url),
  parenthesis: new URL("../../demo/parenthesis.safetensors", import.meta.url),
  parity: new URL("../../demo/parity.safetensors", import.meta.url),
};

/** taskOf is the task of a finished model. */
export const taskOf = (finished) => (finished === "clocks" ? "arithmetic" : finished);

/** same reports whether two choices make the same run. */
export function same(a, b) {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of ["expression", "background", "backend", "cores", "fma"]) keys.delete(key);
  return [...keys].every((key) => a[key] === b[key]);
}

/** example is an expression that suits a task. */
export const example = (task) => lessons.find((l) => l.chosen.task === task)?.expression ?? "";
