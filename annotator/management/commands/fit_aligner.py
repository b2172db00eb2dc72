"""Fit the weights of the phrase aligner on reference links."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotator.management.alignment import fitted_on, read
from core.agreement.paired import sign_flip_p
from core.backends import align_treebanks, registry
from core.backends.align_eval import examples
from core.backends.align_tuning import RANGES, numbers_of, scorer
from core.errors import GemelError
from core.joint.forest_align import AlignSettings
from core.joint.phrase_aligner import WEIGHTS, PhraseAligner
from core.learning.phrase_links import fit, without_vectors
from core.learning.tuning import nested, study
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
        add(
            "--tune",
            type=int,
            metavar="N",
            help="write no weights: try N settings (Bayesian optimisation, needs "
            "optuna) and report what they are worth, each pair with weights fitted "
            "without it",
        )
        add("--study", type=Path, help="keeps the trials of --tune; is gone on with")
        add("--folds", type=int, default=10, help="of --tune")
        add("--seed", type=int, default=0, help="of --tune")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["tune"]:
                self._tune(options)
                return
            if all(path.suffix == ".xml" for path in options["pairs"]):
                out = self._fit_treebanks(options)
            else:
                out = self._fit_pairs(options)
        except GemelError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"weights: {out}")

    def _tune(self, options: dict[str, Any]) -> None:
        if not options["study"]:
            raise CommandError("--tune needs --study FILE, which keeps the trials")
        shipped, seed = PhraseAligner.load(WEIGHTS), options["seed"]
        cases = [
            case for path in options["pairs"] for case in read(path, options["engine"])
        ]
        n = options["folds"]
        found = study(
            scorer(cases, thesaurus(), shipped.settings, folds=n, seed=seed),
            RANGES,
            numbers_of(shipped.context, shipped.settings),
            trials=options["tune"],
            seed=seed,
            kept=options["study"],
            on_trial=lambda at, f1, best: self.stdout.write(
                f"trial {at}: F1 {100 * f1:.2f}, best {100 * best:.2f}"
            ),
        )
        told = nested(found, k=n, seed=seed)
        p = sign_flip_p(told.differences, np.random.default_rng(seed))
        report = {
            "trials": len(found),
            "f1_now": told.first,
            "f1_nested": told.chosen,
            "f1_best": told.best,
            "p_recall": p[0],
            "p_precision": p[1],
            "numbers": dict(told.numbers),
        }
        self.stdout.write(json.dumps(report))

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
