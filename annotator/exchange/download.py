"""Downloads: streamed, always attachments, never shown by a browser."""

import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import IO

from django.conf import settings
from django.http import FileResponse, HttpResponse
from django.http.response import HttpResponseBase

from annotator.errors import BadRequest
from annotator.exchange.files import safe_name
from annotator.throughput.writing import snapshot
from core.data.cells import plain_rows
from core.errors import FormatError, GemelError


@dataclass(frozen=True, slots=True)
class Part:
    """One file of an export; ``lines`` may be read once.

    ``is_table``: of cells that a spreadsheet must not run (core.data.cells).
    """

    name: str
    lines: Iterator[str]
    encoding: str = "utf-8"
    bom: bool = False
    is_table: bool = False

    def chunks(self) -> Iterator[bytes]:
        """The bytes. Raises FormatError where the encoding does not have a
        character."""
        if self.bom:
            yield "\ufeff".encode(self.encoding)
        is_xml = self.name.endswith(".xml")
        for line in map(plain_rows, self.lines) if self.is_table else self.lines:
            try:
                yield line.encode(
                    self.encoding, "xmlcharrefreplace" if is_xml else "strict"
                )
            except UnicodeEncodeError as error:
                sign = line[error.start]
                raise FormatError(
                    f"{sign!r} is not in {self.encoding}, the encoding of {self.name}",
                    remedy="export as gemel or jsonl",
                ) from error


def archive(made: Iterable[Part]) -> IO[bytes]:
    """All parts as one zip, in a file without a name that goes when it is closed."""
    file = _unnamed()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as together:
        for part in made:
            with together.open(part.name, "w", force_zip64=True) as entry:
                for piece in part.chunks():
                    entry.write(piece)
    file.seek(0)
    return file


def attachment(make: Callable[[], list[Part]], name: str) -> HttpResponseBase:
    """One part as it is, several as a zip with this name.

    All is written before the first byte is sent, from one moment of the database: what
    changes meanwhile is in the next export, and what the format cannot hold is said
    instead of a download that breaks off. Raises BadRequest, and as ``make``.
    """
    problem, made = "", list[Part]()
    with snapshot():
        try:
            made = make()
            file, kind = archive(made) if len(made) != 1 else _alone(made[0]), "zip"
        except GemelError as error:  # its cursors are closed within the snapshot
            problem = str(error)
    if problem:
        raise BadRequest(problem, field="kind")
    if len(made) == 1:
        name, kind = made[0].name, "octet-stream"
    response = FileResponse(file, content_type=f"application/{kind}")
    plain = "".join(
        sign if sign.isascii() and (sign.isalnum() or sign in "._-") else "_"
        for sign in safe_name(name)
    )
    response["Content-Disposition"] = f'attachment; filename="{plain}"'
    response["X-Content-Type-Options"] = "nosniff"
    return response


def _alone(part: Part) -> IO[bytes]:
    file = _unnamed()
    for piece in part.chunks():
        file.write(piece)
    file.seek(0)
    return file


def _unnamed() -> IO[bytes]:
    return tempfile.TemporaryFile(dir=settings.GEMEL_HOME)  # the response closes it


def figure(body: bytes, name: str, content_type: str, kind: str) -> HttpResponse:
    """A drawing as a file, which may run nothing; ``kind``: attachment or inline."""
    response = HttpResponse(body, content_type=content_type)
    response["Content-Disposition"] = f'{kind}; filename="{name}"'
    response["Content-Security-Policy"] = "default-src 'none'; style-src 'none'"
    return response
