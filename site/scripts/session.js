// One run at a time: the trainer, what was chosen, where it stands, and its curves. Knows no document.
import "../packed.js";
import { History, halved } from "./history.js";
import { begins, forgetForms, forms, keepForms, takeBack } from "./forms.js";
import { fit, otherFamily, inWords, pageOf, runOf } from "./settings.js";
import { finished } from "./lesson/lessons.js";
import { OWN, keepable, sent } from "./own.js";
import { Trainer, TrainerError } from "./trainer.js";
import * as store from "./store.js";

const KEEP_EVERY = 20_000; // ms between two saves of a training run
const EVALUATIONS = 300; // at most this many are kept; then every second one goes

/** fetchModel is a finished model's file. */
export async function fetchModel(task) {
  if (!Object.hasOwn(finished, task)) {
    const text = `No finished model comes with the page for the task ${task}; there is one for ` +
      `${Object.keys(finished).join(", ")}. Train one instead.`;
    throw new TrainerError({ text, field: "task" });
  }
  try {
    return await (await fetchPacked(finished[task])).arrayBuffer();
  } catch (error) {
    throw new TrainerError({ text: `The finished model could not be loaded. ${error.message}` });
  }
}

const FIGURES = ["loss", "exact", "answer", "seconds", "tokens"];

/** faded are smoothed figures after that many steps more, whose mean of each figure is now(name). */
function faded(figures, count, now) {
  const next = (name) => {
    const value = now(name), old = figures?.[name] ?? null;
    return old === null || value === null ? value ?? old : old + (value - old) * (1 - 0.93 ** count);
  };
  return Object.fromEntries(FIGURES.map((name) => [name, next(name)]));
}

/** deviceOf is what a choice says of where to compute, as the trainer is told. */
const deviceOf = ({ backend = "auto", cores, fma }) => ({ backend, cores, plain: fma === "0" || undefined });

/** overtaken fails what a newer choice took the place of. */
const overtaken = () => new TrainerError({ text: "Another run was chosen meanwhile.", aborted: true });

/** modelOf is the model that a checkpoint (safetensors) names; undefined where the file is none: the trainer tells. */
function modelOf(buffer) {
  try {
    const size = Number(new DataView(buffer).getBigUint64(0, true));
    const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 8, size)));
    return JSON.parse(header.__metadata__.config).model;
  } catch {
    return undefined;
  }
}

/**
 * Session dispatches "change" when anything but the curves changed, "progress" after new steps or evaluations,
 * "opened" after a run was opened, and "trouble" (detail a TrainerError), "warning" (detail a text), "evaluated"
 * (detail the message), "kept" and "unkept" after a save (detail as of store.keep, and its step), "preparing" when
 * `preparing` changed: {done, all} while kernels are compiled, else null.
 * state: "starting", "ready" (step 0), "running", "paused", "done", "lost".
 */
export class Session extends EventTarget {
  #trainer = null;
  #program = "trainer"; // that it runs
  #comes = null; // the program that was begun and has opened no run yet
  #before = null; // the trainer, and its program, that then gives way to it
  #opens = 0; // calls of open and load so far
  #turn = Promise.resolve(); // settles when what was to be opened last is open or refused
  #seeks = 0; // under way
  #keptAt = 0;
  #keeping = null;
  #next = null;
  #deleted = null; // what was open, and its step, when it was deleted from the browser's storage
  #record = null; // what the browser's storage has of this session: of which `opened`, and its step
  #keeps;
  #measuring = null; // the record of the measurement of forms that is under way
  #handed = null; // the state that a trainer hands over before it ends is being put into the browser's storage
  #why = null; // the error that ended the trainer
  #drawn = 0; // the last step in the curves
  state = "starting";
  chosen = {};
  opened = null;
  opening = null; // while a run is opened: a promise of whether the one that was chosen last is open
  preparing = null;
  cores = 1; // of the processor that computed the last step
  memory = 0; // bytes that the trainer has allocated on its device
  forms = null; // of the GPU's kernels, a record as of forms.js; null: there is nothing to choose, or not chosen yet
  step = 0;
  reached = 0;
  steps = new History(FIGURES);
  evaluations = [];
  limits = []; // where the curriculum's limit moved, [{step, limit}]
  figures = null; // smoothed numbers of the steps that led to `step`
  trained = false; // what it has at step 0 came from a file
  files = null; // the visitor's own data, as of own.js; null: none was given
  awaits = null; // the kept run that is open without its files: they were too large to be kept with it
  mine = null; // the slot of the browser's storage into which this session has put its run

  /** A session that keeps puts its run into the browser's storage now and then. */
  constructor({ keeps = true } = {}) {
    super();
    this.#keeps = keeps;
  }

  #begin(program) {
    if (!this.#why) this.leave(); // a trainer that ended by itself may have ended by a form
    this.#handed = this.#why = null;
    this.#program = program;
    const trainer = (this.#trainer = new Trainer(program));
    const on = (type, use) => trainer.addEventListener(type, (e) => {
      const heard = trainer === this.#trainer || trainer === this.#before?.trainer; // which goes on till then
      if (heard && !this.#why) use(e.data ?? e.detail);
    });
    on("steps", (m) => this.#progress(m.steps));
    on("eval", (m) => this.#evaluated(m));
    on("status", (m) => this.#status(m));
    on("opened", (m) => this.#opened(m));
    on("done", (m) => this.#done(m));
    on("preparing", ({ done, all }) => {
      this.preparing = done < all ? { done, all } : null;
      this.dispatchEvent(new Event("preparing"));
    });
    on("forms", ({ record, used }) => {
      this.#measuring = !used && begins(record) ? record : null;
      keepForms(record);
      if (!used) return;
      this.forms = record;
      this.dispatchEvent(new Event("change"));
    });
    on("warning", (m) => {
      const said = inWords(m.text, m.text.split(" ")[0]), detail = said[0].toUpperCase() + said.slice(1);
      this.dispatchEvent(new CustomEvent("warning", { detail }));
    });
    on("saved", (m) => { if (!m.id) this.#handed = this.#put(m).catch(() => {}); });
    on("trouble", (error) => {
      const tell = () => this.dispatchEvent(new CustomEvent("trouble", { detail: error }));
      if (!error.fatal) return tell();
      this.#measuring = null; // a form may be what ended it: the try counts
      if (this.#before) return; // what is opened fails; the run before goes on
      this.#why = error;
      this.#set("lost");
      Promise.resolve(this.#handed).then(() => { if (trainer === this.#trainer) tell(); });
    });
    return trainer;
  }

  /**
   * leave is called when the page goes, or the trainer gives way to another, while kernels are measured: what ended
   * the measurement was no form of theirs, so that it does not count as a try.
   */
  leave() {
    const record = this.#measuring;
    this.#measuring = null;
    if (record?.tries) takeBack(record);
  }

  /** forget drops the forms of kernels that were measured. What is open goes on in its own. */
  forget() {
    forgetForms();
    this.forms = null;
    this.dispatchEvent(new Event("change"));
  }

  #set(state) {
    this.state = state;
    if (state === "lost") this.preparing = null;
    this.dispatchEvent(new Event("change"));
  }

  get running() { return this.state === "running"; }
  /** seeking reports whether it is on its way to a step: training looks the same, and is not what was asked for. */
  get seeking() { return this.#seeks > 0; }

  /** send passes a command to the trainer. Where it has ended, or none is there, what opens a run starts another. */
  async send(type, fields, transfer) {
    const opens = type === "open" || type === "load";
    if (this.state === "lost" && this.#why && !opens) throw this.#why;
    if (!this.#trainer || this.#why) {
      this.#trainer?.close();
      this.#begin(this.#program);
    }
    const trainer = this.#trainer;
    await trainer.ready;
    return trainer.send(type, fields, transfer);
  }

  /** newest throws where a call of open or load is not the newest any more. */
  #newest(call) { if (call !== this.#opens) throw overtaken(); }

  /**
   * opening sends what opens a run of a model, to the program that has it: one after the other, so that where one is
   * refused what was opened before it stays. What is overtaken before its turn is not sent.
   */
  #opening(call, model, ...what) {
    const program = otherFamily(model) ? "families" : "trainer";
    if (this.#comes && this.#comes !== program) this.#back(); // nobody waits for it any more
    const opened = this.#turn.then(() => this.#openIn(program, call, ...what));
    this.#turn = opened.catch(() => {});
    return opened;
  }

  async #openIn(program, call, type, rest, transfer) {
    this.#newest(call);
    const fields = { ...rest, forms: forms() }, had = this.forms;
    this.forms = null;
    const works = this.#trainer && !this.#why;
    if (!works || program !== this.#program) {
      if (works) this.#before = { trainer: this.#trainer, program: this.#program };
      else this.#trainer?.close();
      this.#begin(program);
      this.#comes = program;
    }
    try {
      const reply = await this.send(type, fields, transfer);
      this.#before?.trainer.close();
      this.#before = null;
      return reply;
    } catch (error) {
      this.forms = had; // what is open goes on in them
      if (this.#before) {
        this.#back();
        if (error instanceof TrainerError) error.fatal = false; // the run before is as it was
      }
      throw error;
    } finally {
      this.#comes = null;
    }
  }

  /** back ends the trainer that comes; the one before, if any, has its place again. */
  #back() {
    this.#trainer.close();
    this.#trainer = this.#before?.trainer ?? null;
    this.#program = this.#before?.program ?? this.#program;
    this.#before = this.preparing = null;
  }

  /**
   * open begins the run that was chosen, or goes on with a kept one. The present run stays as it was if the trainer
   * refuses the new one. given: files of the visitor's own, for a new run or for a kept one that has none. It fails
   * with an error that is `aborted` where a newer call overtook it.
   */
  open(chosen, kept = null, given = null) { return this.#settles(this.#open(++this.#opens, chosen, kept, given)); }

  async #open(call, chosen, kept, given) {
    const own = chosen.task === OWN && !chosen.finished;
    const files = own ? given ?? (kept ? kept.files ?? null : this.files) : this.files;
    const data = own ? sent(files, { begins: !kept }) : {};
    const device = deviceOf(chosen);
    if (chosen.finished) {
      const checkpoint = await fetchModel(chosen.finished);
      this.#newest(call);
      await this.#opening(call, undefined, "load", { checkpoint, ...device }, [checkpoint]);
    } else if (kept) {
      // Copies travel: the record must outlive a trainer that refuses it.
      const checkpoint = kept.checkpoint.slice(0), state = kept.state?.slice(0);
      const { seed, ...rest } = kept.run; // the checkpoint has it: a JavaScript number may not hold it
      const run = { run: rest, ...device, checkpoint, state, ...data };
      await this.#opening(call, kept.run.model, "open", run);
    } else {
      const run = { task: "arithmetic", ...runOf(chosen) };
      await this.#opening(call, run.model, "open", { run, ...device, ...data });
    }
    this.chosen = { ...chosen };
    this.files = files;
    this.trained = !!chosen.finished; // a kept run has made a step, and its start is the seed's
    this.awaits = own && kept && !files ? kept : null;
    this.#fresh(kept?.curves);
    this.#newest(call);
  }

  /** load opens a checkpoint from a file; the settings are those that stand in it. */
  load(buffer) { return this.#settles(this.#load(++this.#opens, buffer)); }

  async #load(call, buffer) {
    const device = deviceOf(this.chosen);
    await this.#opening(call, modelOf(buffer), "load", { checkpoint: buffer, ...device }, [buffer]);
    this.chosen = { ...fit(this.opened.run), ...pageOf(this.chosen) };
    this.trained = true;
    this.files = this.awaits = null;
    this.#fresh();
    this.#newest(call);
  }

  /** settles has `opening` tell what becomes of a call of open or load, until a newer one is made. */
  #settles(opens) {
    const opening = this.opening = opens.then(() => true, () => false).finally(() => {
      if (this.opening === opening) this.opening = null;
    });
    return opens;
  }

  /** fresh tells of what was opened, with the curves that a kept run has. */
  #fresh(curves = null) {
    const until = (list) => (list ?? []).filter((e) => e.step <= this.step); // they may be of later steps
    this.steps.restore(curves?.steps);
    this.steps.cut(this.step);
    this.evaluations = until(curves?.evaluations);
    this.limits = until(curves?.limits);
    this.#figuresHere();
    this.reached = this.#drawn = this.step;
    this.dispatchEvent(new Event("opened"));
    this.dispatchEvent(new Event("progress"));
  }

  /** figuresHere reads the figures of `step` off the curves. */
  #figuresHere() {
    const { x, y, stride } = this.steps, points = x.filter((step) => step <= this.step).length;
    this.figures = null;
    for (let i = 0; i < points; i++) this.figures = faded(this.figures, stride, (name) => y[FIGURES.indexOf(name)][i]);
  }

  #opened(message) {
    this.opened = message;
    this.cores = 1;
    this.memory = message.memory;
    this.step = this.reached = message.step;
    this.#set(message.state === "done" ? "done" : message.step > 0 ? "paused" : "ready");
  }

  #status({ state, step, stepsPerSecond, memory, cores = 1 }) {
    this.step = step;
    this.cores = cores;
    this.memory = memory ?? this.memory;
    this.reached = Math.max(this.reached, step);
    this.stepsPerSecond = stepsPerSecond;
    const next = { running: "running", done: "done", paused: step > 0 ? "paused" : "ready" }[state];
    if (next) this.#set(next);
  }

  #progress(list) {
    for (const s of list) {
      if (s.step <= this.#drawn) continue; // again, after a seek
      this.#drawn = s.step;
      this.steps.push(s.step, s);
      if (s.limit > 0 && s.limit !== this.limits.at(-1)?.limit) this.limits.push({ step: s.step, limit: s.limit });
    }
    const last = list.at(-1);
    if (!last) return;
    const mean = (name) => list.reduce((sum, s) => sum + s[name], 0) / list.length;
    this.figures = faded(this.figures, list.length, mean);
    this.step = last.step;
    this.reached = Math.max(this.reached, last.step);
    this.dispatchEvent(new Event("progress"));
    if (this.running && performance.now() - this.#keptAt > KEEP_EVERY) this.keep();
  }

  #evaluated(message) {
    if (message.role !== "train") {
      const at = this.evaluations.findIndex((e) => e.step >= message.step);
      if (at < 0) this.evaluations.push(message);
      // The test comes last, of the parameters that were best: they may be others than those just validated.
      else if (message.role === "test" && this.evaluations[at].step === message.step) this.evaluations[at] = message;
      if (this.evaluations.length > EVALUATIONS) this.evaluations = halved(this.evaluations);
    }
    this.dispatchEvent(new CustomEvent("evaluated", { detail: message }));
    this.dispatchEvent(new Event("progress"));
  }

  #done(message) {
    this.step = message.step;
    this.#set("done");
    this.keep();
  }

  async start() { await this.send("start"); }

  /** pause ends when nothing trains any more; the save that follows goes on behind it. */
  async pause() {
    await this.send("pause");
    this.keep();
  }

  async one() { await this.send("step", { count: 1 }); }
  async speed(stepsPerSecond) { await this.send("speed", { stepsPerSecond }); }

  /**
   * reset goes back to the same first weights. A run that had come to its end stays in the browser's storage: the new
   * one takes another slot there, and the old one's is returned, or null. Any other gives its slot to the new one.
   */
  async reset() {
    const ended = this.state === "done" && await this.keep().then(() => this.kept && this.mine);
    const again = !ended && this.kept !== null;
    await this.send("reset");
    this.#record = again ? { opened: this.opened, step: 0 } : null;
    this.trained = false;
    this.#fresh();
    return ended || null;
  }

  /**
   * seek goes to a step; the curves behind it are kept, so that one can go forward again, and so does the browser's
   * storage keep the last step, until training comes past it.
   */
  async seek(step) {
    const { reached } = this;
    this.keep();
    this.#seeks++;
    try {
      await this.send("seek", { step });
    } finally {
      this.#seeks--;
    }
    this.reached = Math.max(reached, step);
    this.#figuresHere();
    this.dispatchEvent(new Event("change"));
    this.dispatchEvent(new Event("progress"));
  }

  /** keep puts the run into the browser's storage. One save under way may be older than now: another follows. */
  keep() {
    const savable = this.opened && this.step > 0 && !this.chosen.finished && this.state !== "lost" &&
      this.step >= this.reached;
    if (!this.#keeps || !savable || this.#gone(this.step)) return Promise.resolve();
    if (this.#keeping) {
      return this.#next ??= this.#keeping.then(() => {
        this.#next = null;
        return this.keep();
      });
    }
    return this.#keeping = this.#save().catch(() => {}).finally(() => { this.#keeping = null; });
  }

  /** deleted says that the kept run was deleted: what is open is not kept again before it has moved on. */
  deleted() {
    this.mine = this.#record = null;
    this.#deleted = { opened: this.opened, step: this.step };
  }

  /** adopt says that what is open is the kept run of a slot; null: it is a copy. */
  adopt(slot) {
    if (!slot) return this.deleted(); // it is kept elsewhere
    this.mine = slot;
    this.#record = { opened: this.opened, step: this.step };
  }

  /** kept is the step at which the browser's storage has what is open; null where it has not. */
  get kept() { return this.#record?.opened === this.opened ? this.#record.step : null; }

  #gone(step) { return this.#deleted?.opened === this.opened && this.#deleted.step === step; }

  async #save() {
    this.#keptAt = performance.now();
    const { opened } = this;
    const saved = await this.send("save", { full: true });
    if (this.opened !== opened) return; // another run was opened meanwhile; what was saved may be that one
    await this.#put(saved);
  }

  /** put stores what the trainer saved, with the curves so far. */
  async #put({ step, checkpoint, state }) {
    const { chosen, opened } = this;
    // Whoever went back to an earlier step can go forward again: what is kept of the later one stays.
    if (!this.#keeps || !opened || step === 0 || this.#gone(step) || step < this.kept) return;
    const curves = { steps: this.steps.toJSON(), evaluations: this.evaluations, limits: this.limits };
    const record = { chosen, run: opened.run, step, checkpoint, state, curves, when: Date.now() };
    if (chosen.task === OWN) record.files = keepable(this.files);
    const { slot, beside, why } = await store.keep(record, this.#record?.opened !== opened);
    if (slot) {
      this.mine = slot;
      this.#record = { opened, step };
    }
    this.dispatchEvent(new CustomEvent(slot ? "kept" : "unkept", { detail: { step, slot, beside, why } }));
  }

  close() {
    this.leave();
    this.#trainer?.close();
  }
}
