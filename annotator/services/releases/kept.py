"""The releases of a project: requested, made by a worker, stored as files."""

import os
from collections.abc import Generator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from annotator import access, disk
from annotator.errors import BadRequest
from annotator.models import Job, Project
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.projects import log
from annotator.services.releases.making import Maker, parts_of
from core.protocols import Step

EVERYTHING = "Export of everything"


@dataclass(frozen=True, slots=True)
class Kept:
    """``size`` in bytes; 0 if the file has been taken away. ``is_complete``: an export
    of everything, for managers alone."""

    job: Job
    seal: str
    acts: int
    size: int
    has_texts: bool
    is_complete: bool


def start(
    project: Project,
    *,
    by: Anybody,
    with_texts: bool = False,
    accepts: bool = False,
    chosen: Sequence[str] | None = None,
    licence: str = "",
) -> Job:
    """A job that makes a release. ``accepts``: the warnings of licences were read.

    ``chosen``: codes of corpora and campaigns, None for all; ``licence``: of the items
    of the campaigns. Raises NotAllowed, and BadRequest if nothing of the project is
    chosen, or while there are warnings that no one accepted.
    """
    access.require(by, "manage", project)
    of = parts_of(project, chosen, licence=licence)
    if chosen is not None and not (of.corpora or of.campaigns):
        raise BadRequest(_("Choose a corpus or a campaign."), field="part")
    warnings = of.warnings()
    if warnings and not accepts:
        problem = _("Licences do not allow this release: %(warnings)s")
        raise BadRequest(problem % {"warnings": " ".join(warnings)}, field="accepts")
    params = {"with_texts": with_texts, "licence": of.licence}
    params |= {} if chosen is None else {"chosen": list(chosen)}
    return jobs.create(project, "release", title="Release", by=by, params=params)


def start_everything(project: Project, *, by: Anybody) -> Job:
    """A job that exports all that the project holds, for who keeps it: nothing is
    published, so no licence is asked about. Raises NotAllowed."""
    access.require(by, "manage", project)
    log.note(project, by, "exported", "project", project.name, "everything")
    return jobs.create(
        project,
        "release",
        title=EVERYTHING,
        by=by,
        params={"with_texts": True, "is_complete": True},
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Make the release that the job asks for."""
    disk.require()
    path = path_of(job)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    maker = Maker(
        job.project,
        with_texts=job.params["with_texts"],
        is_complete=bool(job.params.get("is_complete")),
        chosen=job.params.get("chosen"),
        licence=job.params.get("licence", ""),
    )
    manifest = yield from maker.steps(path)
    os.chmod(path, 0o600)
    return {
        "seal": manifest.seal,
        "acts": manifest.ledger_length,
        "bytes": path.stat().st_size,
    }


def kept(project: Project, *, by: Anybody) -> list[Kept]:
    """The releases that were made, the newest first; exports of everything for whom
    they are."""
    rows = project.jobs.filter(kind="release", state=Job.State.DONE)
    sees_all = access.may(by, "manage", project)
    return [
        Kept(
            job,
            str(job.result.get("seal", "")),
            int(job.result.get("acts", 0)),
            _size(path_of(job)),
            bool(job.params.get("with_texts")),
            bool(job.params.get("is_complete")),
        )
        for job in rows.select_related("by").order_by("-pk")
        if sees_all or not job.params.get("is_complete")
    ]


def file_of(project: Project, code: str, *, by: Anybody) -> Path | None:
    """The file of a release, None if it is gone. Raises NotAllowed."""
    access.require(by, "export", project)
    job = project.jobs.filter(kind="release", state=Job.State.DONE, code=code).first()
    if job and job.params.get("is_complete"):
        access.require(by, "manage", project)
    path = path_of(job) if job else None
    return path if path is not None and path.exists() else None


def forget(project: Project, code: str, *, by: Anybody) -> None:
    """Take the file away; that it was made, and its seal, stay. Raises NotAllowed."""
    access.require(by, "manage", project)
    job = project.jobs.filter(kind="release", code=code).first()
    if job is not None:
        with suppress(FileNotFoundError):
            path_of(job).unlink()


def path_of(job: Job) -> Path:
    """The path of this job's release, made or not."""
    return disk.shared() / "releases" / f"{job.code}.zip"


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
