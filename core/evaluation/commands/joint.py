"""``evaluate joint``: parsing pairs jointly, against gold trees of their sources."""

import argparse
import random
from pathlib import Path
from typing import Any

from core.errors import FormatError
from core.evaluation.joint_parsing import (
    JointCase,
    analyse,
    read_gold_pairs,
    read_pairs,
    report,
    score,
)
from core.joint_parsing.parser import METHODS, JointParser, JointSettings
from core.parsing.registry import Say, add_parser_options, backend_of
from core.protocols import ParserBackend

HELP = "measure the gain of joint parsing against gold trees of the source sentences"
SEED = 16
STEP = 100  # pairs between two lines that say how far it is


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--pairs",
        type=Path,
        required=True,
        metavar="FILE",
        help="tab-separated: corpus, sent_id, source, paraphrase, operations",
    )
    add(
        "--gold",
        type=Path,
        nargs="+",
        required=True,
        metavar="PATH",
        help="files or folders of CoNLL-U or bracketings; pairs without gold are "
        "left out and counted",
    )
    add(
        "--method",
        choices=METHODS,
        default=JointSettings().method,
        help="method of joint inference",
    )
    add_parser_options(parser)
    add(
        "--crossing",
        action="store_true",
        help="allow crossing arcs (non-projective trees)",
    )
    add("--no-gate", action="store_true", help="keep every joint parse, without a gate")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Figures under "all" and each corpus; what was left out next to them."""
    cases, left_out, unreadable = read_cases(
        options["pairs"], options["gold"], backend_of(options), say
    )
    chosen = JointSettings(
        options["method"],
        gate=not options["no_gate"],
        projective=not options["crossing"],
    )
    joint = JointParser.load()
    results = [
        joint.parse(case.source, case.target, chosen, views=case.views)
        for case in cases
    ]
    scored = [score(case, result) for case, result in zip(cases, results, strict=True)]
    return {
        **report(scored),
        "method": options["method"],
        "kept": sum(result.kept for result in results),
        "exact": sum(result.exact for result in results),
        "without_gold": left_out,
        "unreadable": unreadable,
    }


def read_cases(
    pairs: Path,
    golds: list[Path],
    backend: ParserBackend,
    say: Say,
    *,
    sample: int = 0,
) -> tuple[list[JointCase], int, list[str]]:
    """The pairs with gold, parsed; how many have none; a line about each trouble.

    ``sample``: so many of them alone, by chance, always the same. Raises FormatError
    if no pair is left.
    """
    records, left_out, lines = read_gold_pairs(read_pairs(pairs), golds)
    if not records:
        raise FormatError(
            f"{pairs}: no pair has gold in {' '.join(map(str, golds))}",
            remedy="give the treebanks that its sent_id column names",
        )
    if sample:
        records = random.Random(SEED).sample(records, min(sample, len(records)))  # noqa: S311
    cases: list[JointCase] = []
    for item in analyse(records, backend):
        if isinstance(item, str):
            lines.append(item)
            continue
        cases.append(item)
        if len(cases) % STEP == 0:
            say(f"{len(cases)} of {len(records)} pairs parsed")
    return cases, left_out, lines
