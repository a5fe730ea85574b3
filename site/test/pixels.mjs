// What is drawn, looked at: the pixels that a person sees, the sizes of letters, what is cut off. A test of a page
// asks
//   await looksRight(page, "race")   and, of each chart,   await curves(page, "#chart")
// Pictures stay in the folder MHACSP_PICTURES, where that is set.
import assert from "node:assert/strict";
import {mkdir, writeFile} from "node:fs/promises";
import path from "node:path";
import {until} from "./page.mjs";

/** The least height of a letter's line, in CSS pixels. */
const LEAST = 9;

/** picture keeps what a place of the page shows, by a name, and returns it as PNG. */
export async function picture(place, name) {
  const png = await place.screenshot();
  const folder = process.env.MHACSP_PICTURES;
  if (folder) {
    await mkdir(folder, {recursive: true});
    await writeFile(path.join(folder, `${name.replace(/[^\w.-]+/g, "-")}.png`), png);
  }
  return png;
}

/**
 * letters notes, from now on, how large text on 2D canvases is, and what of it lies outside: call it before the page
 * is gone to.
 * Text that is squeezed into a width counts as small as that makes it.
 */
export const letters = (page) => page.addInitScript(() => {
  globalThis.letters = new Map(); // of each canvas, the smallest text since it was emptied
  const {fillText} = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, room) {
    const {a, b} = this.getTransform(), drawn = parseFloat(/([\d.]+)px/.exec(this.font)[1]) * Math.hypot(a, b);
    const squeezed = room === undefined ? 1 : Math.min(1, room / this.measureText(text).width);
    if (String(text).trim()) {
      const list = globalThis.letters.get(this.canvas) ?? [], {e} = this.getTransform(), {width} = this.canvas;
      const {actualBoundingBoxLeft: before, actualBoundingBoxRight: behind} = this.measureText(text);
      const out = !b && (a * (x - before) + e < -1 || a * (x + behind * squeezed) + e > width + 1);
      list.push({text: String(text), size: drawn * squeezed / width, out}); // a share of the canvas
      globalThis.letters.set(this.canvas, list);
    }
    return fillText.apply(this, room === undefined ? [text, x, y] : [text, x, y, room]);
  };
});

/**
 * small lists what cannot be read: text of the page that is too small, and text that is that, or cut off, on canvases
 * that are shown, where letters was called.
 */
const small = (page) => page.evaluate((least) => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode());) {
    const e = node.parentElement;
    if (!node.data.trim() || e.closest("svg, script, style")) continue;
    if (!e.checkVisibility({visibilityProperty: true})) continue;
    const size = parseFloat(getComputedStyle(e).fontSize);
    if (size < least) found.push(`“${node.data.trim().slice(0, 40)}” is ${size} px`);
  }
  for (const [canvas, list] of globalThis.letters ?? []) {
    if (!canvas.isConnected || !canvas.checkVisibility({visibilityProperty: true})) continue;
    for (const {text, size, out} of list) {
      const shown = size * canvas.getBoundingClientRect().width;
      if (out) found.push(`“${text}” hangs out of its canvas`);
      if (shown < least - 0.01) found.push(`“${text}” is ${shown.toFixed(1)} px on a canvas`);
    }
  }
  return [...new Set(found)];
}, LEAST);

/**
 * clipped lists what a visitor cannot see whole: a page that is wider than its window, a picture that hangs out of
 * what cuts it off, a text wider than its own box.
 */
const clipped = (page) => page.evaluate(() => {
  const found = [], root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`the page is ${root.scrollWidth} wide of ${root.clientWidth}`);
  const name = (e) => `${e.tagName.toLowerCase()}${e.id && `#${e.id}`}` +
    [...e.classList].map((c) => `.${c}`).join("");
  const cuts = (e) => /hidden|clip/.test(getComputedStyle(e).overflow);
  for (const e of document.body.querySelectorAll("*")) {
    const box = e.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1 || e.closest(".skip, .sr")) continue; // not for the eye
    if (!e.checkVisibility({visibilityProperty: true})) continue;
    const own = e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1;
    if (cuts(e) && e.clientWidth > 0 && own) {
      found.push(`${name(e)} cuts off ${e.scrollWidth} × ${e.scrollHeight} to ${e.clientWidth} × ${e.clientHeight}`);
    }
    if (!/^(canvas|svg|img|iframe|button|input|select)$/i.test(e.tagName) || e.parentElement.closest("svg")) continue;
    let outer = e.parentElement;
    while (outer !== document.body && !cuts(outer)) {
      if (/auto|scroll/.test(getComputedStyle(outer).overflow)) break;
      outer = outer.parentElement;
    }
    const around = outer.getBoundingClientRect(), loose = /auto|scroll/.test(getComputedStyle(outer).overflow);
    const out = box.left < around.left - 1 || box.right > around.right + 1 ||
      outer !== document.body && (box.top < around.top - 1 || box.bottom > around.bottom + 1);
    if (out && !loose) found.push(`${name(e)} hangs out of ${name(outer)}`);
  }
  return found;
});

/** looksRight holds a page to what every page keeps: letters of a size, and nothing cut off. */
export async function looksRight(page, what) {
  await picture(page, what);
  assert.deepEqual(await small(page), [], `${what}: too small to read`);
  assert.deepEqual(await clipped(page), [], `${what}: cut off`);
}

/**
 * inks counts, in a PNG, the pixels near each of some colours, and over how many columns they spread. area: what part
 * of it, in shares.
 */
export const inks = (page, png, colours, area) => page.evaluate(async ([png, colours, area]) => {
  const bytes = Uint8Array.from(atob(png), (c) => c.charCodeAt(0));
  const bitmap = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
  const [x, y, width, height] = area.map((share, i) => Math.round(share * (i % 2 ? bitmap.height : bitmap.width)));
  const context = new OffscreenCanvas(width, height).getContext("2d");
  const rgb = (colour) => {
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return [...context.getImageData(0, 0, 1, 1).data];
  };
  const wanted = colours.map(rgb);
  context.drawImage(bitmap, -x, -y);
  const {data} = context.getImageData(0, 0, width, height);
  return wanted.map((ink) => {
    const columns = new Set();
    let pixels = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (![0, 1, 2].every((c) => Math.abs(data[i + c] - ink[c]) <= 40)) continue;
      pixels++;
      columns.add((i / 4) % width);
    }
    return {pixels, columns: columns.size / width};
  });
}, [png.toString("base64"), colours, area]);

/**
 * curves holds a chart to what its legend names: each line's colour is seen within the axes, in at least `across` of
 * the columns, on the screen and not only on the canvas. It waits until that is so.
 */
export async function curves(page, selector, {across = 0.02, name = selector} = {}) {
  const root = page.locator(selector);
  await root.scrollIntoViewIfNeeded();
  await root.locator("canvas").waitFor();
  const seen = async () => {
    const [colours, area] = await root.evaluate((root) => {
      const over = root.querySelector(".u-over")?.getBoundingClientRect(), box = root.getBoundingClientRect();
      const keys = [...root.parentElement.querySelectorAll(`#${root.id} + .legend svg > *`)];
      const colours = keys.map((e) => getComputedStyle(e)[e.localName === "circle" ? "fill" : "stroke"]);
      const area = over && [(over.x - box.x) / box.width, (over.y - box.y) / box.height, over.width / box.width,
        over.height / box.height];
      return [colours, area];
    });
    if (!area || colours.length === 0) return {colours, area};
    return {colours, area, inks: await inks(page, await picture(root, name), colours, area)};
  };
  const good = ({area, inks}) => area?.every((share) => share >= 0 && share <= 1) && inks?.length > 0 &&
    inks.every(({pixels, columns}) => pixels >= 10 && columns >= across);
  return until(seen, good, `${selector}: curves within its axes`);
}
