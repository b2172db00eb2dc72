// The routes of the links that are drawn, places on them, and the link under the pointer.

import { alongAt, routesOf } from "./routes.js";
import { rowsOf } from "./rows.js";

const REACH = 5; // px on the screen: so near to a link the pointer is on it

/** @param {string} s @param {string} t whether a link is one of words */
export const ofWords = (s, t) => s[2] === "w" && t[2] === "w";

export class Lines {
  /**
   * @param {import("./rows.js").DrawnBox[]} boxes @param {boolean} across @param {number[]} size of the drawing
   */
  constructor(boxes, across, size) {
    this.across = across;
    this.rows = rowsOf(boxes, across, size[across ? 1 : 0]);
    this.asked = "";
    /** @type {Map<string, import("./routes.js").Route>} */
    this.routes = new Map();
  }

  /**
   * Finds a route for each of these links between boxes. Those that are not shown, of
   * words or of phrases, are in nobody's way.
   * @param {[string, string][]} links @param {string} shown both, phrases or words
   */
  lay(links, shown) {
    const asked = JSON.stringify([links, shown]);
    if (asked === this.asked) return;
    this.asked = asked;
    this.routes.clear();
    const once = [...new Map(links.map((link) => [link.join(" "), link])).values()];
    const groups = shown === "both" ? [once] : [once.filter((link) => !ofWords(...link)), once.filter((link) => ofWords(...link))];
    for (const group of groups) routesOf(this.rows, group, this.across).forEach((route, i) => this.routes.set(group[i].join(" "), route));
  }

  get band() {
    const { rows, below } = this.rows;
    return [rows[below - 1].bottom, rows[below].top];
  }

  /** @param {import("./routes.js").Route} route @param {number} share of the way through the band; [x, y] */
  place({ stations }, share) {
    const [top, bottom] = this.band, down = top + (bottom - top) * share, along = alongAt(stations, down);
    return this.across ? [down, along] : [along, down];
  }

  // a badge may stand anywhere on its link, the middle of the band first
  places({ stations }) {
    const [top, bottom] = this.band, middle = (top + bottom) / 2, first = stations[0][1], last = stations.at(-1)[2], all = [];
    for (let far = 0; far <= Math.max(middle - first, last - middle) - 12; far += 6) {
      for (const down of far ? [middle + far, middle - far] : [middle]) {
        if (down < first + 12 || down > last - 12) continue;
        const along = alongAt(stations, down);
        all.push(this.across ? [down, along] : [along, down]);
      }
    }
    return all.length ? all : [this.place({ stations, d: "" }, 0.5)];
  }

  /**
   * How far a link is from here, in px of the drawing; only those nearer than REACH are told exactly.
   * @param {import("./routes.js").Route} route @param {number} x @param {number} y @param {number} zoom
   */
  far({ stations }, x, y, zoom) {
    const [along, down] = this.across ? [y, x] : [x, y], reach = REACH / zoom;
    const here = Math.abs(alongAt(stations, down) - along);
    const [before, after] = [down - reach, down + reach].map((each) => alongAt(stations, each) - along);
    const flat = before * after < 0 ? Math.abs((-before / (after - before)) * 2 * reach - reach) : Infinity;
    const far = Math.min(Number.isNaN(here) ? Infinity : here, flat);
    return far <= reach ? far : Infinity;
  }
}
