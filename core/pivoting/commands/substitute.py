"""``pivot substitute``: a sentence rewritten under each condition."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.data.tree import Tree
from core.errors import InvalidValue
from core.pivoting.commands.options import (
    Say,
    add_table,
    model_of,
    trees_in,
    vectors_of,
    weights_of,
)
from core.pivoting.substitution import (
    ALL_CONDITIONS,
    Substitute,
    substitutes,
    weighted,
)
from core.pivoting.table import Table, open_table
from core.pivoting.weighting import WEIGHTED

HELP = "substitute paraphrases of a phrase in its sentence, under each condition"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_table(parser, model=True)
    add = parser.add_argument
    add("phrase", help="phrase of the sentence")
    add(
        "--tree",
        type=Path,
        help="file with one bracketed tree (default: standard input)",
    )
    add("--sentence", help="tokens with a space between, where there is no tree")
    add("--condition", choices=(*ALL_CONDITIONS, WEIGHTED), help="by default all")
    add("-k", type=int, default=1, help="paraphrases per condition")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """A row for each substitute, by condition and place."""
    sentence: Tree | Sequence[str]
    if options["sentence"]:
        sentence = options["sentence"].split()
    else:
        sentence = trees_in(options["tree"], 1)[0]
    table = open_table(options["table"])
    try:
        rows = _rows(table, sentence, options)
    finally:
        table.close()
    return {
        "substitutes": [
            {
                "condition": one.condition,
                "place": one.place,
                "paraphrase": one.paraphrase.text,
                "label": one.paraphrase.label,
                "p": one.paraphrase.p,
                "lm": one.lm,
                "sentence": " ".join(one.tokens),
            }
            for one in rows
        ]
    }


def _rows(
    table: Table, sentence: Tree | Sequence[str], options: dict[str, Any]
) -> list[Substitute]:
    words = sentence.words if isinstance(sentence, Tree) else sentence
    span = _span(words, options["phrase"].split())
    model, weights = model_of(options), weights_of(options)
    name, k = options["condition"], options["k"]
    rows: list[Substitute] = []
    if name != WEIGHTED:
        lm_weight = options["lm_weight"]
        rows = substitutes(
            table, sentence, span, condition=name, k=k, model=model, lm_weight=lm_weight
        )
    if name == WEIGHTED and weights is None:
        raise InvalidValue(f"{WEIGHTED}: give --weights")
    if weights is not None and name in (None, WEIGHTED):
        parser = vectors_of(weights)
        rows += weighted(
            table, sentence, span, weights, k=k, model=model, backend=parser
        )
    return rows


def _span(words: Sequence[str], phrase: Sequence[str]) -> tuple[int, int]:
    """Return the first span of the phrase, ignoring letter case."""
    lower, wanted = [w.lower() for w in words], [w.lower() for w in phrase]
    for i in range(len(lower) - len(wanted) + 1):
        if wanted and lower[i : i + len(wanted)] == wanted:
            return i, i + len(wanted)
    raise InvalidValue(f"{' '.join(phrase)!r} is not in the sentence")


def lines(results: dict[str, Any]) -> Iterator[str]:
    for one in results["substitutes"]:
        yield (
            f"{one['condition']:16} {one['place']} {one['p']:.4f} "
            f"{one['sentence']}  [{one['paraphrase']}] {one['label']}"
        )
    if not results["substitutes"]:
        yield "no paraphrase under any condition"
