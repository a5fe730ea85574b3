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

/** keyOf is what a record holds for, as text: all but what was found (model/backend/tune, Record). */
function keyOf({ choices, tries, clock, notes, ...key }) { return JSON.stringify(Object.entries(key).sort()); }

/** kept is the record of the same key that is kept. */
const kept = (record) => forms().find((r) => keyOf(r) === keyOf(record));

/** begins reports whether a record that came says that a measurement has begun: it is a try more than was kept. */
export function begins(record) { return (record.tries ?? 0) > (kept(record)?.tries ?? 0); }

/** keepForms puts a record in place of that of its key. One that holds nothing only goes. */
export function keepForms(record) {
  const records = forms().filter((r) => keyOf(r) !== keyOf(record));
  if (record.choices || record.tries) records.push(record);
  try {
    localStorage.setItem(NAME, JSON.stringify({ version: VERSION, records: records.slice(-MOST) }));
  } catch { /* for this visit */ }
}

/** takeBack takes back the try of a record, unless it was measured since, or tried again, in another tab. */
export function takeBack(record) {
  if (kept(record)?.tries === record.tries) keepForms({ ...record, tries: record.tries - 1 });
}

/** forgetForms drops all records: each is measured again when a run is opened that needs it. */
export function forgetForms() { try { localStorage.removeItem(NAME); } catch { /* there are none */ } }

const TRIES = 3; // as in model/backend/tune

/** formsText says which forms a record chose, and what went wrong. */
export function formsText({ choices, tries, notes = [] }) {
  const said = choices?.map(({ knob, value, times }) => {
    const [first, ms] = [times[0].ms, times.find((t) => t.value === value)?.ms];
    return `${knob} ${value}` + (ms < first ? ` (−${Math.round(100 * (1 - ms / first))} % of a step)` : "");
  });
  const usual = "kernels in their usual forms" + (tries >= TRIES
    ? `, since ${tries} measurements did not come to an end: “measure again in the next run” tries once more` : "");
  return [said ? `kernels ${said.join(", ")}` : usual, ...notes].join("; ");
}
