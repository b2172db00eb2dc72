"""``pivot items``: a test set of substitutions from parsed sentences."""

import argparse
import csv
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from core.pivoting.commands.options import (
    Say,
    add_table,
    model_of,
    trees_in,
    vectors_of,
    weights_of,
)
from core.pivoting.items import Item, draw_places, items_of
from core.pivoting.table import Table, open_table

HELP = (
    "draw phrases from parsed sentences and substitute paraphrases under each condition"
)
COLUMNS = ("sentence", "paraphrase", "phrase", "label", "conditions")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_table(parser, model=True)
    add = parser.add_argument
    add("--trees", type=Path, required=True, help="bracketed test sentences")
    add(
        "--phrases",
        type=int,
        default=410,
        help="phrases to draw, balanced by length and kind",
    )
    add("--instances", type=int, default=6, help="longest phrase, in words")
    add("-k", type=int, default=1, help="paraphrases of each condition")
    add("--seed", type=int, default=2008, help="seed of the random draws")
    add("--out", type=Path, help="tab-separated file to write")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """The number of phrases, places and items, and places by condition."""
    trees = trees_in(options["trees"])
    model = model_of(options)
    rng = np.random.default_rng(options["seed"])
    places = draw_places(trees, options["phrases"], rng, instances=options["instances"])
    table = open_table(options["table"])
    try:
        items = _filled(table, trees, places, model, options, say)
    finally:
        table.close()
    if options["out"]:
        _write(options["out"], items, [" ".join(tree.words) for tree in trees])
    covered: dict[str, set[tuple[int, int, int]]] = {}
    for item in items:
        at = (item.place.sentence, item.place.start, item.place.end)
        for name, _ in item.credits:
            covered.setdefault(name, set()).add(at)
    return {
        "phrases": len({place.phrase for place in places}),
        "places": len(places),
        "items": len(items),
        "credits": sum(len(item.credits) for item in items),
        "covered": {name: len(items) for name, items in covered.items()},
    }


def _filled(
    table: Table, trees: Any, places: Any, model: Any, options: Any, say: Say
) -> list[Item]:
    items: list[Item] = []
    weights = weights_of(options)
    fill = partial(
        items_of,
        table,
        trees,
        k=options["k"],
        model=model,
        lm_weight=options["lm_weight"],
        weights=weights,
        backend=vectors_of(weights),
    )
    for at, place in enumerate(places, 1):
        items += fill([place])
        if at % 100 == 0:
            say(f"{at} of {len(places)} places")
    return items


def _write(path: Path, items: list[Item], sentences: list[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, escapechar="\\")
        out.writerow(("source", *COLUMNS))
        for item in items:
            named = " | ".join(f"{name}:{rank}" for name, rank in item.credits)
            out.writerow(
                (
                    sentences[item.place.sentence],
                    " ".join(item.tokens),
                    item.paraphrase,
                    item.place.phrase,
                    item.label,
                    named,
                )
            )


def lines(results: dict[str, Any]) -> Iterator[str]:
    yield f"{results['phrases']} phrases at {results['places']} places"
    yield f"{results['items']} items, {results['credits']} credits"
    for name, count in results["covered"].items():
        yield f"  {name:16} {count} places"
