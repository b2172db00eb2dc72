// Paths of links that run through no box, side by side where they go the same way: the
// same as core/layout/routes.py, which says how, for links that are being made.

import { passages } from "./passing.js";
import { bounds, gapOf } from "./rows.js";

const LANE = 3; // px between links side by side
const BEYOND = 2; // px that a link goes on upright before and behind a row
const FAN = 0.2; // of the band, at each edge: where a bundle opens
const WIDE = 160; // px between the outer links of a bundle, before it is one

/**
 * The path of a link: where it is upright, downwards, as [along, from down, to down], and its SVG path data.
 * @typedef {{ d: string, stations: number[][] }} Route
 */

/**
 * The routes of links between boxes that are drawn, by their keys. The links are seen
 * together, whatever their order: one more may move others.
 * @param {import("./rows.js").Rows} rows @param {[string, string][]} links @param {boolean} across
 * @returns {Route[]}
 */
export function routesOf(rows, links, across) {
  if (!links.length) return [];
  const ends = links.map((link) => link.map((key) => rows.ends.get(key)));
  const order = [...ends].sort(([a, b], [c, d]) => a.row - c.row || a.x - c.x || b.row - d.row || b.x - d.x);
  const lines = new Map(stationsOf(rows, order).map((stations, i) => [order[i], stations]));
  return ends.map((each) => ({ d: pathOf(lines.get(each), across), stations: lines.get(each) }));
}

/**
 * Where along a link is at this place down, NaN above and below it.
 * @param {number[][]} stations @param {number} down
 */
export function alongAt(stations, down) {
  if (down < stations[0][1]) return NaN;
  for (const [i, [x, , end]] of stations.entries()) {
    if (down <= end) return x;
    const [x2, begin] = stations[i + 1] || [];
    if (down < begin) return bent(x, x2, (down - end) / (begin - end));
  }
  return NaN;
}

// where a bend is after this share of its way down
function bent(x, to, share) {
  let low = 0, high = 1;
  for (let i = 0; i < 20; i++) {
    const t = (low + high) / 2;
    if (1.5 * t * (1 - t) + t ** 3 < share) low = t; else high = t;
  }
  return x + (to - x) * low * low * (3 - 2 * low);
}

// where each link is upright, downwards
function stationsOf(rows, ends) {
  const places = passages(rows, ends), orders = ordersOf(places, ends), lanes = lanesOf(rows, ends, places, orders);
  const trunks = trunksOf(lanes, orders, rows.below);
  const { bottom: top } = rows.rows[rows.below - 1], { top: bottom } = rows.rows[rows.below], fan = FAN * (bottom - top);
  return ends.map(([s, t], k) => {
    const line = [];
    for (let r = s.row; r <= t.row; r++) line.push([lanes[k].get(r), rows.rows[r].top - BEYOND, rows.rows[r].bottom + BEYOND]);
    line[0] = [s.x, s.y, line[0][2]];
    line[line.length - 1] = [t.x, line[line.length - 1][1], t.y];
    const [start, end] = trunks[k], cut = rows.below - s.row;
    return [...line.slice(0, cut), [start, top + fan, top + fan], [end, bottom - fan, bottom - fan], ...line.slice(cut)];
  });
}

// the links of each row in order; those in the same place as they were before, else as they go on
function ordersOf(places, ends) {
  const orders = [];
  let before = new Map();
  for (let r = 0; r < places[0].length; r++) {
    const here = ends.map((_, k) => k).filter((k) => ends[k][0].row <= r && r <= ends[k][1].row);
    const was = before;
    here.sort((a, b) => places[a][r] - places[b][r] || (was.get(a) ?? -1) - (was.get(b) ?? -1) || further(places, ends, a, b, r) || a - b);
    before = new Map(here.map((k, i) => [k, i]));
    orders.push(here);
  }
  return orders;
}

function further(places, ends, a, b, r) {
  const [first, second] = [a, b].map((k) => places[k].slice(r, ends[k][1].row + 1));
  for (let i = 0; i < Math.min(first.length, second.length); i++) if (first[i] !== second[i]) return first[i] - second[i];
  return first.length - second.length;
}

// a lane for each link in each of its rows, from both outer ends to the band
function lanesOf({ rows, below }, ends, places, orders) {
  const lanes = ends.map(([s, t]) => new Map([[s.row, s.x], [t.row, t.x]]));
  const order = [...rows.keys()].slice(0, below).map((r) => [r, r - 1]);
  order.push(...[...rows.keys()].slice(below).reverse().map((r) => [r, r + 1]));
  for (const [r, outer] of order) {
    const gaps = new Map();
    for (const k of orders[r]) {
      if (lanes[k].has(r)) continue; // it begins or ends here
      const gap = gapOf(rows[r], places[k][r]);
      if (!gaps.has(gap)) gaps.set(gap, []);
      gaps.get(gap).push(k);
    }
    for (const [gap, members] of gaps) {
      const [low, high] = bounds(rows[r], gap);
      let wishes = members.map((k) => Math.min(Math.max(lanes[k].get(outer), low), high));
      if (wishes.some((x, i) => i && x < wishes[i - 1])) wishes = members.map((k) => places[k][r]); // they come here in another order
      const spread = spreadOut(wishes, low, high);
      members.forEach((k, i) => lanes[k].set(r, spread[i]));
    }
  }
  return lanes;
}

// places in this order within ``low`` and ``high``, near the wishes, LANE apart
function spreadOut(wishes, low, high) {
  const last = wishes.length - 1, step = Math.min(LANE, (high - low) / Math.max(1, last));
  const at = [];
  for (const wish of wishes) at.push(Math.max(Math.min(wish, high), at.length ? at.at(-1) + step : low));
  return at.map((x, i) => Math.min(x, high - step * (last - i)));
}

// where each link is at both ends of the trunk in the band
function trunksOf(lanes, orders, below) {
  const trunks = lanes.map((lane) => [lane.get(below - 1), lane.get(below)]);
  for (const bundle of runsOf(orders[below - 1], orders[below]).flatMap((run) => slim(run, trunks))) {
    const columns = [0, 1].map((e) => gathered(bundle.map((k) => trunks[k][e])));
    bundle.forEach((k, i) => { trunks[k] = columns.map((column) => column[i]); });
  }
  return trunks;
}

// links that follow each other at both edges of the band and cross others there
function runsOf(order, other) {
  const place = new Map(other.map((k, i) => [k, i])), runs = [];
  order.forEach((k, i) => {
    if (i && place.get(k) === place.get(order[i - 1]) + 1) runs.at(-1).push(k);
    else runs.push([k]);
  });
  let first = 0;
  return runs.filter((run) => {
    const start = place.get(run[0]), before = order.slice(0, first);
    first += run.length;
    return start !== before.length || before.some((k) => place.get(k) > start);
  });
}

// the run in parts that are nowhere wider than WIDE, or not much
function slim(run, trunks) {
  const first = trunks[run[0]], last = trunks[run.at(-1)], sum = ([a, b]) => a + b;
  const low = sum(first), high = sum(last), widest = Math.max(...[0, 1].map((e) => last[e] - first[e]));
  const n = Math.max(1, Math.ceil(widest / WIDE)), parts = Array.from({ length: n }, () => []);
  for (const k of run) parts[Math.min(n - 1, Math.floor(n * (high > low ? (sum(trunks[k]) - low) / (high - low) : 0)))].push(k);
  return parts.filter((part) => part.length > 1);
}

// the same around their middle, LANE apart, or as close as they were
function gathered(places) {
  const low = places[0], high = places.at(-1), last = places.length - 1, step = Math.min(LANE, (high - low) / last);
  return places.map((_, i) => (low + high) / 2 + (i - last / 2) * step);
}

const short = (value) => String(Math.floor(value * 10 + 0.5) / 10);

// the text of a path; every bend leaves and arrives upright
function pathOf(stations, across) {
  const point = (x, y) => (across ? [y, x] : [x, y]).map(short).join(" ");
  const [first, start] = stations[0];
  let at = start, d = `M${point(first, start)}`;
  for (let i = 1; i < stations.length; i++) {
    const [x1, , y1] = stations[i - 1], [x2, y2] = stations[i], middle = (y1 + y2) / 2;
    if (short(x1) === short(x2)) continue;
    if (y1 !== at) d += `L${point(x1, y1)}`;
    d += `C${point(x1, middle)} ${point(x2, middle)} ${point(x2, y2)}`;
    at = y2;
  }
  const [last, , end] = stations.at(-1);
  return end === at ? d : d + `L${point(last, end)}`;
}
