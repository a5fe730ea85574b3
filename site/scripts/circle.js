// The phase circle: a program of its own in a frame. It is loaded when the stage is on screen and there is something to
// read. Until it draws, and where it cannot, a plain picture stands in and the reading goes on by itself.
import { Plain } from "./plain.js";
import { dark, reduced, onChange } from "./theme.js";

/**
 * Circle owns the frame in `stage`. It dispatches "position" (detail {at, playing}), "layer" (detail {name, head}:
 * chosen in the circle itself), "unit" (detail the unit on whose dot or dial the pointer rests; −1: it left), "ready"
 * and "trouble" (detail a text).
 */
export class Circle extends EventTarget {
  #frame = null;
  #ready = false;
  #reading = null;
  #seen = false;
  #failed = false; // the program has ended, or never came
  #plain = null;
  #beat = 0; // the next token of a reading that goes on by itself
  #settings = new Map(); // the newest of each setting, told again when the frame is ready
  at = 0;
  playing = false;

  constructor(stage) {
    super();
    this.stage = stage;
    addEventListener("message", (e) => this.#receive(e));
    document.addEventListener("visibilitychange", () => this.#visible());
    onChange(() => {
      this.#look();
      this.#stand();
    });
    new IntersectionObserver((entries) => {
      this.#seen = entries.at(-1).isIntersecting;
      this.#load();
      this.#visible();
    }, { rootMargin: "80px" }).observe(stage);
    this.#look();
  }

  #load() {
    if (this.#frame || this.#failed || !this.#seen || !this.#reading) return;
    const { deviceMemory } = navigator; // GB; only Chromium says it
    if (deviceMemory <= 1) return this.#fail(`The circle is left out: this device has ${deviceMemory} GB of memory.`);
    const frame = (this.#frame = document.createElement("iframe"));
    frame.title = "Phase circle";
    frame.addEventListener("load", () => { // by then its script has run
      let alive = false;
      try { ({ alive } = frame.contentWindow); } catch { /* the browser's own page about an error */ }
      if (!alive) this.#missing(frame);
    });
    frame.src = new URL("../circle/frame.html", import.meta.url) + (dark() ? "#dark" : ""); // for its first picture
    this.stage.append(frame);
  }

  /** missing finds out why the frame has no script that runs. */
  async #missing(frame) {
    const scripts = [];
    try {
      for (const s of frame.contentDocument.scripts) scripts.push(s.src);
    } catch { /* the browser's own page about an error */ }
    let why = "";
    for (const place of [frame.src, ...scripts]) why ||= await globalThis.hostFault?.(place) ?? "";
    this.#fail(`The circle did not load. ${why || "Reload the page to see it."}`);
  }

  #fail(text) {
    this.#failed = true;
    this.#ready = false;
    this.#frame?.remove();
    this.#frame = null;
    this.#stand();
    this.#go();
    this.dispatchEvent(new CustomEvent("trouble", { detail: `${text} A plain picture stands in for it.` }));
  }

  /** stand shows the plain picture where the program does not draw. */
  #stand() {
    const needed = !this.#ready && this.#reading;
    this.stage.toggleAttribute("data-plain", !!needed); // the text below is then shown too
    if (!needed) {
      this.#plain?.close();
      this.#plain = null;
      return;
    }
    this.#plain ??= new Plain(this.stage);
    const clocks = this.#settings.get("view")?.name === "clocks", { dials } = this.#settings.get("dials") ?? {};
    this.#plain.show(this.#reading, this.at, { clocks, dials });
  }

  /** silent reports whether a token changes nothing: it takes no beat of its own. */
  #silent(at) {
    const { tokens = [] } = this.#reading ?? {}, mod = tokens.indexOf("mod");
    return tokens[at] !== undefined && (!tokens[at].trim() || mod >= 0 && at > mod);
  }

  /** go plays by itself, as the program does: a character at a time, with the spaces behind it. */
  #go() {
    clearTimeout(this.#beat);
    if (!this.playing || this.#ready) return;
    const { charactersPerSecond = 1.5 } = this.#settings.get("speed") ?? {};
    this.#beat = setTimeout(() => {
      let next = this.at + 1;
      while (this.#silent(next + 1)) next++;
      if (this.playing && !this.#ready && !document.hidden) this.#moved(next, next < this.last);
      this.#go();
    }, 1000 / charactersPerSecond);
  }

  #receive(e) {
    const ours = this.#frame && e.source === this.#frame.contentWindow && e.origin === location.origin;
    if (!ours || e.data?.mhacsp !== "circle") return;
    const { type } = e.data;
    if (type === "ready") {
      this.#ready = true;
      for (const [name, fields] of this.#settings) this.#post(name, fields);
      if (this.#reading) this.#post("reading", { reading: this.#reading });
      const { at, playing } = this;
      this.#post("seek", { at });
      if (playing) this.#post("play");
      this.#stand();
      this.dispatchEvent(new Event("ready"));
    } else if (type === "position") {
      if (e.data.at < 0 || !this.#reading) return; // it has no reading, or none any more
      this.#moved(e.data.at, e.data.playing);
      const { layer, head } = e.data;
      const now = this.#settings.get("layer");
      const same = layer === (now?.name ?? "none") && head === (now?.head ?? 0);
      if (layer !== undefined && !same) { // chosen in the circle itself
        this.#settings.set("layer", { name: layer, head });
        this.dispatchEvent(new CustomEvent("layer", { detail: { name: layer, head } }));
      }
    } else if (type === "unit") {
      this.dispatchEvent(new CustomEvent("unit", { detail: e.data.unit }));
    } else if (type === "error") {
      if (e.data.fatal) return this.#fail(e.data.text);
      this.dispatchEvent(new CustomEvent("trouble", { detail: e.data.text }));
    }
  }

  #post(type, fields = {}) {
    if (this.#ready) this.#frame.contentWindow.postMessage({ ...fields, mhacsp: "circle", type }, location.origin);
  }

  #moved(at, playing) {
    this.at = at;
    this.playing = playing;
    if (!this.#ready) this.#stand();
    this.dispatchEvent(new CustomEvent("position", { detail: { at, playing } }));
  }

  #tell(name, fields) {
    this.#settings.set(name, fields);
    this.#post(name, fields);
  }

  #look() {
    this.#tell("theme", { dark: dark() });
    this.#tell("motion", { reduced: reduced() });
  }

  #visible() { this.#tell("visible", { visible: this.#seen && !document.hidden }); }

  /** show takes a new reading; the position is kept where the text is the same. */
  show(reading) {
    const same = this.#reading?.tokens.join("\n") === reading.tokens.join("\n");
    this.#reading = reading;
    this.#post("reading", { reading });
    this.#load();
    if (same) this.#stand();
    else this.seek(0);
    this.dispatchEvent(new CustomEvent("reading", { detail: reading }));
  }

  /** clear takes the reading away: it is of a network that is not there any more. */
  clear() {
    this.#reading = null;
    this.#post("reading", { reading: null });
    this.#moved(0, false);
    this.dispatchEvent(new CustomEvent("reading", { detail: null }));
  }

  get reading() { return this.#reading; }
  get last() { return this.#reading ? this.#reading.tokens.length - 1 : 0; }

  play() {
    if (!this.#reading) return;
    if (this.at >= this.last) this.seek(0);
    this.#post("play");
    this.#moved(this.at, this.#ready || this.at < this.last);
    this.#go();
  }

  pause() {
    this.#post("pause");
    this.#moved(this.at, false);
  }

  seek(at) {
    const to = Math.min(this.last, Math.max(0, at));
    this.#post("seek", { at: to });
    this.#moved(to, false);
  }

  step(by) {
    this.pause();
    this.seek(this.at + by);
  }

  speed(charactersPerSecond) { this.#tell("speed", { charactersPerSecond }); }
  layer(name, head) { this.#tell("layer", { name, head }); }

  /** dials are the clocks of the reading, a message of the clocks' Worker; null where they are not known yet. */
  dials(dials) { this.#draws("dials", { dials }); }

  /** view is what the circle shows: "clocks" or "units". */
  view(name) { this.#draws("view", { name }); }

  /** draws tells what the plain picture shows too. */
  #draws(name, fields) {
    this.#tell(name, fields);
    this.#stand();
  }
}
