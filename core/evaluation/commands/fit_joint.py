"""``fit joint``: what joint parsing learns on pairs whose sources have gold."""

from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.evaluation.commands.joint import read_cases
from core.evaluation.joint_parsing import Bench, JointCase
from core.joint_parsing.gate import WEIGHTS
from core.joint_parsing.parser import METHODS, JointParser, JointSettings, Method
from core.parsing import registry
from core.parsing.registry import Say

HELP = "the numbers and gates of joint parsing, on pairs with gold sources"
GATED: tuple[Method, ...] = ("bp", "mbr", "soft", "hard", "pairs")


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add("--pairs", type=Path, required=True, metavar="FILE")
    add("--gold", type=Path, nargs="+", required=True, metavar="PATH")
    add(
        "--engine",
        nargs="+",
        default=[registry.DEFAULT],
        help="parsers; of several, one set of weights is fitted for all",
    )
    add("--models", type=Path, metavar="DIR", help="has folders of further parsers")
    add("--method", nargs="+", choices=METHODS, default=GATED)
    add("--out", type=Path, default=WEIGHTS, help="by default the shipped file")


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Fits and writes the weights; on how many pairs, and where they are."""
    cases: list[JointCase] = []
    for engine in options["engine"]:
        backend = registry.load(engine, options["models"])
        cases += read_cases(options["pairs"], options["gold"], backend, say)[0]
    bench = Bench.of(cases, JointParser.load())
    for method in options["method"]:
        weights = bench.fit(JointSettings(method), range(len(cases)))
        bench = replace(bench, parser=replace(bench.parser, weights=weights))
        say(f"{method}: fitted")
    facts = {
        "fitted_on": f"{len(cases)} pairs of {options['pairs'].name}, "
        "paraphrases written by a language model, unchecked",
        "parsers": " ".join(options["engine"]),
    }
    replace(bench.parser.weights, facts=facts).save(options["out"])
    return {"pairs": len(cases), "weights": str(options["out"])}
