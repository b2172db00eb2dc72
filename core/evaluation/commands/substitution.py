"""``evaluate substitution``: a parser with and without lexical substitution."""

import argparse
import random
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args

from core.errors import FormatError
from core.evaluation.golds import FORMATS, Gold, read_golds
from core.evaluation.substitution import effect
from core.parsing.registry import Say, add_parser_options, backend_of
from core.protocols import Step
from core.substitution import linking
from core.substitution.linking import LinkingCounts
from core.substitution.options import Method, Options
from core.substitution.substituting import Substituting

HELP = "measure a parser with and without lexical substitution (Caplan et al.)"
SEED = 16


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--gold",
        nargs="+",
        type=Path,
        required=True,
        metavar="PATH",
        help="gold treebanks: files or folders",
    )
    add(
        "--format",
        choices=FORMATS,
        help="format of the files (default: by their names)",
    )
    add(
        "--linking",
        nargs="+",
        type=Path,
        required=True,
        metavar="PATH",
        help="plain text of the linking corpus, one tokenised sentence per line",
    )
    add(
        "--cache",
        type=Path,
        metavar="FILE",
        help="file that keeps the counts of --linking",
    )
    add("--max-tokens", type=int, default=0, help="skip sentences longer than this")
    add("--sample", type=int, default=0, metavar="N", help="draw N sentences at random")
    add(
        "--method",
        choices=get_args(Method),
        help="method of substitution (default: the best one)",
    )
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Figures before and after; what could not be read is under "unreadable"."""
    chosen = replace(Options(), method=options["method"] or Options().method)
    return measured(options, chosen, say)[0]


def measured(
    options: dict[str, Any], chosen: Options, say: Say
) -> tuple[dict[str, Any], Substituting, list[Gold]]:
    """The figures, the parser with substitution, and the gold sentences."""
    golds, unreadable = read_golds(options["gold"], format=options["format"])
    golds = sampled(golds, options["max_tokens"], options["sample"])
    counts = linking_of(options["linking"], options["cache"], say)
    parser = Substituting(backend_of(options), counts, chosen)
    whole = None
    for done, partial in effect(parser, golds):
        say(f"{done} of {len(golds)} sentences")
        whole = partial
    if whole is None:
        raise FormatError("no gold sentence with a tree; see --gold and --max-tokens")
    results = {
        "engine": f"{parser.info.name} {parser.info.version}",
        **whole.to_json(),
        "options": {f.name: getattr(parser.options, f.name) for f in fields(Options)},
        "linking_tokens": counts.n_tokens,
        "unreadable": unreadable,
    }
    return results, parser, golds


def linking_of(
    paths: Sequence[Path], cache: Path | None, say: Say, *, licence: str = ""
) -> LinkingCounts:
    """The counts of these texts: out of ``cache`` if it holds them, else made."""
    if cache and cache.exists():
        kept = linking.load(cache)
        if kept.sources == tuple(path.name for path in paths):
            return kept
    for item in linking.counted(paths, licence=licence):
        if isinstance(item, Step):
            say(item.note)
        else:
            counts = item
    if cache:
        linking.save(counts, cache)
    return counts


def sampled(golds: Sequence[Gold], max_tokens: int, sample: int) -> list[Gold]:
    """Those short enough, in a random order that is always the same; the first N."""
    short = [g for g in golds if not max_tokens or len(g.sentence) <= max_tokens]
    if not sample:
        return short
    random.Random(SEED).shuffle(short)  # noqa: S311 - a sample, no secret
    return short[:sample]
