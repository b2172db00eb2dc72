"""Sets of ratings that were collected elsewhere: uploading and removing them."""

import hashlib
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction

from annotator import access
from annotator.errors import BadRequest, Conflict, TooLarge
from annotator.exchange import ratings as files
from annotator.models import Project, RatingSet, Upload
from annotator.models.projects import Anybody
from core.errors import GemelError
from core.formats.ratings import LAYOUTS

__all__ = ["FORMATS", "add"]

FORMATS = tuple(LAYOUTS)
MAX_BYTES = 50 * 2**20


@transaction.atomic
def add(
    project: Project, sent: "UploadedFile[Any]", *, name: str, form: str, by: Anybody
) -> RatingSet:
    """The set of a file, read to its end first: a bad line refuses the whole file.

    Raises NotAllowed, BadRequest with every bad line, TooLarge, or Conflict if the
    project has a set of that name.
    """
    access.require(by, "import", project)
    name = name.strip()[:120]
    if not name:
        raise BadRequest("Give the set a name.", field="name")
    if form not in LAYOUTS:
        raise BadRequest(f"There is no format {form!r}.", field="format")
    if (sent.size or 0) > MAX_BYTES:
        raise TooLarge(f"The file is larger than {MAX_BYTES >> 20} MB.", field="file")
    raw = sent.read()
    parsed = _parsed(raw, form, sent.name or "the file")
    sent.seek(0)
    upload = Upload.objects.create(
        project=project,
        file=sent,
        name=(sent.name or "ratings.tsv")[:255],
        size=len(raw),
        sha256=hashlib.sha256(raw).hexdigest(),
        by_id=by.pk,
    )
    try:
        with transaction.atomic():
            return RatingSet.objects.create(
                project=project,
                name=name,
                format=form,
                upload=upload,
                n_items=parsed.n_items,
                n_annotators=parsed.n_annotators,
                n_ratings=parsed.n_ratings,
                created_by_id=by.pk,
            )
    except IntegrityError as error:
        raise Conflict(f"There is a set named {name} already.", field="name") from error


def _parsed(raw: bytes, form: str, name: str) -> files.RatingFile:
    try:
        lines = raw.decode("utf-8").split("\n")
        parsed = files.parse(lines, LAYOUTS[form], name=name)
    except UnicodeDecodeError as error:
        raise BadRequest(
            f"{name} is not UTF-8 (byte {error.start}): save it as UTF-8.", field="file"
        ) from error
    except GemelError as error:
        raise BadRequest(str(error), field="file") from error
    if not parsed.n_ratings:
        raise BadRequest(f"{name} holds a header and no rating.", field="file")
    return parsed
