// Answers begun and not saved, one an item, kept on this device until they are saved or
// discarded. localStorage writes before the next line runs: no reload is too quick for it.

const MAX_AGE_MS = 30 * 86_400_000;

/** @param {string} user @param {string} campaign */
export function makeDrafts(user, campaign) {
  const prefix = `gemel-draft ${user} ${campaign} `;
  const keys = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix));

  function read(key) {
    try { return JSON.parse(localStorage.getItem(key) ?? "null"); } catch { return null; }
  }

  function drop(code) {
    try { localStorage.removeItem(prefix + code); } catch { /* nothing can be kept here */ }
  }

  // What a draft is of: an answer that was saved since, here or elsewhere, outdates it.
  function of(code, revision) {
    const draft = read(prefix + code);
    return draft?.revision === revision ? draft : null;
  }

  function keep(code, revision, values, comment) {
    const isEmpty = !Object.keys(values).length && !comment;
    if (isEmpty) return drop(code);
    const draft = { revision, values, comment, at: Date.now() };
    try { localStorage.setItem(prefix + code, JSON.stringify(draft)); } catch { /* full, or forbidden */ }
    return undefined;
  }

  function dropOld(now = Date.now()) {
    for (const key of keys()) if (!((read(key)?.at ?? 0) > now - MAX_AGE_MS)) localStorage.removeItem(key);
  }

  try { dropOld(); } catch { /* a browser that keeps nothing */ }
  return { of, keep, drop };
}
