"""Import a corpus, and wait until it is done."""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotator.exchange import registry
from annotator.exchange.files import ENCODINGS, Source
from annotator.management.database import (
    DatabaseCommand,
    corpora_called,
    refuse_several,
)
from annotator.models import Job, Project, Upload
from annotator.services import jobs
from annotator.services.corpora import imports, storing
from annotator.services.projects import members
from core.formats.alignments import treealigner

EXAMPLES = "\n".join(
    f"  manage.py import_corpus {' '.join(one.example)} --format {one.name} --corpus A"
    for one in registry.FORMATS.values()
)


class Command(DatabaseCommand):
    requires_system_checks = []
    help = (
        "Import files, or a folder of files, into a corpus. TreeAligner files need "
        "their TigerXML files next to them; Pharaoh needs the links, the source text "
        "and the target text."
    )

    def create_parser(self, *args: Any, **options: Any) -> CommandParser:
        options["epilog"] = "examples:\n" + EXAMPLES
        options["formatter_class"] = argparse.RawDescriptionHelpFormatter
        return super().create_parser(*args, **options)

    def add_arguments(self, parser: CommandParser) -> None:
        add = parser.add_argument
        add(
            "path",
            nargs="+",
            type=Path,
            metavar="PATH",
            help="files, or a folder of files",
        )
        add(
            "--format",
            required=True,
            choices=list(registry.FORMATS),
            help="format of the files",
        )
        add(
            "--corpus",
            required=True,
            help="name or code of the corpus; a new name creates one",
        )
        add(
            "--project",
            default="",
            help="slug of the project (default: the corpus's, the first, or a new one)",
        )
        add("--licence", default="", help="licence of a new corpus")
        add("--provenance", default="", help="source of a new corpus")
        add(
            "--source-language",
            default="en",
            help="language code of the source sentences (default: %(default)s)",
        )
        add(
            "--target-language",
            default="en",
            help="language code of the target sentences (default: %(default)s)",
        )
        add(
            "--encoding",
            default="",
            choices=["", *ENCODINGS],
            help="encoding of the files (default: detected)",
        )
        add(
            "--dry-run",
            action="store_true",
            help="show what would be imported, and import nothing",
        )
        add(
            "--partial",
            action="store_true",
            help="import the rows that can be read, and skip the others",
        )
        add("--tokenised", action="store_true", help="text has spaces between tokens")
        add("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        kind = registry.find(options["format"])
        project, name = _place(options["corpus"], options["project"])
        uploads: list[Upload] = []
        for path in _paths(kind, options["path"]):
            with path.open("rb") as file:
                uploads += [
                    storing.keep(project, name, content, by=None)
                    for name, content in storing.files_in([file])
                ]
        job = imports.start(
            project,
            uploads,
            kind=kind.name,
            corpus=name,
            by=None,
            about={name: options[name] for name in _ABOUT},
            encoding=options["encoding"],
            dry_run=options["dry_run"],
            partial=options["partial"],
            tokenised=options["tokenised"],
            enqueue=False,
        )
        jobs.run(job.pk)
        job.refresh_from_db()
        self._report(job, as_json=options["json"])

    def _report(self, job: Job, *, as_json: bool) -> None:
        issues = list(job.issues.all())
        if as_json:
            names = ("sentences", "pairs", "parses", "layers", "links", "issues", "new")
            report: dict[str, Any] = {name: job.result.get(name) for name in names}
            if job.state != Job.State.DONE:
                report = {"error": job.note, "issues": len(issues)}
            report["bad"] = [_issue(issue) for issue in issues[:1000]]
            self.stdout.write(json.dumps(report, ensure_ascii=False))
        else:
            for issue in issues[:50]:
                self.stderr.write(f"{issue} {issue.remedy and f'({issue.remedy})'}")
            if len(issues) > 50:
                self.stderr.write(f"... and {len(issues) - 50} more")
            if job.state == Job.State.DONE:
                self.stdout.write(_summary(job.result))
        if job.state != Job.State.DONE:
            raise CommandError(job.note + ("\n" + job.error if job.error else ""))


_ABOUT = ("licence", "provenance", "source_language", "target_language")


def _summary(result: dict[str, Any]) -> str:
    """A text that says what was found, and what of it is new."""
    names = ("sentences", "pairs", "parses", "layers", "links")
    lines = [_counted(result, names)]
    if result["dry_run"]:
        lines.append("Only checked; nothing was written.")
    elif any(result["new"].values()):
        lines.append(f"Written to {result['corpus']}: {_counted(result['new'], names)}")
    else:
        lines.append(f"All of it was in {result['corpus']} already.")
    return "\n".join(lines)


def _counted(counts: dict[str, int], names: Iterable[str]) -> str:
    named = [(counts[name], name) for name in names if name in counts]
    parts = (f"{n:,} {name if n != 1 else name[:-1]}" for n, name in named)
    return ", ".join(parts) + "."


def _issue(issue: Any) -> dict[str, Any]:
    names = ("file", "line", "column", "reason", "remedy")
    return {name: getattr(issue, name) for name in names}


def _place(corpus: str, slug: str) -> tuple[Project, str]:
    """Return the project and the name of the corpus, which may be new."""
    found = corpora_called(corpus, slug)
    refuse_several(found)
    return (found[0].project, found[0].name) if found else (_project(slug), corpus)


def _project(slug: str) -> Project:
    if slug:
        project = Project.objects.filter(slug=slug).first()
        if project is None:
            raise CommandError(f"There is no project {slug!r}.")
        return project
    first = Project.objects.order_by("pk").first()
    if first is not None:
        return first
    owner, _ = members.ensure_owner()
    return members.create("Corpora", by=owner)


def _paths(kind: registry.Format, given: list[Path]) -> list[Path]:
    """The files; of a folder those named as this format's are, else all."""
    paths: list[Path] = []
    for path in given:
        if not path.exists():
            raise CommandError(f"There is no file {path}.")
        if path.is_dir():
            files = sorted(one for one in path.rglob("*") if one.is_file())
            named = [one for one in files if one.suffix.lower() in kind.suffixes]
            paths += named or files
        else:
            paths.append(path)
    if kind.name == "treealigner" and len(paths) == 1:
        main = paths[0]
        lines = Source(main.name, lambda: main.open("rb")).lines()
        names = (Path(name).name for name in treealigner.filenames(lines))
        paths += [one for one in (main.parent / name for name in names) if one.exists()]
    return paths
