"""``evaluate joint``: the variants of joint inference, fitted on other pairs."""

import argparse
from typing import Any

from core.errors import InvalidValue
from core.evaluation import joint_parsing as joint
from core.evaluation.joint_parsing import (
    STEP,
    Scored,
    read_cases,
    report,
    report_sets,
    score,
    score_sets,
)
from core.joint_parsing.parser import JointParser
from core.joint_parsing.values import JointResult, JointSettings
from core.parsing.registry import Say, backend_of
from lab.evaluation.joint_errors import breakdown
from lab.evaluation.joint_fitting import Bench

HELP = "compare variants of joint parsing, also with weights fitted on other pairs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    joint.add_arguments(parser)
    parser.add_argument(
        "--rounds",
        type=int,
        default=JointSettings().rounds,
        help="rounds of dual decomposition, at most",
    )
    _add_inference_arguments(parser)
    _add_report_arguments(parser)


def _add_inference_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--slack", type=float, help="in nats (default: the shipped value)")
    add(
        "--slack-kind",
        choices=("one", "prob"),
        default="one",
        help="cost of a violated link: one weight, or its probability",
    )
    add("--trust", type=float, help="in nats, for mbr (default: the shipped value)")
    add(
        "--n-best",
        type=int,
        default=JointSettings().n_best,
        help="pairs of n-best trees to rank",
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
