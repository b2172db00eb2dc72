"""Callison-Burch 2008, "Syntactic Constraints on Paraphrases": its counts next to ours.

The text is Europarl's eleven languages, a ninety-second of the paper's tokens. Counts
are of all candidates, and next to them of those that the table keeps.

What the paper asked people (Table 6) needs judges: ``--items FOLDER`` writes blind
items there, ``items.tsv`` for the judges and ``key.json``, which they must not see. A
judge fills the columns ``meaning`` and ``grammar`` with 1 to 5 (Table 5). ``--ratings
FILE …``, a file of each judge, named after the judge, then makes the table.
"""

import argparse
import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.figures import Figure, Undefined
from core.agreement.judgments.conditions import (
    ConditionRow,
    Credits,
    JudgedItems,
    condition_table,
)
from core.agreement.judgments.paper import TABLE_6
from core.agreement.measures import measure_all
from core.data.check import Floats
from core.data.ratings import Ratings, Scale
from core.data.tree import Tree
from core.errors import FormatError, InvalidValue
from core.parsing.registry import Say, add_parser_options, backend_of
from core.pivoting.items import Item, Place, draw_places, items_of, phrases_in
from core.pivoting.labels import ccg_labels
from core.pivoting.language_model import read_arpa
from core.pivoting.substitution import ALL_CONDITIONS
from core.pivoting.table import Table, open_table
from lab.evaluation.paraphrase_grammar import parse_texts
from lab.reproduce.bitexts import COLLECTIONS
from lab.reproduce.census import KINDS, census
from lab.reproduce.pivot_tables import table_of

HELP = "paraphrases under syntactic constraints (Callison-Burch 2008), on Europarl"
SCALES, THRESHOLDS = ("meaning", "grammar"), (3.0, 4.0)
PAPER: dict[str, Any] = {
    "phrases": 900_000,
    "paraphrasable": {"baseline": 400_000, "constituents": 90_000, "ccg": 250_000},
    "paraphrases": {"baseline": 3.7e6, "constituents": 8e5, "ccg": 3.5e6},
    "contained": {"baseline": 0.34, "constituents": 0.12, "ccg": None},
    "best contained": {"baseline": 0.73, "constituents": 0.24, "ccg": None},
    "places": 1195,
    "covered": {"baseline": 1194, "extraction": 1142, "substitution": 876},
    "equal": "equal .35, equally .02, same .07, the .02, equality .03, fair .01",
    "create equal": "create equal .42, same .03, equal .06, created .02",
    "table 6": {
        name: (row.meaning, row.grammar, row.both) for name, row in TABLE_6.items()
    },
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--data", type=Path, required=True, help="holds europarl-11/ and wmt-newstest/")
    add(
        "--work",
        type=Path,
        default=Path("callison-burch2008"),
        help="what is made is kept here, and not made again; by default %(default)s",
    )
    add("--table", type=Path, help="a table that is there already")
    add(
        "--text",
        nargs="+",
        choices=sorted(COLLECTIONS),
        default=["europarl-11"],
        help="collections to make the table of, by default %(default)s",
    )
    add(
        "--parses",
        type=Path,
        nargs="+",
        default=[],
        help="files of trees, or folders of them: what they hold is not parsed again",
    )
    add("--pairs", type=int, default=0, help="lines to use of each bitext, 0: all")
    add("--test-sentences", type=int, default=500)
    add("--seed", type=int, default=2008)
    add(
        "--items", type=Path, metavar="FOLDER", help="blind items for judges, or theirs"
    )
    add("--places", type=int, default=100, help="places that all conditions cover")
    add("--lm", type=Path, metavar="ARPA", help="the language model of the conditions")
    add(
        "--ratings",
        type=Path,
        nargs="+",
        default=[],
        metavar="FILE",
        help="what each judge said of the items: Table 6, without a parser or a table",
    )
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return ``ours`` and ``paper``, figure by figure."""
    if options["ratings"]:
        if not options["items"]:
            raise InvalidValue("--ratings needs --items, the folder of the key")
        return {"table 6": table_6(options["items"], options["ratings"])}
    folder = options["data"]
    backend = backend_of(options)
    made = options["table"] or table_of(
        folder,
        options["text"],
        options["work"],
        backend,
        say,
        limit=options["pairs"],
        parses=[file for path in options["parses"] for file in _parquet(path)],
    )
    news = folder / "wmt-newstest" / "newstest2008.en.gz"
    trees = parse_texts(news, backend, limit=options["test_sentences"])
    say(f"{len(trees)} test sentences parsed")
    table = open_table(made)
    try:
        if options["items"]:
            return {"items": write_items(table, trees, options)}
        ours = census(table, _phrases(trees, table))
        ours |= _coverage(table, trees, options["seed"])
        ours |= {phrase: _shown(table, phrase) for phrase in ("equal", "create equal")}
    finally:
        table.close()
    ours["corpora"] = table.corpora
    return {"ours": ours, "paper": PAPER}


def _parquet(path: Path) -> list[Path]:
    return sorted(path.glob("*.parquet")) if path.is_dir() else [path]


def _phrases(trees: Sequence[Tree], table: Table, longest: int = 5) -> list[str]:
    """Return every phrase of the test sentences, as in the paper."""
    phrases: set[str] = set()
    for tree in trees:
        words = [table.key(word) for word in tree.words]
        for i in range(len(words)):
            for j in range(i + 1, min(i + longest, len(words)) + 1):
                phrases.add(" ".join(words[i:j]))
    return sorted(phrases)


def _coverage(table: Table, trees: Sequence[Tree], seed: int) -> dict[str, Any]:
    """Count the places of 380 phrases of the baseline, and who else covers them."""
    rng = np.random.default_rng(seed)
    usable = table.known(phrases_in(trees)).__contains__
    drawn = draw_places(trees, 380, rng, usable=usable)
    covered = dict.fromkeys(("baseline", "extraction", "substitution"), 0)
    for place in drawn:
        for name in covered:
            covered[name] += _has(table, trees[place.sentence], place, name)
    return {"places": len(drawn), "covered": covered}


def _has(table: Table, tree: Tree, place: Place, name: Any) -> bool:
    labels = ccg_labels(tree, place.start, place.end)
    return bool(table.lookup(place.phrase, labels, condition=name, k=1))


def _shown(table: Table, phrase: str) -> dict[str, list[tuple[str, float]]]:
    """Return paraphrases from 0.01 on, under any label and under the commonest."""
    known = table.heads(phrase)
    if "" not in known:
        return {}
    share = max(known[""].corpora, 1)
    ranked = {"any label": table.lookup(phrase, k=12)}
    for label in table.labels(phrase)[:4]:
        ranked[label] = table.lookup(phrase, label, k=8)
    return {
        label: [
            (one.text, round(one.p / share, 3)) for one in rows if one.p >= 0.01 * share
        ]
        for label, rows in ranked.items()
    }


def write_items(
    table: Table, trees: Sequence[Tree], options: dict[str, Any]
) -> dict[str, int]:
    """Write the best of each condition at places that all eight cover, in an order
    that tells nothing, and the key; return how many, and of how many places drawn."""
    if options["lm"] is None:
        raise InvalidValue("--items needs --lm, a language model for four conditions")
    model, wanted = read_arpa(options["lm"]), options["places"]
    rng = np.random.default_rng(options["seed"])
    usable = table.known(phrases_in(trees)).__contains__
    drawn = draw_places(trees, 10 * wanted, rng, instances=1, usable=usable)
    places: list[list[Item]] = []
    n_tried = 0
    for at in rng.permutation(len(drawn)).tolist():
        n_tried += 1
        items = list(items_of(table, trees, [drawn[at]], model=model))
        if {name for one in items for name, _ in one.credits} == {*ALL_CONDITIONS}:
            places.append(items)
        if len(places) == wanted:
            break
    flat = [(at, item) for at, items in enumerate(places) for item in items]
    flat = [flat[at] for at in rng.permutation(len(flat)).tolist()]
    folder: Path = options["items"]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "items.tsv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["item", "sentence", "rewritten", *SCALES])
        for number, (_, item) in enumerate(flat, 1):
            words, place = trees[item.place.sentence].words, item.place
            end = place.end + len(item.tokens) - len(words)
            shown = _marked(words, place.start, place.end)
            rewritten = _marked(item.tokens, place.start, end)
            writer.writerow([number, shown, rewritten, "", ""])
    facts = {
        "places": len(places),
        "items": len(flat),
        "tried": n_tried,
        "drawn": len(drawn),
        "seed": options["seed"],
    }
    credits = [[at, [name for name, _ in item.credits]] for at, item in flat]
    (folder / "key.json").write_text(json.dumps(facts | {"credits": credits}))
    return facts


def _marked(words: Sequence[str], start: int, end: int) -> str:
    inside = " ".join(words[start:end])
    return " ".join([*words[:start], f"[{inside}]", *words[end:]])


def table_6(folder: Path, paths: Sequence[Path]) -> dict[str, Any]:
    """Return the shares of each condition, of all judges and of each, with intervals
    over places, and how far the judges agree on each scale, also cut as in the paper.

    Raises FormatError if a file does not answer every item from 1 to 5.
    """
    key = json.loads((folder / "key.json").read_text())
    judged = {path.stem: _answers(path, len(key["credits"])) for path in paths}
    rows = [
        (place, at, ALL_CONDITIONS.index(name))
        for at, (place, names) in enumerate(key["credits"])
        for name in names
    ]
    place, item, condition = np.array(rows, np.int32).T
    clusters = np.arange(key["places"], dtype=np.int32)
    credits = Credits(ALL_CONDITIONS, condition, item, place, clusters)
    n = len(key["credits"])

    def shares(who: Sequence[str]) -> dict[str, Any]:
        values = np.concatenate([judged[name] for name in who])
        items = np.tile(np.arange(n, dtype=np.int32), len(who))
        table = condition_table(JudgedItems(items, values), credits, THRESHOLDS)
        return {row.condition: _shares(row) for row in table}

    return {
        **{name: key[name] for name in ("places", "items", "tried", "drawn", "seed")},
        "judges": list(judged),
        "all": shares([*judged]),
        "each": {name: shares([name]) for name in judged},
        "agreement": _agreement(judged, [place for place, _ in key["credits"]]),
    }


def _answers(path: Path, n: int) -> Floats:
    """Return what one judge said: ``(n, 2)``."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = {row["item"]: row for row in csv.DictReader(file, delimiter="\t")}
    try:
        values = np.array(
            [[float(rows[str(at)][name]) for name in SCALES] for at in range(1, n + 1)]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{path}: an item is not answered: {error!r}") from error
    if not np.isin(values, range(1, 6)).all():
        raise FormatError(f"{path}: answers are whole numbers from 1 to 5")
    return values


def _shares(row: ConditionRow) -> dict[str, Any]:
    columns = dict(zip([*SCALES, "both"], row.figures, strict=True))
    shown: dict[str, Any] = {name: _figure(one) for name, one in columns.items()}
    if row.differences:
        both = row.differences[-1]
        shown["less baseline"] = _figure(both.figure) | {
            "p": both.p,
            "holm": both.p_holm,
        }
    return shown


def _figure(one: Figure) -> dict[str, Any]:
    if isinstance(one, Undefined):
        return {"value": None, "low": None, "high": None}
    return {"value": one.value, "low": one.low, "high": one.high}


def _agreement(judged: dict[str, Floats], places: Sequence[int]) -> dict[str, Any]:
    """Return agreement by scale, and by whether values reach the thresholds."""
    clusters = {str(at): str(place) for at, place in enumerate(places)}
    shown: dict[str, Any] = {}
    for column, (name, threshold) in enumerate(zip(SCALES, THRESHOLDS, strict=True)):
        rows = [
            (str(at), who, str(int(value)))
            for who, values in judged.items()
            for at, value in enumerate(values[:, column])
        ]
        scale = Scale.span(name, 1, 5)
        ratings = Ratings.of(rows, scale=scale, clusters=clusters)
        for cut in (ratings, ratings.at_least(threshold)):
            figures = measure_all(cut).figures
            shown[cut.scale.name] = {
                measure: _figure(figures[measure])
                for measure in ("raw", "k_uniform", "cohen")
            }
    return shown


def lines(results: dict[str, Any]) -> Iterator[str]:
    if "items" in results:
        yield "{items} items at {places} places, {tried} of {drawn} tried".format(
            **results["items"]
        )
        return
    if "table 6" in results:
        yield from _judged_lines(results["table 6"])
        return
    ours, paper = results["ours"], results["paper"]
    yield f"{'':34} {'paper':>12} {'ours':>12} {'kept':>12}"
    yield f"{'phrases asked about':34} {paper['phrases']:>12,} {ours['phrases']:>12,}"
    for name in ("paraphrasable", "paraphrases", "contained", "best contained"):
        for kind in KINDS:
            sides = (paper, ours, ours["kept"])
            cells = " ".join(f"{_cell(side[name][kind]):>12}" for side in sides)
            yield f"{name + ', ' + kind:34} {cells}"
    name = "places in test sentences"
    yield f"{name:34} {paper['places']:>12,} {ours['places']:>12,}"
    for name, count in paper["covered"].items():
        yield f"{'covered, ' + name:34} {count:>12,} {ours['covered'][name]:>12,}"
    for phrase in ("equal", "create equal"):
        yield f"{phrase}: paper {paper[phrase]}"
        for label, rows in ours[phrase].items():
            shown = ", ".join(f"{text} {p:.2f}" for text, p in rows)
            yield f"  ours, {label}: {shown}"
    yield "table 6 as published: meaning, grammar, both (for ours: --items, --ratings)"
    for name, cells in paper["table 6"].items():
        yield f"  {name:18} " + " ".join(f"{value:.2f}" for value in cells)


def _judged_lines(table: dict[str, Any]) -> Iterator[str]:
    yield (
        f"{table['places']} places, {table['items']} items, judges: "
        f"{', '.join(table['judges'])}; meaning, grammar, both; 95 % intervals over "
        "places; both less baseline with p (Holm); the paper's last"
    )
    for title, rows in [("all", table["all"]), *table["each"].items()]:
        yield title
        for name, row in rows.items():
            cells = "  ".join(_interval(row[column]) for column in (*SCALES, "both"))
            paper = TABLE_6[name]
            gain = row.get("less baseline")
            more = f"{_interval(gain)} p {gain['holm']:.3f}" if gain else ""
            yield (
                f"  {name:16}{cells}  {more:30}"
                f"{paper.meaning:5.2f}{paper.grammar:5.2f}{paper.both:5.2f}"
            )
    yield "agreement: raw, K (chance spread evenly, as in the paper), Cohen's kappa"
    for name, row in table["agreement"].items():
        cells = "  ".join(map(_interval, row.values()))
        yield f"  {name:16}{cells}"


def _interval(one: dict[str, Any]) -> str:
    if one["value"] is None or one["low"] is None:
        return "undefined" if one["value"] is None else f"{one['value']:.2f}"
    return f"{one['value']:.2f} ({one['low']:.2f} to {one['high']:.2f})"


def _cell(value: float | None) -> str:
    if value is None:
        return "not given"
    return f"{value:.1%}" if value <= 1 else f"{int(value):,}"
