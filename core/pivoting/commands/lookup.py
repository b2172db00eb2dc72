"""``pivot lookup``: paraphrases of a phrase, and why."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any, get_args

from core.pivoting.commands.options import Say, add_table, weights_of
from core.pivoting.conditions import Condition
from core.pivoting.table import Paraphrase, Table, open_table, phrase_tables
from core.pivoting.weighting import look_up

HELP = "look up the paraphrases of a phrase, and the pivot phrases behind one"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_table(parser)
    add = parser.add_argument
    add("phrase", help="phrase to look up")
    add(
        "--label",
        action="append",
        default=[],
        help="label of the phrase; may be repeated",
    )
    add(
        "--condition",
        choices=get_args(Condition),
        help=("condition (default: substitution with a label, otherwise baseline)"),
    )
    add(
        "--average",
        action="store_true",
        help="average over the corpora that contain the phrase",
    )
    add("-k", type=int, default=10, help="paraphrases to print")
    add(
        "--tables",
        action="store_true",
        help="print tables 1 to 4 of the paper for this phrase",
    )
    add(
        "--why",
        metavar="PARAPHRASE",
        help="print the pivot phrases behind this paraphrase",
    )


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """``paraphrases`` best first, ``labels`` of the phrase, ``examples``, ``why``."""
    table = open_table(options["table"])
    phrase, labels = options["phrase"], options["label"]
    try:
        results: dict[str, Any] = {
            "phrase": table.key(phrase),
            "labels": table.labels(phrase),
            "paraphrases": [asdict(one) for one in _best(table, options)],
            "examples": [asdict(one) for one in table.examples(phrase)],
        }
        if options["tables"]:
            results["tables"] = [asdict(one) for one in phrase_tables(table, phrase)]
        if options["why"]:
            label = labels[0] if labels else ""
            behind = table.why(phrase, options["why"], label=label)
            results["why"] = [asdict(pivot) for pivot in behind]
        return results
    finally:
        table.close()


def _best(table: Table, options: dict[str, Any]) -> list[Paraphrase]:
    """By the fitted weights if these are given; they take no account of labels."""
    weights = weights_of(options)
    if weights is not None:
        return look_up(table, options["phrase"], weights, k=options["k"])
    return table.lookup(
        options["phrase"],
        options["label"] or None,
        condition=options["condition"],
        k=options["k"],
        average=options["average"],
    )


def lines(results: dict[str, Any]) -> Iterator[str]:
    if not results["paraphrases"]:
        yield f"{results['phrase']}: no paraphrase"
    for one in results["paraphrases"]:
        sure = "" if one["proven"] else "  (rank not proven)"
        yield f"{one['p']:.4f}  {one['text']:30} {one['label']}{sure}"
    for one in results.get("tables", ()):
        yield f"{results['phrase']}  {one['label'] or 'whatever the label'}"
        yield from (f"    {p:.2f}  {text}" for text, p in one["rows"])
    for pivot in results.get("why", ()):
        counts = f"{pivot['n1']:g} and {pivot['n2']:g} times"
        yield f"{pivot['p']:.4f}  {pivot['foreign']:30} {pivot['corpus']}, {counts}"
