// The first page: the reader turns a clock; a network finds out by itself what the reader did. The parts: clock, table
// and dials, which show a frame, the network at one moment; frames come from a recorded run, or from the reader's own.
import "./article.js";
import { dial, Face, html, MARKS, minus, modulo, sum } from "./dial.js";
import { pauseWhileHidden } from "./hidden.js";
import { label } from "./label.js";
import { lessons, same } from "./lessons.js";
import { announce, clear, message } from "./messages.js";
import { exactness, number, percent, sure, whole } from "./numbers.js";
import { offline } from "./offline.js";
import { Prober, WHILE_TRAINING } from "./prober.js";
import { Session } from "./session.js";
import { parseHash } from "./settings.js";
import * as store from "./store.js";
import * as theme from "./theme.js";
import { awake } from "./wake.js";

const $ = (id) => document.getElementById(id);
const RECORDED = new URL("../demo/first.json", import.meta.url);
const MOST = 6; // dials
const EVERY = 500; // ms between two looks at the network while it trains, at least

// ---- the reader's clock ----

const face = new Face($("clock"));
/** press is a button. */
function press(textContent, act) {
  const button = html("button", { type: "button", textContent });
  button.addEventListener("click", act);
  return button;
}
for (let by = 1; by < MARKS; by++) $("digits").append(press(`+${by}`, () => face.add(by)));
$("digits").append(press("Clear", () => face.clear()));

let full = false; // two numbers were added

/** worked says what the reader's hand did. */
function worked() {
  const { terms, values } = face, total = values.at(-1), ends = modulo(total);
  const anew = terms.length === 1 && full ? "A new sum. " : "";
  full = terms.length === 2;
  if (!terms.length) return "The hand stands at 0. What is 3 + 5? Turn it by 3, then by 5 more.";
  if (terms.length === 1) return `${anew}Turned by ${minus(terms[0])}. Now turn it on by another number.`;
  const past = total > 8 ? `: past 8 it begins again at 0, so it stands at ${ends} and not at ${total}`
    : total < 0 ? `: before 0 comes 8, so it stands at ${ends} and not at ${minus(total)}` : `: it stands at ${ends}`;
  return `${sum(terms)} = ${ends}. Turned by ${minus(terms[0])}, then ${terms[1] < 0 ? "back" : "on"} by ` +
    `${Math.abs(terms[1])}${past}. ${terms[1] < 0 ? "Taking away is turning back." : "Adding is turning."}`;
}

/** pair is the sum of the table that the reader's clock shows: [a, b], or [a], or []; null: none of the table's. */
const pair = () => (face.terms.every((x) => x >= 0 && x < MARKS) ? face.terms : null);

face.addEventListener("turned", () => {
  $("clock-said").textContent = worked();
  select();
});
addEventListener("keydown", (e) => {
  const typing = e.target.closest("input, select, textarea") || e.ctrlKey || e.metaKey || e.altKey;
  if (!typing && /^[0-8]$/.test(e.key)) face.add(Number(e.key));
  if (!typing && e.key === "9") $("clock-said").textContent = "This clock has no 9: after 8 comes 0, so 9 is 0 here.";
  if (!typing && (e.key === "Escape" || e.key === "Backspace")) face.clear();
});

// ---- the table ----

const cells = []; // [81], a·9 + b
let pointed = null; // the square under the pointer or with the focus: [a, b]
const head = html("tr", {}, html("th", { textContent: "+" }),
  ...Array.from({ length: MARKS }, (_, b) => html("th", { scope: "col", textContent: String(b) })));
$("table").append(head, ...Array.from({ length: MARKS }, (_, a) => {
  const row = html("tr", {}, html("th", { scope: "row", textContent: String(a) }));
  for (let b = 0; b < MARKS; b++) {
    const cell = html("td", { tabIndex: -1 });
    cell.addEventListener("click", () => face.set([a, b]));
    const point = () => { say(...(pointed = [a, b])); };
    cell.addEventListener("pointerenter", point);
    cell.addEventListener("focus", point);
    cell.addEventListener("keydown", (e) => move(e, a, b));
    cells.push(cell);
    row.append(cell);
  }
  return row;
}));
const leave = () => {
  pointed = null;
  say(...pair() ?? []);
};
$("table").addEventListener("pointerleave", leave);
$("table").addEventListener("focusout", leave);
cells[0].tabIndex = 0;

function move(e, a, b) {
  const [down, on] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[e.key] ?? [0, 0];
  if (e.key === "Enter" || e.key === " ") face.set([a, b]);
  else if (!down && !on) return;
  e.preventDefault();
  const next = cells[Math.max(0, Math.min(8, a + down)) * MARKS + Math.max(0, Math.min(8, b + on))];
  for (const cell of cells) cell.tabIndex = cell === next ? 0 : -1;
  next.focus();
}

/** say tells what the network answers to a + b. */
function say(a, b) {
  if (!frame) return;
  if (b === undefined) return void ($("cell").textContent = "Rest on a square, or press it, to see its sum.");
  const i = a * MARKS + b, answer = frame.answers[i], right = modulo(a + b);
  const chance = sure(frame.sure[i]);
  $("cell").textContent = `${a} + ${b}: the network says ${answer} (${chance} sure). ` +
    (Number(answer) === right ? "That is right." : `The clock says ${right}.`);
}

function select() {
  const [a, b] = pair() ?? [];
  const chosen = b === undefined ? -1 : a * MARKS + b;
  cells.forEach((cell, i) => cell.setAttribute("aria-selected", String(i === chosen)));
  say(...pointed ?? [a, b]);
  hands();
}

/** rightOf is how many of the 81 sums a frame has right. */
const rightOf = ({ answers }) =>
  answers.filter((x, i) => Number(x) === modulo(Math.floor(i / MARKS) + i % MARKS)).length;

// ---- a frame: the network at one moment ----

/** What is shown: {step, loss, answers [81], sure [81], hands of {unit, k, r, first [81], second [81]} in turns}. */
let frame = null;

function show(next) {
  frame = next;
  cells.forEach((cell, i) => {
    const share = Math.max(0, (frame.sure[i] - 1 / MARKS) / (1 - 1 / MARKS));
    cell.style.setProperty("--value", frame.answers[i]);
    cell.style.setProperty("--sure", share.toFixed(2));
    cell.textContent = frame.answers[i];
    cell.classList.toggle("wrong", Number(frame.answers[i]) !== modulo(Math.floor(i / MARKS) + i % MARKS));
  });
  const { step, loss } = frame;
  $("figures").textContent = `step ${whole(step)} · ${loss === null ? "" : `loss ${number(loss)} · `}` +
    `${rightOf(frame)} of 81 right`;
  select();
}

/** stops are where a hand of the network stood: at 0, after the first number and after the second, in turns. */
function stops(hand, terms) {
  const [a, b] = terms, i = a * MARKS + (b ?? 0);
  const near = (angle, exact) => exact + (angle - exact) - Math.round(angle - exact);
  const list = [0];
  if (a !== undefined) list.push(near(hand.first[i], (hand.k * a) / MARKS));
  if (b !== undefined) list.push(near(hand.second[i], (hand.k * (a + b)) / MARKS));
  return list;
}

const turns = (k) => `+1 turns it ${Math.round((Math.abs(k) * 360) / MARKS)}°${k < 0 ? " back" : ""}`;

/** shown are the best hand of each frequency, the slowest first. */
const shown = (hands) => hands.filter((h, i) => hands.findIndex((x) => x.k === h.k) === i)
  .sort((x, y) => Math.abs(x.k) - Math.abs(y.k)).slice(0, MOST);

function hands() {
  const list = shown(frame?.hands ?? []), terms = pair() ?? [];
  const total = terms.reduce((x, y) => x + y, 0);
  $("dials").replaceChildren(...list.map((hand) => {
    const picture = dial(hand.k, stops(hand, terms), (hand.k * total) / MARKS);
    picture.setAttribute("aria-label", `A hand of the network while it reads ${terms.join(" + ") || "nothing"}`);
    return html("figure", {}, picture, html("figcaption", {}, turns(hand.k), html("br"),
      `follows the sum: ${exactness(hand.r)}`));
  }));
  const same = ` They turn by ${terms.join(", then ")} as yours does; dotted is the exact place.`;
  $("found-said").textContent = !frame ? "" : !list.length
    ? "No hand of the network follows the sum yet. They will appear here."
    : `${frame.hands.length} of its hands became clocks, each with marks in an order of its own` +
      `${list.length < frame.hands.length ? `; ${list.length} are shown` : ""}. The number says how exactly one ` +
      `follows the sum: 1 is perfect. Each is a little off; together they agree.${terms.length ? same : ""}`;
}

// ---- a recorded run, played once ----

let playing = 0;

/** unpacked is a frame of a recording: answers as a text, shares in percent, angles in degrees. */
const unpacked = ({ answers, sure, hands, ...rest }) => ({
  ...rest, answers: [...answers], sure: sure.map((x) => x / 100),
  hands: hands.map(({ first, second, ...hand }) => ({
    ...hand, first: first.map((x) => x / 360), second: second.map((x) => x / 360),
  })),
});

async function play() {
  const mine = ++playing, ended = () => mine !== playing;
  let recording;
  try {
    recording = await (await fetch(RECORDED)).json();
  } catch {
    $("state").textContent = "Press Train: it learns here, in this tab.";
    return;
  }
  const { t: seconds, step: steps } = recording.at(-1), begun = performance.now();
  const still = theme.reduced();
  for (const packed of still ? recording.slice(-1) : recording) {
    const wait = packed.t * 1000 - (performance.now() - begun);
    if (!still && wait > 0) await new Promise((done) => setTimeout(done, wait));
    if (ended()) return;
    $("state").textContent = `A recording: ${whole(steps)} steps of learning in ${seconds} seconds.`;
    show(unpacked(packed));
  }
  $("state").textContent = "That was a recording. ";
  $("state").append(press("Play it again", play));
}

// ---- the reader's own run ----

const session = new Session(), prober = new Prober();
const [{ chosen: recipe }] = lessons;
let looking = null;
let begun = false; // the reader has pressed Train
let pressed = null; // a press on Train that is not answered yet

const trouble = (error) => {
  if (error.aborted) return;
  message("trouble", error.message, session.state === "lost" ? [["Start again", () => begin().catch(trouble)]] : [],
    { bad: true });
};

/** lasts is a time in words, rounded up. */
const lasts = (s) => (s > 90 ? `about ${Math.ceil(s / 60)} minutes` : `about ${5 * Math.ceil(s / 5) || 5} seconds`);

function words() {
  const { state, step, opened, preparing } = session;
  if (state === "lost") return "The trainer has stopped.";
  if (preparing) return `Preparing the kernels: ${preparing.done} of ${preparing.all} …`;
  if (!opened) return "Loading the network …";
  const { steps } = opened.run, left = (steps - step) / session.stepsPerSecond;
  if (state === "running") return `Your own network learns, in this tab${left < 6000 ? `: ${lasts(left)} left` : ""}.`;
  if (state === "done") return "This is your own network.";
  return step ? `Paused after ${whole(step)} of ${whole(steps)} steps.` : "Training starts …";
}

function render() {
  const { state, step } = session;
  $("train").toggleAttribute("data-running", state === "running");
  const waits = begun && pressed && !["paused", "done", "lost"].includes(state);
  const onward = waits ? "Loading …" : state === "done" ? "Train another" : step ? "Train on" : "Train";
  label($("train-label"), state === "running" ? "Pause" : onward);
  if (begun) $("state").textContent = words();
  awake(state === "running");
}

async function begin() {
  playing++;
  begun = true;
  clear("trouble");
  $("ended").hidden = true;
  frame = null;
  for (const cell of cells) {
    cell.textContent = "";
    cell.style.setProperty("--sure", 0);
  }
  $("figures").textContent = $("cell").textContent = "";
  hands();
  render();
  await session.open({ ...recipe, seed: crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000 });
  await look().catch(trouble); // it trains without the program that looks, too
  await session.start();
}

async function train() {
  if (session.running) return session.pause();
  if (!session.opened || ["done", "lost"].includes(session.state)) return begin();
  await session.start();
}
$("train").addEventListener("click", () => {
  pressed ??= train().catch(trouble).finally(() => { pressed = null; }).then(render);
});

/** look shows the network as it is: its 81 answers, and the hands that have become clocks. */
async function look() {
  const { opened, step, figures, state } = session;
  const { checkpoint } = await session.send("save", { full: false });
  await prober.send("open", { checkpoint, samples: WHILE_TRAINING }, [checkpoint]);
  const table = await prober.send("table");
  if (session.opened !== opened) return;
  const turned = (list) => list.map((x) => x / (2 * Math.PI));
  show({
    ...table, step, loss: figures?.loss ?? null,
    hands: table.hands.map((h) => ({ ...h, first: turned(h.first), second: turned(h.second) })),
  });
  dispatchEvent(new CustomEvent("mhacsp-frame", { detail: { ...frame, state } }));
}

/** keepLooking looks again and again while it trains, and once more at the end; false: it could not, as was told. */
async function keepLooking() {
  for (;;) {
    const last = !session.running, from = performance.now();
    try {
      await look();
    } catch (error) {
      trouble(error);
      return false;
    }
    if (last) return true;
    await new Promise((done) => setTimeout(done, Math.max(EVERY, performance.now() - from)));
  }
}

function result() {
  if (frame?.step !== session.step) return; // it could not be looked at
  const test = session.evaluations.at(-1), n = frame.hands.length;
  const longer = test ? `, and of a test with brackets and more numbers ${percent(test.answer)}` : "";
  $("ended").textContent = `It can add now: ${rightOf(frame)} of the 81 sums are right${longer}. ` +
    `${n} of its hands became ${n === 1 ? "a clock" : "clocks"}. Nobody told it to turn. The Lab shows all of it.`;
  $("ended").hidden = false;
  announce($("ended").textContent);
}

function watch() {
  looking ??= keepLooking().then((fine) => {
    looking = null;
    if (session.running && fine) watch(); // it was paused and went on
    if (session.state === "done") result();
  });
}

session.addEventListener("change", () => {
  render();
  if (session.running) watch();
});
session.addEventListener("progress", render);
session.addEventListener("preparing", render);
session.addEventListener("trouble", (e) => trouble(e.detail));
pauseWhileHidden(session, { kept: () => session.keep(), trouble });
addEventListener("pagehide", () => session.leave());

// ---- the Lab ----

/** toLab opens the Lab, with a kept run where there is one. */
function toLab(slot) {
  try { sessionStorage.setItem("mhacsp-go-on", slot ?? ""); } catch { /* it opens its first run */ }
  store.leave();
  location.href = "lab.html";
}

/** withRun takes the reader's run along. */
async function withRun() {
  if (session.running) await session.pause();
  if (session.step > 0) await session.keep();
  toLab(session.mine);
}

/** offer tells of a run of this page that the browser has kept. */
async function offer() {
  const kept = (await store.kept()).find((r) => !r.elsewhere && same({ ...r.chosen, seed: recipe.seed }, recipe));
  if (!kept || begun) return;
  $("ended").replaceChildren(`A network that you trained here is kept, at step ${whole(kept.step)}. `,
    press("Open it in the Lab", () => toLab(kept.slot)));
  $("ended").hidden = false;
}
$("lab").addEventListener("click", () => withRun().catch(trouble));

/** A link with settings is for the Lab. */
const { chosen, problems } = parseHash(location.hash);
if (Object.keys(chosen).length || problems.length) {
  location.replace(`lab.html${location.hash}`);
} else {
  face.clear();
  render();
  play();
  offer();
}
offline(() => session.keep());
dispatchEvent(new Event("mhacsp-started"));
