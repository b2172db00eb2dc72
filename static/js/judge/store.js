// Answers that the server has not acknowledged yet, kept in IndexedDB so that closing
// the tab, a crash or a day without network loses none.

// Two databases, since a tab of an earlier release would hold up a change of one.
export const OUTBOX = { name: "gemel-judging", table: "outbox", key: "uuid" };
export const AHEAD = { name: "gemel-ahead", table: "kept", key: "key" };

/** @param {{ name: string, table: string, key: string }} of @returns {Promise<IDBDatabase>} */
export function opened({ name, table, key }) {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(table, { keyPath: key });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @param {IDBRequest} request @returns {Promise<any>} */
export function done(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

// Only a finished transaction outlives the page; a request that succeeded may not.
/**
 * @param {IDBDatabase} database @param {{ table: string }} of
 * @param {(table: IDBObjectStore) => void} what @returns {Promise<void>}
 */
export function committed(database, { table }, what) {
  const transaction = database.transaction(table, "readwrite");
  what(transaction.objectStore(table));
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

// One store for one person and campaign; without IndexedDB (private windows of some
// browsers) it falls back to memory and says so in `isSafe`.
export async function openStore(user, campaign) {
  let database = null;
  try { database = await opened(OUTBOX); } catch { /* memory has to do */ }
  const memory = new Map();
  const write = (what) => committed(database, OUTBOX, what);
  return {
    isSafe: database !== null,
    async all() {
      const rows = database ? await done(database.transaction(OUTBOX.table).objectStore(OUTBOX.table).getAll()) : [...memory.values()];
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
