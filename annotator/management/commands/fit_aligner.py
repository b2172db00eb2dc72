"""Fit the weights of the phrase aligner on reference links."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotator.management.alignment import fitted_on, read
from core.backends import align_treebanks, registry
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
        add(
            "--pairs",
            nargs="+",
            type=Path,
            required=True,
            metavar="FILE",
            help="JSON of pairs with reference links; or TreeAligner XML of parallel "
            "treebanks: then the weights for trees whose words are linked",
        )
        add("--engine", default=registry.DEFAULT, help="the parser, for vectors")
        add("--out", type=Path, help="by default the shipped file")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if all(path.suffix == ".xml" for path in options["pairs"]):
                out = self._fit_treebanks(options)
            else:
                out = self._fit_pairs(options)
        except GemelError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"weights: {out}")

    def _fit_treebanks(self, options: dict[str, Any]) -> Path:
        out = options["out"] or align_treebanks.WEIGHTS
        fitted_on(options["pairs"]).save(out)
        return Path(out)

    def _fit_pairs(self, options: dict[str, Any]) -> Path:
        cases = [
            case for path in options["pairs"] for case in read(path, options["engine"])
        ]
        references = [one for case in cases for one in examples(case)]
        models = [
            fit(some, thesaurus(), word_bias=WORD_BIAS, phrase_bias=PHRASE_BIAS)
            for some in (references, without_vectors(references))
        ]
        info = registry.load(options["engine"], settings.MODELS_DIR).info
        names = " ".join(path.name for path in options["pairs"])
        facts = {
            "fitted_on": f"{len(cases)} pairs of {names}",
            "vectors": f"{info.name} {info.version}",
        }
        out = options["out"] or WEIGHTS
        PhraseAligner(models[0], models[1], AlignSettings(), facts).save(out)
        return Path(out)
