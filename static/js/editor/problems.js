// What breaks the definition of a legitimate alignment: walked, mended, set aside.

import { ask } from "./dialogs.js";
import { gettext } from "../words.js";

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor, "go" | "line" | "rail" | "say" | "step">} ProblemsHost
 */

export class Problems {
  /** @param {ProblemsHost} app */
  constructor(app) {
    this.app = app;
    this.at = -1;
  }

  next() {
    const live = this.app.rail.live;
    if (!live.length) return this.app.say(gettext("No problems."));
    this.at = (this.at + 1) % live.length;
    this.app.rail.open("problems");
    return this.go(live[this.at]);
  }

  go(problem) {
    const key = problem.source.length ? "s:" + problem.source[0] : problem.target.length ? "t:" + problem.target[0] : null;
    if (key) this.app.go(key);
    this.app.line(problem.reason);
    this.app.say(problem.reason);
  }

  fix(problem) {
    const [s, t] = ["s:" + problem.source[0], "t:" + problem.target[0]];
    if (problem.rule === "maximum" || problem.rule === "root") this.app.step({ op: "link", s, t });
    if (problem.rule === "monotonous") this.app.step({ op: "crossing", s: "s:" + problem.source[1], t: "t:" + problem.target[1], crossing: true });
    if (problem.rule === "consistency") {
      const ends = problem.source.length > 1 ? problem.source.slice(1).map((ref) => ["s:" + ref, t]) : problem.target.slice(1).map((ref) => [s, "t:" + ref]);
      for (const [a, b] of ends) this.app.step({ op: "unlink", s: a, t: b });
    }
  }

  async ignore(problem) {
    const note = await ask({ title: gettext("Ignore this problem"), text: problem.reason, yes: gettext("Ignore"), note: true });
    if (note) this.app.step({ op: "ignore", key: problem.key, note });
  }
}
