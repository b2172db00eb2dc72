"""Large text in pieces: parse it, align it."""

import argparse
from types import ModuleType

from annotator.management.engine import EngineCommand
from annotator.services.corpora import spreading
from core.stages.commands import run


class Command(EngineCommand):
    help = "Parse or align large text, here, by workers or on Spark."
    group = "corpus"

    def extend(self, module: ModuleType, parser: argparse.ArgumentParser) -> None:
        run.RUNNERS["workers"] = spreading.spread
        (where,) = (one for one in parser._actions if one.dest == "on")
        where.choices = sorted({*run.RUNNERS, "spark"})
