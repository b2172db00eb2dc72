// Answers that the server has not acknowledged yet, kept in IndexedDB so that closing
// the tab, a crash or a day without network loses none.

const NAME = "gemel-judging";
const TABLE = "outbox";

function opened() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(TABLE, { keyPath: "uuid" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

// Only a finished transaction outlives the page; a request that succeeded may not.
function committed(transaction) {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

// One store for one person and campaign; without IndexedDB (private windows of some
// browsers) it falls back to memory and says so in `isSafe`.
export async function openStore(user, campaign) {
  let database = null;
  try { database = await opened(); } catch { /* memory has to do */ }
  const memory = new Map();
  function write(what) {
    const transaction = database.transaction(TABLE, "readwrite");
    what(transaction.objectStore(TABLE));
    return committed(transaction);
  }
  return {
    isSafe: database !== null,
    async all() {
      const rows = database ? await done(database.transaction(TABLE).objectStore(TABLE).getAll()) : [...memory.values()];
      return rows.filter((row) => row.user === user && row.campaign === campaign)
        .sort((a, b) => a.order - b.order);
    },
    async put(message) {
      const row = { ...message, user, campaign };
      if (database) await write((table) => table.put(row));
      else memory.set(row.uuid, row);
    },
    async drop(uuid) {
      if (database) await write((table) => table.delete(uuid));
      else memory.delete(uuid);
    },
  };
}
