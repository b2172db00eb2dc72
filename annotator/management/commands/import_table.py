"""Bring a paraphrase table of ``pivot build`` into a project."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotator.errors import Refusal
from annotator.management.database import DatabaseCommand
from annotator.models import Project
from annotator.services.paraphrases import tables
from core.errors import GemelError


class Command(DatabaseCommand):
    help = "Import a paraphrase table that pivot build has created into a project."

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add("folder", type=Path, help="folder that pivot build --out has created")
        add("--name", default="", help="name of the table (default: the folder's)")
        add("--project", default="", help="slug of the project (default: the first)")

    def handle(self, *args: Any, **options: Any) -> None:
        slug, folder = options["project"], options["folder"]
        projects = Project.objects.order_by("pk")
        project = (projects.filter(slug=slug) if slug else projects).first()
        if project is None:
            raise CommandError(f"There is no project {slug!r}.")
        name = options["name"] or folder.resolve().name
        try:
            table = tables.bring_in(project, name, folder, by=None)
        except (Refusal, GemelError, OSError, ValueError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{table.name} is in {project.name}.")
