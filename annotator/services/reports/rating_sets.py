"""Sets of imported ratings: uploading and removing them."""

import hashlib
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict, TooLarge
from annotator.exchange import ratings as files
from annotator.exchange.files import START, refuse_binary
from annotator.models import Project, RatingSet, Upload
from annotator.models.projects import Anybody
from core.errors import GemelError
from core.formats.ratings import LAYOUTS

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
        raise BadRequest(_("Enter a name for the set."), field="name")
    if form not in LAYOUTS:
        text = _("There is no format %(name)s.") % {"name": repr(form)}
        raise BadRequest(text, field="format")
    if (sent.size or 0) > MAX_BYTES:
        text = _("The file is larger than %(n)s MB.") % {"n": MAX_BYTES >> 20}
        raise TooLarge(text, field="file")
    raw, file = sent.read(), sent.name or "ratings.tsv"
    refuse_binary(file, raw[:START], field="file")
    parsed = _parsed(raw, form, file)
    sent.seek(0)
    upload = Upload.objects.create(
        project=project,
        file=sent,
        name=file[:255],
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
        text = _("There is already a set named %(name)s.") % {"name": name}
        raise Conflict(text, field="name") from error


def _parsed(raw: bytes, form: str, name: str) -> files.RatingFile:
    try:
        lines = raw.decode("utf-8").split("\n")
        parsed = files.parse(lines, LAYOUTS[form], name=name)
    except UnicodeDecodeError as error:
        text = _("%(file)s is not UTF-8 (byte %(byte)s). Save it as UTF-8.")
        values = {"file": name, "byte": error.start}
        raise BadRequest(text % values, field="file") from error
    except GemelError as error:
        raise BadRequest(str(error), field="file") from error
    if not parsed.n_ratings:
        text = _("%(file)s has a header but no ratings.") % {"file": name}
        raise BadRequest(text, field="file")
    return parsed
