// mha-csp in TensorFlow.js, as a classic Worker. The maths is that of model/SPEC.md §§2–7 for prompts of one length and
// targets of one length, as site/scripts/bench.js measures it, so nothing is padded and nothing masked for padding.
//
// TensorFlow.js runs op by op, so the loop's ops are few: the state is one tensor [B, 2, N], real plane first. What
// depends on the token alone is computed per vocabulary row. A row is looked up by a product with a one-hot matrix: the
// gradient of a gather needs UnsortedSegmentSum, which the WebAssembly backend of 4.22 does not have.
"use strict";
/* global tf, answer, clocked, columns */
importScripts("worker-answer.js", "/modules/@tensorflow/tfjs/dist/tf.min.js");

const eps = 1e-8, sos = 16, heads = 4;

/** x / sqrt(|x|² + ε) of complex numbers, the planes along an axis. */
function circle(x, axis) {
  const square = tf.square(x);
  return tf.mul(x, tf.rsqrt(tf.add(tf.add(square, tf.reverse(square, axis)), eps)));
}

const linear = (x, weight) => tf.matMul(x, weight, false, true);

/** The token's part of a step, by vocabulary row (SPEC §2): [V, 7N], split again by `looked`. */
function table(p) {
  const u = p["embedding.weight"], b = (name) => p[`blocks.0.${name}`];
  const theta = tf.mul(tf.tanh(tf.add(linear(u, b("theta.weight")), b("theta.bias"))), Math.PI);
  const gamma = tf.mul(tf.add(tf.sin(tf.add(linear(u, b("gamma.weight")), b("gamma.bias"))), 1), 0.5);
  const cos = tf.cos(theta), sin = tf.sin(theta), weight = b("input.weight");
  const re = tf.mul(gamma, linear(tf.mul(u, cos), weight)), im = tf.mul(gamma, linear(tf.mul(u, sin), weight));
  const delta = tf.add(linear(u, b("delta_u.weight")), b("delta.bias"));
  return tf.concat([delta, cos, cos, tf.neg(sin), sin, re, im], 1);
}

/** What steps read of one-hot tokens [T·B, V]: T times {delta [B, N], cos, sin, r [B, 2N]}. */
function looked(tokens, rows, t) {
  const all = tf.matMul(tokens, rows), n = rows.shape[1] / 7, b = tokens.shape[0] / t;
  const [delta, cos, sin, r] = tf.split(all, [n, 2 * n, 2 * n, 2 * n], 1).map((part) =>
    tf.unstack(tf.reshape(part, [t, b, part.shape[1]])));
  return delta.map((_, i) => ({delta: delta[i], cos: cos[i], sin: sin[i], r: r[i]}));
}

/** The time loop (SPEC §2) from a state h [B, 2, N]: the states [B, 2, N], T of them. */
function run(h, steps, weight) {
  const [b, , n] = h.shape;
  return steps.map(({delta, cos, sin, r}) => {
    const planes = (x) => tf.reshape(x, [b, 2, n]);
    const alpha = tf.sigmoid(tf.neg(tf.add(linear(tf.reshape(h, [b, 2 * n]), weight), delta)));
    const turned = tf.add(tf.mul(h, planes(cos)), tf.mul(tf.reverse(h, 1), planes(sin)));
    h = circle(tf.add(tf.mul(tf.reshape(alpha, [b, 1, n]), turned), planes(r)), 1);
    return h;
  });
}

/** The last row of attention (SPEC §§3–6) over states, T of [B, 2, N]: y [B, 2, N]. */
function attention(states, raw, rho, fusion) {
  const t = states.length, [b, , n] = states[0].shape, d = n / heads;
  const identity = tf.eye(d), below = tf.sub(tf.linalg.bandPart(tf.ones([d, d]), -1, 0), identity);
  const factor = tf.add(tf.mul(raw, below), tf.mul(tf.softplus(raw), identity));
  const h = tf.transpose(tf.reshape(tf.stack(states), [t, b, 2, heads, d]), [3, 1, 0, 2, 4]); // [H, B, T, 2, d]
  const q = tf.reshape(tf.matMul(tf.reshape(h, [heads, b * t * 2, d]), factor), [heads, b, t, 2 * d]);
  const from = (x, begin, size) => tf.slice(x, [0, 0, begin, 0], [-1, -1, size, -1]);
  const apart = (x, y) => tf.sum(tf.square(tf.sub(x, y)), 3);
  const distance = apart(q, from(q, t - 1, 1)); // [H, B, T]
  const edges = apart(from(q, 1, t - 1), from(q, 0, t - 1));
  const terms = tf.concat([edges, tf.zeros([heads, b, 1])], 2);
  const hidden = tf.mul(tf.sub(1, tf.linalg.bandPart(tf.ones([t, t]), 0, -1)), -1e30); // −1e30 before the row's own
  const tree = tf.logSumExp(tf.add(tf.reshape(terms, [heads, b, 1, t]), hidden), 3); // [H, B, T]
  const c = tf.transpose(tf.squeeze(tf.slice(tree, [0, 0, 0], [-1, -1, 1]), [2])); // [B, H]
  const rectified = tf.add(distance, tf.mul(tf.reshape(tf.softplus(rho), [heads, 1, 1]), tree));
  const scores = tf.mul(tf.mul(tf.reshape(c, [b, heads, 1]), fusion), tf.reshape(c, [b, 1, heads]));
  const mesh = tf.matMul(tf.softmax(scores), tf.transpose(rectified, [1, 0, 2])); // [B, H, T]
  const weights = tf.reshape(tf.softmax(tf.neg(mesh)), [b, heads, 1, t]);
  const values = tf.reshape(tf.transpose(h, [1, 0, 2, 3, 4]), [b, heads, t, 2 * d]);
  const o = tf.transpose(tf.reshape(tf.matMul(weights, values), [b, heads, 2, d]), [0, 2, 1, 3]);
  return circle(tf.reshape(o, [b, 2, n]), 1);
}

/** The mean cross-entropy over all target tokens; prompts, inputs and targets are one-hot [T·B, V]. */
function loss(p, {b, prompts, inputs, targets}) {
  const n = p["embedding.weight"].shape[1], weight = p["blocks.0.delta_h.weight"], rows = table(p);
  const steps = (tokens) => looked(tokens, rows, tokens.shape[0] / b);
  const y = attention(run(tf.zeros([b, 2, n]), steps(prompts), weight),
    ...["metric.factor", "metric.rho", "fusion.weight"].map((name) => p[`blocks.0.${name}`]));
  const read = circle(tf.concat(run(y, steps(inputs), weight), 0), 1); // SPEC §7 normalises the state once more
  const logits = tf.add(linear(tf.reshape(read, [-1, 2 * n]), p["head.weight"]), p["head.bias"]);
  return tf.neg(tf.mean(tf.sum(tf.mul(tf.logSoftmax(logits), targets), 1)));
}

let p, batch, adam;

/** One-hot vectors of tokens [B][T]: [T·B, V]. */
const oneHot = (rows, vocabulary) => tf.tidy(() =>
  tf.cast(tf.oneHot(tf.tensor1d(columns(rows).flat(), "int32"), vocabulary), "float32"));

async function one(heard = () => {}) {
  const value = tf.tidy(() => {
    const {value, grads} = tf.variableGrads(() => loss(p, batch));
    heard(grads);
    adam.applyGradients(grads);
    return value;
  });
  const [out] = await value.data();
  value.dispose();
  return out;
}

answer({
  /** open takes weights and tokens to a backend, "wasm" or "webgpu". */
  async open({device, threads, tensors, prompts, targets}) {
    importScripts(`/modules/@tensorflow/tfjs-backend-${device}/dist/tf-backend-${device}.min.js`);
    if (device === "wasm") {
      tf.wasm.setWasmPaths("/modules/@tensorflow/tfjs-backend-wasm/dist/");
      if (threads) tf.wasm.setThreadsCount(navigator.hardwareConcurrency); // it takes half of them at most
      else tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
    }
    if (!await tf.setBackend(device)) throw new Error(`TensorFlow.js cannot start ${device}`);
    await tf.ready();
    p = Object.fromEntries(Object.entries(tensors).map(([name, {data, shape}]) =>
      [name, tf.variable(tf.tensor(data, shape), true, name)]));
    const vocabulary = p["embedding.weight"].shape[0];
    batch = {
      b: prompts.length, prompts: oneHot(prompts, vocabulary), targets: oneHot(targets, vocabulary),
      inputs: oneHot(targets.map((row) => [sos, ...row.slice(0, -1)]), vocabulary),
    };
    adam = tf.train.adam(1e-3, 0.9, 0.999, 1e-8);
    if (device !== "wasm") return {};
    const simd = await tf.env().getAsync("WASM_HAS_SIMD_SUPPORT");
    const several = threads && await tf.env().getAsync("WASM_HAS_MULTITHREAD_SUPPORT");
    return {settings: {simd, threads: several ? tf.wasm.getThreadsCount() : 1}};
  },
  /** check makes the first step: its loss and gradients, and the parameters after it. */
  async check() {
    let grads;
    const value = await one((g) => { grads = Object.entries(g).map(([name, x]) => [name, tf.keep(tf.clone(x))]); });
    const data = async (entries) => {
      const out = {};
      for (const [name, x] of entries) out[name] = await x.data();
      return out;
    };
    const gradients = await data(grads);
    for (const [, x] of grads) x.dispose();
    return {loss: value, gradients, parameters: await data(Object.entries(p))};
  },
  steps: ({count}) => clocked(one, count),
});
