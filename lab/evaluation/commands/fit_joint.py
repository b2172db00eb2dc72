"""``fit joint``: what joint parsing learns on pairs whose sources have gold."""

from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.evaluation.joint_parsing import JointCase, read_cases
from core.joint_parsing.gate import WEIGHTS
from core.joint_parsing.parser import JointParser
from core.joint_parsing.values import METHODS, JointSettings, Method
from core.parsing import registry
from core.parsing.registry import Say
from lab.evaluation.joint_fitting import Bench

HELP = "fit the weights and gates of joint parsing on pairs with gold source trees"
GATED: tuple[Method, ...] = ("bp", "mbr", "soft", "hard", "pairs")


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--pairs",
        type=Path,
        required=True,
        metavar="FILE",
        help="tab-separated pairs: corpus, sent_id, source, paraphrase, operations",
    )
    add(
        "--gold",
        type=Path,
        nargs="+",
        required=True,
        metavar="PATH",
        help="gold treebanks: files or folders",
    )
    add(
        "--engine",
        nargs="+",
        default=[registry.DEFAULT],
        help="parsers to fit for; one set of weights serves all of them",
    )
    add(
        "--models",
        type=Path,
        metavar="DIR",
        help="folder that holds further parser folders",
    )
    add(
        "--method",
        nargs="+",
        choices=METHODS,
        default=GATED,
        help="methods to fit gates for",
    )
    add(
        "--out",
        type=Path,
        default=WEIGHTS,
        help="weights file to write (default: the shipped file)",
    )


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
