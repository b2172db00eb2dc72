"""``evaluate worklists``: which order of correcting finds wrong brackets soonest."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import FormatError
from core.evaluation.golds import FORMATS, files_of, read_golds
from core.forests.constraints import can_follow
from core.parsing.registry import Say, add_parser_options, backend_of
from core.protocols import Capability
from lab.evaluation.correcting import bare
from lab.evaluation.orders import UnreadTree, candidate, compared

HELP = "orders in which a parser's trees are corrected, against a random one"
WANT: frozenset[Capability] = frozenset(
    {"constituents", "forest", "tags", "dependencies"}
)
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
    add("--replicates", type=int, default=1000, help="of the bootstrap over files")
    add_parser_options(parser)


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Compare the orders, without sentences that have traces or gaps."""
    golds = list(bare_golds(options))[:: options["every"]]
    if not golds:
        raise FormatError("no gold tree to reach; see --gold and --max-tokens")
    backend = backend_of(options)
    want = WANT & backend.info.capabilities
    candidates: list[UnreadTree] = []
    for begin in range(0, len(golds), BATCH):
        part = golds[begin : begin + BATCH]
        sentences = [Sentence.of(gold.words) for _, gold in part]
        answers = backend.analyse(sentences, want=want)
        for (at, gold), answer in zip(part, answers, strict=True):
            candidates.append(candidate(answer, gold, at))
        say(f"{len(candidates)} of {len(golds)}")
    return {
        "engine": f"{backend.info.name} {backend.info.version}",
        "files": len({one.cluster for one in candidates}),
        "sentences": len(candidates),
        "tokens": sum(one.n_tokens for one in candidates),
        "wrong": sum(one.wrong for one in candidates),
        "orders": compared(candidates, replicates=options["replicates"]),
    }


def bare_golds(options: dict[str, Any]) -> Iterator[tuple[int, Tree]]:
    """Yield bare gold trees with the number of their file."""
    files = [file for path in options["gold"] for file in files_of(path)]
    for at, file in enumerate(files):
        for gold in read_golds([file], format=options["format"])[0]:
            tree, limit = gold.tree, options["max_tokens"]
            if tree and can_follow(tree) and (not limit or tree.n_tokens <= limit):
                yield at, bare(tree)


def lines(results: dict[str, Any]) -> Iterator[str]:
    """Yield a line per order; a random one has area 0.500 on average."""
    counts = ("files", "sentences", "tokens", "wrong")
    yield ", ".join(f"{results[name]} {name}" for name in counts)
    shares = list(next(iter(results["orders"].values()))["fixed_after"])
    yield f"{'order':20} area  (95 %)          fixed after {' '.join(shares)} of words"
    for name, one in results["orders"].items():
        low, high = one["interval"]
        fixed = " ".join(f"{y:.3f}" for y in one["fixed_after"].values())
        yield f"{name:20} {one['area']:.3f} ({low:.3f} to {high:.3f})  {fixed}"
