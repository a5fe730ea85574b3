// The program that looks for clocks (wasm/hands), a Worker of its own, fetched when it is first wanted.

/** WHILE_TRAINING are the texts on which clocks are looked for while a model trains. */
export const WHILE_TRAINING = 100;

/** Prober is the Worker as promises. It starts with the first message. */
export class Prober {
  #worker = null;
  #waiting = new Map();
  #next = 1;

  #start() {
    const place = new URL("../../clocks-worker.js", import.meta.url);
    const worker = this.#worker = new Worker(place, { name: "clocks" });
    this.#worker.addEventListener("message", ({ data }) => {
      if (data.fatal) return void (worker === this.#worker && this.#end(data.text));
      const waiting = this.#waiting.get(data.id);
      this.#waiting.delete(data.id);
      if (data.type === "error") waiting?.reject(Object.assign(new Error(data.text), { at: data.at }));
      else waiting?.resolve(data);
    });
    this.#worker.addEventListener("error", async (e) => {
      e.preventDefault();
      const why = await globalThis.hostFault?.(place, e.message);
      if (worker !== this.#worker) return;
      this.#end(`The program that looks for clocks could not be loaded. ${why || "Reload the page to try again."}`);
    });
  }

  /** end fails what waits; the next message starts the program again. */
  #end(text) {
    for (const { reject } of this.#waiting.values()) reject(Object.assign(new Error(text), { fatal: true }));
    this.#waiting.clear();
    this.#worker.terminate();
    this.#worker = null;
  }

  send(type, fields = {}, transfer = []) {
    if (!this.#worker) this.#start();
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...fields, type, id }, transfer);
    });
  }
}
