// The embedded frame: one reading, and training where it was asked for. The page around it talks to it by messages.
import { Circle } from "./circle.js";
import { Clocks } from "./clocks/clocks.js";
import { pauseWhileHidden } from "./hidden.js";
import { $, html, label } from "./html.js";
import { example, finished, lessons, taskOf } from "./lesson/lessons.js";
import { percent, whole } from "./numbers.js";
import { Reader, point } from "./reader.js";
import { Session } from "./session.js";
import { Problem, drawnTask, pageOf, parseHash, read as readSetting, runOf } from "./settings.js";
import * as theme from "./theme.js";
import { plain, tooLong, watch } from "./typed.js";

// What stands behind # replaces what stands behind ?, which some hosts drop as they redirect. There a plus is a plus.
const asked = new URLSearchParams(location.search);
for (const [name, value] of new URLSearchParams(location.hash.slice(1).replaceAll("+", "%2B"))) asked.set(name, value);
addEventListener("hashchange", () => location.reload());
if (asked.has("buttons")) asked.set("controls", asked.get("buttons"));
const flag = (name) => asked.has(name) && asked.get(name) !== "false" && asked.get(name) !== "0";
const known = ["task", "expression", "autoplay", "controls", "speed", "layer", "head", "theme", "train", "settings",
  "model", "view", "buttons"];
const names = ["play", "step", "scrub", "speed", "layer", "expression", "train", "views", "note", "cut", "turn"];

const session = new Session({ keeps: false });
const circle = new Circle($("stage"));
const reader = new Reader(circle, {
  tokens: $("tokens"), verdict: $("verdict"), back: $("back"), play: $("play"), on: $("on"), at: $("at"),
  speed: $("speed"), layer: $("layer"), head: $("head"), headLabel: $("head-label"),
});

const clocks = new Clocks(session, circle, { above: $("stage"), below: $("clocks") });
clocks.addEventListener("changed", (e) => { $("verdict").style.visibility = e.detail ? "hidden" : ""; });

/** tell says something to the page around, any page: nothing in it is secret. */
const tell = (type, fields = {}) => {
  if (parent !== window) parent.postMessage({ ...fields, mhacsp: "embed", type }, "*");
};

/** What is wrong but for a typed text, by what it is about: it stands until that is mended. */
const mistakes = new Map();

function showMistakes() {
  $("mistakes").replaceChildren(...[...mistakes.values()].map((textContent) => html("p", { textContent })));
}

function mended(about) { if (mistakes.delete(about)) showMistakes(); }

function trouble(error, about = "run") {
  mistakes.set(about, error.message);
  showMistakes();
  waitsNoMore();
  tell("trouble", { text: error.message });
}

/** waitsNoMore takes "Loading" away where nothing comes. */
function waitsNoMore() { if (!circle.reading) $("verdict").textContent = ""; }

const wrong = (name, value, remedy, about = name) => trouble(new Problem(name, String(value), remedy), about);

/** integer is a number that a method was given, without a fraction; null where it has one, which is reported. */
function integer(name, value, without = 0) {
  const number = Number(value ?? without);
  if (!Number.isInteger(number)) return wrong(name, value, "Give a whole number."), null;
  mended(name);
  return number;
}

/** without is what holds where an attribute is left out. */
const without = {
  controls: flag("train") ? "play,step,train" : "play,step", speed: "1.5", layer: "none", head: "0", view: "units",
};

/**
 * set takes one attribute; null: it was taken away. `controls` is a name of HTML's own whose value some minifiers take
 * away: empty it is as good as left out. `buttons` is another name for it.
 */
function set(name, given) {
  const called = name;
  if (name === "buttons") name = "controls";
  const value = (name === "controls" ? given?.trim() || null : given) ?? without[name];
  mended(name);
  switch (name) {
    case "controls": {
      const list = value.split(",").map((s) => s.trim()).filter((s) => s && s !== "none");
      clocks.parts(list);
      const odd = list.find((s) => !names.includes(s));
      if (odd !== undefined) wrong(called, odd, `Choose from: ${names.join(", ")}, or none.`, name);
      for (const part of document.querySelectorAll("[data-control]")) {
        part.hidden = !list.includes(part.dataset.control);
      }
      $("ask").hidden = !list.includes("expression");
      $("train").hidden = !list.includes("train");
      $("training").hidden = !flag("train");
      return;
    }
    case "speed": {
      const rate = Number(value);
      if (rate > 0 && rate <= 60) {
        $("speed").value = String(rate); // none, where it is none of the list
        return circle.speed(rate);
      }
      return wrong("speed", value, "Choose characters a second, a number above 0, at most 60.");
    }
    case "layer":
    case "head": {
      const list = [...$(name).options].map((o) => o.value), n = list.length;
      if (name === "head" && given === null && !n) return;
      if (!list.includes(value)) {
        return wrong(name, value, name === "layer" ? `Choose one of: ${list.join(", ")}.`
          : n ? `Choose a head from 0 to ${n - 1}.` : "This model has no attention heads; leave it out.");
      }
      $(name).value = value;
      return void $("layer").dispatchEvent(new Event("change"));
    }
    case "theme":
      if (given === null) return theme.unset();
      if (value === "dark" || value === "light") return theme.set(value, false);
      return wrong("theme", value, "Choose dark or light, or leave it out for the reader’s preference.");
    case "view":
      if (value === "clocks" || value === "units") return clocks.show(value === "clocks");
      return wrong("view", value, "Choose clocks or units.");
    case "expression":
      return void read(value || example(session.opened?.run.task) || session.opened?.example, { play: true });
  }
}

const named = (what) => document.querySelector("main").setAttribute("aria-label", `Phase circle: ${what}`);

let typed = "", busy = Promise.resolve();

/** read lets the network read a text; one at a time, in order. again: as before, so what is typed meanwhile stays. */
function read(text, { play = false, again = false } = {}) {
  busy = busy.then(async () => {
    if (!again) $("expression").value = text; // to be mended there, where it cannot be read
    try {
      const long = tooLong(text);
      if (long) throw new Error(long);
      const reading = await session.send("read", { text: plain(text) });
      typed = text;
      named(text);
      if (!again) $("expression-error").textContent = "";
      reader.mistaken = false;
      reader.untrained = reading.step === 0 && !session.trained;
      reader.show(reading, { play: play && !theme.reduced() });
      const { answer, expected, right, step } = reading;
      tell("answer", { text: reading.text, answer, expected, right, step });
    } catch (error) {
      point($("expression-error"), text, error);
      waitsNoMore();
      reader.mistaken = true;
      tell("trouble", { text: error.message, at: error.at ?? -1 });
    }
  });
  return busy;
}

async function train(on) {
  if (on === session.running) return;
  if (!on) return session.pause();
  if (session.state === "done") {
    await session.reset();
    reader.clear();
    read(typed);
  }
  return session.start();
}

function trainLabel() {
  if (session.running) return "Pause";
  if (session.step === 0) return "Train";
  return session.state === "done" ? "Train again" : "Train on";
}

function progressText() {
  const { preparing, step, opened, figures } = session;
  if (preparing) return `Preparing the kernels: ${preparing.done} of ${preparing.all} …`;
  const right = figures ? `, ${percent(figures.answer)} right` : "";
  return `Step ${whole(step)} of ${whole(opened.run.steps)}${right}`;
}

function render() {
  $("train").disabled = !session.opened || session.state === "lost";
  label($("train"), trainLabel());
  if (session.opened && flag("train")) $("progress").textContent = progressText();
}

// Progress is reported ten times a second at most; what falls between waits, so that the last step is told.
const PROGRESS_EVERY = 100; // ms
let told = -Infinity, later = 0;
function progress() {
  clearTimeout(later);
  const early = PROGRESS_EVERY - (performance.now() - told);
  if (early > 0) return void (later = setTimeout(progress, early));
  told = performance.now();
  render();
  const { step, figures: f } = session;
  if (f) tell("progress", { step, loss: f.loss, exact: f.exact, answer: f.answer });
}

for (const type of ["change", "preparing"]) session.addEventListener(type, render);
session.addEventListener("trouble", (e) => trouble(e.detail));
session.addEventListener("progress", progress);
circle.addEventListener("position", (e) => tell("position", { ...e.detail, tokens: circle.last + 1 }));
circle.addEventListener("trouble", (e) => trouble(new Error(e.detail), "circle"));
circle.addEventListener("ready", () => mended("circle"));
clocks.addEventListener("found", ({ detail: { clocks: list, half_turns, best, chance, samples, step } }) => {
  tell("clocks", { clocks: list, half_turns, best, chance, samples, step });
});
clocks.addEventListener("read", ({ detail: d }) => {
  const best = d.probabilities.indexOf(Math.max(...d.probabilities));
  tell("votes", {
    text: d.text, expected: d.expected, answer: d.answers[best] ?? "", answers: d.answers,
    probabilities: d.probabilities, cut: d.dials.filter((x) => x.cut).map((x) => x.unit), changed: clocks.changed,
  });
});

// The chart of a unit that is pointed at. It and its sums come with the first: most frames never show one.
let sums = null, wanted = -1, near = null;
async function chart(unit, anchor) {
  wanted = unit;
  const none = unit < 0 || session.running || session.opened?.run.task !== "arithmetic";
  if (none || clocks.step !== session.step) return near?.hide(); // or the sums would be an older network's
  try {
    near ??= new (await import("./clocks/pointed.js")).Pointed();
    const asked = sums ??= clocks.sums();
    const list = await asked;
    if (wanted === unit && sums === asked) near.show(unit, list, clocks.clocks, anchor, circle.stage);
  } catch {
    sums = null; // a model whose texts cannot be followed one by one; the circle says so
  }
}
circle.addEventListener("unit", (e) => chart(e.detail, circle.stage));
clocks.addEventListener("unit", ({ detail: { unit, row } }) => chart(unit, row));
clocks.addEventListener("found", () => {
  sums = null;
  near?.hide();
});

watch($("expression"), (text) => { $("expression-error").textContent = text; });
$("train").addEventListener("click", () => train(!session.running).catch((error) => trouble(error)));
function ask(text) {
  reader.held = false;
  read(text, { play: true });
}
$("ask").addEventListener("submit", (e) => {
  e.preventDefault();
  ask($("expression").value);
});
reader.addEventListener("instead", (e) => ask(e.detail));

addEventListener("message", (e) => {
  if (e.source !== parent || e.data?.mhacsp !== "embed") return;
  const { type, name, value, on } = e.data;
  busy.then(() => { // what is being read comes first
    if (type === "play" && !circle.playing) reader.toggle();
    if (type === "pause" && circle.playing) reader.toggle();
    if (type === "undo") clocks.undo();
    const number = { step: ["by", 1], seek: ["at", 0], cut: ["clock", 0], turn: ["clock", 0] }[type];
    const given = number && integer(number[0], e.data[number[0]], number[1]);
    if (given === undefined || given === null) return;
    if (type === "step") return reader.step(given);
    if (type === "seek") return circle.seek(given);
    const clock = clocks.clocks[given], many = clocks.clocks.length;
    if (!clock) {
      return wrong("clock", given, many ? `Choose a clock from 0 to ${many - 1}.`
        : "No clocks are known yet: call it after the event clocks.");
    }
    if (type === "cut") return clocks.cut(clock.unit);
    const marks = integer("marks", e.data.marks, 1);
    if (marks) clocks.turn(clock.unit, marks);
  });
  if (type === "train") train(!!on).catch((error) => trouble(error));
  if (type === "set") set(String(name), value === null ? null : String(value));
});

// While it trains, the text is read again and again with the network as it is then.
let rested = 0;
setInterval(() => {
  if (circle.playing) rested = performance.now();
  if (!session.running || document.hidden || !typed || performance.now() - rested < 1500) return;
  rested = performance.now();
  read(typed, { play: !reader.held, again: true });
}, 250);

// When training stops the text is read once more, so that what is shown is the network as it is now.
let ran = false;
session.addEventListener("change", () => {
  if (ran && !session.running && session.state !== "lost" && typed) read(typed, { again: true });
  ran = session.running;
});

pauseWhileHidden(session, { trouble: (error) => trouble(error, "hidden") });
addEventListener("pagehide", () => session.leave());

async function begin() {
  named(asked.get("expression") || asked.get("task") || "arithmetic");
  for (const name of new Set(asked.keys())) {
    const remedy = `There is no attribute of this name; choose from: ${known.join(", ")}.`;
    if (!known.includes(name)) wrong(name, asked.get(name), remedy);
  }
  set(asked.has("buttons") ? "buttons" : "controls", asked.get("controls"));
  for (const name of ["speed", "layer", "theme", "view"]) if (asked.has(name)) set(name, asked.get(name));
  const link = flag("train") && new URLSearchParams(asked.get("settings") ?? "").get("task");
  const task = readSetting(drawnTask, asked.get("task") || link || "arithmetic", "task");
  if (flag("train")) {
    const { chosen, problems } = parseHash(`task=${task}&${asked.get("settings") ?? ""}`);
    for (const p of problems) if (p.key !== "task") trouble(p, p.key);
    const lesson = lessons.find((l) => l.chosen.task === task)?.chosen ?? { task };
    const base = asked.get("settings") ? {} : lesson;
    await session.open({ ...base, ...runOf(chosen), ...pageOf(chosen) });
  } else {
    // Reading one text is no work for a GPU, and starts sooner without.
    const models = Object.keys(finished);
    let model = asked.get("model") || task;
    if (!Object.hasOwn(finished, model) && model !== task) {
      wrong("model", model, `Choose one of: ${models.join(", ")}.`);
      model = task;
    }
    if (!Object.hasOwn(finished, model)) {
      const those = models.filter((m) => taskOf(m) === m).join(", ");
      throw new Problem("task", task, `There are finished models of ${those}: choose one, or give train too.`);
    }
    await session.open({ finished: model, backend: "cpu" });
  }
  const { parameters, backend, adapter, step, example: text } = session.opened;
  $("train").disabled = false;
  tell("ready", { task, parameters, backend, adapter, step });
  await read(asked.get("expression") || example(task) || text, { play: flag("autoplay") });
  if (asked.has("head")) set("head", asked.get("head"));
  if (flag("train") && flag("autoplay")) await session.start();
  render();
}
dispatchEvent(new Event("mhacsp-started"));
begin().catch((error) => trouble(error));

// The element grows until all of this has room; a plain frame scrolls.
const main = document.querySelector("main");
const parts = [...main.children].filter((e) => e !== $("pointed"));
const grown = new ResizeObserver(() => {
  const below = parseFloat(getComputedStyle(main).paddingBottom);
  const height = Math.ceil(Math.max(...parts.map((e) => e.offsetTop + e.offsetHeight)) + below);
  if (height > innerHeight) tell("size", { height });
});
for (const e of parts) grown.observe(e);
