"""Storing the files that people send, once it is clear that they can be read."""

import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files import File
from django.utils.translation import gettext as _

from annotator import access, disk
from annotator.errors import BadRequest, Conflict, TooLarge
from annotator.exchange import registry, unpacking
from annotator.exchange.files import START, Source, refuse_binary, safe_name, sha256
from annotator.models import Job, Project, Upload
from annotator.models.projects import Anybody
from core.formats.records import Format

Packings = Mapping[bytes, Callable[[str, BinaryIO], None]]
"""How packed files begin, each with what raises BadRequest on a bad one of a name."""


def keep_all(
    project: Project,
    files: Iterable[Any],
    *,
    by: Anybody,
    packed: Packings | None = None,
) -> list[Upload]:
    """Store files as a request holds them; raises what ``keep`` raises."""
    return [keep(project, str(one.name), one, by=by, packed=packed) for one in files]


DOCUMENT = {"[Content_Types].xml", "mimetype"}
"""What a document holds that is a zip archive inside: docx, xlsx, odt."""


def files_in(files: Iterable[Any]) -> Iterator[tuple[str, BinaryIO]]:
    """Yield name and content of each file, and of each file in a zip archive.

    A document that is an archive inside stays whole. Raises BadRequest on an archive
    that is locked, broken or too large.
    """
    limit = settings.MAX_UNPACKED_MB * 2**20
    for file in files:
        name, inside = str(file.name), {}
        if zipfile.is_zipfile(file):
            inside = unpacking.members(lambda: _kept_open(file), name, limit=limit)  # noqa: B023
        if inside and not DOCUMENT & inside.keys():
            yield from ((path, opened()) for path, opened in inside.items())
        else:
            yield name, file


def _kept_open(file: Any) -> Any:
    """The file from its start, for a reader that would close it."""
    file.seek(0)
    return nullcontext(file)


def keep(
    project: Project,
    name: str,
    content: BinaryIO,
    *,
    by: Anybody | None,
    packed: Packings | None = None,
) -> Upload:
    """Store a file under a name of our own; its own name is only shown.

    ``packed``: binary files that can be read. Raises NotAllowed, TooLarge, or
    BadRequest on a file that is empty or not text.
    """
    if by is not None:
        access.require(by, "import", project)
    limit = settings.MAX_UPLOAD_MB * 2**20
    content.seek(0, os.SEEK_END)
    size = content.tell()
    content.seek(0)
    disk.require(size)
    if size > limit:
        raise TooLarge(
            _("%(name)s has %(n)s MB; the limit is %(limit)s MB (GEMEL_MAX_UPLOAD_MB).")
            % {
                "name": safe_name(name),
                "n": f"{size / 2**20:.0f}",
                "limit": settings.MAX_UPLOAD_MB,
            },
            limit_mb=settings.MAX_UPLOAD_MB,
        )
    if not size:
        problem = _("%(name)s is empty.") % {"name": safe_name(name)}
        raise BadRequest(problem, field="files")
    _check_start(name, content, packed or {})
    upload = Upload(
        project=project,
        name=safe_name(name),
        size=size,
        by_id=by.pk if by is not None else None,
    )
    upload.sha256 = sha256(content)
    content.seek(0)
    upload.file.save(f"{upload.code}.upload", File(content), save=False)
    upload.save()
    return upload


def _check_start(name: str, content: BinaryIO, packed: Packings) -> None:
    begin = content.read(START)
    content.seek(0)
    for magic, check in packed.items():
        if begin.startswith(magic):
            check(safe_name(name), content)
            content.seek(0)
            return
    refuse_binary(name, begin, field="files")


def uploads_of(job: Job) -> list[Upload]:
    """The files that a job reads, in their order. Raises Conflict if one is gone."""
    codes = job.params["uploads"]
    uploads = {one.code: one for one in job.project.uploads.filter(code__in=codes)}
    if uploads.keys() != set(codes):
        raise Conflict("A file of this import is no longer stored. Upload it again.")
    return [uploads[code] for code in codes]


def opened(
    uploads: Iterable[Upload], encoding: str, fallback: str = "", *, whole: bool = True
) -> list[Source]:
    """The files to read. ``encoding`` "": find out, or else ``fallback``; without
    ``whole`` their beginnings."""
    return [
        Source(one.name, _opener(Path(one.file.path), whole=whole), encoding, fallback)
        for one in uploads
    ]


def _opener(path: Path, *, whole: bool) -> Callable[[], BinaryIO]:
    def start() -> BinaryIO:
        with path.open("rb") as file:
            return registry.beginning(file)

    return (lambda: path.open("rb")) if whole else start


def format_of(uploads: Iterable[Upload], encoding: str) -> Format:
    """The format that the files are in. Raises BadRequest if none reads them."""
    kind = registry.format_of(opened(uploads, encoding, "latin-1", whole=False))
    if kind is None:
        raise BadRequest(
            _(
                "No format matches these files. Choose the format you meant: "
                "its errors name the lines."
            ),
            field="format",
        )
    return kind
