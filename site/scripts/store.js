// The runs that this browser keeps, in IndexedDB: the last three. A tab holds the slot of its run by a lock as long as
// it lives, so that no tab writes over another's run; its next run takes the slot that was not written for longest.
// Where the browser gives no storage, as in some private windows, every function fails softly: training goes on.

const NAME = "mhacsp", STORE = "runs", SLOTS = ["last", "second", "third"];
let mine = null; // the slot that this tab holds
let release = () => {};

function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
    request.onblocked = () => reject(new Error("blocked"));
  });
}

async function within(mode, work) {
  const db = await open();
  try {
    return await new Promise((resolve, reject) => {
      const transaction = db.transaction(STORE, mode);
      const request = work(transaction.objectStore(STORE));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error ?? request.error); // the reason is known then, not before
    });
  } finally {
    db.close();
  }
}

const lockOf = (slot) => `mhacsp-run-${slot}`;

/** hold takes a slot's lock until the tab ends or takes another; false where another tab has it. */
function hold(slot) {
  if (slot === mine) return Promise.resolve(true);
  return new Promise((resolve, reject) => {
    const use = (lock) => {
      resolve(!!lock);
      if (!lock) return null;
      release();
      mine = slot;
      return new Promise((end) => { release = end; });
    };
    if (navigator.locks) navigator.locks.request(lockOf(slot), { ifAvailable: true }, use).catch(reject);
    else use({}); // an old browser, or a page without https: tabs know nothing of each other
  });
}

/** take makes a kept run this tab's own. False where another tab has it open: what is opened here is then a copy. */
export const take = (slot) => hold(slot).catch(() => false);

/** leave gives this tab's slot to the page that it goes to. One who comes back to this page trains in another slot. */
export function leave() {
  release();
  addEventListener("pageshow", () => { mine = null; }, { once: true });
}

const whole = (record) => record?.checkpoint instanceof ArrayBuffer && !!record.chosen;
const read = (slot) => within("readonly", (store) => store.get(slot));

/** elsewhere are the slots that other tabs hold. */
async function elsewhere() {
  const { held = [] } = await navigator.locks?.query() ?? {};
  return SLOTS.filter((slot) => slot !== mine && held.some((lock) => lock.name === lockOf(slot)));
}

let claiming = null, beside = false;

/** claim gives this tab a slot, an empty one or that of the oldest run; null where other tabs hold all. */
async function claim() {
  const ages = await Promise.all(SLOTS.map(async (slot) => {
    const record = await read(slot);
    return { slot, when: whole(record) ? record.when : -Infinity };
  }));
  beside = (await elsewhere()).length > 0;
  for (const { slot } of ages.sort((a, b) => a.when - b.when || 0)) if (await hold(slot)) return slot;
  return null;
}

/**
 * keep stores a run: {chosen, run, step, checkpoint, state, curves, when}. another: it is not the one that this tab
 * kept last. Returns {slot, beside}, where beside reports whether other tabs keep runs too; or {why}: "storage" where
 * the browser gives none, "room" where what it gives is full, "tabs" where other tabs hold all that there is.
 */
export async function keep(record, another = false) {
  try {
    claiming ??= mine && !another ? Promise.resolve(mine) : claim();
    const slot = await claiming.finally(() => { claiming = null; });
    if (!slot) return { why: "tabs" };
    await within("readwrite", (store) => store.put(record, slot));
    return { slot, beside };
  } catch (error) {
    return { why: error?.name === "QuotaExceededError" ? "room" : "storage" };
  }
}

/** kept are the stored runs, newest first, each with its slot, and `elsewhere` where another tab has it open. */
export async function kept() {
  try {
    const others = await elsewhere();
    const records = await Promise.all(SLOTS.map(async (slot) => {
      const record = await read(slot);
      return whole(record) ? { ...record, slot, elsewhere: others.includes(slot) } : null;
    }));
    return records.filter(Boolean).sort((a, b) => b.when - a.when);
  } catch {
    return [];
  }
}

/** forget deletes the run of a slot if it is still the one that was written then, and no other tab has it open. */
export async function forget(slot, when) {
  let done = "changed";
  const remove = (lock) => lock && within("readwrite", (store) => {
    const found = store.get(slot);
    found.onsuccess = () => {
      if (found.result?.when !== when) return;
      store.delete(slot);
      done = "deleted";
    };
    return found;
  });
  try {
    if (slot === mine || !navigator.locks) await remove(true);
    else await navigator.locks.request(lockOf(slot), { ifAvailable: true }, remove);
    return done;
  } catch {
    return "refused";
  }
}

/** works reports whether this browser stores anything for this page. */
export const works = () => within("readonly", (store) => store.getKey(SLOTS[0])).then(() => true, () => false);
