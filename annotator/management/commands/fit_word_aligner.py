"""Fit the weights of the word aligner on pairs with links that people made."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotator.management.words import parsed, wordnet
from core.backends import registry
from core.backends.word_cases import (
    FORMATS,
    WordCase,
    apart,
    read_cases,
    read_versions,
)
from core.backends.word_eval import linked
from core.data.check import Floats
from core.errors import FormatError, GemelError, InvalidValue
from core.joint.word_aligner import WEIGHTS, TrainedWordAligner, WordSettings
from core.learning.word_links import fit_metric, fit_words
from core.protocols import Analysis

NONE: frozenset[tuple[int, int]] = frozenset()


class Command(BaseCommand):
    requires_system_checks = []
    help = "Fit the weights of the word aligner on pairs with reference links."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--pairs", type=Path, nargs="+", required=True, metavar="FILE")
        add("--format", choices=FORMATS, default="jacana", help="of --pairs")
        add(
            "--paraphrases",
            type=Path,
            nargs="+",
            required=True,
            metavar="PREFIX",
            help="tokenised files PREFIX.0, PREFIX.1, … that say the same line by "
            "line: what the metric of the vectors is fitted on",
        )
        add("--sample", type=int, default=4000, help="so many paraphrases at most")
        add(
            "--apart",
            type=Path,
            nargs="*",
            default=[],
            metavar="FILE",
            help="MultiMWA files: pairs that share a sentence with them are left out",
        )
        add("--engine", default=registry.DEFAULT, help="the parser, for vectors")
        add("--out", type=Path, default=WEIGHTS, help="by default the shipped file")
        add("--seed", type=int, default=0)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._fit(options)
        except GemelError as error:
            raise CommandError(str(error)) from error

    def _fit(self, options: dict[str, Any]) -> None:
        cases = read_cases(options["pairs"], options["format"])
        others = [
            one for path in options["apart"] for one in read_cases([path], "multimwa")
        ]
        kept = apart(cases, others)
        self.stdout.write(f"{len(cases) - len(kept)} of {len(cases)} pairs left out")
        info = registry.load(options["engine"], settings.MODELS_DIR).info
        if "vectors" not in info.capabilities:
            raise InvalidValue(
                f"{info.name} gives no word vectors: take another engine"
            )
        cases = parsed(kept, options["engine"], self.stdout.write)
        metric = fit_metric(self._paraphrases(options))
        self.stdout.write("the metric is fitted")
        models = []
        for one in (metric, None):
            pairs = linked(cases, vectors=one is not None)
            models.append(fit_words(pairs, wordnet(), one, seed=options["seed"]))
            self.stdout.write(f"{len(models)} of 2 models fitted")
        names = " ".join(path.name for path in options["pairs"])
        facts = {
            "fitted_on": f"{len(cases)} pairs of {names}",
            "vectors": f"{info.name} {info.version}",
        }
        aligner = TrainedWordAligner(models[0], models[1], WordSettings(), facts)
        aligner.save(options["out"])
        self.stdout.write(f"written: {options['out']}")

    def _paraphrases(self, options: dict[str, Any]) -> list[tuple[Floats, Floats]]:
        """Vectors of a random sample of the paraphrases."""
        found = [pair for p in options["paraphrases"] for pair in read_versions(p)]
        if not found:
            raise FormatError("no paraphrases of 8 to 32 words in these files")
        rng = np.random.default_rng(options["seed"])
        order = sorted(rng.permutation(len(found))[: options["sample"]].tolist())
        cases = [
            WordCase("", Analysis(found[at][0]), Analysis(found[at][1]), NONE, NONE)
            for at in order
        ]
        ready = parsed(cases, options["engine"], self.stdout.write)
        return [
            (case.source.vectors, case.target.vectors)
            for case in ready
            if case.source.vectors is not None and case.target.vectors is not None
        ]
