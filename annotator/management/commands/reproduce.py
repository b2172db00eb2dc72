"""Measure a published result again: the paper's figures beside ours."""

import argparse
import json
from importlib import import_module
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.errors import GemelError

PAPERS = {
    "arase2017": "annotator.management.reproduction.arase2017",
    "choe2015": "annotator.management.reproduction.choe2015",
    "wu2005": "annotator.management.reproduction.wu2005",
    "itg-coverage": "annotator.management.reproduction.coverage",
}


class Command(BaseCommand):
    help = "Measure published results again, on data that you have."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        papers = parser.add_subparsers(dest="paper", required=True, metavar="WHAT")
        for name, place in PAPERS.items():
            module = import_module(place)
            one = papers.add_parser(name, help=module.HELP, description=module.HELP)
            one.add_argument("--json", action="store_true", help="JSON, no table")
            module.add_arguments(one)

    def handle(self, *args: Any, **options: Any) -> None:
        module = import_module(PAPERS[options["paper"]])
        try:
            results = module.run(options)
        except (GemelError, OSError) as error:
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(results, ensure_ascii=False, indent=1))
        else:
            self.stdout.write("\n".join(module.lines(results)))
