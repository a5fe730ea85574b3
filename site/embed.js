// <mha-csp>: the phase circle in any page. Everything happens in a frame of this script's own origin, so that it works
// from another site too, and goes away with the element. A classic script, which needs no header of its host; it may
// be loaded as a module too, from a host that allows that by CORS. See embed.html.
{
  // A module has no currentScript; its place, under whatever name, comes first in what an error says.
  const place = document.currentScript?.src || /(?:https?|file):[^\s()@]+?(?=:\d+:\d+)/.exec(new Error().stack)?.[0];
  const base = new URL(place ?? document.baseURI);

  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`
    :host {
      display: block; position: relative; inline-size: 100%; block-size: 32rem; max-inline-size: 30rem;
      contain: layout paint;
    }
    :host([hidden]) { display: none; }
    /* What asks how wide this is, as a table's cell or a float does: 17rem at least, 30rem where there is room. */
    :host::before, :host::after { content: ""; display: inline-block; inline-size: 17rem; }
    :host::after { inline-size: 13rem; }
    iframe {
      position: absolute; inset: 0; inline-size: 100%; block-size: 100%; border: 0; border-radius: inherit;
      color-scheme: normal;
    }
    p { margin: 1rem; font: 1rem/1.5 system-ui, sans-serif; }
  `);

  const PATIENCE = 2000; // ms after the frame's load in which it says that it is there

  /** Attributes that make another model, and those that the frame takes while it runs. */
  const making = ["task", "model", "train", "settings"];
  const live = ["expression", "controls", "buttons", "speed", "layer", "head", "theme", "view"];

  const refused = []; // what a policy of this page has kept away
  document.addEventListener("securitypolicyviolation", (e) => { if (e.disposition !== "report") refused.push(e); });
  const keepsAway = (directive) =>
    refused.some((e) => e.effectiveDirective === directive && e.blockedURI.startsWith(base.origin));

  /** loads reports whether a picture comes: of another origin nothing else may be asked. */
  const loads = (url) => new Promise((done) => {
    Object.assign(new Image(), { onload: () => done(true), onerror: () => done(false), src: url });
  });

  /**
   * reason says why there is no frame. The browser tells a page only what its own policy keeps away; whether the files
   * lie next to this script, a picture among them shows.
   */
  async function reason() {
    if (keepsAway("frame-src")) {
      return "The Content-Security-Policy of this page keeps the phase circle away: its frame-src must name " +
        `${base.origin}.`;
    }
    const forbids = `${base.origin} forbids its pages in a frame of this one: it sends X-Frame-Options, or a ` +
      "Content-Security-Policy whose frame-ancestors lacks this page’s address.";
    if (await loads(new URL("icon.svg", base))) return forbids;
    const { href } = new URL(".", base);
    const missing = `The phase circle’s files do not lie next to its script, at ${href}, or that host is out of ` +
      "reach. Load embed.js from where all of site/dist lies: it can be neither copied alone nor bundled.";
    const isolated = "This page sends Cross-Origin-Embedder-Policy, and this browser then wants it of the phase " +
      `circle’s host too: ${base.origin} must send it, and Cross-Origin-Resource-Policy: cross-origin.`;
    return crossOriginIsolated ? isolated : keepsAway("img-src") ? `${missing} Or ${forbids}` : missing;
  }

  class PhaseCircle extends HTMLElement {
    static observedAttributes = [...making, ...live, "autoplay"];
    #frame = null;
    #ready = false;
    #here = false; // the frame's first script has run
    #waiting = []; // commands given before the frame was ready
    #observer = null;
    #rebuild = false;
    #grown = new CSSStyleSheet(); // the height that the frame's contents need

    connectedCallback() {
      if (!this.shadowRoot) {
        this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet, this.#grown];
        for (const name of [...making, ...live, "autoplay"]) this.#upgrade(name);
      }
      addEventListener("message", this.#received);
      this.#observer = new IntersectionObserver((entries) => {
        if (entries.some((entry) => entry.isIntersecting)) this.#start();
      }, { rootMargin: "120px" });
      this.#observer.observe(this);
    }

    disconnectedCallback() {
      removeEventListener("message", this.#received);
      this.#observer?.disconnect();
      this.#close();
      this.#waiting = [];
    }

    attributeChangedCallback(name, old, value) {
      if (!this.#frame || old === value) return;
      if (making.includes(name)) {
        if (this.#rebuild) return;
        this.#rebuild = true; // several attributes set at once make one frame
        queueMicrotask(() => {
          this.#rebuild = false;
          if (!this.isConnected || !this.#frame) return;
          this.#close();
          this.#start();
        });
      } else if (name !== "autoplay") {
        if (name === "expression") this.#name();
        this.#send("set", { name, value });
      }
    }

    /** name says to a screen reader what the frame shows. */
    #name() {
      const what = this.getAttribute("expression") ?? this.getAttribute("task") ?? "arithmetic";
      this.#frame.title = this.getAttribute("aria-label") ?? `Phase circle: ${what}`;
    }

    /** A property that was set before the element was defined becomes its attribute. */
    #upgrade(name) {
      if (!Object.hasOwn(this, name)) return;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }

    /** start opens the frame; where the page wants it (COEP), or nothing else came, one without credentials. */
    #start(credentialless = crossOriginIsolated) {
      this.#observer?.disconnect();
      if (this.#frame) return;
      const url = new URL("embed-frame.html", base);
      const given = [...making, ...live, "autoplay"].filter((name) => this.hasAttribute(name));
      // Behind #, for hosts that redirect and drop what stands behind ?.
      url.hash = given.map((name) => `${name}=${encodeURIComponent(this.getAttribute(name))}`).join("&");
      this.#frame = document.createElement("iframe");
      this.#name();
      this.#frame.credentialless = credentialless;
      this.#frame.src = url;
      const frame = this.#frame;
      frame.addEventListener("load", () => { // its first script speaks before that
        setTimeout(() => {
          if (frame !== this.#frame || this.#here) return;
          if (credentialless || !("credentialless" in HTMLIFrameElement.prototype)) return this.#missing(url);
          this.#close();
          this.#start(true);
        }, PATIENCE);
      });
      this.shadowRoot.append(frame);
    }

    /** missing says why there is nothing to see. */
    async #missing(url) {
      const frame = this.#frame, text = await reason();
      if (frame !== this.#frame || this.#here) return;
      const note = Object.assign(document.createElement("p"), { textContent: `${text} ` });
      note.setAttribute("role", "alert");
      const link = document.createElement("a");
      note.append(Object.assign(link, { href: url, target: "_blank", textContent: "Open it by itself" }));
      this.#close();
      this.shadowRoot.append(note);
      this.dispatchEvent(new CustomEvent("trouble", { detail: { text } }));
    }

    #close() {
      this.shadowRoot.replaceChildren();
      this.#grown.replaceSync("");
      this.#frame = null;
      this.#ready = this.#here = false;
    }

    #send(type, fields = {}) {
      if (!this.#ready) return void this.#waiting.push([type, fields]);
      this.#frame.contentWindow.postMessage({ ...fields, mhacsp: "embed", type }, base.origin);
    }

    #received = (e) => {
      // In a sandbox the frame has no origin to name, and says what is wrong.
      const ours = this.#frame && e.source === this.#frame.contentWindow && [base.origin, "null"].includes(e.origin);
      if (!ours || e.data?.mhacsp !== "embed") return;
      const { mhacsp, type, ...detail } = e.data;
      this.#here = true;
      if (type === "here") return;
      if (type === "size") {
        const height = Math.ceil(Number(detail.height)) + this.offsetHeight - this.clientHeight; // with its borders
        return this.#grown.replaceSync(`:host { min-block-size: ${height}px; }`);
      }
      if (type === "ready") {
        this.#ready = true;
        for (const [command, fields] of this.#waiting.splice(0)) this.#send(command, fields);
      }
      this.dispatchEvent(new CustomEvent(type, { detail }));
    };

    play() { this.#send("play"); }
    pause() { this.#send("pause"); }
    step(by = 1) { this.#send("step", { by }); }
    read(text) {
      if (this.expression === text) this.#send("set", { name: "expression", value: text }); // once more
      else this.expression = text;
    }
    startTraining() { this.#send("train", { on: true }); }
    pauseTraining() { this.#send("train", { on: false }); }
    seek(at) { this.#send("seek", { at }); }
    cut(clock) { this.#send("cut", { clock }); }
    turn(clock, marks = 1) { this.#send("turn", { clock, marks }); }
    undo() { this.#send("undo"); }
  }

  for (const name of [...making, ...live, "autoplay"]) {
    const flag = name === "train" || name === "autoplay";
    Object.defineProperty(PhaseCircle.prototype, name, {
      configurable: true,
      enumerable: true,
      get() { return flag ? this.hasAttribute(name) : this.getAttribute(name) ?? ""; },
      set(value) {
        if (flag) this.toggleAttribute(name, !!value);
        else if (value == null) this.removeAttribute(name); // as React takes a property away
        else this.setAttribute(name, value);
      },
    });
  }

  if (!customElements.get("mha-csp")) customElements.define("mha-csp", PhaseCircle);
}
