// The levels of two trees as rows of boxes, and what is free between them; the same as
// core/layout/rows.py.

const CLEAR = 4; // px between a box and what passes it, less where there is no room
const APART = 8; // px: an edge that is nearer to a box than that takes no room of its own

/**
 * Boxes of one level; px. It reaches down from ``top`` to ``bottom``, links begin on ``line``.
 * Edges that run past the boxes are among these, without any width.
 * @typedef {{ top: number, bottom: number, line: number, spans: number[][], mids: number[], length: number }} Row
 * Where links of a box begin: its row, its middle along, its edge down.
 * @typedef {{ row: number, x: number, y: number }} LinkEnd
 * Rows from ``below`` on are the target's.
 * @typedef {{ rows: Row[], below: number, ends: Map<string, LinkEnd> }} Rows
 * A box as it is drawn: ``rect`` is x, y, width, height; ``parent``: the key of hers, if it has one.
 * @typedef {{ key: string, level: number, rect: number[], parent: string | undefined }} DrawnBox
 */

// between which boxes x is: how many have their middles before it
/** @param {Row} row @param {number} x */
export function gapOf(row, x) {
  let n = 0;
  while (n < row.mids.length && row.mids[n] < x) n++;
  return n;
}

// from where to where that gap is free
/** @param {Row} row @param {number} gap */
export function bounds(row, gap) {
  const low = gap ? row.spans[gap - 1][1] : 0, high = gap < row.spans.length ? row.spans[gap][0] : row.length;
  const clear = Math.min(CLEAR, (high - low) / 4);
  return [low + clear, high - clear];
}

// x if it is free, else the two free places beside the box that is there
/** @param {Row} row @param {number} x */
export function places(row, x) {
  const gap = gapOf(row, x), [low, high] = bounds(row, gap);
  if (x < low) return [bounds(row, gap - 1)[1], low];
  if (x > high) return [high, bounds(row, gap + 1)[0]];
  return [x];
}

/**
 * The rows downwards, from the root of the source through the band to the target's root.
 * @param {DrawnBox[]} boxes @param {boolean} across @param {number} length of the drawing along
 * @returns {Rows}
 */
export function rowsOf(boxes, across, length) {
  const levels = new Map();
  for (const { key, level, rect: [x, y, w, h] } of boxes) {
    const name = `${key[0]}${level}`;
    if (!levels.has(name)) levels.set(name, { side: key[0], level, boxes: [] });
    const [low, high, top, bottom] = across ? [y, y + h, x, x + w] : [x, x + w, y, y + h];
    levels.get(name).boxes.push({ key, low, high, top, bottom, mid: low + (high - low) / 2 });
  }
  const order = [...levels.values()].sort((a, b) => (a.side !== b.side ? (a.side === "s" ? -1 : 1) : a.side === "s" ? b.level - a.level : a.level - b.level));
  const ends = new Map();
  order.forEach(({ side, boxes: row }, i) => {
    for (const { key, mid, top, bottom } of row) ends.set(key, { row: i, x: mid, y: side === "s" ? bottom : top });
  });
  const passing = passingOf(boxes, ends);
  const rows = order.map(({ side, boxes: row }, i) => rowOf(row, side, passing.get(i) || [], length));
  return { rows, below: order.filter(({ side }) => side === "s").length, ends };
}

// of each row, where edges run past its boxes: above a child, up to its parent
function passingOf(boxes, ends) {
  const passing = new Map();
  for (const { key, parent } of boxes) {
    if (!ends.has(parent)) continue;
    const end = ends.get(key), up = ends.get(parent);
    for (let i = Math.min(end.row, up.row) + 1; i < Math.max(end.row, up.row); i++) passing.set(i, [...(passing.get(i) || []), end.x]);
  }
  return passing;
}

/** @returns {Row} */
function rowOf(boxes, side, passing, length) {
  const top = Math.min(...boxes.map((box) => box.top)), bottom = Math.max(...boxes.map((box) => box.bottom));
  const spans = boxes.map((box) => [box.low, box.high]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  for (const x of passing.sort((a, b) => a - b)) {
    let i = spans.findIndex(([low, high]) => low > x || (low === x && high >= x));
    if (i < 0) i = spans.length;
    if (!spans.slice(Math.max(0, i - 1), i + 1).some(([low, high]) => low - APART < x && x < high + APART)) spans.splice(i, 0, [x, x]);
  }
  const mids = spans.map(([low, high]) => low + (high - low) / 2);
  return { top, bottom, line: side === "s" ? bottom : top, spans, mids, length };
}
