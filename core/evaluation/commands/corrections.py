"""``evaluate corrections``: how many steps lead from a parser's trees to gold."""

import argparse
from pathlib import Path
from typing import Any

from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import FormatError
from core.evaluation.commands.options import Say, add_parser_options, backend_of
from core.evaluation.correcting import CorrectionTally, bare
from core.evaluation.golds import FORMATS, read_golds
from core.forests.constraints import best_phrases, consensus_phrases
from core.forests.following import can_follow
from core.protocols import Analysis, Capability, ParserBackend

__all__ = ["HELP", "add_arguments", "run"]

HELP = "steps from a parser's trees to gold, by hand and where the rest follows"
WANT: frozenset[Capability] = frozenset({"constituents", "forest", "tags"})
BATCH = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--gold", nargs="+", type=Path, required=True, metavar="PATH")
    add("--format", choices=FORMATS, help="by default by the files' names")
    add("--max-tokens", type=int, default=0, help="leave longer sentences out")
    add("--every", type=int, default=1, help="one sentence in so many")
    add(
        "--viterbi", action="store_true", help="follow the best tree, not the consensus"
    )
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Counts of steps; sentences with traces or gaps are left out and counted."""
    golds, unreadable = read_golds(options["gold"], format=options["format"])
    limit = options["max_tokens"]
    trees = [gold.tree for gold in golds if gold.tree][:: options["every"]]
    trees = [tree for tree in trees if not limit or tree.n_tokens <= limit]
    fit = [bare(tree) for tree in trees if can_follow(tree)]
    if not fit:
        raise FormatError("no gold tree to reach; see --gold and --max-tokens")
    backend = backend_of(options)
    decode = best_phrases if options["viterbi"] else consensus_phrases
    tally = CorrectionTally(left_out=len(trees) - len(fit))
    for begin in range(0, len(fit), BATCH):
        part = fit[begin : begin + BATCH]
        for gold, answer in zip(part, _parsed(backend, part), strict=True):
            tally.add(gold, answer, decode)
        say(f"{min(begin + BATCH, len(fit))} of {len(fit)}")
    info = backend.info
    named = {"engine": f"{info.name} {info.version}"}
    return named | tally.to_json() | {"unreadable": unreadable}


def _parsed(backend: ParserBackend, golds: list[Tree]) -> list[Analysis | Exception]:
    sentences = [Sentence.of(tree.words) for tree in golds]
    return list(backend.analyse(sentences, want=WANT & backend.info.capabilities))
