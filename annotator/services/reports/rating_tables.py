"""Tables of ratings with chosen columns: stored, checked, and imported as a set."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, cast

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils.translation import gettext

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.exchange import ratings as files
from annotator.exchange.files import Source
from annotator.exchange.peers import registry as peers
from annotator.exchange.peers.reports import TransferReport
from annotator.exchange.peers.sheets import FIELDS, PeerSheet
from annotator.exchange.rating_tables import LAYOUTS, RatingsReading, guess, records
from annotator.exchange.tables import ZIP
from annotator.models import Project, RatingSet, Upload
from annotator.models.projects import Anybody
from annotator.services.corpora import storing
from core.data.ratings import Scale
from core.errors import GemelError
from core.formats.ratings import LAYOUTS as FIXED
from core.formats.records import BadLine

TABLE = "table"
N_PREVIEW, N_SEEN, SHOWN = 3, 50, 50


@dataclass
class RatingsPreview:
    """A file's content, before anything is stored.

    ``scales``: each as it is declared, or as its values make it seem; ``proposed``:
    from where to where a tool's scale may have gone. ``report``: what an export holds.
    """

    reading: RatingsReading
    columns: tuple[str, ...]
    preview: list[list[str]]
    form: str
    encoding: str
    guessed: str  # a line to check if the encoding is only the likeliest
    delimiter: str
    lacking: list[str] = field(default_factory=list)
    scales: list[Scale] = field(default_factory=list)
    n_ratings: int = 0
    n_items: int = 0
    n_annotators: int = 0
    conditions: dict[str, int] = field(default_factory=dict)
    n_bad: int = 0
    bad: list[BadLine] = field(default_factory=list)
    proposed: dict[str, tuple[int, int]] = field(default_factory=dict)
    report: TransferReport | None = None


def keep(project: Project, name: str, content: BinaryIO, *, by: Anybody) -> Upload:
    """The file, stored until its columns are chosen.

    Raises NotAllowed, TooLarge, or BadRequest on one that is empty or no table.
    """
    return storing.keep(
        project, name, content, by=by, packed={ZIP: peers.check_archive}
    )


def try_out(upload: Upload, reading: RatingsReading) -> RatingsPreview:
    """Read the whole file and store nothing. Raises BadRequest."""
    sheet = _sheet(upload, reading)
    columns = sheet.columns()
    rows = [row for _, row, _ in islice(sheet.rows(), N_SEEN) if isinstance(row, dict)]
    if reading.layout not in LAYOUTS:
        guessed = guess(columns, rows)
        own = FIELDS if isinstance(sheet, PeerSheet) else {}
        reading = replace(
            reading,
            layout=guessed.layout,
            fields={**guessed.fields, **own},
            values=guessed.values,
        )
    preview = [[row.get(name, "")[:120] for name in columns] for row in rows]
    trial = RatingsPreview(
        _within(_settled(reading, sheet), columns),
        columns,
        preview[:N_PREVIEW],
        sheet.form,
        sheet.source.encoding,
        sheet.source.guessed,
        sheet.delimiter,
    )
    trial.lacking = trial.reading.lacking()
    if not trial.lacking:
        _count(trial, sheet)
    if isinstance(sheet, PeerSheet):
        trial.report = sheet.report
        trial.proposed = _proposed(trial.scales, sheet.ranges)
    return trial


def add(
    project: Project, upload: Upload, reading: RatingsReading, *, name: str, by: Anybody
) -> RatingSet:
    """The set of a file read so; a bad row refuses the whole file.

    Raises NotAllowed, BadRequest, or Conflict if the project has a set of that name.
    """
    sheet = _sheet(upload, reading)
    held = _gathered(upload, sheet, reading)
    known = {"reading": _settled(reading, sheet).as_params(), "origin": _origin(sheet)}
    return _made(project, upload, held, name=name, by=by, format=TABLE, **known)


def add_as(
    form: str, project: Project, sent: "UploadedFile[Any]", *, name: str, by: Anybody
) -> RatingSet:
    """The set of a file in a format of ``core.formats.ratings``; raises as ``add``."""
    if form not in FIXED:
        text = gettext("There is no format %(name)s.") % {"name": repr(form)}
        raise BadRequest(text, field="format")
    with transaction.atomic():
        file = cast(BinaryIO, sent)
        upload = storing.keep(project, sent.name or "ratings.tsv", file, by=by)
        try:
            held = parsed_as(form, upload)
        except GemelError as error:
            raise BadRequest(str(error), field="file") from error
        return _made(project, upload, held, name=name, by=by, format=form)


def _made(
    project: Project,
    upload: Upload,
    held: files.RatingFile,
    *,
    name: str,
    by: Anybody,
    **known: Any,
) -> RatingSet:
    access.require(by, "import", project)
    name = " ".join(name.split())[:120]
    if not name:
        raise BadRequest(gettext("Enter a name for the set."), field="name")
    if not held.n_ratings:
        text = gettext("%(file)s has no ratings.") % {"file": upload.name}
        raise BadRequest(text, field="file")
    try:
        with transaction.atomic():
            return RatingSet.objects.create(
                project=project,
                name=name,
                upload=upload,
                n_items=held.n_items,
                n_annotators=held.n_annotators,
                n_ratings=held.n_ratings,
                created_by_id=by.pk,
                **known,
            )
    except IntegrityError as error:
        text = gettext("There is already a set named %(name)s.") % {"name": name}
        raise Conflict(text, field="name") from error


def parsed_as(form: str, upload: Upload) -> files.RatingFile:
    """The ratings of a file in a fixed format. Raises InvalidValue, OSError."""
    return files.load(Path(upload.file.path), form, name=upload.name)


def parsed(upload: Upload, reading: RatingsReading) -> files.RatingFile:
    """The ratings of the file. Raises BadRequest, or InvalidValue with the bad rows."""
    return _gathered(upload, _sheet(upload, reading), reading)


def _gathered(
    upload: Upload, sheet: peers.Table, reading: RatingsReading
) -> files.RatingFile:
    if lacking := reading.lacking():
        text = gettext("Choose: %(fields)s.") % {"fields": ", ".join(lacking)}
        raise BadRequest(text, field="fields")
    rows = records(sheet, reading)
    return files.gathered(rows, reading.scales(), name=upload.name)


def _sheet(upload: Upload, reading: RatingsReading) -> peers.Table:
    path = Path(upload.file.path)
    return peers.opened(
        Source(upload.name, lambda: path.open("rb"), reading.encoding),
        tool=reading.tool,
        delimiter=reading.delimiter,
        has_header=reading.has_header,
    )


def _settled(reading: RatingsReading, sheet: peers.Table) -> RatingsReading:
    """With the tool that was found, so that it is read the same ever after."""
    is_peer = isinstance(sheet, PeerSheet)
    return replace(reading, tool=sheet.form if is_peer else peers.TABLE)


def _origin(sheet: peers.Table) -> dict[str, Any]:
    """What the set keeps of the export that it is from: its counts."""
    return sheet.report.as_params() if isinstance(sheet, PeerSheet) else {}


USUAL = ((0, 1), (1, 5), (0, 5), (1, 7), (1, 10), (0, 10), (0, 100))


def _proposed(
    scales: list[Scale], fixed: Mapping[str, tuple[int, int]]
) -> dict[str, tuple[int, int]]:
    """What the tool fixed, else the first usual range that holds what was seen."""
    ranges = dict(fixed)
    for scale in scales:
        points = scale.points
        if scale.name in ranges or not points or any(one % 1 for one in points):
            continue
        for low, high in USUAL:
            if low <= points[0] and points[-1] <= high:
                ranges[scale.name] = low, high
                break
    return ranges


def _within(reading: RatingsReading, columns: tuple[str, ...]) -> RatingsReading:
    """Without columns that the file does not have."""
    fields = {name: at for name, at in reading.fields.items() if at in columns}
    values = tuple(name for name in reading.values if name in columns)
    return replace(reading, fields=fields, values=values)


def _count(trial: RatingsPreview, sheet: peers.Table) -> None:
    declared = trial.reading.scales()
    seen: dict[str, set[str]] = {}
    items, people, conditions = set[str](), set[str](), Counter[str]()
    for row in records(sheet, trial.reading):
        if isinstance(row, BadLine):
            trial.n_bad += 1
            if len(trial.bad) < SHOWN:
                trial.bad.append(row)
            continue
        trial.n_ratings += 1
        items.add(row.item)
        people.add(row.annotator)
        conditions.update(row.conditions)
        seen.setdefault(row.scale, set()).add(row.value)
    trial.n_items, trial.n_annotators = len(items), len(people)
    trial.conditions = dict(conditions.most_common(SHOWN))
    trial.scales = [_scale(name, seen[name], declared) for name in seen]


def _scale(name: str, values: set[str], declared: dict[str, Any]) -> Scale:
    return declared.get(name) or Scale.seen(name, values)
