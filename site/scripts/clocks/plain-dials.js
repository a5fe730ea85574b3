// The clocks' dials on a 2D canvas, for the plain picture. What is drawn is the message `dials` of the clocks' Worker,
// by the rules that the circle draws it by (CLOCKS.md, One text).
import { placesOf, turns } from "./dial.js";

const SETTLED = 0.75; // share of its own R from which a hand stands for the value
const ARCS = 4; // the newest, that a dial shows

const full = 2 * Math.PI;
const stands = (hand, t) => hand.sure[t] > 0 && hand.sure[t] >= SETTLED * hand.r;

/** stood is the last token, up to `at`, after which a hand stood for the value; −1: none. */
export function stood(hand, at) {
  while (at >= 0 && !stands(hand, at)) at--;
  return at;
}

/**
 * turnsOf are the ways that numbers made a hand go, up to the token `at`: [from, to] end to end, unwound so that each
 * is the turn that its number asks for, and no whole turn more or less.
 */
export function turnsOf(hand, { modulus, moments }, at) {
  const turns = [];
  let angle = null, change = 0;
  for (let t = 0; t <= at; t++) {
    change += moments[t].change;
    if (!stands(hand, t)) continue;
    const due = (angle ?? hand.angles[t]) + (angle === null ? 0 : full * hand.k * change / modulus);
    const next = hand.angles[t] - full * Math.round((hand.angles[t] - due) / full);
    if (angle !== null && change) turns.push([angle, next]);
    angle = next;
    change = 0;
  }
  return turns;
}

/** gone reports whether a half-turn clock has been rewritten: behind "mod" it keeps the sum no longer. */
const gone = (hand, at) => !!hand.line && !stands(hand, at);

const off = (a, b) => Math.abs(a - b - full * Math.round((a - b) / full));

/** pointsAt are the values whose mark is the nearest to a hand. */
function pointsAt(hand, modulus, angle) {
  const away = Array.from({ length: modulus }, (_, v) => off(angle, full * hand.k * v / modulus));
  const least = Math.min(...away);
  return away.flatMap((x, v) => x < least + 1e-9 ? [v] : []).join(" and ");
}

/** state is what one hand does after the token at `at`: {token, kept, words}. */
function state(hand, dials, at) {
  const token = stood(hand, at);
  const kept = token >= 0 && !hand.cut && !gone(hand, at);
  const words = hand.cut ? "cut: nobody reads it" : token < 0 ? "not known here"
    : gone(hand, at) ? "no longer kept" : `points at ${pointsAt(hand, dials.modulus, hand.angles[token])}`;
  return { token, kept, words };
}

/** truth names the values: they are calculated by the rule, and are none of the network's guesses. */
const truth = ({ quantity = "sum" }) => `true ${quantity} so far`;

/** sayDials says in words what drawDials draws. */
export function sayDials(dials, at) {
  if (!dials) return "Looking for clocks.";
  if (dials.none) return dials.none.join(" ");
  const hands = dials.dials.map((hand) => `${turns(hand.k, dials.modulus)}: ${state(hand, dials, at).words}.`);
  return [`The ${truth(dials)} is ${dials.moments[at].value}.`, ...hands].join(" ");
}

/** grid is how many columns give the largest dials in an area, with words of a height below each. */
function grid(n, { w, h }, words) {
  let best = { side: 0, columns: 1 };
  for (let columns = 1; columns <= n; columns++) {
    const side = Math.min(w / columns, h / Math.ceil(n / columns) - words);
    if (side > best.side) best = { side, columns };
  }
  return best;
}

/** fitted is a text, its end cut off where it is wider than that many pixels. */
export function fitted(c, text, width) {
  const letters = [...text];
  while (letters.length > 1 && c.measureText(text).width > width) {
    letters.pop();
    text = `${letters.join("")}…`;
  }
  return text;
}

/** wrapped breaks a line of text where it is wider than that many pixels. */
function wrapped(c, text, width) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && c.measureText(longer).width > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}

/**
 * drawDials draws the clocks after the token at `at` into an area {x, y, w, h} of a 2D context. look: ink, soft and
 * line, hands and arcs (a colour each), font (of a size). Angles grow with the clock from the top.
 */
export function drawDials(c, area, dials, at, look) {
  Object.assign(c, { textAlign: "center", textBaseline: "middle", fillStyle: look.ink, lineCap: "round" });
  const middle = area.x + area.w / 2;
  if (!dials || dials.none) {
    c.font = look.font(14);
    const lines = (dials?.none ?? ["Looking for clocks …"]).flatMap((line) => wrapped(c, line, area.w - 24));
    lines.forEach((line, i) => c.fillText(line, middle, area.y + area.h / 2 + 22 * (i - lines.length / 2)));
    return;
  }
  const head = 30, words = 40, list = dials.dials;
  c.font = `600 ${look.font(16)}`;
  c.fillText(fitted(c, `${truth(dials)}: ${dials.moments[at].value}`, area.w - 12), middle, area.y + head / 2);
  const below = { ...area, y: area.y + head, h: area.h - head };
  const { side, columns } = grid(list.length, below, words), cell = below.w / columns;
  const top = below.y + (below.h - Math.ceil(list.length / columns) * (side + words)) / 2;
  list.forEach((hand, i) => {
    const row = Math.floor(i / columns), inRow = Math.min(columns, list.length - row * columns);
    const x = middle + (i % columns - (inRow - 1) / 2) * cell;
    drawDial(c, { x, y: top + row * (side + words), side, cell }, hand, dials, at,
      { ...look, hand: look.hands[i % look.hands.length] });
  });
}

function drawDial(c, { x, y: top, side, cell }, hand, dials, at, { ink, soft, line, hand: own, arcs, font }) {
  const r = 0.46 * side, y = top + side / 2, { token, kept, words } = state(hand, dials, at);
  const place = (length, angle) => [x + length * Math.sin(angle), y - length * Math.cos(angle)];
  const stroke = (from, to) => {
    c.beginPath();
    c.moveTo(...from);
    c.lineTo(...to);
    c.stroke();
  };
  if (r < 14) return;
  Object.assign(c, { strokeStyle: line, lineWidth: 1.5, font: font(Math.max(10, Math.min(15, 0.2 * r))) });
  c.beginPath();
  c.arc(x, y, r, 0, full);
  c.stroke();
  const { modulus } = dials, marks = placesOf(hand.k, modulus);
  for (const [at, values] of marks) {
    const angle = full * at / modulus;
    c.strokeStyle = soft;
    stroke(place(r, angle), place(0.93 * r, angle));
    c.fillStyle = kept && off(hand.angles[token], angle) < Math.PI / marks.size ? ink : soft;
    c.fillText(fitted(c, values.join(" "), 0.5 * r), ...place(0.78 * r, angle));
  }
  const ways = kept ? turnsOf(hand, dials, at) : [];
  ways.slice(-ARCS).forEach(([from, to], i) => { // end to end, as styles/base.css colours them
    const begin = Math.min(from, to) - full / 4, end = Math.max(from, to) - full / 4;
    Object.assign(c, { strokeStyle: arcs[(ways.length - Math.min(ways.length, ARCS) + i) % arcs.length] });
    c.lineWidth = Math.max(2, 0.05 * r);
    c.beginPath();
    c.arc(x, y, (0.6 - 0.09 * i) * r, begin, end);
    c.stroke();
  });
  if (token >= 0) {
    const angle = hand.angles[token];
    Object.assign(c, { strokeStyle: kept && stands(hand, at) ? ink : soft, lineWidth: Math.max(2, 0.06 * r) });
    stroke([x, y], place(0.62 * r, angle));
  }
  c.font = `600 ${font(13)}`;
  c.fillStyle = own;
  c.fillText(fitted(c, turns(hand.k, dials.modulus), cell - 8), x, top + side + 8);
  c.font = font(13);
  c.fillStyle = kept ? ink : soft;
  c.fillText(fitted(c, words, cell - 8), x, top + side + 26);
}
