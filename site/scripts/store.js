// The run that this browser keeps: one record in IndexedDB. Every function fails softly (resolves to null or false)
// where the browser gives no storage, as in some private windows: training goes on without it.

const NAME = "mhacsp", STORE = "runs", KEY = "last";

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

/** keep stores a run: {chosen, run, step, checkpoint, state, curves, when}. True if it was kept. */
export async function keep(record) {
  try {
    await within("readwrite", (store) => store.put(record, KEY));
    return true;
  } catch {
    return false;
  }
}

/** kept is the stored run, or null. */
export async function kept() {
  try {
    const record = await within("readonly", (store) => store.get(KEY));
    return record?.checkpoint instanceof ArrayBuffer && record.chosen ? record : null;
  } catch {
    return null;
  }
}

/** forget deletes it. */
export async function forget() {
  try {
    await within("readwrite", (store) => store.delete(KEY));
    return true;
  } catch {
    return false;
  }
}
