"""An export of a tool as ratings, without a page to choose columns on."""

from dataclasses import replace
from pathlib import Path

from annotator.errors import Refusal
from annotator.exchange import ratings as files
from annotator.exchange.files import Source
from annotator.exchange.peers.files import Brought
from annotator.exchange.peers.registry import as_sheet
from annotator.exchange.peers.reports import TransferReport
from annotator.exchange.peers.sheets import FIELDS
from annotator.exchange.rating_tables import guess, records
from core.data.ratings import Scale
from core.errors import InvalidValue


def load(
    path: Path, tool: str, *, scales: dict[str, Scale] | None = None
) -> tuple[files.RatingFile, TransferReport]:
    """The ratings of a file, an archive or a folder, and what it held.

    ``scales``: declared ones, over those seen; what the tool fixes counts too. Raises
    BadRatings with every bad place, or InvalidValue on what cannot be opened.
    """
    try:
        brought = _folder(path) if path.is_dir() else _file(path)
        sheet = as_sheet(brought, tool)
    except Refusal as error:
        raise InvalidValue(str(error)) from error
    reading = guess(sheet.columns(), [])
    reading = replace(reading, layout="long", fields={**reading.fields, **FIELDS})
    fixed = {name: Scale.span(name, *ends) for name, ends in sheet.ranges.items()}
    declared = fixed | (scales or {})
    rows = records(sheet, reading)
    return files.gathered(rows, declared, name=path.name), sheet.report


def _file(path: Path) -> Brought:
    if not path.is_file():
        raise InvalidValue(f"{path}: there is no such file")
    return Brought.of(Source(path.name, lambda: path.open("rb")))


def _folder(path: Path) -> Brought:
    """The files of a folder, as those of an archive."""
    inside = {
        one.relative_to(path).as_posix(): one
        for one in sorted(path.rglob("*"))
        if one.is_file() and not one.name.startswith(".")
    }
    if not inside:
        raise InvalidValue(f"{path}: the folder is empty")
    sources = {name: _source(name, one) for name, one in inside.items()}
    return Brought(replace(next(iter(sources.values())), name=path.name), sources)


def _source(name: str, path: Path) -> Source:
    return Source(name, lambda: path.open("rb"))
