// Which gap between two boxes each link passes, so that few cross; the same as
// core/layout/passing.py, which says why.

import { places } from "./rows.js";

const HAIR = 1e-6; // px: who would pass through the middle of a box is left of it by that
const BEND = 8; // what a step aside costs, in px of detour
const KEPT = 4; // ways that are followed at once
const SWEEPS = 2; // how often every link is asked

/**
 * @typedef {import("./rows.js").LinkEnd} LinkEnd
 * Places in one row after another; ``turn``: the side of the first step aside.
 * @typedef {{ cost: number, turn: number, places: number[] }} Way
 */

/**
 * Where along each link is in each row, NaN outside the rows between its ends.
 * @param {import("./rows.js").Rows} rows @param {[LinkEnd, LinkEnd][]} ends
 * @returns {number[][]}
 */
export function passages(rows, ends) {
  const options = ends.map(([s, t]) => optionsOf(rows, s, t));
  const chosen = options.map((each) => each[each.length - 1]);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    options.forEach((each, k) => {
      if (each.length > 1) chosen[k] = fewest(each, chosen, k, ends);
    });
  }
  return chosen;
}

// the option that changes sides least often with all other links
function fewest(options, chosen, own, ends) {
  let best = options[0], least = Infinity;
  for (const option of options) {
    let n = 0;
    for (let k = 0; k < chosen.length && n < least; k++) {
      if (k !== own) n += changes(option, chosen[k], Math.max(ends[own][0].row, ends[k][0].row), Math.min(ends[own][1].row, ends[k][1].row));
    }
    if (n < least) [best, least] = [option, n];
  }
  return best;
}

// how often two links change sides between two rows
function changes(one, other, first, last) {
  let n = 0, before = 0;
  for (let r = first; r <= last; r++) {
    const side = Math.sign(one[r] - other[r]);
    if (!side) continue;
    if (before && side !== before) n++;
    before = side;
  }
  return n;
}

// the ways of a link, the shortest first, the straight one last
function optionsOf({ rows, below }, s, t) {
  const above = ways(rows.slice(s.row + 1, below), s.x), beyond = ways(rows.slice(below, t.row).reverse(), t.x);
  const straight = straightLine(rows, s, t);
  const lines = above.flatMap((a) => beyond.map((b) => ({ cost: costOf(a, b, s.x, t.x), line: [...a.places, ...[...b.places].reverse()] })));
  const free = lines[0].line.every((x, i) => x === straight[i]);
  lines.sort((a, b) => a.cost - b.cost);
  return [...(free ? [] : lines.map(({ line }) => line)), straight].map((line) => {
    const option = Array(rows.length).fill(NaN);
    option[s.row] = s.x;
    option[t.row] = t.x;
    line.forEach((x, i) => { option[s.row + 1 + i] = x; });
    return option;
  });
}

function costOf(a, b, x, y) {
  return a.cost + b.cost + Math.abs((a.places.at(-1) ?? x) - (b.places.at(-1) ?? y));
}

// where the straight line passes the rows between both ends
function straightLine(rows, s, t) {
  const first = rows[s.row].line, last = rows[t.row].line;
  return rows.slice(s.row + 1, t.row).map((row) => {
    const x = s.x + (t.x - s.x) * ((row.line - first) / (last - first));
    return row.mids.includes(x) ? x - HAIR : x;
  });
}

/**
 * The shortest way from x through all rows, and the one that first steps aside to the
 * other side, if there is one; the shortest first.
 * @param {import("./rows.js").Row[]} rows @param {number} x @returns {Way[]}
 */
function ways(rows, x) {
  /** @type {Way[]} */
  let followed = [{ cost: 0, turn: 0, places: [] }];
  for (const row of rows) {
    const nearest = new Map();
    for (const way of followed) {
      const at = way.places.at(-1) ?? x;
      for (const to of places(row, at)) {
        const turn = way.turn || Math.sign(to - at), name = `${turn} ${to}`;
        const cost = way.cost + Math.abs(to - at) + (to !== at ? BEND : 0);
        if (!(nearest.get(name)?.cost <= cost)) nearest.set(name, { cost, turn, places: [...way.places, to] });
      }
    }
    followed = [...nearest.values()].sort((a, b) => a.cost - b.cost || a.turn - b.turn || a.places.at(-1) - b.places.at(-1)).slice(0, KEPT);
  }
  const turns = followed.map((way) => way.turn);
  return followed.filter((way, i) => turns.indexOf(way.turn) === i);
}
