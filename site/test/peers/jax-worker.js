// mha-csp in jax-js, as a module Worker. The maths is that of model/SPEC.md §§2–7, for prompts of one length and
// targets of one length, as site/scripts/bench.js measures it: nothing is padded, and nothing masked for padding.
//
// jax-js 0.1.25 has no lax.scan: the time loop is unrolled, and the whole step, Adam included, is one jit. The form
// follows its profiler. What depends on the token alone is computed per vocabulary row; a step looks its rows up by
// products with one-hot vectors, whose gradients are products too. Arrays belong to whom they are handed to: `.ref`
// keeps one for another use.
import "./worker-answer.js";
import {blockUntilReady, defaultDevice, init, jit, nn, numpy as np, tree, valueAndGrad}
  from "/modules/@jax-js/jax/dist/index.js";

const eps = 1e-8, sos = 16;
const vocabulary = 24; // one-hot vectors of 21 would fit no vector of the processor

/** x / sqrt(|x|² + ε) of complex numbers [B, 2, …], real plane first. */
function circle(x) {
  const square = np.square(x.ref);
  const norm = np.sqrt(square.ref.add(np.flip(square, 1)).add(eps));
  return x.div(norm);
}

const mapped = (object, f) => Object.fromEntries(Object.entries(object).map(([name, x]) => [name, f(x, name)]));
const linear = (x, weight) => np.dot(x, np.transpose(weight));

/** The token's part of a step, by vocabulary row (SPEC §2): tables [V, N], and [V, 2N] of complex numbers. */
function tables(p) {
  const u = p["embedding.weight"], b = (name) => p[`blocks.0.${name}`];
  const theta = np.tanh(linear(u.ref, b("theta.weight")).add(b("theta.bias"))).mul(Math.PI);
  const gamma = np.sin(linear(u.ref, b("gamma.weight")).add(b("gamma.bias"))).add(1).mul(0.5);
  const cos = np.cos(theta.ref), sin = np.sin(theta), weight = b("input.weight");
  const [re, im] = [cos, sin].map((x) => gamma.ref.mul(linear(u.ref.mul(x.ref), weight.ref)));
  gamma.dispose();
  weight.dispose();
  const delta = linear(u, b("delta_u.weight")).add(b("delta.bias"));
  return {delta, cos, turn: np.concatenate([np.negative(sin.ref), sin], 1), r: np.concatenate([re, im], 1)};
}

/** A step of the recurrence: the state h [B, 2, N] after a token, of which rows of the tables are given. */
function cell(h, {delta, cos, turn, r}, weight) {
  const [b, , n] = h.shape;
  const alpha = nn.sigmoid(np.negative(linear(h.ref.reshape([b, 2 * n]), weight).add(delta)));
  const turned = h.ref.mul(cos.reshape([b, 1, n])).add(np.flip(h, 1).mul(turn.reshape([b, 2, n])));
  return circle(alpha.reshape([b, 1, n]).mul(turned).add(r.reshape([b, 2, n])));
}

/** The time loop over one-hot tokens, T times [B, V]: the states, T times [B, 2, N]. */
function run(h, tokens, table, weight) {
  const states = [];
  for (const token of tokens) {
    h = cell(h, mapped(table, (rows) => np.dot(token.ref, rows.ref)), weight.ref);
    token.dispose();
    states.push(h.ref);
  }
  h.dispose();
  tree.dispose(table);
  weight.dispose();
  return states;
}

/** The last row of attention (SPEC §§3–6) over states [T, B, 2, N]: y [B, 2, N]. */
function attention(states, raw, rho, fusion) {
  const [t, b, , n] = states.shape, [k, d] = raw.shape, byHead = [t, b, 2, k, d];
  const factor = np.tril(raw.ref, -1).add(nn.softplus(raw).mul(np.eye(d)));
  // One product for all heads: their factors as blocks of [N, N], since rows of d = 33 fit no vector of the processor.
  const blocks = factor.reshape([k, d, 1, d]).mul(np.eye(k).reshape([k, 1, k, 1])).reshape([n, n]);
  const q = np.dot(states.ref.reshape([t * b * 2, n]), blocks).reshape(byHead), h = states.reshape(byHead);
  const distance = np.square(q.ref.sub(q.ref.slice([t - 1, t]))).sum([2, 4]); // [T, B, H]
  const edges = np.square(q.ref.slice([1, t]).sub(q.slice([0, t - 1]))).sum([2, 4]);
  const terms = np.concatenate([edges, np.zeros([1, b, k])], 0);
  const later = np.triu(np.ones([t, t])).reshape([t, t, 1, 1]).greater(0);
  const sums = nn.logsumexp(np.where(later, terms.reshape([1, t, b, k]), -1e30), 1); // [T, B, H]
  const c = sums.ref.slice(0);
  const rectified = distance.add(nn.softplus(rho).mul(sums));
  const scores = c.ref.reshape([b, k, 1]).mul(fusion).mul(c.reshape([b, 1, k]));
  const mesh = np.einsum("bkl,tbl->tbk", nn.softmax(scores, -1), rectified);
  const weights = nn.softmax(np.negative(mesh), 0);
  return circle(np.einsum("tbk,tbpki->bpki", weights, h).reshape([b, 2, n]));
}

/** The mean cross-entropy over all target tokens; prompts, inputs and targets are one-hot, T times [B, V]. */
function loss(p, {prompts, inputs, targets}) {
  const {"head.weight": head, "head.bias": bias, "blocks.0.delta_h.weight": weight, ...rest} = p;
  const {"blocks.0.metric.factor": raw, "blocks.0.metric.rho": rho, "blocks.0.fusion.weight": fusion, ...own} = rest;
  const b = prompts[0].shape[0], [rows, n] = own["embedding.weight"].shape;
  own["embedding.weight"] = np.pad(own["embedding.weight"], [[0, vocabulary - rows], [0, 0]]);
  const table = tables(own);
  const states = np.stack(run(np.zeros([b, 2, n]), prompts, mapped(table, (x) => x.ref), weight.ref));
  // SPEC §7 normalises the state once more.
  const read = run(attention(states, raw, rho, fusion), inputs, table, weight).map(circle);
  const logits = linear(np.concatenate(read, 0).reshape([-1, 2 * n]), head).add(bias);
  return np.negative(nn.logSoftmax(logits, -1).mul(np.concatenate(targets, 0)).sum(-1).mean());
}

const beta1 = 0.9, beta2 = 0.999, rate = 1e-3;

/** A training step: new parameters and moments, and the loss. c1 and c2 are 1 / (1 − βᵗ). */
function train(p, m, v, c1, c2, batch) {
  const [value, g] = valueAndGrad(loss)(mapped(p, (x) => x.ref), batch);
  const out = {p: {}, m: {}, v: {}};
  for (const name of Object.keys(p)) {
    out.m[name] = m[name].mul(beta1).add(g[name].ref.mul(1 - beta1));
    out.v[name] = v[name].mul(beta2).add(np.square(g[name]).mul(1 - beta2));
    const root = np.sqrt(out.v[name].ref.mul(c2.ref)).add(eps);
    out.p[name] = p[name].sub(out.m[name].ref.mul(c1.ref).div(root).mul(rate));
  }
  c1.dispose();
  c2.dispose();
  return {...out, value};
}

let state, batch, step, made = 0, blocking;

/** One-hot vectors of tokens [B][T]: T times [B, size]. */
function oneHot(rows, size) {
  return columns(rows).map((column) => {
    const data = new Float32Array(column.length * size);
    column.forEach((token, i) => { data[i * size + token] = 1; });
    return np.array(data, {shape: [column.length, size]});
  });
}

answer({
  /** open takes weights and tokens to a device; blocking: all is computed on this thread, else on helper threads. */
  async open({device, threads, tensors, prompts, targets}) {
    if (!(await init(device)).includes(device)) throw new Error(`jax-js finds no ${device}`);
    defaultDevice(device);
    blocking = device === "wasm" && !threads;
    const array = ({data, shape}) => np.array(data, {shape});
    const p = mapped(tensors, array);
    state = {p, m: mapped(p, (x) => np.zeros(x.shape)), v: mapped(p, (x) => np.zeros(x.shape))};
    batch = {
      prompts: oneHot(prompts, vocabulary), targets: oneHot(targets, p["embedding.weight"].shape[0]),
      inputs: oneHot(targets.map((row) => [sos, ...row.slice(0, -1)]), vocabulary),
    };
    step = jit(train);
    const some = blocking ? 1 : navigator.hardwareConcurrency;
    return device === "wasm" ? {note: `SIMD, ${some} ${some === 1 ? "thread" : "threads"}`} : {};
  },
  /** check makes the first step: its loss and gradients, and the parameters after it. */
  async check() {
    const [value] = (await clocked(one, 1)).losses;
    const data = async (tree) => {
      const out = {};
      for (const [name, x] of Object.entries(tree)) out[name] = await (blocking ? x.ref.dataSync() : x.ref.data());
      return out;
    };
    const gradients = mapped(await data(state.m), (x) => x.map((g) => g / (1 - beta1)));
    return {loss: value, gradients, parameters: await data(state.p)};
  },
  steps: ({count}) => clocked(one, count),
});

async function one() {
  made++;
  const {p, m, v} = state;
  const c1 = np.array(1 / (1 - beta1 ** made)), c2 = np.array(1 / (1 - beta2 ** made));
  const kept = Object.fromEntries(Object.entries(batch).map(([name, xs]) => [name, xs.map((x) => x.ref)]));
  const {value, ...next} = step(p, m, v, c1, c2, kept);
  state = next;
  if (blocking) return value.dataSync()[0];
  await blockUntilReady(next); // the loss is there before the gradients are
  return (await value.data())[0];
}
