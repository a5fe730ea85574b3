// The runs that this browser keeps, in IndexedDB: one record for each tab that trains, three at most. A tab holds its
// slot by a lock as long as it lives, so that no tab writes over another's run. Every function fails softly where the
// browser gives no storage, as in some private windows: training goes on without it.

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
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
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

let claiming = null;

/** claim gives this tab a slot, the first that is free; null where other tabs hold all. */
async function claim() {
  for (const slot of SLOTS) if (await hold(slot)) return slot;
  return null;
}

/**
 * keep stores a run: {chosen, run, step, checkpoint, state, curves, when}. Returns {slot}, or {why}: "storage" where the
 * browser gives none, "tabs" where other tabs hold all that there is.
 */
export async function keep(record) {
  try {
    claiming ??= mine ? Promise.resolve(mine) : claim();
    const slot = await claiming.finally(() => { claiming = null; });
    if (!slot) return { why: "tabs" };
    await within("readwrite", (store) => store.put(record, slot));
    return { slot, beside: slot !== SLOTS[0] };
  } catch {
    return { why: "storage" };
  }
}

/** kept are the stored runs, newest first, each with its slot, and `elsewhere` where another tab has it open. */
export async function kept() {
  try {
    const { held = [] } = await navigator.locks?.query() ?? {};
    const busy = new Set(held.map((lock) => lock.name));
    const records = await Promise.all(SLOTS.map(async (slot) => {
      const record = await within("readonly", (store) => store.get(slot));
      if (!(record?.checkpoint instanceof ArrayBuffer) || !record.chosen) return null;
      return { ...record, slot, elsewhere: slot !== mine && busy.has(lockOf(slot)) };
    }));
    return records.filter(Boolean).sort((a, b) => b.when - a.when);
  } catch {
    return [];
  }
}

/** forget deletes the run of a slot. */
export async function forget(slot) {
  try {
    await within("readwrite", (store) => store.delete(slot));
    return true;
  } catch {
    return false;
  }
}

/** works tells whether this browser stores anything for this page. */
export const works = () => within("readonly", (store) => store.getKey(SLOTS[0])).then(() => true, () => false);
