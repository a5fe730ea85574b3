// The settings as a form, made from settings.js. It shows the complete run that the trainer opened; a change is
// checked at once and reported as a new choice.
import { breathe } from "./breathe.js";
import { html } from "./html.js";
import { Problem, applies, fit, read, setting, settings } from "./settings.js";

const groups = { model: "Model", data: "Data and tests", training: "Training" };

const SLICE = 12; // settings made in one task
const SIZES = ["width", "heads", "layers", "rotate", "rotate_share", "theta", "embedding_std", "memory",
  "memory_period"];

/** inputOf makes what a setting is chosen with: a list, or a line of text. */
function inputOf(s) {
  if (s.kind === "choice" || s.kind === "boolean") {
    const choices = s.kind === "choice" ? s.choices : { true: "yes", false: "no" };
    return html("select", {}, ...Object.entries(choices).map(([value, text]) => new Option(text, value)));
  }
  return html("input", { inputMode: s.kind === "integer" ? "numeric" : "decimal" });
}

/** build fills the form, in several tasks. change(chosen) is told the whole new choice after every valid change. */
export async function build({ main, more, change }) {
  let chosen = {}, run = {};
  const controls = new Map(), unread = new Set(); // what stands in these is no value

  for (const s of settings) {
    if (s.group === "page") continue;
    if (controls.size % SLICE === SLICE - 1) await breathe();
    const id = `set-${s.key}`;
    const label = html("span", {}, html("label", { htmlFor: id, textContent: s.label }));
    const input = Object.assign(inputOf(s), { id, name: s.key });
    const error = html("div", { className: "mistake", id: `${id}-error`, role: "alert" });
    const help = html("small", { id: `${id}-help`, textContent: s.help });
    input.setAttribute("aria-describedby", `${error.id} ${help.id}`);
    const box = html("div", { className: "field" }, label, input, error, help);
    parent(s.group, main, more).append(box);
    input.addEventListener("change", () => changed(s, input.value));
    controls.set(s.key, { box, input, error });
  }

  function changed(s, text) {
    mark(s.key, "");
    try {
      if (text.trim() === "" && s.kind !== "choice") delete chosen[s.key]; // back to the trainer's default
      else chosen = { ...chosen, [s.key]: read(s, text.trim()) };
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      mark(s.key, problem.message);
      return unread.add(s.key);
    }
    unread.delete(s.key);
    if (chosen.finished) chosen = { task: run.task, ...chosen }; // another task may be what was chosen
    delete chosen.finished;
    if (s.key === "task" || s.key === "model") {
      chosen = fit(chosen);
      // Sizes belong to the model that they were chosen for; those of another preset would silently stay.
      for (const key of s.key === "task" ? ["expression"] : SIZES) delete chosen[key];
      offer(chosen);
    } else if (unread.size) return; // with the last of them mended
    change({ ...chosen });
  }

  /** offer shows the controls that a choice's task and model have; what stands in the others counts no more. */
  function offer({ task = "arithmetic", model }) {
    for (const [key, { box }] of controls) {
      box.hidden = !applies(setting(key), task, model);
      if (!box.hidden) continue;
      unread.delete(key);
      mark(key, "");
    }
  }

  /** wrong are the settings that are marked. */
  const wrong = () => [...controls.keys()].filter((key) => controls.get(key).error.textContent).map(setting);

  /** mark shows what is wrong with a setting, "" for nothing. Tells whether there is a control for it. */
  function mark(key, text) {
    const control = controls.get(key);
    if (!control) return false;
    control.error.textContent = text;
    control.input.setAttribute("aria-invalid", text ? "true" : "false");
    if (text && setting(key).group !== "main") control.box.closest("details").open = true;
    return true;
  }

  /**
   * show fills the controls: what was chosen, and the complete run for the rest. open: false where that run is another
   * than the one chosen: sizes that belong to its model stay empty.
   */
  function show(nowChosen, nowRun, { open = true } = {}) {
    chosen = { ...nowChosen };
    run = nowRun ?? run;
    unread.clear();
    const rest = { ...run };
    if (!open) for (const key of SIZES) delete rest[key];
    const value = { backend: "auto", fma: 1, preset: "author", format: "repeat", brackets: true, ...rest, ...chosen };
    offer(value);
    for (const [key, { input }] of controls) {
      const s = setting(key);
      if (document.activeElement !== input || s.kind === "choice") {
        input.value = value[key] === undefined ? "" : String(value[key]);
      }
      mark(key, "");
    }
  }

  return { show, mark, wrong };
}

function parent(group, main, more) {
  if (group === "main") return main;
  let grid = more.querySelector(`[data-group="${group}"]`);
  if (!grid) {
    grid = html("div", { className: "grid" });
    grid.dataset.group = group;
    more.append(html("h3", { textContent: groups[group] }), grid);
  }
  return grid;
}
