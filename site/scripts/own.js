// The user's own data: files of JSON lines or tables that are dropped on the page or chosen, and what the page says of
// them. What is in a file only the trainer reads; here stands which file is which.

import { data as isolated } from "./data.js";
import { $, html } from "./html.js";
import { count, whole } from "./numbers.js";

export const LARGEST = 64e6; // bytes of all files together that the page trains on
export const KEPT = 8e6; // bytes that are kept in the browser with a run

/** The name of the task whose samples are a visitor's own. */
export const OWN = "own";

/** What a file is recognised by in its name, as a word of its own; what has none is for training. */
const marks = { validation: /(^|[^a-z])(validation|valid|val|dev)([^a-z]|$)/i, test: /(^|[^a-z])test([^a-z]|$)/i };

/** roles tells which of the dropped files is which: {train, validation, test}, or throws what is wrong. */
export function roles(files) {
  const model = files.find((f) => f.name.endsWith(".safetensors"));
  if (model) throw new Error(`${isolated(model.name)} is a model, not data; open it with “Open a model …”.`);
  if (files.length === 1) return { train: files[0] };
  if (files.length > 3) {
    throw new Error(`${files.length} files were dropped; drop one, or two or three: training, validation, test.`);
  }
  const found = {};
  for (const file of files) {
    const role = Object.keys(marks).find((r) => marks[r].test(file.name)) ?? "train";
    if (found[role]) {
      throw new Error(`${isolated(found[role].name)} and ${isolated(file.name)} would both be for ${words[role]}; ` +
        "put “validation” or “test” into the name of the one that is for it.");
    }
    found[role] = file;
  }
  for (const role of ["train", "validation"]) {
    if (found[role]) continue;
    const which = files.map((f) => isolated(f.name)).join(" and ");
    throw new Error(`Of ${which} none is for ${words[role]}; drop that file too, or one file alone, which is split.`);
  }
  return found;
}

const words = { train: "training", validation: "validation", test: "test" };

/** readFiles is what the trainer is opened with: {data, train, validation?, test?}, names and bytes. */
export async function readFiles(list, tokens) {
  const found = roles([...list]);
  const size = Object.values(found).reduce((sum, f) => sum + f.size, 0);
  if (size > LARGEST) {
    const what = list.length > 1 ? "The files have" : `${isolated(found.train.name)} has`;
    throw new Error(`${what} ${Math.ceil(size / 1e6)} MB; a page trains on at most ${LARGEST / 1e6} MB. ` +
      "Use the command line, which reads files of any size.");
  }
  const out = { data: { tokens } };
  for (const [role, file] of Object.entries(found)) {
    out.data[role] = file.name;
    out[role] = await file.arrayBuffer();
  }
  return out;
}

/** sent are the fields of a command that opens these files; a run that goes on has their names itself. */
export function sent(files, { begins }) {
  if (!files) return {};
  const { data, ...rest } = files;
  return begins ? { data, ...rest } : rest;
}

/** keepable are the files as far as they are kept with a run. */
export function keepable(files) {
  const size = ["train", "validation", "test"].reduce((sum, role) => sum + (files?.[role]?.byteLength ?? 0), 0);
  return size <= KEPT ? files : null;
}

/** What is chosen for new files: the trainer's own choice of model and rate, and no longer a run than a tab allows. */
export const CHOSEN = { task: OWN, batch: 64, steps: 1500, seed: 1, eval_every: 50 };

/** facts says what an open run's files hold. */
export function facts({ run, filed }) {
  const { data } = run, { train, validation, test } = data;
  const split = filed && validation.path === train.path ? ", a tenth of the lines, the same for every seed" : "";
  return [
    `${isolated(train.path)}: ${count(train.samples, "sample")} for training, ` +
      `${whole(validation.samples)} for validation${split}` + (test ? `, ${whole(test.samples)} for the test` : ""),
    data.classes?.length ? count(data.classes.length, "class", "classes")
      : `sequences of at most ${count(train.target, "token")}`,
    `vocabulary of ${count(data.vocabulary.length, data.tokens === "words" ? "word" : "character")}`,
    data.groups?.length ? `groups by ${data.groups.map(isolated).join(", ")}` : "no groups",
  ].join("; ") + ".";
}

/**
 * Columns are the lists of a file's columns: which is the prompt, which the answer, and by which results are broken
 * down. change() is called when a visitor has chosen; `chosen` is what the trainer is then told, empty at first.
 */
export class Columns {
  chosen = {};
  #lists; #box;

  constructor(change) {
    this.#box = $("own-fields");
    const [prompt, answer, group] = this.#lists = ["own-prompt", "own-answer", "own-group"].map($);
    for (const list of [prompt, answer]) {
      list.addEventListener("change", () => {
        if (!prompt.value || !answer.value) return; // the other is still to be chosen
        const [kind, name] = parted(answer.value);
        this.chosen = { ...this.chosen, fields: { prompt: parted(prompt.value)[1], [kind]: name } };
        change();
      });
    }
    group.addEventListener("change", () => {
      this.chosen = { ...this.chosen, groups: group.value ? [parted(group.value)[1]] : [] };
      change();
    });
  }

  /** offer shows the lists of these columns, and what of them is in use; without columns there are none. */
  offer(names, { fields, groups } = {}) {
    this.#box.hidden = !names;
    if (!names) return;
    const usual = ["label", "target"].filter((kind) => names.includes(kind));
    const kind = fields?.label ? "label" : fields?.target ? "target" : usual.length === 1 ? usual[0] : "";
    const [prompt, answer, group] = this.#lists;
    const none = (text) => [new Option(text, "")];
    const options = (kind) => names.map((name) => new Option(name, `${kind}=${name}`));
    const part = (label, kind) => html("optgroup", { label }, ...options(kind));
    prompt.replaceChildren(...none("choose …"), ...options("prompt"));
    answer.replaceChildren(...none("choose …"), part("a label to choose", "label"), part("a text to write", "target"));
    group.replaceChildren(...none("nothing"), ...options("group"));
    const set = (list, value) => { list.value = [...list.options].some((o) => o.value === value) ? value : ""; };
    set(prompt, `prompt=${fields?.prompt ?? "prompt"}`);
    set(answer, `${kind}=${fields?.[kind] ?? kind}`);
    set(group, `group=${groups?.[0]}`);
  }
}

/** parted are what stands before the first = of a text, and behind it. */
const parted = (text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)];

/** onDrop calls take(files) for files that are dropped anywhere on the page, and marks the page while they hover. */
export function onDrop(take) {
  const brings = (e) => e.dataTransfer?.types.includes("Files");
  const mark = (on) => document.body.toggleAttribute("data-dropping", on);
  addEventListener("dragover", (e) => {
    if (!brings(e)) return;
    e.preventDefault();
    mark(true);
  });
  addEventListener("dragleave", (e) => { if (!e.relatedTarget) mark(false); });
  addEventListener("drop", (e) => {
    if (!brings(e)) return;
    e.preventDefault();
    mark(false);
    if (e.dataTransfer.files.length) take([...e.dataTransfer.files]); // none: a picture of a page, in some browsers
  });
}
