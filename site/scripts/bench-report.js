// The report of bench.html as Markdown. It knows no page: whoever measured hands in what came out.

/** cell keeps a text from ending a table's cell or its row. */
const cell = (text) => String(text).replaceAll("|", "¦").split(/\s+/).join(" ").trim();

const table = (head, rows, align = "--:") => [
  `| ${head.map(cell).join(" | ")} |`, `|---|${`${align}|`.repeat(head.length - 1)}`,
  ...rows.map((r) => `| ${r.map(cell).join(" | ")} |`), "",
].join("\n");

/** What a backend is called. */
export const called = (backend) => (backend === "gpu" ? "WebGPU" : "processor");

/** ms is a time with three digits or so. */
const ms = (x) => x.toFixed(x < 10 ? 2 : x < 100 ? 1 : 0);

const rate = (x) => Math.round(x).toString().replace(/\B(?=(\d{3})+$)/g, " ");

/**
 * markdown writes a report: facts [[what, value]], checks [{what, right, text}], timings [{model, backend, batch,
 * ms}], models and batches in the order of the table, fixed lines about steps of fixed lengths, missing [{what, why}].
 */
export function markdown({title, facts, checks, timings, models, batches, fixed, missing}) {
  const parts = [`### mhacsp report: ${cell(title)}\n`, table(["", ""], facts, "---")];
  if (checks.length > 0) {
    parts.push("#### Checks\n");
    for (const {what, right, text} of checks) parts.push(`* **${right ? "right" : "WRONG"}** ${what}: ${text}`);
    parts.push("");
  }
  const backends = ["gpu", "cpu"].filter((b) => timings.some((t) => t.backend === b));
  if (timings.length > 0) {
    const columns = backends.flatMap((backend) => batches.map((batch) => ({backend, batch})));
    const find = (model, {backend, batch}) =>
      timings.find((t) => t.model === model && t.backend === backend && t.batch === batch);
    parts.push("#### Training steps\n", "Task arithmetic; the mean of steps in a row, each on samples of its own.\n");
    parts.push(table(
      ["ms a step (sequences/s)", ...columns.map((c) => `${called(c.backend)}, batch ${rate(c.batch)}`)],
      models.map((model) => [`\`${model}\``, ...columns.map((c) => {
        const t = find(model, c);
        return t ? `${ms(t.ms)} (${rate(1000 * c.batch / t.ms)})` : "–";
      })]),
    ));
  }
  if (fixed.length > 0) parts.push("#### Steps of fixed lengths\n", ...fixed.map((line) => `* ${line}`), "");
  if (missing.length > 0) {
    const whys = [...new Set(missing.map((m) => m.why))];
    parts.push("#### Not measured\n");
    for (const why of whys) {
      const all = missing.filter((m) => m.why === why);
      const names = all.filter((m) => !m.timing || timings.length === 0).map((m) => m.what);
      const left = all.length - names.length;
      if (left > 0) names.push(`${left} ${left === 1 ? "timing" : "timings"} (– in the table)`);
      parts.push(`* ${names.join("; ")}: ${cell(why)}`);
    }
    parts.push("");
  }
  return parts.join("\n").trimEnd() + "\n";
}

/** near judges a step of a device by the processor's: relative, [how far, how far it may]. */
export function near(step, other) {
  const off = (a, b) => Math.abs(a - b) / Math.abs(b);
  const loss = off(step.loss, other.loss), norm = off(step.norm, other.norm);
  return {
    right: loss <= 1e-5 && norm <= 1e-4,
    text: `loss off by ${loss.toExponential(1)} (1e-5 allowed), ` +
      `norm of the gradient by ${norm.toExponential(1)} (1e-4 allowed), compared with the processor`,
  };
}
