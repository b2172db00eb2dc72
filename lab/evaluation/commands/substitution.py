"""``evaluate substitution``: the settings of lexical substitution, and the headroom."""

import argparse
from dataclasses import fields
from typing import Any

from core.evaluation import substitution
from core.parsing.registry import Say
from core.substitution.options import PAPER, Options
from lab.evaluation.substitution_oracle import oracle

HELP = "compare settings of lexical substitution (Caplan et al.), and the best of all"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    substitution.add_arguments(parser)
    add = parser.add_argument
    add(
        "--oracle",
        action="store_true",
        help="also measure the best of all candidates (oracle)",
    )
    add(
        "--paper",
        action="store_true",
        help="use the paper's settings instead of the best ones",
    )
    add("--alpha", type=float, help="count of what was never seen")
    for name in ("f_q", "f_c", "f_lc"):
        add(
            "--" + name.replace("_", "-"),
            type=int,
            help=f"threshold {name} of the paper",
        )
    add(
        "--no-rerank",
        action="store_true",
        help="use the nearest candidate without reranking",
    )


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return the figures, with ``--oracle`` also the best that candidates allow."""
    results, parser, golds = substitution.measured(options, _chosen(options), say)
    if options["oracle"]:
        results["oracle"] = oracle(parser, golds)
    return results


def _chosen(options: dict[str, Any]) -> Options:
    names = ("method", "alpha", "f_q", "f_c", "f_lc")
    given = {name: options[name] for name in names if options[name] is not None}
    start = PAPER if options["paper"] else Options()
    kept = {f.name: getattr(start, f.name) for f in fields(Options)}
    if options["no_rerank"]:
        given["rerank"] = False
    return Options(**{**kept, **given})
