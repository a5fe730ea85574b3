// The forms of the GPU's kernels that were the fastest here: what the trainer tells of them is kept for the next
// visit, as the command line keeps it in its file. Where the browser stores nothing they are measured again.

const NAME = "forms", VERSION = 1, MOST = 50;

/** forms are the records that are kept; none where what is stored is damaged or of another version. */
export function forms() {
  try {
    const { version, records } = JSON.parse(localStorage.getItem(NAME));
    return version === VERSION && Array.isArray(records) ? records : [];
  } catch {
    return [];
  }
}

/** keyOf is what a record holds for, as text: adapter, driver, kernels, width, angle and batch. */
function keyOf({ adapter, driver = "", kernels, width, angle, batch }) {
  return JSON.stringify([adapter, driver, kernels, width, angle, batch]);
}

/** keepForms puts a record in place of that of its key. One that holds nothing only goes. */
export function keepForms(record) {
  const records = forms().filter((r) => keyOf(r) !== keyOf(record));
  if (record.choices || record.tries) records.push(record);
  try {
    localStorage.setItem(NAME, JSON.stringify({ version: VERSION, records: records.slice(-MOST) }));
  } catch { /* for this visit */ }
}

/** forgetForms drops all records: each is measured again when a run is opened that needs it. */
export function forgetForms() {
  try { localStorage.removeItem(NAME); } catch { /* there are none */ }
}

/** formsText says which forms a record chose, and what went wrong. */
export function formsText({ choices, notes = [] }) {
  const said = choices?.map(({ knob, value, times }) => {
    const [first, ms] = [times[0].ms, times.find((t) => t.value === value)?.ms];
    return `${knob} ${value}` + (ms < first ? ` (−${Math.round(100 * (1 - ms / first))} % of a step)` : "");
  });
  return [said ? `kernels ${said.join(", ")}` : "kernels in their usual forms", ...notes].join("; ");
}
