// The reading: the circle, its buttons, the text under it, and what the network makes of it in words.
import { practised } from "./practised.js";
import { NOTHING, data, seen, written, wrote } from "./data.js";
import { html, press } from "./html.js";
import { sure } from "./numbers.js";

export const visible = (token) => ({ "<SOS>": "▸", "<EOS>": "⏎", " ": "\u00a0" })[token] ?? seen(token);
const named = (outcome) => ({ "<EOS>": "the end", " ": "a space" })[outcome] ?? data(outcome);

/** say describes in words what can be read off the network after the token at `at`; at the last it is the answer. */
export function say(reading, at) {
  const row = reading?.probabilities[at];
  if (!row?.length) return "";
  const best = row.indexOf(Math.max(...row));
  const likeliest = `${named(reading.outcomes[best])} (${sure(row[best])})`;
  const read = data(ending(reading.tokens.slice(1, at + 1).join("")));
  const where = at > 0 ? `after “${read}”` : "before the first character";
  return `best guess ${where}: ${likeliest}`;
}

const ENDING = 12; // characters of what was read, so that the line breaks into two at most and the controls stay

/** ending is a text, or the last characters of a long one. */
function ending(text) {
  const letters = [...text];
  return letters.length > ENDING ? `…${letters.slice(-ENDING).join("")}` : text;
}

/**
 * Reader ties a Circle to its controls. elements: tokens, verdict, back, play, on, at, speed, layer, head, headLabel.
 * It dispatches "instead" (detail a text) when a text was chosen that training had, in place of one that it had not.
 */
export class Reader extends EventTarget {
  constructor(circle, elements) {
    super();
    this.circle = circle;
    this.el = elements;
    const { back, play, on, at, speed, layer, head } = elements;
    back.addEventListener("click", () => this.step(-1));
    on.addEventListener("click", () => this.step(1));
    play.addEventListener("click", () => this.toggle());
    at.addEventListener("input", () => { this.held = true; circle.seek(Number(at.value)); }); // which pauses too
    speed.addEventListener("change", () => circle.speed(Number(speed.value)));
    const show = () => {
      circle.layer(layer.value, Number(head.value) || 0);
      this.#heads();
    };
    for (const list of [layer, head]) list.addEventListener("change", show);
    circle.addEventListener("layer", (e) => {
      layer.value = e.detail.name;
      head.value = String(e.detail.head);
      this.#heads();
    });
    circle.speed(Number(speed.value));
    circle.addEventListener("position", () => this.#position());
    this.unpractised = html("p", { className: "unpractised", ariaLive: "polite" });
    elements.verdict.after(this.unpractised);
    this.untrained = false; // the network knows nothing yet, and is excused
    this.held = false; // the visitor paused: nothing plays by itself
    this.#buttons();
  }

  /**
   * mistaken says whether what was typed last could not be read: what was read before it stops, is greyed, and has no
   * verdict beneath the mistake.
   */
  get mistaken() { return this.el.verdict.parentElement.hasAttribute("data-mistaken"); }
  set mistaken(on) {
    if (on && this.circle.playing) this.circle.pause();
    this.el.verdict.parentElement.toggleAttribute("data-mistaken", on);
    this.#buttons();
  }

  #buttons() {
    const off = !this.circle.reading || this.mistaken;
    for (const name of ["back", "play", "on", "at"]) this.el[name].disabled = off;
  }

  /** heads hides the choice of a head where what is shown has none. */
  #heads() { this.el.headLabel.hidden = ["none", "fusion"].includes(this.el.layer.value); }

  toggle() {
    if (this.mistaken) return;
    this.held = this.circle.playing;
    if (this.held) this.circle.pause();
    else this.circle.play();
  }

  step(by) {
    if (this.mistaken) return;
    this.held = true;
    this.circle.step(by);
  }

  /** show takes a new reading. */
  show(reading, { play = false } = {}) {
    const old = this.circle.reading;
    this.#practised(reading);
    this.circle.show(reading);
    const { tokens, at, layer, head } = this.el;
    if (old?.text !== reading.text || tokens.childElementCount !== reading.tokens.length) {
      tokens.replaceChildren(...reading.tokens.map(visible).map((textContent) => html("span", { textContent })));
    }
    at.max = reading.tokens.length - 1;
    for (const option of layer.options) option.disabled = option.value !== "none" && !reading[option.value].length;
    if (layer.selectedOptions[0].disabled) {
      layer.value = "none";
      layer.dispatchEvent(new Event("change"));
    }
    if (head.options.length !== reading.heads) {
      const heads = Array.from({ length: reading.heads }, (_, i) => new Option(String(i + 1), String(i)));
      head.replaceChildren(...heads);
    }
    this.#heads();
    this.#buttons();
    if (play) {
      this.circle.seek(0);
      this.circle.play();
    }
    this.#position();
  }

  /** clear takes the reading away. */
  clear() {
    const { tokens, at, verdict } = this.el;
    this.circle.clear();
    tokens.replaceChildren();
    verdict.textContent = "";
    this.#practised({});
    at.value = at.max = 0;
    at.removeAttribute("aria-valuetext");
    this.#buttons();
  }

  #position() {
    const { reading, at, playing } = this.circle;
    const { tokens, at: range, play, verdict } = this.el;
    play.textContent = playing ? "Pause" : "Play";
    play.ariaPressed = String(playing);
    play.ariaLabel = playing ? "Pause the reading" : "Play the reading";
    if (!reading) return;
    range.value = at;
    const words = say(reading, at);
    range.setAttribute("aria-valuetext", words);
    [...tokens.children].forEach((span, i) => { span.className = i === at ? "now" : i < at ? "past" : ""; });
    const now = tokens.children[at];
    if (now && tokens.scrollHeight > tokens.clientHeight) {
      tokens.scrollTop = now.offsetTop - tokens.offsetTop - tokens.clientHeight / 2;
    }
    this.#verdict(verdict, reading, at, words, playing);
  }

  #verdict(root, reading, at, words, playing) {
    root.setAttribute("aria-live", playing ? "off" : "polite");
    if (at < this.circle.last) {
      // Only the end was trained: before it, what is read off is no answer yet.
      root.textContent = `${words.charAt(0).toUpperCase()}${words.slice(1)}. Its answer comes at the end.`;
      return;
    }
    if (!reading.expected) { // the user's own data
      root.textContent = this.untrained && !wrote(reading.answer) ? "No answer yet: it has not practised."
        : `It answers ${data(written(reading.answer)) || "nothing"}. ` +
          (written(reading.answer).includes(NOTHING) ? `${NOTHING} stands for no text. ` : "") +
          `The page cannot check this text${this.untrained ? "; the network has not practised yet." : "."}`;
      return;
    }
    const mark = html("span", {
      className: reading.right ? "right" : "wrong", textContent: reading.right ? "✓ right" : "✗ wrong",
    });
    const rest = reading.right ? "" : ` The answer is ${data(reading.expected)}.`;
    const yet = "It has not practised yet.";
    // What it writes first may be no number, though the circle shows which number is the most probable.
    if (!reading.answer && this.untrained) return root.replaceChildren(yet + rest);
    const answer = reading.answer ? `It answers ${data(reading.answer)}: ` : "It answers without a number: ";
    root.replaceChildren(answer, mark, `.${rest}${this.untrained ? ` ${yet}` : ""}`);
  }

  /** practised says what of the text training never had, with a text of the same answer that it had. */
  #practised({ unpractised = [], instead = "" }) {
    const told = JSON.stringify([unpractised, instead]);
    if (this.unpractised.dataset.told === told) return; // read again: what has the focus stays
    this.unpractised.dataset.told = told;
    this.unpractised.replaceChildren(practised(unpractised));
    if (!instead) return;
    const ask = () => this.dispatchEvent(new CustomEvent("instead", { detail: instead }));
    this.unpractised.append(" ", press(`Ask ${instead}`, ask));
  }
}

const AROUND = 36; // characters on each side of a mistake, so that its echo has three lines at most

/** point shows where a typed text stops making sense: the text with the place marked, or what is around the place. */
export function point(root, text, error) {
  const words = html("span", { textContent: error.message });
  if (!(error.at >= 0)) return root.replaceChildren(words);
  const letters = [...text], { at } = error;
  // The trainer counts characters of the text as typed; past its end the place is one more.
  const mark = html("mark", { textContent: letters[at] ?? "\u00a0" });
  const from = Math.max(0, at - AROUND), to = at + 1 + AROUND;
  const before = (from > 0 ? "…" : "") + letters.slice(from, at).join("");
  const behind = letters.slice(at + 1, to).join("") + (to < letters.length ? "…" : "");
  const where = { className: "where", ariaLabel: `at character ${at + 1}` };
  root.replaceChildren(words, html("span", where, before, mark, behind));
}
