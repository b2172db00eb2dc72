"""``evaluate paraphrases``: rankings fitted on judgments of other phrases."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.parsing.registry import Say, add_parser_options, backend_of
from core.pivoting.table import open_table
from lab.evaluation.judged_pairs import FORMATS, compare, read_judgments
from lab.evaluation.paraphrase_rankings import ranker

HELP = "compare paraphrase scores and fitted rankings with people's judgments"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--table", type=Path, required=True, help="table built by pivot build")
    add(
        "--judgments",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="files of judged pairs",
    )
    add(
        "--format",
        choices=sorted(FORMATS),
        required=True,
        help="format of the judgments",
    )
    add("--seed", type=int, default=0, help="seed of the random draws")
    add("--folds", type=int, default=10, help="folds of the fitted rankings")
    add(
        "--vectors",
        action="store_true",
        help="the fitted rankings see the parser's word vectors, too",
    )
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return ``pairs``, ``covered``, and ``rho`` and ``p`` of each score."""
    judged = [
        pair
        for path in options["judgments"]
        for pair in read_judgments(path, options["format"])
    ]
    say(f"{len(judged)} judged pairs")
    backend = backend_of(options) if options["vectors"] else None
    rank = ranker(options["folds"], backend)
    table = open_table(options["table"])
    try:
        return compare(table, judged, seed=options["seed"], rank=rank)
    finally:
        table.close()


def lines(results: dict[str, Any]) -> Iterator[str]:
    yield f"pairs {results['pairs']}, covered {results['covered']}"
    labelled = results["labelled"]
    yield f"{'':12} {'covered':>18} {'under the label':>18}  ({labelled['pairs']})"
    for name, result in results.items():
        if isinstance(result, dict) and "rho" in result:
            cells = [_cell(x) for x in (result, labelled[name])]
            yield f"{name:12} {cells[0]:>18} {cells[1]:>18}"
    for where, part in (("covered", results), ("under the label", labelled)):
        for name, gap in part["above"].items():
            yield (
                f"{name} above baseline, {where}: {gap['difference']:+.3f} "
                f"({gap['low']:+.3f} to {gap['high']:+.3f}, p {gap['p']:.3g})"
            )
    if people := results["people"]:
        yield (
            f"people: halves {people['halves']:.3f}, so at best "
            f"{people['ceiling']:.3f} ({people['pairs']} pairs)"
        )


def _cell(result: dict[str, Any]) -> str:
    return (
        "–" if result["rho"] is None else f"{result['rho']:.3f} (p {result['p']:.2g})"
    )
