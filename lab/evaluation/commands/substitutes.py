"""``evaluate substitutes``: the nearest known words against what people accept."""

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.errors import FormatError, Unavailable
from core.evaluation.substitution import linking_of
from core.parsing import registry
from core.parsing.registry import Say, add_parser_options, backend_of
from core.protocols import ParserBackend, TrainingCounts
from core.substitution.candidates import Candidate, Candidates, reranked
from core.substitution.options import PAPER, Options
from core.text.stems import stem
from lab.evaluation.substitutes import (
    FORMATS,
    Accepted,
    Target,
    in_context,
    read_targets,
)

HELP = "the nearest known words of a word against the substitutes that people accept"
SEED = 16
FETCHED = 4  # times as many candidates as are shown: forms of one word fall together
BATCH = 32
Row = tuple[Target, list[Candidate]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--targets", type=Path, required=True, metavar="FILE")
    add("--format", choices=FORMATS, required=True)
    add("--linking", nargs="+", type=Path, required=True, metavar="PATH")
    add(
        "--cache",
        type=Path,
        metavar="FILE",
        help="file that keeps the counts of --linking",
    )
    add("--sample", type=int, default=0, metavar="N", help="draw N targets at random")
    add("--encoder", metavar="PARSER", help="its vectors rank by the sentence, too")
    add("--paper", action="store_true", help="the paper's alpha and thresholds")
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return what is accepted by ranking (divergence, equation 2, vectors).

    ``reachable``: targets any of whose accepted words the parser knows at all.
    """
    counts = linking_of(options["linking"], options["cache"], say)
    parser = backend_of(options)
    if not isinstance(parser, TrainingCounts):
        raise Unavailable(f"parser {parser.info.name!r} tells no training words")
    settings = PAPER if options["paper"] else Options()
    n = settings.n_nearest
    near = Candidates(parser, counts, replace(settings, n_nearest=FETCHED * n))
    targets = _sampled(read_targets(options["targets"], options["format"]), options)
    accepted = {name: Accepted(n) for name in ("nearest", "reranked")}
    rows = list(_nearest(near, targets, n))
    for target, candidates in rows:
        accepted["nearest"].add(target, candidates)
        accepted["reranked"].add(target, reranked(candidates, floor=settings.floor))
    if options["encoder"]:
        encoder = registry.chosen(options["encoder"], options.get("models"))
        accepted["in context"] = _in_context(encoder, rows, n, say)
    known = {stem(form) for form in near.forms}
    return {
        "targets": len(targets),
        "with_candidates": len(rows),
        "reachable": sum(bool(target.offered & known) for target in targets),
        **{name: one.to_json() for name, one in accepted.items()},
    }


def _in_context(
    encoder: ParserBackend, rows: Sequence[Row], n: int, say: Say
) -> Accepted:
    accepted = Accepted(n)
    for begin in range(0, len(rows), BATCH):
        say(f"{begin} of {len(rows)} targets in their sentences")
        part = rows[begin : begin + BATCH]
        places = [(target.sentence, target.at, some) for target, some in part]
        ranked = in_context(encoder, places)
        for (target, _), best in zip(part, ranked, strict=True):
            accepted.add(target, best)
    return accepted


def _sampled(targets: list[Target], options: dict[str, Any]) -> list[Target]:
    if not targets:
        raise FormatError(f"{options['targets']}: no target with an accepted word")
    if options["sample"]:
        random.Random(SEED).shuffle(targets)  # noqa: S311 - a sample, no secret
        return targets[: options["sample"]]
    return targets


def _nearest(near: Candidates, targets: Sequence[Target], n: int) -> Iterator[Row]:
    """Yield the targets in the linking corpus, each with its n nearest words."""
    counted = [
        near.linking.form_of(target.form, initial=target.at == 0) for target in targets
    ]
    for target, candidates in zip(targets, near.nearest(counted), strict=True):
        own = stem(target.form)
        others = {stem(c.form): c for c in reversed(candidates) if stem(c.form) != own}
        if others:
            nearest = sorted(others.values(), key=lambda c: c.divergence)
            yield target, nearest[:n]
