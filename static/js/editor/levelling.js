// Which rows of two lists stand level with each other.

/**
 * Rows of two lists, as pairs with "" where a side has none: as many as can be of those
 * that are partners are level, and each list keeps its order.
 * @param {string[]} a @param {string[]} b @param {(key: string) => string | undefined} partner
 * @returns {[string, string][]}
 */
export function aligned(a, b, partner) {
  const place = new Map(b.map((key, i) => [key, i]));
  /** @type {[string, string][]} */
  const rows = [];
  let [i, j] = [0, 0];
  for (const [m, n] of [...chain(a.map((key) => place.get(partner(key)) ?? -1)), [a.length, b.length]]) {
    while (i < m) rows.push([a[i++], ""]);
    while (j < n) rows.push(["", b[j++]]);
    if (m < a.length) { rows.push([a[m], b[n]]); i = m + 1; j = n + 1; }
  }
  return rows;
}

// the longest part of these numbers that rises, as [place, number]; -1 counts for nothing
function chain(numbers) {
  const ends = []; // ends[k]: the place where a chain of k + 1 numbers ends lowest
  const before = [];
  numbers.forEach((number, place) => {
    if (number < 0) return;
    let k = ends.findIndex((end) => numbers[end] >= number);
    if (k < 0) k = ends.length;
    before[place] = k ? ends[k - 1] : -1;
    ends[k] = place;
  });
  const found = [];
  for (let place = ends.length ? ends.at(-1) : -1; place >= 0; place = before[place]) found.unshift([place, numbers[place]]);
  return found;
}
