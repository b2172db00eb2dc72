"""``evaluate corrections``: how many steps lead from a parser's trees to gold."""

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.data.tokens import Sentence
from core.errors import FormatError
from core.evaluation.golds import FORMATS, read_golds
from core.forests.constraints import best_phrases, can_follow, consensus_phrases
from core.parsing.registry import Say, add_parser_options, backend_of
from core.protocols import Analysis, Capability, ParserBackend
from lab.evaluation.correcting import CorrectionTally, bare
from lab.evaluation.correcting_arcs import ArcTally

HELP = "steps from a parser's trees to gold, by hand and where the rest follows"
WANT: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})
ARCS: frozenset[Capability] = frozenset({"dependencies", "forest", "tags"})
BATCH = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--gold", nargs="+", type=Path, required=True, metavar="PATH")
    add(
        "--format",
        choices=FORMATS,
        help="format of the files (default: by their names)",
    )
    add("--max-tokens", type=int, default=0, help="skip sentences longer than this")
    add("--every", type=int, default=1, help="one sentence in so many")
    add(
        "--viterbi", action="store_true", help="follow the best tree, not the consensus"
    )
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Counts of steps; sentences with traces or gaps are left out and counted. Those
    of arcs under "arcs", where there are gold arcs."""
    golds, unreadable = read_golds(options["gold"], format=options["format"])
    limit, every = options["max_tokens"], options["every"]
    short = [one for one in golds if not limit or len(one.sentence) <= limit]
    trees = [one.tree for one in short if one.tree][::every]
    arcs = [one for one in short if one.deps][::every]
    fit = [bare(tree) for tree in trees if can_follow(tree)]
    if not fit and not arcs:
        raise FormatError("no gold tree to reach; see --gold and --max-tokens")
    backend = backend_of(options)
    decode = best_phrases if options["viterbi"] else consensus_phrases
    tally, of_arcs = CorrectionTally(left_out=len(trees) - len(fit)), ArcTally()
    words = [tree.words for tree in fit]
    for gold, answer in zip(fit, _parsed(backend, words, WANT, say), strict=True):
        tally.add(gold, answer, decode)
    words = [one.sentence.forms for one in arcs]
    for one, answer in zip(arcs, _parsed(backend, words, ARCS, say), strict=True):
        if one.deps:
            of_arcs.add(one.deps, getattr(answer, "deps", None))
    info = backend.info
    named = {"engine": f"{info.name} {info.version}"}
    more = {"arcs": of_arcs.to_json()} if arcs else {}
    return named | tally.to_json() | more | {"unreadable": unreadable}


def _parsed(
    backend: ParserBackend,
    sentences: Sequence[tuple[str, ...]],
    want: frozenset[Capability],
    say: Say,
) -> Iterator[Analysis | Exception]:
    for begin in range(0, len(sentences), BATCH):
        part = [Sentence.of(words) for words in sentences[begin : begin + BATCH]]
        yield from backend.analyse(part, want=want & backend.info.capabilities)
        say(f"{begin + len(part)} of {len(sentences)}")
