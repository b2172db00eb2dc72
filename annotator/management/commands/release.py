"""Sealed releases: create one of a project, verify one, write one as a dataset."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotator.errors import Refusal
from annotator.management.database import bring_up_to_date
from annotator.management.engine import EngineCommand
from annotator.models import Project
from annotator.services.releases.making import Maker, parts_of


def _made(maker: Maker, path: Path) -> str:
    if path.exists():
        raise FileExistsError(f"{path} already exists: name another file")
    steps = maker.steps(path)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            return str(end.value.seal)


class Command(EngineCommand):
    help = (
        "Create a sealed release of a project, verify one, or write one as a dataset."
    )
    group = "release"

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        (commands,) = (one for one in parser._actions if one.dest == "what")
        make = commands.add_parser("make", help="create a release of a project")  # type: ignore[attr-defined]
        make.add_argument("project", help="slug of the project")
        make.add_argument("--out", type=Path, required=True, help="zip file to write")
        make.add_argument(
            "--texts", action="store_true", help="include people's comments and notes"
        )
        make.add_argument(
            "--everything",
            action="store_true",
            help=(
                "export everything in the project, with names; for keeping, "
                "not for publishing"
            ),
        )
        make.add_argument(
            "--licence", default="", help="licence of the campaigns' items"
        )
        make.add_argument(
            "--accept",
            action="store_true",
            help="ignore licences that forbid publication",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["what"] == "make":
            self._make(options)
        else:
            super().handle(*args, **options)

    def _make(self, options: dict[str, Any]) -> None:
        bring_up_to_date()
        project = Project.objects.filter(slug=options["project"]).first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.")
        is_complete = options["everything"]
        licence = options["licence"]
        of = parts_of(project, licence=licence)
        warnings = [] if is_complete else of.warnings()
        for warning in warnings:
            self.stderr.write(warning)
        if warnings and not options["accept"]:
            raise CommandError(
                "No release was created. Read these warnings, or give --accept."
            )
        try:
            more = {"is_complete": is_complete, "licence": licence}
            maker = Maker(project, with_texts=options["texts"], **more)
            seal = _made(maker, options["out"])
        except (Refusal, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{options['out']}\nseal {seal}")
