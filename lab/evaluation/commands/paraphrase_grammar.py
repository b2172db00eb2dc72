"""``evaluate paraphrase-grammar``: rewritten sentences, as machines see them."""

import argparse
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from core.parsing.registry import Say, add_parser_options, backend_of
from core.pivoting.items import draw_places, items_of, phrases_in
from core.pivoting.language_model import read_arpa
from core.pivoting.table import open_table
from lab.evaluation.paraphrase_grammar import grammar, parse_texts

HELP = "grammar of sentences with paraphrases in them: the parser's and a model's view"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--table", type=Path, required=True, help="table built by pivot build")
    add("--text", type=Path, required=True, help="test sentences, one a line")
    add("--lm", type=Path, required=True, metavar="ARPA")
    add("--lm-weight", type=float, default=1.0)
    add("--sentences", type=int, default=1000, help="of the text, to read")
    add(
        "--phrases",
        type=int,
        default=500,
        help="phrases to draw, balanced by length and kind",
    )
    add("--seed", type=int, default=0)
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return by condition ``n``, and value, low and high of each figure."""
    backend, model = backend_of(options), read_arpa(options["lm"])
    trees = parse_texts(options["text"], backend, limit=options["sentences"])
    say(f"{len(trees)} sentences parsed")
    table = open_table(options["table"])
    try:
        places = draw_places(
            trees,
            options["phrases"],
            np.random.default_rng(options["seed"]),
            instances=1,
            usable=table.known(phrases_in(trees)).__contains__,
        )
        say(f"{len(places)} places")
        weight = options["lm_weight"]
        items = list(items_of(table, trees, places, model=model, lm_weight=weight))
    finally:
        table.close()
    scores = grammar(items, trees, backend, model, seed=options["seed"])
    return {name: asdict(one) for name, one in scores.items()}


def lines(results: dict[str, Any]) -> Iterator[str]:
    yield f"{'':16} {'n':>5}  tree, nats a word         perplexity"
    for name, one in results.items():
        cells = [
            "{:.3f} ({:.3f} to {:.3f})".format(*one[key])
            for key in ("tree_change", "perplexity_ratio")
        ]
        yield f"{name:16} {one['n']:>5}  {cells[0]:26} {cells[1]}"
