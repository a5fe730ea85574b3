// The race: two to four sessions on the same samples, their curves in one chart.
import "./article.js";
import { Lines, measured } from "./charts.js";
import { data, written } from "./data.js";
import { $, html, label } from "./html.js";
import { percent, time, whole } from "./numbers.js";
import { Plain } from "./plain.js";
import { Session } from "./session.js";
import { Problem, applies, drawnTask, otherFamily, read, setting } from "./settings.js";
import { onChange } from "./theme.js";
import { plain } from "./typed.js";
import uPlot from "./uplot.js";

const MOST = 4; // runners
const SMOOTH = 0.9; // of a curve, by each of its points
const KEYS = ["task", "max_length", "steps", "batch", "lr", "seed", "backend"];

/** What a race starts from. A task whose strings are short is learnt, or not, in minutes. */
const start = { task: "parity", max_length: 16, steps: 1500, batch: 64, lr: undefined, seed: 0, backend: "cpu" };
const models = setting("model").choices;

// ---- what was chosen, here and in the address ----

const offered = (key) => (key === "task" ? drawnTask : setting(key));
let chosen = { ...start, models: ["mha-csp-s", Object.keys(models).find(otherFamily)] };
const problems = [];
for (const [key, text] of new URLSearchParams(location.hash.slice(1))) {
  try {
    if (key === "models") {
      const list = [...new Set(text.split(","))];
      if (list.length < 2 || list.length > MOST || !list.every((m) => Object.hasOwn(models, m))) {
        throw new Problem("models", text, `Name two to ${MOST} of: ${Object.keys(models).join(", ")}.`);
      }
      chosen.models = list;
    } else if (KEYS.includes(key)) {
      chosen[key] = read(offered(key), text, `${setting(key).label} (${key})`);
    } else {
      throw new Problem(key, text, `A race has no such setting; it has models, ${KEYS.join(", ")}.`);
    }
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    problems.push(problem.message);
  }
}

/** runOf is what a runner is opened with: all the same but the model, one core, no curriculum, which would choose. */
function runOf(model) {
  const run = { model, cores: 1, eval_every: 0, test_samples: 1024, eval_samples: 512, curriculum: false };
  for (const key of KEYS) {
    const s = setting(key);
    if (chosen[key] !== undefined && applies(s, chosen.task, model)) run[key] = chosen[key];
  }
  if (chosen.task === "arithmetic") Object.assign(run, { format: "direct", long_share: 0 }); // models differ in these
  run.eval_every = Math.max(1, Math.round(run.steps / 10));
  return run;
}

const address = () => {
  const parts = new URLSearchParams({ models: chosen.models.join(",") });
  for (const key of KEYS) if (chosen[key] !== undefined) parts.set(key, String(chosen[key]));
  return `#${parts}`;
};

// ---- the form ----

function field(id, label, input) {
  input.id = id;
  const error = html("p", { className: "mistake", id: `${id}-error`, role: "alert" });
  input.setAttribute("aria-describedby", error.id);
  const name = html("label", { htmlFor: id, textContent: label });
  $("setup").append(html("div", { className: "field" }, name, input, error));
  return (text) => {
    error.textContent = text;
    input.setAttribute("aria-invalid", String(!!text));
  };
}

const options = (choices) => Object.entries(choices).map(([value, text]) => new Option(text, value));
const runners = Array.from({ length: MOST }, (_, i) => {
  const none = i < 2 ? {} : { "": "none" };
  const select = html("select", {}, ...options({ ...none, ...models }));
  const mark = field(`model-${i}`, `Runner ${i + 1}`, select);
  select.addEventListener("change", () => {
    const list = runners.map((r) => r.select.value).filter(Boolean);
    if (new Set(list).size < list.length) return mark("It runs already; choose another.");
    chosen.models = list;
    open();
  });
  return { select, mark };
});
const inputs = {}, marks = {};
for (const key of KEYS) {
  const s = offered(key);
  const input = s.kind === "choice" ? html("select", {}, ...options(s.choices))
    : html("input", { inputMode: "numeric" });
  const mark = marks[key] = field(key, s.label, input);
  input.addEventListener("change", () => {
    try {
      const text = input.value.trim();
      chosen[key] = text === "" ? undefined : read(s, text);
      mark("");
      open();
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      mark(problem.message);
    }
  });
  inputs[key] = input;
}

function fill() {
  runners.forEach(({ select, mark }, i) => {
    select.value = chosen.models[i] ?? "";
    mark("");
  });
  for (const key of KEYS) {
    inputs[key].value = chosen[key] ?? "";
    marks[key]("");
    inputs[key].closest(".field").hidden = !applies(setting(key), chosen.task);
  }
}

// ---- the lanes ----

class Lane {
  session = new Session({ keeps: false });
  problem = "";
  verdict = "";
  #plain = null;

  constructor(model) {
    this.model = model;
    this.name = models[model];
    this.figures = Object.fromEntries(["parameters", "step", "a step", "test"].map((name) => [name, html("dd")]));
    const rows = Object.entries(this.figures).flatMap(([name, dd]) => [html("dt", { textContent: name }), dd]);
    this.says = html("p", { className: "says" });
    this.picture = html("div", { className: "picture", hidden: otherFamily(model) });
    this.root = html("article", { className: "lane" }, html("h3", { textContent: this.name }),
      html("dl", {}, ...rows), this.says, this.picture);
    this.root.dataset.model = model;
    if (!otherFamily(model)) this.#plain = new Plain(this.picture);
    this.session.addEventListener("trouble", (e) => { this.problem = e.detail.message; later(); });
    for (const type of ["change", "progress", "opened"]) this.session.addEventListener(type, later);
  }

  async open() {
    this.problem = this.verdict = "";
    try {
      await this.session.open(runOf(this.model));
    } catch (error) {
      this.problem = error.message;
    }
    later();
  }

  get able() { return !!this.session.opened && !this.problem; }

  async read(text) {
    if (!this.able) return;
    const reading = await this.session.send("read", { text });
    const judged = reading.right ? ": right" : reading.expected ? `: wrong, it is ${data(reading.expected)}` : "";
    this.verdict = `answers ${data(written(reading.answer)) || "nothing"}${judged}`;
    this.#plain?.show(reading, reading.tokens.length - 1);
  }

  show() {
    const { session: s, figures: f } = this, last = s.evaluations.at(-1);
    f.parameters.textContent = s.opened ? whole(s.opened.parameters) : "–";
    f.step.textContent = s.opened ? `${whole(s.step)} of ${whole(s.opened.run.steps)}` : "–";
    f["a step"].textContent = s.figures ? time(s.figures.seconds) : "–";
    f.test.textContent = last ? `${measured(last.answer, last.samples)}, at step ${whole(last.step)}` : "–";
    const states = { starting: "opens …", running: "trains", done: "has run its course", lost: "has ended" };
    this.says.textContent = this.problem || [states[s.state] ?? (s.step ? "rests" : "is ready"), this.verdict]
      .filter(Boolean).join("; ");
    this.says.classList.toggle("mistake", !!this.problem);
  }

  redraw() { this.#plain?.redraw(); }

  close() {
    this.#plain?.close();
    this.session.close();
    this.root.remove();
  }
}

let lanes = [];
let opening = 0, text = ""; // what was asked last

/** open lets the chosen ones take their places; what ran before is gone. */
async function open() {
  const mine = ++opening;
  lanes.forEach((l) => l.close());
  lanes = chosen.models.map((model) => new Lane(model));
  $("lanes").replaceChildren(...lanes.map((l) => l.root));
  fill();
  history.replaceState(null, "", address());
  $("text").value = "";
  later();
  // One after another: the second of two programs that are alike then comes from the browser's store.
  for (const lane of lanes) {
    if (mine !== opening) return;
    await lane.open();
  }
  if (mine !== opening) return;
  text = $("text").value = lanes.find((l) => l.able)?.session.opened.example ?? "";
  await ask();
}

/** ask reads a text in every lane: what was asked last, while something else is being typed. */
async function ask() {
  $("text-error").textContent = "";
  for (const lane of lanes) {
    try {
      await lane.read(text);
    } catch (error) {
      lane.verdict = "";
      if (!error.fatal && !error.aborted) $("text-error").textContent = error.message;
    }
  }
  later();
}

$("ask").addEventListener("submit", (e) => {
  e.preventDefault();
  text = plain($("text").value);
  ask();
});

// ---- running ----

const running = () => lanes.some((l) => l.session.running);
const ready = () => lanes.filter((l) => l.able && l.session.state !== "done");

$("go").addEventListener("click", () => {
  const all = running();
  for (const lane of ready()) {
    const command = all ? lane.session.pause() : lane.session.start();
    command.catch((e) => { lane.problem = e.message; });
  }
  if (!all) $("chart").scrollIntoView({ block: "nearest" });
});
$("again").addEventListener("click", async () => {
  for (const lane of lanes) if (lane.able) await lane.session.reset().catch((e) => { lane.problem = e.message; });
  ask();
});
$("link").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(location.href);
    tell("The link is copied.");
  } catch {
    tell(`The browser does not let the page copy; copy the address: ${location.href}`);
  }
});

addEventListener("pagehide", () => lanes.forEach((l) => l.session.leave()));

// While they train, the pictures and answers follow now and then.
setInterval(() => { if (running() && !document.hidden) ask(); }, 3000);

// ---- what is seen ----

onChange(() => lanes.forEach((l) => l.redraw()));

const chart = new Lines($("chart"), "Right answers in training", "Press Start to see the curves.", { share: true });
$("by").addEventListener("change", () => later());

/** curve is a lane's share of right answers, smoothed, over steps or over the seconds that they took. */
function curve({ session }) {
  const { x: steps, y: [, , answers, seconds] } = session.steps;
  const x = [], y = [];
  let mean, spent = 0, before = 0;
  steps.forEach((step, i) => {
    spent += seconds[i] * (step - before);
    before = step;
    mean = mean === undefined ? answers[i] : SMOOTH * mean + (1 - SMOOTH) * answers[i];
    x.push($("by").value === "seconds" ? spent : step);
    y.push(mean);
  });
  return [x, y];
}

let told = "", drawing = 0;
function tell(text) { told = text; later(); }

function later() {
  drawing ||= setTimeout(() => {
    drawing = 0;
    show();
  }, 100);
}

function show() {
  lanes.forEach((l) => l.show());
  const all = lanes.map(curve);
  if (all.some(([x]) => x.length)) {
    const [x, ...y] = uPlot.join(all);
    chart.set({ x: [...x], lines: lanes.map((l, i) => ({ name: l.name, y: [...y[i]] })) });
  } else {
    chart.set(null);
  }
  label($("go"), running() ? "Pause" : lanes.some((l) => l.session.step) ? "Go on" : "Start");
  $("go").disabled = ready().length === 0 || lanes.some((l) => l.session.state === "starting" && !l.problem);
  $("again").disabled = !lanes.some((l) => l.session.step);
  $("link").disabled = false;
  const opened = lanes.filter((l) => l.able);
  const same = opened.length && `All read the same batches of ${whole(opened[0].session.opened.run.batch)}, ` +
    `drawn by seed ${opened[0].session.opened.run.seed}, without a curriculum.`;
  const over = lanes.every((l) => l.able && l.session.state === "done");
  const right = lanes.map(({ name, session: { evaluations } }) => {
    const good = evaluations.find(({ answer }) => answer >= 0.95);
    return `${name} ${percent(evaluations.at(-1)?.answer)}${good ? `, 95 % first at step ${whole(good.step)}` : ""}`;
  });
  const end = over ? ` The race is over; in the last test: ${right.join("; ")}.` : "";
  $("told").textContent = [...problems, told, same ? same + end : ""].filter(Boolean).join(" ") || "Opening …";
}

dispatchEvent(new Event("mhacsp-started"));
open();
