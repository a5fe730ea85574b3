// The circle's program in a Worker that draws on the frame's canvas: neither the program nor the graphics driver that
// it waits for ever holds up the page. ebiten wants a window and a document; what it uses of them in the browser
// (internal/ui/ui_js.go) stands here, around the one real thing, the canvas. The frame sends
//   {canvas, width, height, ratio, dark}   first of all
//   {size: {width, height}}          of the frame, in CSS pixels
//   {event}                          a key or the mouse on the canvas, as plain fields
//   {message}                        a command
// and gets {post}, {say} and {keys}, calls of globalThis.circle, {cursor}, {lost}: the graphics card forgot all, and
// {failed}: why the program has ended.
import { run } from "./program.js";

const nothing = () => {};

// At rest ebiten goes on asking for frames and does nothing in them. Here it gets the next one when a message came.
const frames = {
  ask: requestAnimationFrame.bind(globalThis),
  resting: false,
  stirred: false, // a message came since a frame was asked for
  held: null,
  request(f) {
    if (this.resting && !this.stirred) this.held = f;
    else this.ask(f);
    this.stirred = false;
  },
  stir() {
    this.stirred = true;
    if (!this.held) return;
    this.ask(this.held);
    this.held = null;
  },
};

/** ebiten's document: sizes are the frame's; whether anybody sees it comes as a command. */
class Document extends EventTarget {
  body = { clientWidth: 0, clientHeight: 0, style: {}, appendChild: nothing };
  head = { appendChild: nothing };
  documentElement = { style: {} };
  get hidden() { return false; }
  hasFocus() { return true; }
  createElement(name) { return name === "canvas" ? this.canvas : {}; }
}

function prepare({ canvas, width, height, ratio, dark }) {
  const document = new Document();
  Object.assign(document.body, { clientWidth: width, clientHeight: height });
  document.canvas = Object.assign(canvas, { // the frame sees to these
    style: { set cursor(cursor) { postMessage({ cursor }); } }, setAttribute: nothing, focus: nothing,
  });
  // ebiten would reload its window.
  canvas.addEventListener("webglcontextlost", (e) => {
    e.stopImmediatePropagation();
    postMessage({ lost: true });
  });
  const window = globalThis, parent = { location: {} };
  Object.assign(globalThis, { window, document, Document, parent, devicePixelRatio: ratio });
  globalThis.requestAnimationFrame = (f) => frames.request(f);
  navigator.getGamepads ??= () => [];
  globalThis.circle = {
    dark,
    hear: nothing, // the program's own
    post: (message) => postMessage({ post: message }),
    say: (text) => postMessage({ say: text }),
    keys: (list) => postMessage({ keys: list }),
    ready: nothing,
    rest: (resting) => { frames.resting = resting; },
  };
}

const hear = {
  size: ({ width, height }) => {
    Object.assign(document.body, { clientWidth: width, clientHeight: height });
    dispatchEvent(new Event("resize"));
  },
  event: ({ type, locks, ...fields }) => {
    const getModifierState = (name) => locks.includes(name);
    document.canvas.dispatchEvent(Object.assign(new Event(type), fields, { getModifierState }));
  },
  message: (message) => circle.hear(message),
};

addEventListener("message", ({ data }) => {
  if (data.canvas) {
    prepare(data);
    const failed = (text) => postMessage({ failed: text });
    const ended = () => failed("The circle stopped. Reload the page to see it again.");
    run().then(ended, (e) => failed(`The circle cannot be shown: ${e.message.replace(/\.$/, "")}.`));
    return;
  }
  for (const [kind, value] of Object.entries(data)) hear[kind](value);
  frames.stir();
});
