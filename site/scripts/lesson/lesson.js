// The lesson: a story to scroll through, next to one stage that shows what it tells. Each part has a question before
// its answer, and steps that move the stage; projector mode, print.
import "../article.js";
import { minus } from "../clocks/dial.js";
import { $, html, press, spoken } from "../html.js";
import { Learner } from "./learner.js";
import { announce, clear, message } from "../messages.js";
import { sure, whole } from "../numbers.js";
import { offline } from "../offline.js";
import { paper, perfect, steer, waves } from "./perfect.js";
import { projector } from "./projector.js";
import { Stage } from "./stage.js";
import { plain } from "../typed.js";
import { clearest, hands, rightOf, Table } from "./table.js";

const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const trouble = (error) => { if (!error.aborted) message("trouble", error.message, [], { bad: true }); };

all(".paper").forEach(paper);

// ---- guesses ----

/** proof is the step that shows an answer. */
const proof = (reveal) => all("[data-do]", reveal)[reveal.parentElement.querySelector(".guesses").dataset.then - 1];

for (const group of all(".guesses")) {
  const reveal = group.nextElementSibling;
  const said = spoken("guessed");
  reveal.before(said);
  for (const button of all("button", group)) {
    button.setAttribute("aria-pressed", "false");
    button.addEventListener("click", () => {
      for (const b of all("button", group)) b.setAttribute("aria-pressed", String(b === button));
      const right = button.hasAttribute("data-right");
      const look = `${right ? "Right." : "It is not so."} ${mode.active() ? "The next step shows why." : "See why:"}`;
      said.textContent = `You guessed “${button.textContent}”. ${look}`;
      said.classList.toggle("right", right);
      reveal.open = true;
      proof(reveal)?.click();
    });
  }
}

// ---- the stage ----

const turned = perfect($("turned")), steered = steer($("steered")), vague = waves($("waves"));
const stage = new Stage($("network"));

/** view shows one of the stage's pictures. */
function view(name) { for (const e of all("[data-stage]")) e.hidden = e.dataset.stage !== name; }

let doing = 0; // the newest step; an older one that is still under way ends, as by a press on the stage
$("network").addEventListener("click", () => { doing++; }, { capture: true });

/**
 * act does what a step says, in order. Of the turned clock: lay TERMS; of the steered: steer TERMS; of the waves:
 * waves VALUES; of the network: read TEXT, seek BEAT or end, cut HANDS, turn MARKS (all hands), votes,
 * exactly; train. It returns whether no other step came meanwhile.
 */
async function act(steps) {
  const mine = ++doing;
  stage.votes(/\bvotes\b/.test(steps));
  stage.exactly(/\bexactly\b/.test(steps));
  for (const [what, ...rest] of steps.split(",").map((s) => s.trim().split(" "))) {
    if (mine !== doing) return false;
    const list = rest.map(Number);
    if (what === "lay") turned.set(list);
    if (what === "steer") steered.set([3, ...list]);
    if (what === "waves") vague(rest.map((x) => (x === "-" ? null : Number(x))));
    if (what === "read") await stage.read(rest[0]);
    if (what === "cut") await stage.cut(list.map((i) => i - 1));
    if (what === "turn") await stage.turn(list[0]);
    if (what === "seek") await stage.seek(rest[0] === "end" ? null : list[0]);
    if (what === "train" && !learner.begun) learner.press();
  }
  return mine === doing;
}

/** perform does an element's steps; of a button it is seen that it was pressed last. */
function perform(element) {
  const part = element.closest(".part");
  view(element.dataset.view ?? part.dataset.view);
  for (const b of all("[data-do]", part)) b.setAttribute("aria-pressed", String(b === element));
  clear("trouble");
  const steps = element.dataset.do ?? element.dataset.start;
  if (steps) return act(steps).catch(trouble);
  doing++;
}

// The stage follows what is scrolled to; not what a press scrolls to, until somebody scrolls by hand.
let follows = true;
for (const button of all("button[data-do]")) {
  button.addEventListener("click", () => {
    follows = false;
    perform(button);
  });
}
for (const type of ["wheel", "touchmove", "keydown"]) {
  addEventListener(type, () => { follows = true; }, { passive: true, capture: true });
}
addEventListener("pointerdown", (e) => { // on the scrollbar
  if (e.clientX >= document.documentElement.clientWidth) follows = true;
}, { capture: true });

// What comes to the middle of the window is what the stage shows. Training is begun by hand alone.
let middle = null;
const sight = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const element = target.matches("li") ? target.querySelector("[data-do]") : target.closest(".part");
    if (!isIntersecting || mode.active() || element === middle) continue;
    middle = element;
    if (!follows) continue;
    if (element.dataset.do === "train") view("train");
    else perform(element);
  }
}, { rootMargin: "-45% 0px -45% 0px" });
for (const e of all(".part[data-view], .part[data-view] > :is(h1, h2, p), .steps li")) sight.observe(e);

// The network is there when its part comes. If it cannot be had, the part says so.
setTimeout(() => stage.load().catch(() => {}), 1500);

// ---- a number is predicted first ----

const predict = $("predict"), marks = html("select", { id: "marks" },
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => html("option", { value: n, textContent: n })));
const predicted = spoken("guessed");
marks.addEventListener("change", () => marks.blur()); // the keys are the projector's again
predict.append(html("label", {}, "Turn all hands on by ", marks, " after the bracket. It will answer: "),
  html("div", { className: "digits" }, ...Array.from({ length: 9 }, (_, a) =>
    press(String(a), () => tried(a).catch(trouble)))), predicted);

async function tried(guess) {
  view("network");
  if (!await act(`read 3-(6+2), seek 6, turn ${marks.value}, seek end`)) return; // another step came
  const { answer, sure: p } = stage.answer, right = Number(answer) === guess;
  predicted.textContent = `You predicted ${guess}. It answers ${answer}, ${sure(p)} sure. ` +
    (right ? "You know what it will do: that is what understanding it means." : `Its hands stood at 4, and 4 + ` +
      `${marks.value} is ${(4 + Number(marks.value)) % 9} on this clock.`);
  predicted.classList.toggle("right", right);
}

// ---- the hunt ----

const hunted = new Map(); // text: whether it was right
$("hunt").addEventListener("submit", async (e) => {
  e.preventDefault();
  const text = plain($("hunted").value).trim(), seen = () => $("hunt").scrollIntoView({ block: "nearest" });
  $("hunt-said").classList.remove("right");
  if (!text) return void ($("hunt-said").textContent = "Type a sum first.");
  if (mode.active()) $("hunted").blur(); // the keys are the projector's again
  $("hunt-said").textContent = ""; // the network may be long in coming
  view("network");
  const mine = ++doing;
  try {
    stage.votes(false);
    await stage.read(text.replace(/9(?!\s*=?$)|(?<!mod\s*)9/, "?")); // the trainer would read a 9
    await stage.seek(null);
    if (mine !== doing) return;
  } catch (error) {
    $("hunt-said").textContent = error.at >= 0
      ? `It knows the numbers 0 to 8, +, − and brackets. At place ${error.at + 1} it did not know how to go on.`
      : `${error.message.replace(/\.$/, "")}.`;
    return seen();
  }
  const { answer, expected, sure: p } = stage.answer, right = answer === expected;
  hunted.set(text.replace(/\s/g, ""), right);
  $("hunt-said").textContent = `${minus(text)} is ${expected}. It answers ${answer}, ${sure(p)} sure: ` +
    (right ? "right. Try a longer one." : "wrong. You found one.");
  $("hunt-said").classList.toggle("right", !right);
  const wrong = [...hunted].filter(([, right]) => !right).map(([text]) => minus(text));
  $("tally").textContent = `Tried here: ${hunted.size}. Wrong: ${wrong.length}` +
    `${wrong.length ? ` (${wrong.join(", ")})` : ""}.`;
  $("tally").hidden = false;
  seen();
});

// ---- training ----

const learner = new Learner(), table = new Table($("table"), $("cell"));
let pair = [3, 5], frame = null;
table.addEventListener("chosen", (e) => {
  pair = e.detail;
  show(frame);
});

function show(next) {
  frame = next;
  table.show(frame);
  table.select(pair);
  hands($("dials"), $("found-said"), frame, pair);
  $("figures").textContent = frame ? `step ${whole(frame.step)} · ${rightOf(frame)} of 81 right` : "";
}
$("train-button").addEventListener("click", () => learner.press());
learner.addEventListener("change", () => {
  $("train-button").textContent = learner.label;
  $("state").textContent = learner.words;
});
learner.addEventListener("frame", (e) => {
  if (!e.detail) $("ended").hidden = true;
  show(e.detail);
});
learner.addEventListener("ended", (e) => {
  $("ended").textContent = e.detail;
  $("ended").hidden = false;
  announce(e.detail);
  pair = clearest(frame); // until another is pressed
  show(frame);
});
learner.addEventListener("trouble", (e) => trouble(e.detail));
show(null);

// ---- projector ----
// One thing at a time stands next to the stage: a question, its answer, a step.

const parts = all(".part:not(.notes)");
/** itemsOf are a part's, without the step that its answer shows already. */
const itemsOf = (p) =>
  all(":scope > .question, .reveal > :is(.answer, .predict, .hunt, .proof, .more), .steps li, .recap > div", p)
    .filter((e) => !e.matches("li") || e.querySelector("[data-do]") !== proof(p.querySelector(".reveal")));

const bar = html("nav", { className: "remote", hidden: true, ariaLabel: "Projector" });
const where = html("span", { role: "status" });
/** screens are [part, item] each, in order; first of a part its introduction, which has no item. */
const screens = parts.flatMap((part) => [null, ...itemsOf(part)].map((item) => [part, item]));
const ends = screens.findLastIndex(([part]) => part.id === "recap") + 1; // the screens of the ten minutes
let screen = 0;

function take() {
  const [part, now] = screens[screen], reveal = part.querySelector(".reveal"), asks = !!now?.matches(".question");
  for (const p of parts) p.classList.toggle("now", p === part);
  part.classList.toggle("intro", !now);
  part.classList.toggle("asks", asks);
  for (const e of itemsOf(part)) e.classList.toggle("now", e === now);
  if (reveal) reveal.open = !!now && !asks;
  const last = [ends, screens.length].includes(screen + 1) ? " · the end" : "";
  where.textContent = screen < ends ? `${screen + 1} of ${ends} · until minute ${part.dataset.until}${last}`
    : `Further: ${screen + 1 - ends} of ${screens.length - ends}${last}`;
  const shows = (item) =>
    item?.matches(".answer") && proof(reveal) || item?.querySelector("[data-do]") || item?.dataset.start && item;
  const before = screens.slice(0, screen + 1).filter(([p]) => p === part).findLast(([, item]) => shows(item));
  perform(!asks && before ? shows(before[1]) : part); // what shows nothing stands next to what was shown before
}

function go(by) {
  if (!screens[screen + by]) return;
  screen += by;
  take();
}

const mode = projector($("projector"), {
  go,
  before: () => { // where the reader is
    const top = (p) => p.getBoundingClientRect().top, notes = top($("teacher")) < innerHeight / 2; // which lead in
    const below = parseFloat(getComputedStyle(parts[0]).scrollMarginTop) + innerHeight / 4; // a stage above the text
    const part = notes ? parts[0] : parts.findLast((p) => top(p) < below) ?? parts[0];
    screen = screens.findIndex(([p]) => p === part) + (part.querySelector(".reveal")?.open ? 2 : 0);
  },
  on: (entered) => {
    bar.hidden = !entered;
    if (entered) take();
    else screens[screen][0].scrollIntoView();
  },
});
bar.append(press("← Back", () => go(-1)), where, press("Next →", () => go(1)), press("Leave", () => mode.leave()));
document.body.append(bar);

// ---- notes, print, offline ----

document.querySelector("[href='#teacher']").addEventListener("click", () => { $("notes").open = true; });

let closed = [];
addEventListener("beforeprint", () => {
  closed = all("details:not([open])");
  for (const d of closed) d.open = true;
});
addEventListener("afterprint", () => { for (const d of closed) d.open = false; });

offline(() => learner.session.keep());
dispatchEvent(new Event("mhacsp-started"));
