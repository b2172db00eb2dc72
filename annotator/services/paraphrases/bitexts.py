"""Importing parallel text: a job that checks every line first, then writes files.

A job whose worker died begins again; what it had written is written over. One that is
cancelled, or fails, takes its files away.
"""

import shutil
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.db import OperationalError, transaction
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.exchange import bitexts as exchange
from annotator.exchange import unpacking
from annotator.exchange.bitexts import FORMATS, BitextReading
from annotator.exchange.files import ENCODINGS, Source
from annotator.models import Bitext, Job, Project, Upload
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.corpora import storing
from core.formats.bitext.records import BitextRecord
from core.formats.records import BadLine
from core.pivoting.bitext import Bitext as BitextFile
from core.pivoting.bitext import BitextPair, join_files, write_pairs
from core.protocols import Step

KIND = "bitext_import"
PART = 20_000  # pairs of a file that is written at once
TOLD = 2_000  # lines between two progress reports
_ABOUT = ("source_language", "target_language", "licence", "provenance")


def keep(project: Project, files: Iterable[Any], *, by: Anybody) -> list[Upload]:
    """Store files as a request holds them, packed with gzip or not.

    Raises what ``storing.keep`` raises.
    """
    packed = {unpacking.GZIP: unpacking.check}
    return storing.keep_all(project, files, by=by, packed=packed)


def start(
    project: Project,
    uploads: list[Upload],
    *,
    name: str,
    reading: BitextReading,
    by: Anybody,
    about: dict[str, str] | None = None,
    encoding: str = "",
    dry_run: bool = True,
    partial: bool = False,
    enqueue: bool = True,
) -> Job:
    """A job that checks these files, or makes a bitext of this name from them.

    ``partial``: good lines are imported even if others are bad. Raises NotAllowed,
    BadRequest, or Conflict if the project has a bitext of this name.
    """
    access.require(by, "import", project)
    name = " ".join(name.split())[:120]
    if not name or not uploads:
        raise BadRequest(_("Enter a name and choose the files."), field="name")
    if reading.format not in FORMATS:
        reason = _("Formats: %(names)s.") % {"names": ", ".join(FORMATS)}
        raise BadRequest(reason, field="format")
    if encoding not in ("", *ENCODINGS):
        reason = _("Encodings: %(names)s.") % {"names": ", ".join(ENCODINGS)}
        raise BadRequest(reason, field="encoding")
    _check_name(project, name)
    params = {
        "name": name,
        "uploads": [upload.code for upload in uploads],
        "reading": {key: getattr(reading, key) for key in BitextReading.__slots__},
        "about": {key: (about or {}).get(key, "") for key in _ABOUT},
        "encoding": encoding,
        "dry_run": dry_run,
        "partial": partial,
    }
    title = f"{'Check' if dry_run else 'Import'} bitext {name}"
    return jobs.create(
        project, KIND, title=title, by=by, params=params, enqueue=enqueue
    )


def go_on(job: Job, *, by: Anybody, partial: bool) -> Job:
    """The import of this dry run; raises NotAllowed, or Conflict if the job is not a
    finished dry run."""
    if not job.params.get("dry_run") or job.state != Job.State.DONE:
        raise Conflict(_("Only a finished dry run can be followed by its import."))
    params = job.params
    return start(
        job.project,
        storing.uploads_of(job),
        name=params["name"],
        reading=BitextReading(**params["reading"]),
        by=by,
        about=params["about"],
        encoding=params["encoding"],
        dry_run=False,
        partial=partial,
    )


def delete(bitext: Bitext, *, by: Anybody) -> None:
    """Take the row and its files away; raises NotAllowed, or Conflict at work on it."""
    access.require(by, "import", bitext.project)
    active = Job.objects.active().filter(project=bitext.project)
    if any(bitext.code in _needed(job) for job in active):
        raise Conflict(_("A job is running on this parallel text. Cancel it first."))
    folder = bitext.folder
    bitext.delete()
    transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))


def _needed(job: Job) -> set[str]:
    """The bitexts that a job reads or works on, by code."""
    return {job.params.get("bitext", ""), *job.params.get("bitexts", ())}


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Check all lines; then, unless it is a dry run, write them.

    Raises Conflict if lines are bad and a partial import was not asked for, if no pair
    has both sides, or if the name has been taken meanwhile.
    """
    folder = Bitext(code=job.code).folder
    try:
        return (yield from _work(job, folder))
    except OperationalError:
        raise  # it will be run again
    except (Exception, GeneratorExit):
        if not Bitext.objects.filter(code=job.code).exists():
            shutil.rmtree(folder, ignore_errors=True)
        raise


def _work(job: Job, folder: Path) -> Generator[Step, None, dict[str, Any]]:
    encoding = job.params["encoding"]
    sources = [_source(one, encoding) for one in storing.uploads_of(job)]
    reading = BitextReading(**job.params["reading"])
    counts = {"pairs": 0, "without_counterpart": 0, "issues": 0}
    yield from _check(job, sources, reading, counts)
    result: dict[str, Any] = {"dry_run": True, "name": job.params["name"], **counts}
    if job.params["dry_run"]:
        return result
    if counts["issues"] and not job.params["partial"]:
        raise Conflict(
            f"Lines that cannot be read: {counts['issues']}; so nothing was imported. "
            "Fix them, or import the other rows without them."
        )
    if not counts["pairs"]:
        raise Conflict("There is nothing to import: no line has both sides.")
    bitext = Bitext.objects.filter(code=job.code).first()  # the worker died after it
    if bitext is None:
        bitext = yield from _write(job, folder, sources, reading, counts)
    return result | {"dry_run": False, "sentences": bitext.n_sentences}


def _write(
    job: Job,
    folder: Path,
    sources: list[Source],
    reading: BitextReading,
    counts: dict[str, int],
) -> Generator[Step, None, Bitext]:
    _check_name(job.project, job.params["name"], but=job.code)
    shutil.rmtree(folder, ignore_errors=True)
    yield Step(total=sum(counts.values()) + counts["pairs"], note="Writing")
    parts: list[Path] = []
    for rows in _slices(job, sources, reading):
        parts.append(folder / f"part-{len(parts):05d}.parquet")
        write_pairs(parts[-1], rows)
        yield Step(done=len(rows))
    join_files(parts, folder / "pairs.parquet")
    for part in parts:
        part.unlink()
    return _store(job, counts)


def _check(
    job: Job, sources: list[Source], reading: BitextReading, counts: dict[str, int]
) -> Generator[Step, None, None]:
    held = 0
    for file, record in exchange.read(sources, reading):
        held += 1
        if isinstance(record, BadLine):
            counts["issues"] += 1
            _complain(job, file, record)
        elif record.source and record.target:
            counts["pairs"] += 1
        else:
            counts["without_counterpart"] += 1
        if held == TOLD:
            yield Step(done=held, note=f"Checking {file}")
            held = 0
    yield Step(done=held)


def _slices(
    job: Job, sources: list[Source], reading: BitextReading
) -> Iterator[list[BitextPair]]:
    rows: list[BitextPair] = []
    for _place, record in exchange.read(sources, reading):
        if isinstance(record, BitextRecord) and record.source and record.target:
            rows.append(_row(job.params["name"], record))
        if len(rows) == PART:
            yield rows
            rows = []
    if rows:
        yield rows


def _row(corpus: str, record: BitextRecord) -> BitextPair:
    sides = " ".join(record.source), " ".join(record.target)
    return BitextPair(record.number, corpus, *sides, record.links)


def _store(job: Job, counts: dict[str, int]) -> Bitext:
    params = job.params
    made = Bitext(project=job.project, code=job.code, name=params["name"])
    file = BitextFile(made.pairs_path)
    for key, value in params["about"].items():
        setattr(made, key, value)
    made.files = [
        {"name": one.name, "size": one.size, "sha256": one.sha256}
        for one in storing.uploads_of(job)
    ]
    made.n_pairs, made.n_gaps = counts["pairs"], counts["without_counterpart"]
    sizes = file.sizes()
    made.n_sentences, made.n_links = sizes.sources, sizes.links
    made.n_source_tokens, made.n_target_tokens = (
        sizes.source_tokens,
        sizes.target_tokens,
    )
    made.aligner = "given" if file.n_linked else ""
    made.created_by_id = job.by_id
    made.save()
    return made


def _check_name(project: Project, name: str, *, but: str = "") -> None:
    taken = project.bitexts.filter(name=name).exclude(code=but)
    if taken.exists():
        reason = _(
            "This project already has parallel text called %(name)s. "
            "Choose another name."
        )
        raise Conflict(reason % {"name": name})


def _source(upload: Upload, encoding: str) -> Source:
    def opened() -> BinaryIO:
        return cast(BinaryIO, upload.file.storage.open(str(upload.file.name), "rb"))

    limit = settings.MAX_UNPACKED_MB * 2**20
    return Source(
        upload.name, unpacking.unpacked(opened, upload.name, limit=limit), encoding
    )


def _complain(job: Job, file: str, line: BadLine) -> None:
    jobs.report_issue(
        job,
        line.reason,
        file=line.file or file,
        line=line.line,
        column=line.column,
        remedy=line.remedy,
        excerpt=line.excerpt,
    )
