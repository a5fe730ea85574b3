// The trainer as the page sees it: one Worker, commands that return promises, events.
import { inWords } from "./settings.js";

/**
 * An error that the trainer reported: `field` or `at` where one of them is to blame; `fatal` if the Worker is of no
 * more use; `aborted` if a newer command ended a measurement, or a newer run this one: nobody need be told then;
 * `columns` are those of a visitor's file in which one is missing.
 */
export class TrainerError extends Error {
  constructor({ text, field = "", at = -1, expected = "", fatal = false, aborted = false, columns = null }) {
    super(inWords(text, field));
    Object.assign(this, { field, at, expected, fatal, aborted, columns });
  }
}

const closed = () => new TrainerError({ text: "The trainer was closed.", aborted: true });

const place = new URL("../worker.js", import.meta.url);

/**
 * Trainer starts the Worker of a program at once: "trainer", or "families", which has all families (settings.js,
 * otherFamily). `ready` fails where the program does not load, or is closed before that. It dispatches every event of
 * the protocol as a MessageEvent of the same type whose data is the message ("steps", "eval", "status", "opened",
 * "done", …), and "trouble" (detail a TrainerError) for an error that answers no command.
 */
export class Trainer extends EventTarget {
  #worker;
  #waiting = new Map();
  #next = 1;
  #closed = false;
  #unready; // rejects `ready`

  constructor(program) {
    super();
    const worker = this.#worker = new Worker(place, { name: program });
    this.ready = new Promise((resolve, reject) => {
      this.#unready = reject;
      this.addEventListener("ready", (e) => resolve(e.data), { once: true });
      this.addEventListener("trouble", (e) => { if (e.detail.fatal) reject(e.detail); });
    });
    this.ready.catch(() => {}); // told as "trouble"
    worker.addEventListener("message", (e) => this.#receive(e.data));
    worker.addEventListener("error", async (e) => {
      e.preventDefault();
      const why = await globalThis.hostFault?.(place, e.message);
      if (this.#closed) return;
      this.#fail(why ? `The trainer could not start. ${why}`
        : `The trainer could not run: ${e.message || "its script did not load"}. Reload the page.`);
    });
    worker.addEventListener("messageerror", () => {
      this.#fail("A message of the trainer could not be read. Reload the page.");
    });
  }

  #fail(text) {
    const error = new TrainerError({ text, fatal: true });
    this.#abandon(error);
    this.dispatchEvent(new CustomEvent("trouble", { detail: error }));
  }

  #abandon(error) {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #receive(message) {
    if (this.#closed) return;
    const waiting = this.#waiting.get(message.id);
    if (message.type === "error") {
      const error = new TrainerError(message);
      this.#waiting.delete(message.id);
      waiting?.reject(error);
      if (error.fatal) this.#abandon(error);
      if (!waiting || error.fatal) this.dispatchEvent(new CustomEvent("trouble", { detail: error }));
      return;
    }
    this.dispatchEvent(new MessageEvent(message.type, { data: message }));
    this.#waiting.delete(message.id);
    waiting?.resolve(message);
  }

  /** send gives a command; the promise is its reply, or fails with a TrainerError. */
  send(type, fields = {}, transfer = []) {
    if (this.#closed) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...fields, type, id }, transfer);
    });
  }

  /** close ends the Worker; commands under way fail. */
  close() {
    if (this.#closed) return;
    this.#closed = true;
    this.#unready(closed());
    this.#abandon(closed());
    this.#worker.terminate();
  }
}
