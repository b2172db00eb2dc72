"""Files of items: stored, read by the chosen columns, checked before import."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.exchange import items as codec
from annotator.exchange.files import ENCODINGS, Source
from annotator.exchange.peers import registry as peers
from annotator.exchange.peers.reports import TransferReport
from annotator.exchange.peers.sheets import PeerSheet
from annotator.exchange.tables import DELIMITERS, ZIP
from annotator.models import Campaign, Instance, Upload
from annotator.models.projects import Anybody
from annotator.services.campaigns.scales import closed_scales
from annotator.services.corpora import storing
from core.formats.records import BadLine

SHOWN = 200
N_PREVIEW = 3
MAIN_BATCH = "Main"


@dataclass(frozen=True, slots=True)
class TableReading:
    """How to read a file; "" and an empty ``fields`` are detected.

    ``fields``: the column that holds each field (``annotator.exchange.items``).
    ``tool``: whose export it is (``annotator.exchange.peers``), or "table".
    """

    fields: Mapping[str, str] = field(default_factory=dict)
    encoding: str = ""
    delimiter: str = ""
    has_header: bool = True
    tool: str = ""

    def __post_init__(self) -> None:
        if self.encoding and self.encoding not in ENCODINGS:
            known = ", ".join(ENCODINGS)
            problem = _("Encodings: %(known)s.") % {"known": known}
            raise BadRequest(problem, field="encoding")
        if self.delimiter and self.delimiter not in DELIMITERS:
            known = ", ".join(DELIMITERS.values())
            problem = _("Delimiters: %(known)s.") % {"known": known}
            raise BadRequest(problem, field="delimiter")

    def as_params(self) -> dict[str, Any]:
        """The part that a job stores."""
        return asdict(self)


@dataclass
class DryRun:
    """A file's content, before anything is stored.

    ``form, encoding, delimiter, columns, fields``: how it was read; ``preview``: its
    first rows, unchanged; ``lacking``: required fields that no column holds.
    ``report``: the content of a tool's export; ``tool``: the tool, or "table".
    """

    form: str = ""
    encoding: str = ""
    guessed: str = ""  # a line to check if the encoding is only the likeliest
    delimiter: str = ""
    columns: tuple[str, ...] = ()
    fields: dict[str, str] = field(default_factory=dict)
    preview: list[list[str]] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)
    n_rows: int = 0
    n_items: int = 0  # different paraphrases in place
    n_instances: int = 0
    n_merged: int = 0  # rows whose rendering another row has too
    n_present: int = 0  # items that the campaign has already
    kinds: dict[str, int] = field(default_factory=dict)
    conditions: dict[str, int] = field(default_factory=dict)
    batches: dict[str, int] = field(default_factory=dict)
    n_bad: int = 0
    bad: list[BadLine] = field(default_factory=list)
    examples: list[codec.ItemRecord] = field(default_factory=list)
    tool: str = peers.TABLE
    report: TransferReport | None = None

    def refuse(self, line: BadLine) -> None:
        self.n_bad += 1
        if len(self.bad) < SHOWN:
            self.bad.append(line)


def keep(campaign: Campaign, name: str, content: BinaryIO, *, by: Anybody) -> Upload:
    """The file, stored until its dry run has been read.

    Raises NotAllowed, TooLarge, or BadRequest on one that is empty or no table.
    """
    return storing.keep(
        campaign.project, name, content, by=by, packed={ZIP: peers.check_archive}
    )


def plain_table(rows: Iterable[Sequence[Any]]) -> bytes:
    """Rows as a file of items whose cells hold no tabs; quotes are text."""
    out = io.StringIO()
    how: Any = {"delimiter": "\t", "lineterminator": "\n"}
    csv.writer(out, quoting=csv.QUOTE_NONE, quotechar=None, **how).writerows(rows)
    return out.getvalue().encode()


def dry_run(campaign: Campaign, upload: Upload, reading: TableReading) -> DryRun:
    """Read the whole file and store nothing; bad rows are reported with their
    remedy."""
    sheet = _sheet(upload, reading)
    trial = DryRun(
        sheet.form,
        sheet.source.encoding,
        sheet.source.guessed,
        sheet.delimiter,
        sheet.columns(),
    )
    if isinstance(sheet, PeerSheet):
        trial.tool, trial.report = sheet.form, sheet.report
    trial.fields = _fields(campaign, trial.columns, reading)
    trial.preview = _preview(sheet, trial.columns)
    trial.lacking = codec.lacking(trial.fields)
    if not trial.lacking:
        rows = codec.read(sheet.rows(), trial.fields)
        _count(trial, campaign, held_against_scales(campaign, rows))
    return trial


def _preview(sheet: peers.Table, columns: tuple[str, ...]) -> list[list[str]]:
    rows = (row for _, row, _ in sheet.rows() if isinstance(row, dict))
    return [
        [row.get(name, "")[:120] for name in columns] for row in islice(rows, N_PREVIEW)
    ]


def _count(
    trial: DryRun, campaign: Campaign, rows: Iterator[codec.ItemRecord | BadLine]
) -> None:
    """Count rows, items, kinds, batches and conditions."""
    seen: set[tuple[str, str]] = set()
    kinds, batches, conditions = Counter[str](), Counter[str](), Counter[str]()
    for record in rows:
        if isinstance(record, BadLine):
            trial.refuse(record)
            continue
        trial.n_rows += 1
        key = Instance.key_of(record.sentence, record.start, record.end)
        if (key, record.paraphrase) in seen:
            trial.n_merged += 1
        else:
            seen.add((key, record.paraphrase))
            kinds[record.kind] += 1
            batches[record.batch or MAIN_BATCH] += record.kind == "main"
        conditions.update(record.conditions)
        if len(trial.examples) < N_PREVIEW:
            trial.examples.append(record)
    places = campaign.items.values_list("instance__key", "paraphrase")
    trial.n_present = sum(place in seen for place in places.iterator())
    trial.n_items, trial.n_instances = len(seen), len({key for key, _ in seen})
    trial.kinds, trial.batches = dict(kinds), dict(batches)
    trial.conditions = dict(conditions)


def records(
    campaign: Campaign, upload: Upload, reading: TableReading
) -> Iterator[codec.ItemRecord | BadLine]:
    """The good rows of the file, and why the others are not."""
    sheet = _sheet(upload, reading)
    fields = _fields(campaign, sheet.columns(), reading)
    yield from held_against_scales(campaign, codec.read(sheet.rows(), fields))


def held_against_scales(
    campaign: Campaign, rows: Iterable[codec.ItemRecord | BadLine]
) -> Iterator[codec.ItemRecord | BadLine]:
    """The rows; one with a gold value that no scale has becomes a BadLine. Open answers
    cannot be checked, so that gold columns are of the other scales."""
    scales = {scale.name: scale.to_core() for scale in closed_scales(campaign)}
    for record in rows:
        yield record if isinstance(record, BadLine) else _on_scale(record, scales)


def _sheet(upload: Upload, reading: TableReading) -> peers.Table:
    path = Path(upload.file.path)
    return peers.opened(
        Source(upload.name, lambda: path.open("rb"), reading.encoding),
        tool=reading.tool,
        items=True,
        delimiter=reading.delimiter,
        has_header=reading.has_header,
    )


def _fields(
    campaign: Campaign, columns: tuple[str, ...], reading: TableReading
) -> dict[str, str]:
    """The columns that were chosen and are there, else those that names suggest."""
    if reading.fields:
        return {name: at for name, at in reading.fields.items() if at in columns}
    # gold columns of unknown scales are read, too, so that they are reported
    named = [name[5:] for name in columns if name.casefold().startswith("gold_")]
    scales = [scale.name for scale in closed_scales(campaign)]
    return codec.guess(columns, dict.fromkeys([*scales, *named]))


def _on_scale(
    record: codec.ItemRecord, scales: dict[str, Any]
) -> codec.ItemRecord | BadLine:
    for name, value in record.gold.items():
        scale = scales.get(name)
        if scale is None:
            known = ", ".join(f"gold_{known}" for known in scales)
            return BadLine(
                record.line,
                1,
                f"there is no scale {name!r}",
                f"the columns are {known}",
            )
        if value not in scale.labels:
            shown = ", ".join(scale.labels[:11])
            return BadLine(
                record.line, 1, f"gold_{name}: {value!r} is not one of {shown}"
            )
    return record
