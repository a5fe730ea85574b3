// The table of labels: how often each was right in the last test, and which was given for which.

import { seen } from "./data.js";
import { $, html } from "./html.js";
import { count, whole } from "./numbers.js";

const MOST = 10; // labels that have a column each

const share = (part, all) => (all ? `${(100 * part / all).toFixed(1)} %` : "–");

/** A cell with text of the page, or of data, whose direction is its own. */
const cell = (name, text, { data = false, ...more } = {}) =>
  html(name, more, data ? html("bdi", { textContent: seen(text) }) : text);

const row = (...cells) => html("tr", {}, ...cells);

/** showClasses shows the labels of an evaluation; where it has none there is no table. */
export function showClasses(evaluation) {
  const list = evaluation?.byClass ?? [], wide = list.length <= MOST;
  $("by-class").hidden = list.length === 0;
  if (list.length === 0) return;
  $("classes-note").textContent = `Of ${count(evaluation.samples, "sample")} of the last test. “Found” is the ` +
    "share of a label’s samples that were given it, “sure” the share of those given it that have it.";
  const head = html("thead"), body = html("tbody");
  const title = (text, more) => cell("th", text, { scope: "col", ...more });
  head.append(row(title("Right label"), title("Samples"), title("Found"), title("Sure"),
    ...(wide ? list.map((c) => title(c.label, { data: true, title: `given ${seen(c.label)}` }))
      : [title("Most often taken for")])));
  body.append(...list.map((c, i) => {
    const others = c.as.map((n, j) => (j === i ? 0 : n)), worst = others.indexOf(Math.max(...others));
    const mistaken = others[worst] ? [cell("td", list[worst].label, { data: true })] : [cell("td", "–")];
    if (others[worst]) mistaken[0].append(` (${whole(others[worst])})`);
    return row(cell("th", c.label, { scope: "row", data: true }), cell("td", whole(c.count)),
      cell("td", share(c.right, c.count)), cell("td", share(c.right, c.given)),
      ...(wide ? c.as.map((n, j) => cell("td", whole(n), { className: j === i ? "right" : n ? "wrong" : "" }))
        : mistaken));
  }));
  $("classes").replaceChildren(head, body);
}
