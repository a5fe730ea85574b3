// The first page: the reader turns a clock; a network finds out by itself what the reader did. The parts: clock, table
// and dials, which show a frame, the network at one moment; frames come from a recorded run, or from the reader's own.
import "./article.js";
import { Face, MARKS, minus, modulo, sum } from "./clocks/dial.js";
import { $, label, press } from "./html.js";
import { Learner, recipe } from "./lesson/learner.js";
import { same } from "./lesson/lessons.js";
import { announce, clear, message } from "./messages.js";
import { number, whole } from "./numbers.js";
import { offline } from "./offline.js";
import { parseHash } from "./settings.js";
import * as store from "./store.js";
import { hands, rightOf, Table } from "./lesson/table.js";
import * as theme from "./theme.js";

const RECORDED = new URL("../demo/first.json", import.meta.url);

// ---- the reader's clock ----

const face = new Face($("clock"));
for (let by = 1; by < MARKS; by++) $("digits").append(press(`+${by}`, () => face.add(by)));
$("digits").append(press("Clear", () => face.clear()));

let full = false; // two numbers were added

/** worked says what the reader's hand did. */
function worked() {
  const { terms, values } = face, total = values.at(-1), ends = modulo(total);
  const again = terms.length === 1 && full ? "A new sum. " : "";
  full = terms.length === 2;
  if (!terms.length) return "The hand stands at 0. What is 3 + 5? Turn it by 3, then by 5 more.";
  if (terms.length === 1) return `${again}Turned by ${minus(terms[0])}. Now turn it on by another number.`;
  const past = total > 8 ? `: past 8 it begins again at 0, so it stands at ${ends} and not at ${total}`
    : total < 0 ? `: before 0 comes 8, so it stands at ${ends} and not at ${minus(total)}` : `: it stands at ${ends}`;
  return `${sum(terms)} = ${ends}. Turned by ${minus(terms[0])}, then ${terms[1] < 0 ? "back" : "on"} by ` +
    `${Math.abs(terms[1])}${past}. ${terms[1] < 0 ? "Taking away is turning back." : "Adding is turning."}`;
}

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

// ---- the network at one moment ----

const table = new Table($("table"), $("cell"));
table.addEventListener("chosen", (e) => face.set(e.detail));
let frame = null;

function select() {
  const terms = face.terms.every((x) => x >= 0 && x < MARKS) ? face.terms : []; // of which the table has a sum
  table.select(terms);
  hands($("dials"), $("found-said"), frame, terms);
}

function show(next) {
  frame = next;
  table.show(frame);
  const { step, loss } = frame ?? {};
  $("figures").textContent = !frame ? "" : `step ${whole(step)} · ${loss === null ? "" : `loss ${number(loss)} · `}` +
    `${rightOf(frame)} of 81 right`;
  select();
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
    return void ($("state").textContent = "Press Train: it learns here, in this tab.");
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
  played = true;
  over();
}

let played = false, kept = null; // the recording; a run of this page that the browser has kept

/** over says what one can do when the recording has ended. */
function over() {
  $("state").replaceChildren("That was a recording. Press a square. ", press("Play it again", play));
  if (kept) $("state").append(" ", press("Open your own network", () => toLab(kept.slot)));
}

// ---- the reader's own run ----

const learner = new Learner(), { session } = learner;
let result = "";

function trouble(error) {
  const again = session.state === "lost" ? [["Start again", () => learner.begin().catch(trouble)]] : [];
  if (!error.aborted) message("trouble", error.message, again, { bad: true });
}

function render() {
  $("train").toggleAttribute("data-running", session.running);
  label($("train-label"), learner.label);
  if (learner.begun) $("state").textContent = session.state === "done" && result || learner.words;
  $("figures").hidden = !!result; // which has them
}
$("train").addEventListener("click", () => learner.press());
learner.addEventListener("change", render);
learner.addEventListener("trouble", (e) => trouble(e.detail));
learner.addEventListener("frame", ({ detail }) => {
  if (!detail) { // a run begins
    playing++;
    clear("trouble");
    result = "";
    render();
  }
  show(detail);
});
learner.addEventListener("ended", ({ detail }) => {
  result = detail;
  render();
  announce(detail);
});

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
  kept = (await store.kept()).find((r) => !r.elsewhere && same({ ...r.chosen, seed: recipe.seed }, recipe));
  if (kept && played && !learner.begun) over();
}
$("lab").addEventListener("click", () => withRun().catch(trouble));

/** A link with settings is for the Lab. */
const { chosen, problems } = parseHash(location.hash);
if (Object.keys(chosen).length || problems.length) {
  location.replace(`lab.html${location.hash}`);
} else {
  face.clear();
  render();
  new IntersectionObserver(([{ isIntersecting }], watch) => { // it plays once its table is in sight
    if (!isIntersecting) return;
    watch.disconnect();
    if (!learner.begun) play();
  }, { threshold: 0.5 }).observe($("table"));
  offer();
}
offline(() => session.keep());
dispatchEvent(new Event("mhacsp-started"));
