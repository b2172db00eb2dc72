"""Callison-Burch 2008, "Syntactic Constraints on Paraphrases": its counts next to ours.

The text is Europarl's eleven languages, a ninety-second of the paper's tokens. Counts
are of all candidates, and next to them of those that the table keeps. What the paper
asked people (Table 6) is shown as published: it needs judges.
"""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.judgments.paper import TABLE_6
from core.data.tree import Tree
from core.parsing.registry import Say, add_parser_options, backend_of
from core.pivoting.items import Place, draw_places, phrases_in
from core.pivoting.labels import ccg_labels
from core.pivoting.table import Table, open_table
from lab.evaluation.paraphrase_grammar import parse_texts
from lab.reproduce.bitexts import COLLECTIONS
from lab.reproduce.census import KINDS, census
from lab.reproduce.pivot_tables import table_of

HELP = "paraphrases under syntactic constraints (Callison-Burch 2008), on Europarl"
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
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return ``ours`` and ``paper``, figure by figure."""
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


def lines(results: dict[str, Any]) -> Iterator[str]:
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
    yield "table 6 as published: meaning, grammar, both (ours needs judges)"
    for name, cells in paper["table 6"].items():
        yield f"  {name:18} " + " ".join(f"{value:.2f}" for value in cells)


def _cell(value: float | None) -> str:
    if value is None:
        return "not given"
    return f"{value:.1%}" if value <= 1 else f"{int(value):,}"
