// A run of the first ready-made recipe in this tab, whose network is looked at while it trains.
import { pauseWhileHidden } from "../hidden.js";
import { lessons } from "./lessons.js";
import { count, percent, whole } from "../numbers.js";
import { Prober, WHILE_TRAINING } from "../clocks/prober.js";
import { Session } from "../session.js";
import { rightOf } from "./table.js";
import { awake } from "../wake.js";

const EVERY = 500; // ms between two looks at the network while it trains, at least

/** recipe is what is trained; the seed is another for each run. */
export const [{ chosen: recipe }] = lessons;

/** lasts is a time in words, rounded up. */
const lasts = (s) => (s > 90 ? `about ${Math.ceil(s / 60)} minutes` : `about ${5 * Math.ceil(s / 5) || 5} seconds`);

/**
 * Learner dispatches "frame" (detail the network at this moment, of table.js, or null where a run begins), "change"
 * (its words, or what a press would do), "ended" (detail the result in words) and "trouble" (detail an error).
 */
export class Learner extends EventTarget {
  session = new Session();
  begun = false; // it was asked to train
  #prober = new Prober();
  #looking = null;
  #frame = null;
  #pressed = null; // a press that is not answered yet

  constructor() {
    super();
    const { session } = this;
    session.addEventListener("change", () => {
      this.#changed();
      if (session.running) this.#watch();
    });
    for (const type of ["progress", "preparing"]) session.addEventListener(type, () => this.#changed());
    session.addEventListener("trouble", (e) => this.trouble(e.detail));
    pauseWhileHidden(session, { kept: () => session.keep(), trouble: (error) => this.trouble(error) });
    addEventListener("pagehide", () => session.leave());
  }

  #tell(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }
  trouble(error) { if (!error.aborted) this.#tell("trouble", error); }
  #changed() {
    awake(this.session.running);
    this.#tell("change");
  }

  /** words say what it does. */
  get words() {
    const { state, step, opened, preparing, stepsPerSecond } = this.session;
    if (state === "lost") return "The trainer has stopped.";
    if (preparing) return `Preparing the kernels: ${preparing.done} of ${preparing.all} …`;
    if (!opened) return "Loading the network …";
    const { steps } = opened.run, left = (steps - step) / stepsPerSecond;
    const soon = left < 6000 ? `: ${lasts(left)} left` : "";
    if (state === "running") return `Your own network learns, in this tab${soon}.`;
    if (state === "done") return "This is your own network.";
    return step ? `Paused after ${whole(step)} of ${count(steps, "step")}.` : "Training starts …";
  }

  /** label is what a press does. */
  get label() {
    const { state, step } = this.session;
    if (state === "running") return "Pause";
    if (this.begun && this.#pressed && !["paused", "done", "lost"].includes(state)) return "Loading …";
    return state === "done" ? "Train another" : step ? "Train on" : "Train";
  }

  async begin() {
    this.begun = true;
    this.#frame = null;
    this.#tell("frame", null);
    this.#changed();
    await this.session.open({ ...recipe, seed: crypto.getRandomValues(new Uint32Array(1))[0] % 1_000_000 });
    await this.#look().catch((error) => this.trouble(error)); // it trains without the program that looks, too
    await this.session.start();
  }

  async #train() {
    const { session } = this;
    if (session.running) return session.pause();
    if (!session.opened || ["done", "lost"].includes(session.state)) return this.begin();
    await session.start();
  }

  /** press trains, or pauses. */
  press() {
    this.#pressed ??= this.#train().catch((error) => this.trouble(error)).finally(() => {
      this.#pressed = null;
    }).then(() => this.#changed());
  }

  /** look shows the network as it is: its 81 answers, and the hands that have become clocks. */
  async #look() {
    const { opened, step, figures, state } = this.session;
    const { checkpoint } = await this.session.send("save", { full: false });
    await this.#prober.send("open", { checkpoint, samples: WHILE_TRAINING }, [checkpoint]);
    const table = await this.#prober.send("table");
    if (this.session.opened !== opened) return;
    const turned = (list) => list.map((x) => x / (2 * Math.PI));
    this.#frame = {
      ...table, step, loss: figures?.loss ?? null,
      hands: table.hands.map((h) => ({ ...h, first: turned(h.first), second: turned(h.second) })),
    };
    this.#tell("frame", this.#frame);
    dispatchEvent(new CustomEvent("mhacsp-frame", { detail: { ...this.#frame, state } }));
  }

  /** keepLooking looks again and again while it trains, and once more at the end; false: it could not, as was told. */
  async #keepLooking() {
    for (;;) {
      const last = !this.session.running, from = performance.now();
      try {
        await this.#look();
      } catch (error) {
        this.trouble(error);
        return false;
      }
      if (last) return true;
      await new Promise((done) => setTimeout(done, Math.max(EVERY, performance.now() - from)));
    }
  }

  #watch() {
    this.#looking ??= this.#keepLooking().then((fine) => {
      this.#looking = null;
      if (this.session.running && fine) this.#watch(); // it was paused and went on
      if (this.session.state === "done") this.#result();
    });
  }

  #result() {
    if (this.#frame?.step !== this.session.step) return; // it could not be looked at
    const n = this.#frame.hands.length;
    const long = this.session.evaluations.at(-1)?.byOperands?.filter((g) => g.operands > 2) ?? [];
    const sum = (of) => long.reduce((s, g) => s + of(g), 0), samples = sum((g) => g.samples);
    const longer = samples ? `, and ${percent(sum((g) => g.samples * g.answer) / samples)} of longer ones` : "";
    this.#tell("ended", `It can add now: ${rightOf(this.#frame)} of the 81 sums${longer}. ` +
      `${n || "None"} of its hands became ${n > 1 ? "clocks; one of each speed is shown" : "a clock"}.`);
  }
}
