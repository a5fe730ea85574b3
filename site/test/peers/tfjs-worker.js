// mha-csp in TensorFlow.js, as a classic Worker. The maths is that of model/SPEC.md §§2–7, for prompts of one length
// and targets of one length, as site/scripts/bench.js measures it: nothing is padded, and nothing masked for padding.
//
// TensorFlow.js runs op by op, and some ops of its WebAssembly backend are slow, so the form follows its profiler.
// matMul with transpose flags takes ten times as long as a transpose and a plain matMul: `product` has its gradient
// written out. tf.reverse and tf.unstack copy slowly: real and imaginary parts are tensors of their own, and a step
// looks its token up in tables of what depends on the token alone, by a product with a one-hot matrix. (The gradient
// of tf.gather needs UnsortedSegmentSum, which this backend does not have in 4.22.)
"use strict";
/* global tf, answer, clocked, columns */
importScripts("worker-answer.js", "/modules/@tensorflow/tfjs/dist/tf.min.js");

const eps = 1e-8, sos = 16, heads = 4;

/** The product of x [M, K] and y [K, N]. */
const product = tf.customGrad((x, y, save) => {
  save([x, y]);
  const gradFunc = (dz, [x, y]) => [tf.matMul(dz, tf.transpose(y)), tf.matMul(tf.transpose(x), dz)];
  return {value: tf.matMul(x, y), gradFunc};
});

const linear = (x, weight) => product(x, tf.transpose(weight));

/** Rows of a table [V, N] for one-hot tokens {hot [B, V], turned [V, B]}. */
const lookup = (table, {hot, turned}) => tf.customGrad((table) =>
  ({value: tf.matMul(hot, table), gradFunc: (dy) => tf.matMul(turned, dy)}))(table);

/** log Σ exp over the last axis, which stays with length 1. By itself tf.logSumExp derives its maximum, too. */
const logSumExp = tf.customGrad((x, save) => {
  const value = tf.logSumExp(x, -1, true);
  save([x, value]);
  return {value, gradFunc: (dy, [x, value]) => tf.mul(dy, tf.exp(tf.sub(x, value)))};
});

/** x / sqrt(|x|² + ε) of a complex number [re, im]. */
function circle([re, im]) {
  const scale = tf.rsqrt(tf.add(tf.add(tf.square(re), tf.square(im)), eps));
  return [tf.mul(re, scale), tf.mul(im, scale)];
}

/** The token's part of a step, by vocabulary row (SPEC §2): tables [V, N]. */
function tables(p) {
  const u = p["embedding.weight"], b = (name) => p[`blocks.0.${name}`];
  const theta = tf.mul(tf.tanh(tf.add(linear(u, b("theta.weight")), b("theta.bias"))), Math.PI);
  const gamma = tf.mul(tf.add(tf.sin(tf.add(linear(u, b("gamma.weight")), b("gamma.bias"))), 1), 0.5);
  const cos = tf.cos(theta), sin = tf.sin(theta), weight = tf.transpose(b("input.weight"));
  const [re, im] = [cos, sin].map((x) => tf.mul(gamma, product(tf.mul(u, x), weight)));
  return {keep: tf.neg(tf.add(linear(u, b("delta_u.weight")), b("delta.bias"))), cos, sin, re, im};
}

/** The time loop (SPEC §2) over one-hot tokens from a state [re, im]: the states [re, im], each [B, N], T of them. */
function run([re, im], tokens, table, weight) {
  return tokens.map((token) => {
    const {keep, cos, sin, re: rRe, im: rIm} =
      Object.fromEntries(Object.entries(table).map(([name, rows]) => [name, lookup(rows, token)]));
    const alpha = tf.sigmoid(tf.add(product(tf.concat([re, im], 1), weight), keep));
    [re, im] = circle([
      tf.add(tf.mul(alpha, tf.sub(tf.mul(re, cos), tf.mul(im, sin))), rRe),
      tf.add(tf.mul(alpha, tf.add(tf.mul(re, sin), tf.mul(im, cos))), rIm),
    ]);
    return [re, im];
  });
}

/** All states' real parts and all their imaginary parts, one below the other: [T·B, N] twice. */
const joined = (states) => [0, 1].map((plane) => tf.concat(states.map((state) => state[plane]), 0));

/** The last row of attention (SPEC §§3–6) over states, T of them: y, [B, N] twice. */
function attention(states, raw, rho, fusion) {
  const t = states.length, [b, n] = states[0][0].shape, d = n / heads;
  const identity = tf.eye(d), below = tf.sub(tf.linalg.bandPart(tf.ones([d, d]), -1, 0), identity);
  const factor = tf.add(tf.mul(raw, below), tf.mul(tf.softplus(raw), identity));
  // One product for all heads: their factors as blocks of [N, N].
  const block = tf.reshape(tf.tile(tf.reshape(tf.eye(heads), [heads, 1, heads, 1]), [1, d, 1, d]), [n, n]);
  const blocks = tf.mul(tf.tile(tf.reshape(factor, [n, d]), [1, heads]), block);
  const h = joined(states), q = h.map((x) => tf.reshape(product(x, blocks), [t, b, n]));
  const rows = (x, begin, size) => tf.slice(x, [begin, 0, 0], [size, -1, -1]);
  /** Σ |x − y|² over each head, f giving x and y of a plane: [T, B, H]. */
  const apart = (f) => {
    const [re, im] = q.map((plane) => tf.square(tf.sub(...f(plane)))), length = re.shape[0];
    return tf.reshape(tf.sum(tf.reshape(tf.add(re, im), [length * b * heads, d]), 1), [length, b, heads]);
  };
  const distance = apart((x) => [x, rows(x, t - 1, 1)]);
  const edges = apart((x) => [rows(x, 1, t - 1), rows(x, 0, t - 1)]);
  const terms = tf.transpose(tf.concat([edges, tf.zeros([1, b, heads])], 0), [1, 2, 0]); // [B, H, T]
  const hidden = tf.mul(tf.sub(1, tf.linalg.bandPart(tf.ones([t, t]), 0, -1)), -1e30); // −1e30 before the row's own
  const tree = tf.squeeze(logSumExp(tf.add(tf.reshape(terms, [b, heads, 1, t]), hidden)), [3]); // [B, H, T]
  const rectified = tf.add(tf.transpose(distance, [1, 2, 0]), tf.mul(tf.reshape(tf.softplus(rho), [heads, 1]), tree));
  const c = tf.slice(tree, [0, 0, 0], [-1, -1, 1]); // [B, H, 1]
  const scores = tf.mul(tf.mul(c, fusion), tf.reshape(c, [b, 1, heads]));
  const mesh = tf.matMul(tf.softmax(scores), rectified); // [B, H, T]
  const weights = tf.reshape(tf.transpose(tf.softmax(tf.neg(mesh)), [2, 0, 1]), [t * b * heads, 1]);
  return circle(h.map((x) =>
    tf.reshape(tf.sum(tf.reshape(tf.mul(weights, tf.reshape(x, [t * b * heads, d])), [t, b * n]), 0), [b, n])));
}

/** The mean cross-entropy over all target tokens; prompts and inputs are T one-hot tokens, targets [T·B, V]. */
function loss(p, {b, prompts, inputs, targets}) {
  const n = p["embedding.weight"].shape[1], table = tables(p), zero = tf.zeros([b, n]);
  const weight = tf.transpose(tf.neg(p["blocks.0.delta_h.weight"])); // α = σ(−δ)
  const y = attention(run([zero, zero], prompts, table, weight),
    ...["metric.factor", "metric.rho", "fusion.weight"].map((name) => p[`blocks.0.${name}`]));
  const read = tf.concat(circle(joined(run(y, inputs, table, weight))), 1); // SPEC §7 normalises the state once more
  const logits = tf.add(linear(read, p["head.weight"]), p["head.bias"]);
  return tf.neg(tf.mean(tf.sum(tf.mul(tf.logSoftmax(logits), targets), 1)));
}

let p, batch, adam;

/** One-hot tokens [B][T]: T times {hot [B, V], turned [V, B]}. */
const oneHot = (rows, vocabulary) => columns(rows).map((column) => {
  const hot = tf.tidy(() => tf.cast(tf.oneHot(tf.tensor1d(column, "int32"), vocabulary), "float32"));
  return {hot, turned: tf.transpose(hot)};
});

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
      b: prompts.length, prompts: oneHot(prompts, vocabulary),
      targets: tf.concat(oneHot(targets, vocabulary).map(({hot}) => hot)),
      inputs: oneHot(targets.map((row) => [sos, ...row.slice(0, -1)]), vocabulary),
    };
    adam = tf.train.adam(1e-3, 0.9, 0.999, 1e-8);
    if (device !== "wasm") return {};
    const simd = await tf.env().getAsync("WASM_HAS_SIMD_SUPPORT");
    const some = tf.wasm.getThreadsCount();
    return {note: `${simd ? "SIMD" : "no SIMD"}, ${some} ${some === 1 ? "thread" : "threads"}`};
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
