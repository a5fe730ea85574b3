// The lesson: guesses before answers, examples that widgets show step by step, projector mode, print.
import "./article.js";
import { announce } from "./messages.js";
import { exactness, percent, sure as certain, whole } from "./numbers.js";
import { paper, perfect, waves } from "./perfect.js";
import { projector } from "./projector.js";

const $ = (id) => document.getElementById(id);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];

all(".perfect").forEach(perfect);
all(".paper").forEach(paper);
waves($("waves"));

// ---- guesses ----

for (const group of all(".guesses")) {
  const reveal = group.nextElementSibling;
  const said = document.createElement("p");
  said.className = "guessed";
  said.setAttribute("role", "status");
  reveal.before(said);
  for (const button of all("button", group)) {
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      for (const b of all("button", group)) b.setAttribute("aria-pressed", String(b === button));
      const right = button.hasAttribute("data-right");
      said.textContent = `You guessed “${button.textContent}”. ${right ? "Right. See why:" : "Look what it does:"}`;
      reveal.open = true;
    });
  }
}

// ---- widgets ----
// Each is a frame with programs of its own, so only few live at once. One that is taken away leaves an empty place of
// its size and starts again when it is seen again. One that has trained stays, since its run would be lost.

const MOST = 2;
const started = []; // the one seen last at the end
const seen = new Set();
const stays = new Set();
const found = new WeakMap(); // element: a promise of its clocks, and how to keep it
const places = new WeakMap(); // an empty place: its element

function begin(element) {
  let keep;
  const promise = new Promise((resolve) => { keep = resolve; });
  found.set(element, { promise, keep });
}

const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) {
      seen.delete(target);
      continue;
    }
    const element = places.get(target) ?? target;
    if (element !== target) {
      sight.unobserve(target);
      target.replaceWith(element);
      sight.observe(element);
    }
    seen.add(element);
    const i = started.indexOf(element);
    if (i >= 0) started.splice(i, 1);
    started.push(element);
  }
  for (const element of started.filter((e) => !seen.has(e) && !stays.has(e))) {
    if (started.length <= MOST) break;
    started.splice(started.indexOf(element), 1);
    const place = document.createElement("div");
    place.className = "away";
    places.set(place, element);
    sight.unobserve(element);
    element.replaceWith(place);
    begin(element);
    sight.observe(place);
  }
}, { rootMargin: "150px" });

for (const element of all("mha-csp")) {
  begin(element);
  element.addEventListener("clocks", ({ detail: d }) => {
    if (d.clocks.length + d.half_turns.length) found.get(element).keep();
  });
  sight.observe(element);
}

/** arrived waits for an event of a widget: what comes next must find the reading at its place. */
const arrived = (element, type = "position") => new Promise((resolve) => {
  element.addEventListener(type, resolve, { once: true });
});

/** show does what a step says, in order: read TEXT, seek N, seek end, undo, cut CLOCKS, turn CLOCKS (by one mark). */
async function show(element, steps) {
  await found.get(element).promise;
  for (const [what, ...rest] of steps.split(",").map((s) => s.trim().split(" "))) {
    if (what === "undo") element.undo();
    if (what === "read" && element.expression !== rest[0]) {
      const there = arrived(element, "votes");
      element.read(rest[0]);
      await there;
    }
    if (what === "cut") rest.forEach((clock) => element.cut(Number(clock)));
    if (what === "turn") rest.forEach((clock) => element.turn(Number(clock), 1));
    if (what === "seek") {
      const there = arrived(element);
      element.seek(rest[0] === "end" ? 1e6 : Number(rest[0]));
      await there;
    }
  }
}

const widget = (button) => button.closest("figure").querySelector("mha-csp");

for (const button of all("[data-do]")) {
  button.addEventListener("click", () => {
    for (const b of all("[data-do]", button.closest(".steps"))) b.setAttribute("aria-pressed", String(b === button));
    const element = widget(button);
    if (!element) return;
    if (!mode.active()) element.scrollIntoView({ block: "nearest" });
    show(element, button.dataset.do);
  });
}

$("broken").querySelector("mha-csp").addEventListener("votes", ({ detail: d }) => {
  const sure = certain(Math.max(...d.probabilities));
  const what = d.cut.length ? `You cut ${d.cut.length} of 3 clocks` : d.changed ? "You turned the hands" : "Whole";
  $("said").textContent = `${what}: it answers ${d.answer}, ${sure} sure. 4 − (3 + 5) is ${d.expected}.`;
});

let growth = "", right = ""; // what is said of a run
$("trainer").addEventListener("clocks", ({ detail: d }) => {
  const r = exactness(Math.max(...d.best.map((b) => b.r)));
  const count = d.clocks.length === 1 ? "1 clock" : `${d.clocks.length} clocks`;
  growth = `At step ${whole(d.step)}: ${count}; the best hand has R ${r}, chance is ${exactness(d.chance)} ` +
    `(${d.samples} texts).`;
  if (d.step) announce(`${growth} ${right}`, true);
  if (!d.step) $("progress").textContent = growth;
});
$("trainer").addEventListener("progress", ({ detail: d }) => {
  stays.add($("trainer"));
  right = `${percent(d.answer)} of its answers right.`;
  $("progress").textContent = `Step ${whole(d.step)}: ${right} ${growth}`;
});

// ---- projector ----

const parts = all(".part:not(.notes)");
let part = 0, step = 0;
const stepsOf = (p) => [...all(".reveal > summary", p), ...all("[data-do]", p)];

const bar = document.createElement("nav");
bar.className = "remote";
bar.setAttribute("aria-label", "Projector");
const button = (text, act) => {
  const b = Object.assign(document.createElement("button"), { type: "button", textContent: text });
  b.addEventListener("click", act);
  return b;
};
const where = document.createElement("span");
where.setAttribute("role", "status");

function mark() {
  parts.forEach((p, i) => p.classList.toggle("now", i === part));
  where.textContent = `Screen ${part + 1} of ${parts.length}`;
}

function take() {
  const steps = stepsOf(parts[part]);
  const reveal = parts[part].querySelector(".reveal");
  if (reveal) reveal.open = step > 0;
  mark();
  steps.forEach((s, i) => s.closest("li")?.classList.toggle("now", i === step - 1));
  if (!step) scrollTo(0, 0);
  const now = steps[step - 1];
  if (now?.dataset.do) now.click();
  (now?.closest("figure") ?? now)?.scrollIntoView({ block: "start" });
}

function go(by) {
  const last = stepsOf(parts[part]).length;
  if (step + by >= 0 && step + by <= last) step += by;
  else if (parts[part + by]) {
    part += by;
    step = by > 0 ? 0 : stepsOf(parts[part]).length;
  } else return;
  take();
}

// Keys do there what a widget's own buttons do here, so the dials get their place.
const stepped = all(".show:has([data-do]) mha-csp").map((e) => [e, e.getAttribute("controls")]);

const mode = projector($("projector"), {
  go,
  before: () => {
    const shown = parts.findLastIndex((p) => p.getBoundingClientRect().top < innerHeight / 4);
    part = Math.max(0, shown);
  },
  on: (entered) => {
    bar.hidden = !entered;
    for (const [element, controls] of stepped) element.controls = entered ? "none" : controls;
    $("trainer").controls = entered ? "train" : "train,note"; // the line below it says as much as the note
    if (entered) {
      step = parts[part].querySelector(".reveal")?.open ? 1 : 0;
      take();
      return;
    }
    parts[part].scrollIntoView();
  },
});
bar.append(button("← Back", () => go(-1)), where, button("Next →", () => go(1)), button("Leave", () => mode.leave()));
bar.hidden = true;
document.body.append(bar);

// ---- print, offline ----

let closed = [];
addEventListener("beforeprint", () => {
  closed = all("details:not([open])");
  for (const d of closed) d.open = true;
});
addEventListener("afterprint", () => { for (const d of closed) d.open = false; });

const version = document.querySelector("meta[name=version]").content;
if (version !== "dev" && "serviceWorker" in navigator) {
  // Without it the page works online.
  navigator.serviceWorker.register("sw.js", { updateViaCache: "none" }).catch(() => {});
}

dispatchEvent(new Event("mhacsp-started"));
