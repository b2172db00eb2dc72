"""Fit the weights of the phrase aligner on reference links."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotator.management.alignment import read
from core.backends import registry
from core.backends.align_eval import examples
from core.errors import GemelError
from core.joint.forest_align import AlignSettings
from core.joint.phrase_aligner import WEIGHTS, PhraseAligner
from core.learning.phrase_links import fit, without_vectors
from core.text.wordnet import thesaurus

WORD_BIAS, PHRASE_BIAS = 1.0, 2.0  # nats; tuned by cross-validation, see bench/aligner


class Command(BaseCommand):
    requires_system_checks = []
    help = "Fit the weights of the phrase aligner on pairs with reference links."

    def add_arguments(self, parser: ArgumentParser) -> None:
        add = parser.add_argument
        add("--pairs", type=Path, required=True, metavar="FILE")
        add("--engine", default=registry.DEFAULT, help="the parser, for vectors")
        add("--out", type=Path, default=WEIGHTS, help="by default the shipped file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            cases = read(options["pairs"], options["engine"])
            references = [one for case in cases for one in examples(case)]
            models = [
                fit(some, thesaurus(), word_bias=WORD_BIAS, phrase_bias=PHRASE_BIAS)
                for some in (references, without_vectors(references))
            ]
        except GemelError as error:
            raise CommandError(str(error)) from error
        info = registry.load(options["engine"], settings.MODELS_DIR).info
        facts = {
            "fitted_on": f"{len(cases)} pairs of {options['pairs'].name}",
            "vectors": f"{info.name} {info.version}",
        }
        PhraseAligner(models[0], models[1], AlignSettings(), facts).save(options["out"])
        self.stdout.write(f"{len(cases)} pairs: {options['out']}")
