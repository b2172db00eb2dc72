// The rail: links, problems, trees, history, and whom to compare with.

import { el } from "./dialogs.js";
import { isolated, opName, percent } from "./model.js";
import { Parts, arrange, setText } from "./parts.js";
import { call } from "./queue.js";
import { fill, gettext, ngettext } from "../words.js";

const $ = (id) => document.getElementById(id);
const TABS = ["links", "problems", "why", "trees", "history"];
const GRAVE = ["consistency", "monotonous", "same_tree"];
const FIXES = { monotonous: gettext("Mark as crossing"), maximum: gettext("Link"), root: gettext("Link"), consistency: gettext("Keep the first") };

/**
 * What this part knows of the editor: nothing else.
 * @typedef {Pick<import("./editor.js").Editor,
 *   "acceptAbove" | "canvas" | "comparison" | "data" | "explained" | "filter" | "go" |
 *   "layerUrl" | "model" | "problems" | "run" | "step" | "threshold" | "useTree" | "writable">} RailHost
 */

export class Rail {
  /** @param {RailHost} app */
  constructor(app) {
    this.app = app;
    this.tab = "links";
    this.parts = new Parts();
    const list = document.querySelector(".tabs");
    list.addEventListener("click", (event) => event.target.closest("[role=tab]") && this.open(event.target.closest("[role=tab]").id.slice(4)));
    list.addEventListener("keydown", (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = TABS[(TABS.indexOf(this.tab) + by + TABS.length) % TABS.length];
      this.open(next);
      $("tab-" + next).focus();
      event.preventDefault();
    });
    $("panel").addEventListener("click", (event) => this.clicked(event));
    $("panel").addEventListener("change", (event) => this.changed(event.target));
  }

  open(tab) {
    this.tab = tab;
    for (const name of TABS) {
      const button = $("tab-" + name);
      button.setAttribute("aria-selected", String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
    }
    $("panel").setAttribute("aria-labelledby", "tab-" + tab);
    this.draw();
  }

  get live() { const { info } = this.app.model; return info.problems.filter((problem) => !(problem.key in info.ignored)); }

  draw() {
    const { model } = this.app;
    $("n-links").textContent = model.links.length || "";
    $("n-problems").textContent = this.live.filter((problem) => problem.rule !== "undecided").length || "";
    this[this.tab]();
  }

  put(...children) {
    const held = document.activeElement?.closest?.("#panel") ? document.activeElement.dataset.id : null;
    arrange($("panel"), children.filter(Boolean));
    if (held && document.activeElement?.dataset.id !== held) $("panel").querySelector(`[data-id="${CSS.escape(held)}"]`)?.focus();
  }

  links() {
    const { model } = this.app, { parts } = this;
    parts.begin();
    const rows = model.links.map((link) => this.linkRow(link));
    const nulls = [...model.nulls].filter((key) => model.nodes.has(key)).map((key) => parts.get(`∅ ${key}`, [model.name(key)], () => el("li", {}, el("button", { class: "go", "data-go": key, "data-id": key }, el("b", {}, "∅"), model.name(key)))));
    const parked = model.info.parked.map((row) => el("li", {}, describeParked(model, row)));
    const decided = [...rows, ...nulls];
    this.put(this.others(), ...this.suggested(), ...this.phrases(),
      decided.length ? this.list("decided", decided) : el("p", { class: "soft" }, gettext("Nothing decided yet. Choose a node on each side: click and click, or Space and Space.")),
      parked.length ? el("h3", {}, fill(gettext("On hold: %(n)s"), { n: parked.length })) : null, parked.length ? el("ul", {}, ...parked) : null);
  }

  list(name, rows) {
    const list = this.parts.get(name, [], () => el("ul"));
    arrange(list, rows);
    return list;
  }

  // its number changes more often than the rest
  /** @param {import("./model.js").Link} link */
  linkRow({ s, t, kind, crossing, number }) {
    const { model } = this.app, name = `${model.name(s)} = ${model.name(t)}`;
    const row = this.parts.get(`${s} ${t}`, [name, kind, crossing], () => el("li", {}, el("button", { class: "go", "data-go": s, "data-id": `${s} ${t}` },
      el("b"), name, kind === "possible" ? el("small", { class: "soft" }, " ", gettext("possible")) : null, crossing ? el("small", { class: "soft" }, " ", gettext("crossing")) : null)));
    setText(row.querySelector("b"), String(number));
    return row;
  }

  changed(target) {
    if (target.matches("[data-compare]")) this.app.comparison.compare(this.chosen());
    if (target.id !== "threshold") return;
    this.app.threshold = Math.min(100, Math.max(0, Number(target.value) || 0)) / 100;
    this.draw();
  }

  // suggestions as text: how sure, take or leave, and all above a threshold in one step
  suggested() {
    const { model, writable, threshold } = this.app, { parts } = this, rows = model.offered;
    if (!rows.length) return [];
    const n = rows.filter(({ share }) => (share ?? 1) >= threshold).length;
    const box = parts.get("offers", [], () => el("details", { open: true, class: "offers" }));
    const summary = parts.get("offers: summary", [], () => el("summary"));
    setText(summary, fill(gettext("Suggested: %(n)s"), { n: rows.length }));
    const all = writable && parts.get("offers: all", [threshold, n], () => el("p", { class: "acts" }, el("label", { for: "threshold" }, gettext("At least")), el("input", { id: "threshold", "data-id": "threshold", type: "number", min: "0", max: "100", step: "5", value: String(Math.round(100 * threshold)) }), "%", act(fill(gettext("Accept %(n)s"), { n }), "accept-above", "all")));
    arrange(box, [summary, all, this.list("offers: rows", rows.map((row) => this.offerRow(row)))].filter(Boolean));
    return [box];
  }

  offerRow({ s, t, share, crossing }) {
    const { model, writable } = this.app, name = `${model.name(s)} = ${model.name(t)}`;
    const said = `${share === null ? "" : ` ${percent(share)}`}${crossing ? ` ${gettext("crossing")}` : ""}`;
    const row = this.parts.get(`? ${s} ${t}`, [name, writable], () => el("li", {}, el("button", { class: "go", "data-go": s, "data-id": `? ${s} ${t}` }, el("b", {}, "?"), name, el("small", { class: "soft" })),
      el("p", { class: "acts" }, writable ? act(gettext("Accept"), "accept", s) : null, writable ? act(gettext("Reject"), "reject", s) : null, act(gettext("Why?"), "why", s))));
    setText(row.querySelector("small"), said);
    return row;
  }

  // what was said of phrases, whatever tree is shown
  phrases() {
    const { model, writable } = this.app;
    const rows = Object.entries(model.info.brackets).map(([place, rule]) => {
      const words = model.words[place[0]].slice(...place.slice(2).split("-").map(Number)).join(" ");
      return el("li", {}, el("p", {}, fill(rule === "must-bracket" ? gettext("“%(words)s” is a phrase") : gettext("“%(words)s” is not a phrase"), { words: isolated(words) })), writable ? el("p", { class: "acts" }, act(gettext("Undo"), "unbracket", place)) : null);
    });
    return rows.length ? [el("h3", {}, gettext("Phrases in any tree")), el("ul", {}, ...rows)] : [];
  }

  whyText() {
    const { model, explained, canvas } = this.app;
    if (!explained) return "";
    const [link] = canvas.chain;
    const name = `${model.name(explained.s)} = ${model.name(explained.t)}`;
    if (!link) return fill(gettext("%(name)s: the aligner has not said what this rests on."), { name });
    const words = canvas.chain.filter((row) => row.leaf && row !== link);
    if (words.length) return fill(ngettext("%(name)s rests on %(n)s link below.", "%(name)s rests on %(n)s links below.", words.length), { name, n: words.length });
    return `${name}: ${link.ground || gettext("linked as wholes, by what they are like")}.`;
  }

  why() {
    const { model, explained, canvas } = this.app;
    if (!explained) { this.put(el("p", { class: "soft" }, gettext("Choose a link or a suggestion and press w: what it rests on is shown here, down to the words."))); return; }
    canvas.chain = model.chain(explained.s, explained.t);
    const rows = canvas.chain.map((row) => el("li", { class: `d${Math.min(row.depth, 8)}` }, el("button", { class: "go", "data-go": row.s, "data-id": `why ${row.s} ${row.t}` }, `${model.name(row.s)} = ${model.name(row.t)}`,
      el("small", { class: "soft" }, [row.leaf ? row.ground || gettext("linked as wholes") : "", model.find(row.s, row.t) ? gettext("your link") : sure(model.shareOf(row.s, row.t))].filter(Boolean).map((text) => ` · ${text}`).join("")))));
    this.put(el("p", {}, this.whyText()), el("ul", { class: "chain-list" }, ...rows));
  }

  others() {
    const layers = this.app.data.layers.filter((layer) => layer.code !== this.app.model.info.code);
    if (!layers.length) return null;
    const chosen = new Map(this.app.comparison.layers.map((layer) => [layer.code, layer]));
    const boxes = layers.map((layer) => el("label", {}, el("input", { type: "checkbox", "data-compare": layer.code, "data-id": "c" + layer.code, checked: chosen.has(layer.code), disabled: !chosen.has(layer.code) && chosen.size >= 3 }),
      chosen.has(layer.code) ? el("b", { class: "letter " + chosen.get(layer.code).letter }, chosen.get(layer.code).letter) : null,
      `${layer.name} · ${layer.n_links}`, chosen.get(layer.code)?.missing ? el("small", { class: "soft" }, " ", fill(gettext("%(n)s on other phrases"), { n: chosen.get(layer.code).missing })) : null));
    const filters = [["all", gettext("All")], ["unanimous", gettext("Unanimous")], ["two", gettext("2 of 3")], ["single", gettext("Single")]].map(([value, label]) =>
      el("button", { type: "button", class: "quiet", "data-agree": value, "data-id": value, "aria-pressed": String(this.app.comparison.agree === value) }, label));
    return el("details", { open: chosen.size > 0 || this.app.comparison.on }, el("summary", {}, gettext("Compare up to three layers")), ...boxes, chosen.size > 1 ? el("p", { class: "acts" }, ...filters) : null);
  }

  chosen() { return [...$("panel").querySelectorAll("[data-compare]:checked")].map((box) => box.dataset.compare); }

  problems() {
    const { model } = this.app;
    const row = (problem) => el("li", { class: GRAVE.includes(problem.rule) ? "grave" : "" }, el("p", {}, el("b", {}, title(problem.rule) + ". "), problem.reason),
      el("p", { class: "acts" },
        problem.source.length || problem.target.length ? act(gettext("Go"), "go-problem", problem.key) : null,
        FIXES[problem.rule] && this.app.writable ? act(FIXES[problem.rule], "fix", problem.key) : null,
        this.app.writable && problem.rule !== "undecided" ? act(gettext("Ignore"), "ignore", problem.key) : null));
    const ignored = Object.entries(model.info.ignored).map(([key, note]) => el("li", {}, el("p", {}, title(key.split(":")[0]) + ": " + note), this.app.writable ? el("p", { class: "acts" }, act(gettext("Count again"), "unignore", key)) : null));
    this.put(this.live.length ? el("ul", {}, ...this.live.map(row)) : el("p", { class: "soft" }, model.links.length ? gettext("No problems.") : gettext("Nothing to check yet.")),
      ignored.length ? el("h3", {}, gettext("Ignored")) : null, ignored.length ? el("ul", {}, ...ignored) : null);
  }

  async trees() {
    this.put(el("p", { class: "soft" }, gettext("Reading the trees…")));
    let rows = [];
    try { rows = await call(this.app.data.urls.trees); } catch (error) { this.put(el("p", { class: "error" }, error.message)); return; }
    if (this.tab !== "trees") return;
    const used = { s: this.app.model.info.source_parse || this.app.data.trees.s.parse, t: this.app.model.info.target_parse || this.app.data.trees.t.parse };
    this.put(...["s", "t"].flatMap((side) => {
      const mine = rows.filter((row) => row.side === side);
      const list = mine.map((row, i) => el("li", {}, el("p", {}, el("b", {}, row.code === used[side] ? "● " : `${i + 1}. `), row.name, row.score === null ? "" : el("small", { class: "soft" }, " ", fill(gettext("score %(value)s"), { value: row.score.toLocaleString(document.documentElement.lang, { minimumFractionDigits: 2, maximumFractionDigits: 2 }) }))),
        row.only_here.length ? el("p", { class: "small" }, "+ " + row.only_here.join(", ")) : null,
        row.not_here.length ? el("p", { class: "small soft" }, "− " + row.not_here.join(", ")) : null,
        !row.fits ? el("p", { class: "small soft" }, gettext("has other tokens")) : row.code === used[side] ? el("small", { class: "soft" }, gettext("shown")) : this.app.writable ? act(gettext("Use this tree"), "tree", `${side} ${row.code}`) : null));
      return [el("h3", {}, side === "s" ? gettext("Source") : gettext("Target")), list.length > 1 ? null : el("p", { class: "soft" }, list.length ? gettext("One tree: no n-best supplied.") : gettext("No tree.")), el("ul", {}, ...list)];
    }));
  }

  async history() {
    const code = this.app.model.info.code;
    if (!code) { this.put(el("p", { class: "soft" }, gettext("No step yet."))); return; }
    let rows = [];
    try { rows = await call(this.app.layerUrl("history/")); } catch (error) { this.put(el("p", { class: "error" }, error.message)); return; }
    if (this.tab !== "history") return;
    this.put(rows.length ? el("ul", {}, ...rows.map((event) => el("li", {}, el("p", {}, el("b", {}, String(event.revision) + " "), describeEvent(this.app.model, event)), el("small", { class: "soft" }, `${event.by} · ${new Date(event.at).toLocaleString()}`))))
      : el("p", { class: "soft" }, gettext("No step yet.")));
  }

  clicked(event) {
    const button = event.target.closest("button");
    if (!button) return;
    const { go, act: what, id, agree } = button.dataset;
    if (go) this.app.go(go);
    if (agree) this.app.comparison.keep(agree);
    const rest = id?.slice((what || "").length + 1);
    if (what === "accept-above") this.app.acceptAbove();
    else if (["accept", "reject", "why"].includes(what)) this.app.run(what, rest);
    else if (what === "unbracket") this.app.step({ op: what, side: rest[0], key: rest.slice(2) });
    else if (what === "tree") this.app.useTree(...id.slice(what.length + 1).split(" "));
    else if (what === "unignore") this.app.step({ op: "unignore", key: id.slice(what.length + 1) });
    else if (what) {
      const problem = this.app.model.info.problems.find((row) => row.key === id.slice(what.length + 1));
      if (what === "go-problem") this.app.problems.go(problem);
      if (what === "fix") this.app.problems.fix(problem);
      if (what === "ignore") this.app.problems.ignore(problem);
    }
  }
}

const sure = (share) => (share === null ? "" : percent(share));
const act = (label, what, id) => el("button", { type: "button", class: "quiet", "data-act": what, "data-id": `${what} ${id}` }, label);
const title = (rule) => ({ consistency: gettext("Consistency"), monotonous: gettext("Order"), same_tree: gettext("Same tree"), root: gettext("Root pair"), relevance: gettext("Relevance"), maximum: gettext("Maximum set"), undecided: gettext("Undecided") })[rule] || rule;

function describeParked(model, row) {
  const one = (end) => (typeof row[end] === "string" ? model.name(`${end}:${row[end]}`) : row[end] ? fill(gettext("%(label)s over words %(words)s"), { label: row[end][1], words: row[end][0].map((i) => i + 1).join(" ") }) : "∅");
  return `${one("s")} = ${one("t")}${["s", "t"].map((end) => alternatives(model, end, row[end])).join("")}`;
}

// phrases of the present tree over the same words, under other labels
function alternatives(model, side, place) {
  if (!Array.isArray(place)) return "";
  const [first, last] = [place[0][0], place[0].at(-1) + 1];
  const n = [...model.nodes.values()].filter((node) => node.side === side && node.children.length && node.start === first && node.end === last).length;
  return n ? ` · ${fill(ngettext("%(n)s phrase over these words here", "%(n)s phrases over these words here", n), { n })}` : "";
}

export function describeEvent(model, event) {
  if (event.op === "undo") return fill(gettext("undo of step %(n)s"), { n: event.undoes });
  if (event.op === "redo") return fill(gettext("redo of step %(n)s"), { n: event.undoes });
  const cells = (part) => Object.values(part.links || {}).map((row) => `${model.name("s:" + row.s)} = ${model.name("t:" + row.t)}${row.kind === "possible" ? ` (${gettext("possible")})` : ""}`);
  const nulls = (part) => [...Object.keys(part.null_source || {}).map((r) => "s:" + r), ...Object.keys(part.null_target || {}).map((r) => "t:" + r)].map((key) => "∅ " + model.name(key));
  const put = [...cells(event.after), ...nulls(event.after)], gone = [...cells(event.before), ...nulls(event.before)];
  const few = (list) => (list.length > 3 ? fill(gettext("%(list)s; and %(n)s more"), { list: list.slice(0, 2).join("; "), n: list.length - 2 }) : list.join("; "));
  if (event.op === "parse") return gettext("another tree");
  if (event.op === "words") return gettext("words of the sentence split or joined");
  return [put.length ? few(put) : "", gone.length ? fill(gettext("without %(links)s"), { links: few(gone) }) : ""].filter(Boolean).join(", ") || opName(event.op);
}
