"""Fit what joint parsing learns on pairs whose sources have gold."""

from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotator.management.joint import read_cases
from core.backends import registry
from core.backends.joint_eval import Case
from core.backends.joint_fit import Bench
from core.errors import GemelError
from core.joint.joint_parser import METHODS, JointParser, JointSettings, Method
from core.joint.joint_weights import WEIGHTS

GATED: tuple[Method, ...] = ("bp", "mbr", "soft", "hard", "pairs")


class Command(BaseCommand):
    requires_system_checks = []
    help = "Fit the numbers and gates of joint parsing on pairs with gold sources."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--pairs", type=Path, required=True, metavar="FILE")
        add("--gold", type=Path, nargs="+", required=True, metavar="PATH")
        add(
            "--engine",
            nargs="+",
            default=[registry.DEFAULT],
            help="parsers; of several, one set of weights is fitted for all",
        )
        add("--method", nargs="+", choices=METHODS, default=GATED)
        add("--out", type=Path, default=WEIGHTS, help="by default the shipped file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            cases: list[Case] = []
            for engine in options["engine"]:
                cases += read_cases(
                    options["pairs"], options["gold"], engine, self.stderr.write
                )[0]
            bench = Bench.of(cases, JointParser.load())
            for method in options["method"]:
                found = bench.fit(JointSettings(method), range(len(cases)))
                bench = replace(bench, parser=replace(bench.parser, weights=found))
                self.stderr.write(f"{method}: fitted")
        except GemelError as error:
            raise CommandError(str(error)) from error
        weights = bench.parser.weights
        facts = {
            "fitted_on": f"{len(cases)} pairs of {options['pairs'].name}, "
            "paraphrases written by a language model, unchecked",
            "parsers": " ".join(options["engine"]),
        }
        replace(weights, facts=facts).save(options["out"])
        self.stdout.write(f"{len(cases)} pairs: {options['out']}")
