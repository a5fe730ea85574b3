// The Lab, the trainer's page with everything: ties the session to what is seen. It is set up in several short tasks.
import "./article.js";
import { breathe } from "./breathe.js";
import { Bars, Lines, Scatter } from "./charts.js";
import { Circle } from "./circle.js";
import { ClockCharts } from "./clocks/clock-charts.js";
import { Clocks } from "./clocks/clocks.js";
import { build } from "./form.js";
import { data, seen, written } from "./data.js";
import { formsText } from "./forms.js";
import { pauseWhileHidden } from "./hidden.js";
import { $, html, label } from "./html.js";
import * as keys from "./keys.js";
import { example, finished as models, lessons, same, taskOf } from "./lesson/lessons.js";
import { announce, clear, message } from "./messages.js";
import { count, number, percent, size, time, whole } from "./numbers.js";
import { Reader, point } from "./reader.js";
import { Session } from "./session.js";
import { otherFamily, formatHash, pageOf, parseHash, setting, shorten } from "./settings.js";
import { showClasses } from "./classes.js";
import { CHOSEN, Columns, OWN, facts, onDrop, readFiles } from "./own.js";
import { offline } from "./offline.js";
import * as store from "./store.js";
import * as theme from "./theme.js";
import { plain, tooLong, watch } from "./typed.js";
import uPlot from "./uplot.js";
import { awake } from "./wake.js";
import { zoom } from "./zoom.js";

const session = new Session();
const circle = new Circle($("stage"));
const reader = new Reader(circle, {
  tokens: $("tokens"), verdict: $("verdict"), back: $("read-back"), play: $("read-play"), on: $("read-on"),
  at: $("read-at"), speed: $("read-speed"), layer: $("read-layer"), head: $("read-head"),
  headLabel: $("read-head-label"),
});

// The charts, and what the circle shows, open their formulas in place.
for (const button of document.querySelectorAll("[data-formula]")) zoom(button, button.dataset.formula);
const sections = {
  none: ["s2", ["p_t", "g_t", "h_t"]], distance: ["s3"], tree: ["s4"], fusion: ["s5"], attention: ["s6"],
};
const formulas = () => {
  $("read-formula").hidden = otherFamily(session.opened?.run.model); // they are of networks with phases
  zoom($("read-formula"), ...sections[$("read-layer").value]);
};
$("read-layer").addEventListener("change", formulas);
circle.addEventListener("layer", formulas);
session.addEventListener("opened", formulas);
formulas();

/** trouble shows an error of any kind where it belongs, and what else is to be said of it. */
function trouble(error, more = []) {
  if (error.aborted) return; // by what was chosen since
  if (session.state === "lost" || error.fatal) return lost(error);
  if (error.field && form.mark(error.field, error.message)) {
    $(`set-${error.field}`).scrollIntoView({ block: "nearest" });
  }
  message("trouble", [error.message, ...more], [], { bad: true });
}

/** unmarked throws an error of a run that the form does not show: nothing in the form is to be mended. */
const unmarked = (error) => { throw Object.assign(error, { field: "" }); };

/** go runs something that may fail, and shows why. */
const go = (work) => Promise.resolve().then(work).catch(trouble);

let waits = ""; // what the last press waits for
let measuring = false;

/** press says within a blink what goes on, where the trainer does not answer at once, until `work` is done. */
async function press(text, work) {
  const say = () => {
    waits = measuring ? `The measurement ends first. ${text}` : text;
    $("state").textContent = stateText();
  };
  const soon = measuring ? say() : setTimeout(say, 60); // ms; a trainer that is free answers in less
  try {
    return await work;
  } finally {
    clearTimeout(soon);
    waits = "";
    $("state").textContent = stateText();
  }
}

circle.addEventListener("trouble", (e) => message("circle", e.detail, [], { bad: true }));
const clocks = new Clocks(session, circle, {
  parts: ["views", "note", "cut", "turn"], above: $("stage"), below: $("clocks"), three: () => $("three").click(),
});
clocks.addEventListener("changed", (e) => { $("verdict").style.visibility = e.detail ? "hidden" : ""; });

// ---- the run ----

let pending = null; // a choice that waits for "Start again"
let refused = null; // a choice that the trainer did not take; the form keeps it until it is mended or undone

function lost(error) {
  const kept = session.kept && `The run is kept as it was at step ${whole(session.kept)}.`;
  message("lost", [error.message, kept].filter(Boolean), [
    ...(session.kept ? [["Go on from the last save", () => go(() => resume(session.mine))]] : []),
    // Where the program did not come at all, nothing is chosen yet but what the link says.
    ["Start again", () => go(() => (session.opened ? session.open(session.chosen) : fromLink()))],
  ], { bad: true });
}

const isOwn = () => session.opened?.run.task === OWN;
const fileless = () => isOwn() && !session.opened.filed;

/** take opens files that were dropped or chosen: those of the run that waits for them, or a new run. */
async function take(list) {
  clear("trouble");
  columns.chosen = {};
  const files = await readFiles(list, $("own-tokens").value);
  const record = fileless() ? session.awaits : null;
  pending = refused = null;
  if (record) {
    const { mine } = session, { tokens, fields, groups = [] } = record.run.data;
    try {
      await press("Opening the file …", session.open(record.chosen, record, files));
      files.data = { ...files.data, tokens, fields, groups }; // for the next run
      return session.adopt(mine);
    } catch (error) {
      if (error.aborted) throw error;
      return message("trouble", error.message, [["Start a new run with it", () => go(() => begin(files))]],
        { bad: true });
    }
  }
  await begin(files);
}

let offered = null; // the files that were opened last, or that the trainer did not take
const columns = new Columns(() => go(() => begin(offered)));

async function begin(files) {
  clear("trouble");
  const before = offered;
  offered = { ...files, data: { ...files.data, ...columns.chosen } };
  const opening = session.open({ ...CHOSEN, ...pageOf(session.chosen) }, null, offered).catch((error) => {
    if (error.columns) {
      columns.offer(error.columns, offered.data);
      $("own-warnings").textContent = error.message;
      $("own-prompt").focus();
    } else if (!error.aborted) offered = before; // the lists are of its columns
    return unmarked(error);
  });
  await press("Reading the file …", opening);
}

/** tellOwn says what a run's own data holds, and what is missing. */
function tellOwn() {
  clear("own");
  if (isOwn()) [offered, columns.chosen] = [session.files, {}];
  $("own-facts").textContent = isOwn() ? facts(session.opened) : "";
  const { columns: names, warnings = [], run } = session.opened ?? {};
  columns.offer(isOwn() ? names : null, run?.data);
  $("own-warnings").textContent = isOwn() ? warnings.map((w) => `Note: ${w}.`).join(" ") : "";
  $("lengths").closest("figure").hidden = isOwn();
  if (!fileless()) return;
  const { train, validation, test } = session.opened.run.data;
  const paths = [...new Set([train, validation, test].filter((f) => f?.path).map((f) => data(f.path)))];
  message("own", session.awaits
    ? `Files of more than 8 MB are not kept. Drop ${paths.join(" and ")} on the page again${paths.length > 1
      ? ", together," : ""} and this run goes on; it answers till then.`
    : `This model learned from ${paths[0]}, which is not here: it answers, and it cannot be tested or trained on.`);
}

const kindOf = (slot) => (slot === "last" ? "kept" : `kept-${slot}`);

/** resume goes on with a kept run, or with a copy of it where another tab has it open. */
async function resume(slot, run) {
  const fits = (r) => !run || JSON.stringify(r.run) === JSON.stringify(run); // as it was offered
  const record = (await store.kept()).find((r) => r.slot === slot && fits(r));
  if (!record) return message("trouble", "The kept run is not there any more; start a new one.", [], { bad: true });
  clear(kindOf(slot));
  const open = (more) => session.open({ ...record.chosen, ...more }, record);
  await open().catch((error) => (error.field === "backend" ? open({ backend: "auto" }) : unmarked(error)));
  const own = await store.take(slot); // not before: if it is not opened, the present run is kept where it was
  session.adopt(own ? slot : null);
  if (own) return void ($("forget").dataset.step = record.step);
  message("copy", "This run is open in another tab, which goes on keeping it. What you do here is done to a copy.");
}

/** choose opens another run. A finished model and a lesson are choices like any other. */
async function choose(chosen, { start = false } = {}) {
  pending = refused = null;
  render();
  clear("trouble");
  try {
    await press(OPENS, session.open(chosen));
  } catch (error) {
    if (error.aborted) throw error; // the form shows what was chosen since
    if (!refuse(chosen, error)) form.show(session.chosen, session.opened?.run);
    showLessons();
    throw error;
  }
  if (start) await press(STARTS, session.start());
}

const OPENS = "Loading the network …", STARTS = "Training starts …";

/** refuse leaves settings that do not go together in the form, to be mended there; not what is wrong otherwise. */
function refuse(chosen, error) {
  if (!error.field || error.fatal || chosen.finished || !session.opened) return false;
  refused = chosen;
  form.show(chosen, session.opened.run, { open: false });
  render();
  return true;
}

const WAITS = "These settings start a new run; the present one ends.";
const REFUSED = "These settings cannot be trained as they are: see the one that is marked. What is open stays open.";

let training = null; // a press on Train that is not answered yet; more of them mean the same

/** unsound reports whether a field's value cannot stand, and goes to the first: nothing is begun with another. */
function unsound() {
  const [first] = form.wrong();
  if (!first) return false;
  $("state").textContent = stateText();
  $(`set-${first.key}`).focus();
  return true;
}

const train = () => (training ??= switchTraining().finally(() => { training = null; }));

/** newRun is what is chosen, or in place of a finished model the lesson of its task. */
function newRun() {
  const { finished, ...chosen } = session.chosen;
  const lesson = lessons.find((l) => l.chosen.task === taskOf(finished));
  return finished ? { ...lesson.chosen, ...pageOf(chosen) } : chosen;
}

async function switchTraining() {
  if (session.running) return press("It pauses after this step …", session.pause());
  if (!await settled() || unsound()) return;
  if (session.chosen.finished) return choose(newRun(), { start: true });
  if (session.state === "done") await again(STARTS);
  return press(STARTS, session.start());
}

/** again goes back to the start, and says where a run that had come to its end is kept. */
async function again(text) {
  const slot = await press(text, session.reset());
  const record = slot && (await store.kept()).find((r) => r.slot === slot);
  if (record) offer(record);
}

/** settled waits for what is being opened, which is what a press means; false: it was refused, and that was said. */
const settled = async () => !session.opening || press(OPENS, session.opening);

const words = () => {
  const { task, data: own } = session.opened.run;
  return own ? data(own.train.path) : setting("task").choices[task];
};

function stateText() {
  const { state, opened, chosen, step, trained } = session;
  if (state === "lost") return "The trainer has stopped."; // whatever was waited for does not come
  if (waits) return waits;
  if (state === "starting") return "Starting …";
  if (session.preparing) return `Preparing the kernels: ${session.preparing.done} of ${session.preparing.all} …`;
  if (state !== "running" && form.wrong().length) {
    return `Not begun: mend ${form.wrong().map((s) => `“${s.label}”`).join(" and ")} in the settings first.`;
  }
  if (chosen.finished) return `A finished model: ${words()}`;
  if (state === "running" && measuring) return `Measuring; the training of ${words()} goes on after it.`;
  switch (state) {
    case "running": return `Training: ${words()}, step ${whole(step)} of ${whole(opened.run.steps)}`;
    case "done": return `Trained: ${words()}, ${count(step, "step")}`;
    case "ready":
      if (!trained) return `Ready: ${words()}. It has not practised yet.`;
      return `Ready: ${words()}, from a file` +
        (opened.learned ? `, after ${count(opened.learned, "training step")}` : "");
    default: return `Paused at step ${whole(step)} of ${whole(opened.run.steps)}`;
  }
}

/** computesOn is in plain words what computes. */
function computesOn({ backend, adapter }) {
  if (backend !== "cpu") return (adapter || "WebGPU") + (session.forms ? `; ${formsText(session.forms)}` : "");
  const vectors = adapter.includes("relaxed") ? "fused WebAssembly vectors" : "WebAssembly vectors";
  const how = `processor, ${adapter.includes("simd") ? vectors : "one number at a time"}`;
  return session.cores > 1 ? `${how}, ${session.cores} cores` : how;
}

/** trainLabel says what the large button does now. */
function trainLabel() {
  const { state, chosen, step } = session;
  if (state === "running") return "Pause";
  if (chosen.finished) return "Train one yourself";
  if (state === "done") return "Train again";
  return step > 0 ? "Train on" : "Train";
}

function render() {
  const { state, opened, chosen, step } = session;
  const usable = !!opened && state !== "lost";
  const trains = usable && !fileless();
  $("train").disabled = !trains;
  $("train").toggleAttribute("data-running", state === "running");
  for (const words of document.querySelectorAll("[data-train]")) { // what invites to press it names no Pause
    if (words.id || state !== "running") label(words, trainLabel());
  }
  if (state !== "running") {
    const press = `Press “${trainLabel()}” to see the curve.`;
    for (const { note } of [charts.loss, charts.accuracy]) note.textContent = press;
  }
  $("finished").hidden = !!chosen.finished && chosen.finished !== "clocks";
  $("three-words").hidden = chosen.finished === "clocks";
  $("step").disabled = !trains || state === "done" || !!chosen.finished;
  $("reset").disabled = !usable || step === 0 || !!chosen.finished;
  for (const id of ["reseed", "samples-again"]) $(id).disabled = !trains;
  $("lengths").disabled = !trains || measuring;
  $("download").disabled = !usable;
  $("timeline").disabled = !trains || session.reached === 0 || !!chosen.finished;
  $("pending").hidden = !pending && !refused;
  $("pending-text").textContent = refused ? REFUSED : WAITS;
  $("start-again").hidden = !!refused;
  showStep();
  awake(state === "running");
  if (!opened) return;
  $("f-parameters").textContent = whole(opened.parameters);
  $("f-adapter").textContent = computesOn(opened);
  $("forget-forms").hidden = !session.forms;
  $("notice").hidden = !opened.notice;
  $("notice").textContent = opened.notice ?? "";
}

function showStep() {
  const range = $("timeline");
  range.max = session.reached;
  if (!range.matches(":active")) { // else it is dragged
    if (document.activeElement !== range || session.running) range.value = session.step;
    $("step-now").textContent = whole(session.step);
  }
  $("state").textContent = stateText();
}

await breathe();

// ---- curves and figures, at most ten times a second ----

const charts = {
  loss: new Lines($("chart-loss"), "Loss", "Press Train to see the curve."),
  accuracy: new Lines($("chart-accuracy"), "Right answers", "Press Train to see the curve.", { share: true }),
  groups: new Lines($("chart-groups"), "Right answers by group", "Comes with the first test.", { share: true }),
  embedding: new Scatter($("chart-embedding"), "Digits", "The digits appear when a model is open."),
  spectrum: new Bars($("chart-spectrum"), "Variance of the principal directions",
    "The bars appear when a model is open."),
  lengths: new Bars($("chart-lengths"), "Accuracy beyond the trained lengths",
    "Press Measure. It takes a few seconds.", { top: 1.02 }),
};

new ClockCharts(session, circle, clocks);

let drawn = 0, drawing = 0;
function progress() {
  drawing ||= setTimeout(() => {
    drawing = 0;
    drawn = performance.now();
    curves();
  }, Math.max(0, drawn + 100 - performance.now()));
}

function curves() {
  const f = session.figures, evaluations = session.evaluations, tests = evaluations.map((e) => e.step);
  const how = f ? ", smoothed" : evaluations.length ? ", in a test" : "";
  for (const words of document.querySelectorAll("[data-how]")) label(words, how);
  const latest = evaluations.findLast((e) => e.step <= session.step);
  $("f-loss").textContent = f ? number(f.loss) : "–";
  $("f-answer").textContent = f ? percent(f.answer) : latest ? percent(latest.answer) : "–";
  $("f-exact").textContent = f ? percent(f.exact) : latest ? percent(latest.exact) : "–";
  $("f-ms").textContent = f ? time(f.seconds) : "–";
  $("f-tokens").textContent = f ? whole(f.tokens / f.seconds) : "–";
  $("f-memory").textContent = session.opened ? size(session.memory) : "–";
  showStep();
  const [loss, exact, answer] = session.steps.y;
  const columns = (lines) => lines.map((l) => l.y);
  const joined = (trained, tested) => {
    const counts = tested.filter((l) => l.n).map((l) => l.n);
    const all = [[session.steps.x, ...columns(trained)], [tests, ...columns(tested), ...counts]];
    const [x, ...y] = uPlot.join(all), lines = [...trained, ...tested];
    let next = lines.length;
    return { x, lines: lines.map((l, i) => ({ ...l, y: y[i], ...(l.n && { n: y[next++] }) })) };
  };
  const dotted = (name, key) => ({ name, y: evaluations.map((e) => e[key]), dots: true });
  const share = (name, key) => ({ ...dotted(name, key), n: evaluations.map((e) => e.samples) });
  const marks = limits();
  $("limit-note").hidden = marks.length === 0;
  charts.loss.set({ ...joined([{ name: "training, latest", y: loss }], [dotted("test", "loss")]), marks });
  const sequences = session.opened?.run.classes === 0 && session.opened.run.format !== "direct";
  charts.accuracy.set({ marks, ...joined(
    [{ name: "training, latest", y: answer }, ...(sequences ? [{ name: "training, exact", y: exact }] : [])],
    [share("test", "answer"), ...(sequences ? [share("test, exact", "exact")] : [])],
  ) });
  groups(evaluations, tests);
  showClasses(latest);
}

/** limits are where the curriculum let longer ones in: the loss jumps there. */
function limits() {
  const unit = session.opened?.run.classes > 0 ? "characters" : "numbers";
  return session.limits.slice(1).map(({ step, limit }) => ({ x: step, text: `to ${limit} ${unit}` }));
}

const FEWEST = 8; // samples; groups with fewer say nothing and are left out

/** How a test's samples are grouped: the list of an evaluation, its key, the chart's title, and a group's name. */
const groupings = [
  ["byOperands", "operands", "By number of operands", (n) => (n === 1 ? "one number" : `${n} operands`)],
  ["byGroup", "group", "By group", data], // of the visitor's own data, of which the lengths are told too
  ["byLength", "length", "By length", (n) => (n < 3 ? n : `${n / 2 + 1} to ${n}`)],
  ["byDepth", "depth", "By depth", (n) => `depth ${n}`],
];

/** groups draws the accuracy by operands, or by length or depth where the task has no operands. */
function groups(evaluations, x) {
  const several = ([list]) => evaluations.some((e) => e[list]?.length > 1);
  const [list, key, title, name] = groupings.find(several) ?? groupings[0];
  $("groups-title").textContent = title;
  const all = new Set(evaluations.flatMap((e) => (e[list] ?? []).map((g) => g[key])));
  const lines = [...all].sort((a, b) => a - b || 0).map((value) => {
    const found = evaluations.map((e) => e[list]?.find((g) => g[key] === value));
    const n = found.map((g) => g?.samples ?? null), enough = (i) => n[i] >= FEWEST;
    return { name: name(value), y: found.map((g, i) => (enough(i) ? g.answer : null)), n, most: Math.max(...n) };
  });
  const few = lines.filter((l) => l.most < FEWEST).map((l) => `${l.name} (${l.most})`);
  const out = `Left out, with fewer than ${FEWEST} samples in a test: ${few.join(", ")}.`;
  $("groups-few").textContent = few.length ? out : "";
  charts.groups.set({ x, lines: lines.filter((l) => l.most >= FEWEST).slice(0, 8) });
}

// ---- the reading ----

let typed = ""; // what is read
let reading = 0; // texts that wait for their turn
let last = Promise.resolve();

/** read lets the network read a text, one after the other. again: what is typed meanwhile keeps its mistake. */
function read(text, options) {
  const { opened } = session;
  reading++;
  last = last.then(() => readBy(opened, text, options)).finally(() => { reading--; });
  return last;
}

async function readBy(opened, text, { play = false, again = false } = {}) {
  const gone = () => session.opened !== opened || session.state === "lost"; // another network is there, or none
  if (!opened || gone()) return;
  try {
    const long = tooLong(text);
    if (long) throw new Error(long);
    const got = await session.send("read", { text: isOwn() ? text : plain(text) });
    if (gone()) return;
    typed = text;
    if (!again) mistake("");
    reader.untrained = got.step === 0 && !session.trained;
    reader.show(got, { play: play && !theme.reduced() && !reader.mistaken });
  } catch (error) {
    if (error.fatal || error.aborted || gone()) return; // told as "trouble", or not at all
    mistake(text, error);
  }
}

/** mistake shows what is wrong with a typed text, or that nothing is. */
function mistake(text, error = null) {
  $("expression").setAttribute("aria-invalid", String(!!error));
  reader.mistaken = !!error;
  if (error) point($("expression-error"), text, error);
  else $("expression-error").textContent = "";
}
watch($("expression"), (text) => mistake("", text ? new Error(text) : null));

/** While it trains, the circle reads the text again and again, each time with the network as it is then. */
let rested = performance.now();
setInterval(() => {
  if (!session.running || document.hidden || !typed || reading) return;
  const busy = circle.playing && circle.at < circle.last;
  if (busy) rested = performance.now();
  else if (performance.now() - rested > 1500) {
    rested = performance.now();
    read(typed, { play: !reader.held, again: true });
  }
}, 250);

// ---- samples, embedding, lengths ----

let inspected = 0;
async function inspect({ samples = true } = {}) {
  inspected = performance.now();
  const embedding = await session.send("embedding");
  charts.embedding.set({ points: embedding.points });
  charts.spectrum.set({ names: embedding.spectrum.map((_, i) => String(i + 1)), values: embedding.spectrum });
  if (samples && !fileless()) showSamples((await session.send("samples", { n: 12 })).samples);
}

setInterval(() => {
  const due = performance.now() - inspected > 8000;
  if (session.running && !document.hidden && due) inspect().catch(() => {}); // trouble is reported by its own event
}, 1000);

function showSamples(list) {
  $("samples").replaceChildren(...list.map((s) => {
    const cell = (textContent, className = "") => html("td", { textContent, className });
    return html("tr", {}, cell(seen(s.prompt)), cell(shorten(written(s.output)) || "nothing"),
      cell(shorten(written(s.target))),
      cell(s.exact ? "✓ right" : s.right ? "✓ answer, ✗ the rest" : "✗ wrong", s.exact ? "right" : "wrong"));
  }));
}

/** setName is a set's name under its bar: how many numbers, or from how many to how many characters. */
const setName = (s) => (s.operands ? String(s.operands) : s.name.replace(" characters", "").replace(" to ", "–"));

async function lengths() {
  const button = $("lengths"), { opened } = session;
  button.disabled = measuring = true;
  button.textContent = "Measuring …";
  try {
    const { sets } = await session.send("lengths", { n: 64 });
    const shown = sets.filter((s) => s.samples >= FEWEST), few = sets.filter((s) => s.samples < FEWEST);
    $("lengths-note").textContent = (sets.some((s) => s.operands)
      ? "Right answers by how many numbers the expression has."
      : "Right answers by how many characters the text has.") +
      (few.length ? ` Left out, with fewer than ${FEWEST} samples: ${few.map(setName).join(", ")}.` : "");
    charts.lengths.set({
      names: shown.map(setName), values: shown.map((s) => s.accuracy), chance: shown.map((s) => s.chance),
      n: shown.map((s) => s.samples),
    });
    announce(`Measured: ${sets.map((s) => `${s.name}: ${percent(s.accuracy)}`).join(", ")}`);
  } catch (error) {
    if (!error.aborted) throw error;
    if (session.opened === opened) {
      $("lengths-note").textContent = "That ended the measurement. Press Measure to start it again.";
    }
  } finally {
    button.textContent = "Measure";
    measuring = false;
    render();
  }
}

await breathe();

// ---- settings, lessons, link ----

/** asShown is the form's choice with what is chosen outside it, which the form has as it was when it was shown. */
function asShown({ background, ...chosen }) {
  const now = session.chosen, sameTask = (chosen.task ?? "arithmetic") === session.opened?.run.task;
  if (now.background) chosen.background = true;
  if (sameTask && now.expression !== undefined) chosen.expression = now.expression;
  return chosen;
}

const form = await build({
  main: $("settings-main"), more: $("settings-more"),
  change(chosen) {
    const begun = session.step > 0 || session.running || session.trained;
    if (session.opening || !begun) return go(() => choose(asShown(chosen)));
    pending = chosen;
    refused = null;
    render();
    announce("These settings start a new run. Choose Start again or Undo.");
  },
});

/** belongs reports whether what is open is a lesson's: its run, or its finished model. */
const belongs = ({ name, chosen }) => !!session.opened &&
  (same(session.chosen, chosen) || session.chosen.finished === chosen.task && name !== "full");

function showLessons() {
  for (const input of $("lessons").querySelectorAll("input")) {
    input.checked = belongs(lessons.find((l) => l.name === input.value));
  }
}

for (const lesson of lessons) {
  const input = html("input", { type: "radio", name: "lesson", value: lesson.name });
  const text = html("span", {}, html("b", { textContent: lesson.title }), html("small", { textContent: lesson.note }));
  input.addEventListener("change", () => go(() => choose({ ...lesson.chosen, ...pageOf(session.chosen) })));
  $("lessons").append(html("label", {}, input, text));
}

function showLink() {
  // A file does not fit into a link: what it could say would open nothing.
  history.replaceState(null, "", formatHash(isOwn() ? pageOf(session.chosen) : session.chosen));
}

/** fromLink opens what the address says, and says what in it could not be read. */
async function fromLink() {
  const { chosen, problems } = parseHash(location.hash);
  clear("link");
  if (problems.length) {
    const text = ["Part of the link was not understood and is left out.", ...problems.map((p) => p.message)];
    message("link", text, [], { bad: true });
  }
  const run = Object.keys(chosen).some((key) => !setting(key).page || key === "finished");
  try {
    await choose(run ? chosen : { ...lessons[0].chosen, ...chosen });
  } catch (error) {
    if (error.fatal || error.aborted) throw error;
    const [{ title, chosen: other }] = lessons; // the page is usable whatever a link says
    await choose({ ...other, ...(chosen.background && { background: true }) });
    refuse(chosen, error);
    trouble(error, [`The link’s settings cannot be trained: “${title}” is open instead.`]);
  }
}

await breathe();

// ---- events of the session ----

// WebKit deletes what scripts have stored (webkit.org/tracking-prevention). All its browsers name Apple as the vendor.
const KEPT = "This browser keeps your last three runs." + (!navigator.vendor.startsWith("Apple") ? ""
  : " Safari and other WebKit browsers may delete them after seven days of use without a visit here. A downloaded " +
    "model stays.");
const UNKEPT = {
  storage: "This browser gives the page no storage: the run ends with this tab. Download the model to keep it.",
  room: "The browser’s storage for this page is full: what this run learns from here on ends with this tab. " +
    "Download the model to keep it.",
  tabs: "Other tabs keep their runs in this browser, and there is room for three: this one ends with its tab. " +
    "Download the model to keep it.",
};
let told = false, unkept = ""; // what was said of it
let warned = null; // the choice that was warned of
const warnings = new Set();

session.addEventListener("change", render);
session.addEventListener("progress", progress);
session.addEventListener("preparing", () => { $("state").textContent = stateText(); });
session.addEventListener("warning", (e) => message("warning", [...warnings.add(e.detail)]));
session.addEventListener("trouble", (e) => trouble(e.detail));
session.addEventListener("kept", ({ detail: { step, slot, beside } }) => {
  $("forget").hidden = false;
  $("forget").dataset.step = step;
  $("kept-note").textContent = KEPT;
  clear("unkept");
  unkept = "";
  clear(kindOf(slot)); // the run that it offers was there before this one
  if (!beside || told) return;
  told = true;
  message("beside", "Another tab keeps a run in this browser. This tab’s run is kept as well.");
});
session.addEventListener("unkept", ({ detail: { why } }) => {
  $("kept-note").textContent = UNKEPT[why];
  if (unkept === why) return;
  unkept = why;
  message("unkept", UNKEPT[why]);
});

/** met says which samples of a test the network may have met in training (model/SPEC.md §9, Splits). */
function met({ task, split }) {
  if (task !== "arithmetic") return "It may have met the short ones in training.";
  return split === "iid" ? "It may have met them in training." : "Sums of two numbers or more are new to it.";
}

session.addEventListener("opened", () => {
  const { chosen, opened } = session;
  pending = refused = null;
  clear("lost");
  clear("result");
  if (warned !== chosen) { // not where it goes back to its start
    warned = chosen;
    warnings.clear();
    clear("warning");
    clear("copy");
  }
  form.show(chosen, opened.run);
  $("background").checked = !!chosen.background;
  showLessons();
  showLink();
  const text = chosen.expression ?? (example(opened.run.task) || opened.example);
  const strings = opened.run.classes > 0 && opened.run.task !== "modarith";
  const weight = opened.run.classes ? 0 : opened.run.answer_weight, own = isOwn();
  $("weight-note").textContent = weight > 1 ? `In training the answer weighs ${weight} times as much as another token.` : "";
  $("expression-kind").textContent = strings || own ? "text" : "expression";
  $("groups-note").textContent = own ? "Right answers on lines that it was not trained on, by the lines’ own field."
    : "Right answers in a test. Short ones come first.";
  $("accuracy-note").textContent = own ? "In training, and in a test on lines that it was not trained on."
    : `In training, and in a test. ${met(opened.run)}`;
  $("samples-note").textContent = own ? "Lines it was not trained on, answered on its own."
    : `${strings ? "Texts" : "Sums"} of a test, answered on its own.`;
  const sign = own ? "token" : opened.run.task === "parenthesis" ? "bracket" : "digit";
  $("embedding-title").textContent = `Where the ${sign}s sit`;
  $("embedding-note").textContent = `Each ${sign}’s learned vector, ` +
    (own ? "along the two directions of greatest difference."
      : "seen along the two directions in which they differ most.");
  tellOwn();
  $("lengths-title").textContent = opened.run.classes > 0 ? "Longer texts" : "More and more numbers";
  $("expression").value = text;
  $("samples").replaceChildren();
  charts.lengths.set(null);
  $("lengths-note").textContent = opened.run.classes > 0 ? "Does the rule hold for longer texts?"
    : "Does it hold for longer sums?";
  typed = "";
  reader.clear();
  if (chosen.finished === "clocks") clocks.show(true);
  render();
  clearTimeout(drawing);
  drawing = 0;
  curves(); // those of the run before go at once
  const speed = Number($("speed").value);
  go(async () => {
    if (speed) await session.speed(speed);
    await read(text, { play: true });
    if (session.chosen !== chosen || !session.opened) return;
    if (typed !== text && !chosen.expression) await read(opened.example, { play: true });
    await inspect();
  });
});

let before = session.state;
session.addEventListener("change", () => {
  if (session.state === before) return;
  const was = before, { state, step } = session;
  before = state;
  if (state === "running") {
    clear("result");
    announce("Training.");
  }
  if (was !== "running" || !["paused", "done"].includes(state)) return;
  announce(state === "paused" ? `Paused at step ${whole(step)}.` : `Finished after ${count(step, "step")}.`);
  if (state === "done") result();
  go(fresh);
});

/** result says what a run that has come to its end can do, and what to look at next. */
function result() {
  const test = session.evaluations.at(-1), model = session.opened.run.model;
  const can = test ? `, and ${percent(test.answer)} of the answers to a test are right` : "";
  message("result", `It has made its ${count(session.step, "step")}${can}.`,
    isOwn() || otherFamily(model) || session.opened.run.task === "modarith" ? []
      : [["See the hands that became clocks", () => clocks.show(true)]]);
}

/** fresh shows the network as it is now, after training stopped or moved. */
async function fresh() {
  if (typed) await read(typed, { again: true });
  await inspect();
}

session.addEventListener("evaluated", ({ detail: e }) => {
  announce(`Step ${whole(e.step)}: ${percent(e.answer)} of answers right in a test, loss ${number(e.loss)}.`, true);
});

// ---- controls ----

const on = (id, act) => $(id).addEventListener("click", () => go(act));
on("train", train);
on("step", async () => {
  if (!await settled() || unsound()) return;
  await press("One step …", session.one());
  await fresh();
});
on("reset", async () => {
  if (!await settled()) return;
  await again("Back to the start …");
  announce("Back at the start, with the same first weights.");
});
on("reseed", async () => {
  if (unsound()) return;
  const seed = crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000;
  await choose({ ...newRun(), seed }, { start: session.running });
  announce(`New seed: ${seed}.`);
});
on("download", async () => {
  const { checkpoint, name } = await press("The file is being made …", session.send("save", { full: false }));
  const url = URL.createObjectURL(new Blob([checkpoint], { type: "application/octet-stream" }));
  html("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
  message("downloaded", `Downloaded ${name}.`, [], { brief: true });
});
on("finished", () => {
  const task = session.opened?.run.task;
  return choose({ finished: task in models ? task : "arithmetic", ...pageOf(session.chosen) });
});
on("three", () => choose({ finished: "clocks", ...pageOf(session.chosen) }));
on("samples-again", () => press("The network answers …", inspect()));
on("lengths", lengths);
on("forget-forms", () => {
  session.forget();
  message("measured", "The next run that is opened on the GPU measures its kernels again.", [], { brief: true });
});
on("upload", () => $("file").click());
on("own", () => $("own-file").click());
$("own-file").addEventListener("change", () => go(async () => {
  const list = [...$("own-file").files];
  $("own-file").value = "";
  if (list.length) await take(list);
}));
onDrop((list) => go(() => take(list)));
on("link", async () => {
  if (isOwn()) return message("copied", "A link cannot hold your file. Download the model, or send the file itself.");
  try {
    await navigator.clipboard.writeText(location.href);
    message("copied", "The link is copied.", [], { brief: true });
  } catch {
    message("copied", `Copy it from here: ${location.href}`);
  }
});
on("forget", async () => {
  const records = (await store.kept()).filter((r) => !r.elsewhere);
  const record = records.find((r) => r.slot === session.mine) ?? records[0];
  if (record) await forget(record);
});

async function forget(record) {
  const { slot, when } = record;
  const done = await store.forget(slot, when);
  const failed = {
    changed: "Meanwhile that run was saved again, deleted or opened in another tab. Nothing was deleted.",
    refused: "The kept run could not be deleted; clear this site’s data in the browser’s settings.",
  }[done];
  if (failed) return message("trouble", failed, [], { bad: true });
  if (session.mine === slot) session.deleted();
  const left = (await store.kept()).filter((r) => !r.elsewhere).length;
  $("forget").hidden = !left;
  clear(kindOf(slot));
  const more = left === 1 ? " One more is kept here." : left ? ` ${left} more are kept here.` : "";
  message("forgotten", `Deleted: ${keptText(record)}${more}`, [], { brief: true });
}
on("undo", () => {
  pending = refused = null;
  clear("trouble");
  form.show(session.chosen, session.opened.run);
  render();
});
$("settings").addEventListener("submit", (e) => {
  e.preventDefault();
  if (pending && !unsound()) go(() => choose(asShown(pending)));
});
$("file").addEventListener("change", () => go(async () => {
  const [file] = $("file").files;
  $("file").value = "";
  if (!file) return;
  if (file.size > 512e6) {
    throw new Error(`${data(file.name)} has ${size(file.size)}; a model of this trainer is far smaller. ` +
      "Choose a .safetensors file that it wrote.");
  }
  clear("trouble");
  try {
    await press("Opening the file …", file.arrayBuffer().then((buffer) => session.load(buffer)));
    const { learned } = session.opened;
    const after = learned ? `, after ${count(learned, "training step")}`
      : "; at which step it was written it does not say";
    const text = `${data(file.name)} is open: ${words()}${after}. The link gives its settings, not its weights.`;
    message("loaded", text, [], { brief: true });
  } catch (error) {
    error.message = `${data(file.name)} could not be opened. ${error.message}`;
    unmarked(error);
  }
}));
$("ask").addEventListener("submit", (e) => {
  e.preventDefault();
  const text = $("expression").value;
  go(async () => {
    reader.held = false;
    await press("The network reads …", read(text, { play: true }));
    if (typed !== text) return;
    session.chosen.expression = text;
    showLink();
  });
});
reader.addEventListener("instead", (e) => {
  $("expression").value = e.detail;
  $("ask").requestSubmit();
});
$("background").addEventListener("change", () => {
  if ($("background").checked) session.chosen.background = true;
  else delete session.chosen.background;
  showLink();
});
$("speed").addEventListener("change", () => go(() => session.speed(Number($("speed").value))));
$("timeline").addEventListener("change", () => go(async () => {
  const step = Number($("timeline").value);
  await press(`Going to step ${whole(step)} …`, session.seek(step));
  await fresh();
}));
$("timeline").addEventListener("input", () => { $("step-now").textContent = whole(Number($("timeline").value)); });

on("help-open", () => $("help").showModal());
$("help").addEventListener("click", (e) => { if (e.target === $("help")) $("help").close(); });
$("keys").checked = keys.enabled();
$("keys").addEventListener("change", () => keys.enable($("keys").checked));
keys.listen({
  " ": () => $("train").click(), // none of them does anything while it is disabled
  s: () => $("step").click(),
  r: () => $("reset").click(),
  n: () => $("reseed").click(),
  d: () => $("download").click(),
  c: () => reader.toggle(),
  ArrowLeft: () => reader.step(-1),
  ArrowRight: () => reader.step(1),
  e: () => { $("expression").focus(); $("expression").select(); },
  t: () => theme.toggle(),
  "?": () => $("help").showModal(),
});

await breathe();

// ---- hiding, leaving, coming back ----

pauseWhileHidden(session, { stays: () => !!session.chosen.background, kept: () => session.keep(), trouble });
addEventListener("pagehide", () => session.leave());
addEventListener("hashchange", () => go(fromLink));
dispatchEvent(new Event("mhacsp-started"));

/** goOn is the kept run with which the first page sent the reader here; null: none. */
function goOn() {
  try {
    const slot = sessionStorage.getItem("mhacsp-go-on");
    sessionStorage.removeItem("mhacsp-go-on");
    return slot;
  } catch {
    return null; // no storage
  }
}

/** start opens the run that the reader comes with, or what the address says. */
async function start() {
  const slot = goOn();
  if (slot && (await store.kept()).some((record) => record.slot === slot)) {
    try {
      return await resume(slot);
    } catch (error) {
      trouble(error);
    }
  }
  await fromLink();
}

go(start);
store.works().then((works) => { $("kept-note").textContent = works ? KEPT : UNKEPT.storage; });
store.kept().then(([newest, ...earlier]) => {
  if (!newest || session.mine) return;
  offer(newest);
  if (!earlier.length) return;
  const text = earlier.length > 1 ? `${earlier.length} earlier runs are kept too.` : "An earlier run is kept too.";
  // As they are by then: a run that was trained meanwhile may have taken the place of one.
  const still = async () => (await store.kept()).filter((r) => r.slot !== newest.slot && r.slot !== session.mine);
  message("kept-earlier", text, [["Show", () => go(async () => (await still()).forEach(offer))]]);
});

/** keptText says which run a record holds. */
function keptText({ run, step, when }) {
  const ago = Math.max(1, Math.round((Date.now() - when) / 60_000));
  const text = ago < 60 ? `${ago} min` : ago < 2880 ? `${Math.round(ago / 60)} h` : `${Math.round(ago / 1440)} days`;
  const task = run.data ? data(run.data.train.path) : setting("task").choices[run.task] ?? run.task;
  return `${task}, step ${whole(step)}, ${text} ago.`;
}

/** offer says that a run is kept. */
function offer(record) {
  const { slot, elsewhere } = record, what = keptText(record), open = () => go(() => resume(slot, record.run));
  if (elsewhere) {
    return message(kindOf(slot), `A run is open in another tab, which keeps it: ${what}`, [["Work on a copy", open]]);
  }
  $("forget").hidden = false;
  message(kindOf(slot), `A run of yours is kept here: ${what}`, [
    ["Go on with it", open], ["Delete it", () => go(() => forget(record))],
  ]);
}

offline(() => session.keep());
