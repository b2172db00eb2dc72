"""``evaluate joint``: parsing pairs jointly, against gold trees of their sources."""

import argparse
import random
from pathlib import Path
from typing import Any

from core.errors import FormatError, InvalidValue
from core.evaluation.joint_parsing import (
    Bench,
    JointCase,
    Scored,
    analyse,
    breakdown,
    read_gold_pairs,
    read_pairs,
    report,
    report_sets,
    score,
    score_sets,
)
from core.joint_parsing.parser import METHODS, JointParser, JointResult, JointSettings
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
        "--rounds",
        type=int,
        default=JointSettings().rounds,
        help="rounds of dual decomposition, at most",
    )
    _add_inference_arguments(parser)
    add("--no-gate", action="store_true", help="keep every joint parse, without a gate")
    add(
        "--sets",
        action="store_true",
        help="parse a source with all of its paraphrases as one set, next to the pairs",
    )
    _add_report_arguments(parser)


def _add_inference_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--slack", type=float, help="in nats (default: the shipped value)")
    add(
        "--slack-kind",
        choices=("one", "relation", "prob"),
        default="one",
        help="cost of a violated link: one weight, one each, or its probability",
    )
    add("--trust", type=float, help="in nats, for mbr (default: the shipped value)")
    add(
        "--n-best",
        type=int,
        default=JointSettings().n_best,
        help="pairs of n-best trees to rank",
    )
    add(
        "--crossing",
        action="store_true",
        help="allow crossing arcs (non-projective trees)",
    )
    add(
        "--last-round",
        action="store_true",
        help="soft, hard: the trees of the last round, as the paper's algorithms do, "
        "not the best pair met",
    )
    add(
        "--one-sided",
        action="store_true",
        help="soft: only arcs of the paraphrase alone cost, as algorithm 2 is printed",
    )
    add("--no-root", action="store_true", help="ROOT is not linked to ROOT")
    add(
        "--alone",
        action="store_true",
        help="each sentence alone, even where the parser reads pairs (bp)",
    )


def _add_report_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--folds",
        type=int,
        default=0,
        help="fit numbers and gate on this very file, each pair with weights fitted "
        "without it; by default the shipped weights are used",
    )
    add("--errors", action="store_true", help="add the gain by label, length and so on")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Figures under "all" and each corpus; what was left out next to them."""
    cases, left_out, unreadable = read_cases(
        options["pairs"], options["gold"], backend_of(options), say
    )
    chosen, parser = _settings(options), JointParser.load()
    if options["sets"]:
        if options["folds"] or options["errors"]:
            raise InvalidValue("--sets goes without --folds and --errors")
        sets = list(score_sets(cases, parser, chosen))
        counts = {"without_gold": left_out, "unreadable": unreadable}
        return {**report_sets(sets), "method": options["method"], **counts}
    results = outcomes(Bench.of(cases, parser), chosen, options["folds"], say)
    figures: dict[str, Any] = report([scored for scored, _ in results])
    if options["errors"]:
        figures["errors"] = breakdown(cases, [result for _, result in results])
    return {
        **figures,
        "method": options["method"],
        "kept": sum(result.kept for _, result in results),
        "exact": sum(result.exact for _, result in results),
        "without_gold": left_out,
        "unreadable": unreadable,
    }


def _settings(options: dict[str, Any]) -> JointSettings:
    return JointSettings(
        method=options["method"],
        rounds=options["rounds"],
        slack=options["slack"],
        slack_kind=options["slack_kind"],
        trust=options["trust"],
        gate=not options["no_gate"],
        projective=not options["crossing"],
        n_best=options["n_best"],
        in_view=not options["alone"],
        last_round=options["last_round"],
        one_sided=options["one_sided"],
        link_roots=not options["no_root"],
    )


def outcomes(
    bench: Bench, chosen: JointSettings, folds: int, say: Say
) -> list[tuple[Scored, JointResult]]:
    """Every case scored, in order, with the shipped weights or crossfitted ones."""
    if folds:
        parts = {}
        for at, scored, result in bench.crossfit(chosen, folds):
            parts[at] = scored, result
            if len(parts) % STEP == 0:
                say(f"{len(parts)} of {len(bench.cases)} pairs parsed jointly")
        return [parts[at] for at in range(len(bench.cases))]
    every = range(len(bench.cases))
    results = bench.results(chosen, bench.parser.weights, every)
    return [(score(case, result), result) for case, result in results]


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
            remedy="give the treebanks named in its sent_id column",
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
