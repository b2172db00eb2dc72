"""The tools whose exports are read, and which tool a file is from."""

from dataclasses import replace
from types import ModuleType
from typing import Any, BinaryIO, cast

from annotator.errors import BadRequest
from annotator.exchange import workbooks
from annotator.exchange.files import Source, safe_name
from annotator.exchange.peers import appraise, brat, doccano, label_studio, potato
from annotator.exchange.peers.files import Brought
from annotator.exchange.peers.reports import Export, of_items, of_ratings, screened
from annotator.exchange.peers.sheets import PeerSheet, item_sheet, rating_sheet
from annotator.exchange.tables import ZIP, Sheet

PEERS: dict[str, ModuleType] = {
    "label-studio": label_studio,
    "potato": potato,
    "doccano": doccano,
    "appraise": appraise,
    "brat": brat,
}
TABLE = "table"  # not a tool's export: a plain table
Table = Sheet | PeerSheet


def opened(
    source: Source,
    *,
    tool: str = "",
    items: bool = False,
    delimiter: str = "",
    has_header: bool = True,
) -> Table:
    """The file as rows: of the tool that it is said to be from, or seems to be.

    ``tool``: a name of ``PEERS``, "table", or "" to find it out. ``items``: a task a
    row; else a rating a row. Raises BadRequest.
    """
    plain = Sheet(source, delimiter=delimiter, has_header=has_header)
    if tool == TABLE or _is_workbook(source):
        return plain.settle()
    brought = Brought.of(source)
    name = tool or whose(brought)
    if not name:
        if brought.is_archive:
            raise BadRequest(_no_export(source.name), field="file")
        return plain.settle()
    return as_sheet(brought, name, items=items)


def as_sheet(brought: Brought, name: str, *, items: bool = False) -> PeerSheet:
    """A tool's export as rows. Raises BadRequest on an unknown tool."""
    export, source = load(brought, name), brought.source
    label = PEERS[name].LABEL
    if items:
        return item_sheet(source, name, export, of_items(name, label, export))
    return rating_sheet(source, name, export, of_ratings(name, label, export))


def load(brought: Brought, name: str) -> Export:
    """Return the export's content without texts that are not ratings."""
    if name not in PEERS:
        known = ", ".join(PEERS)
        raise BadRequest(f"There is no tool {name!r}: {known}.", field="tool")
    if not PEERS[name].detects(brought):
        raise BadRequest(
            f"{safe_name(brought.source.name)} does not look like an export of "
            f"{PEERS[name].LABEL}. Choose another tool, or a plain table.",
            field="tool",
        )
    if not brought.source.encoding:
        brought.source.settle()
    export: Export = PEERS[name].read(brought)
    return replace(export, annotations=screened(export.annotations))


def whose(brought: Brought) -> str:
    """The name of the first tool whose file it seems to be; "" of none."""
    return next((name for name, tool in PEERS.items() if tool.detects(brought)), "")


def check_archive(name: str, file: BinaryIO) -> None:
    """Raises BadRequest on an archive that is neither a workbook nor an export."""
    if workbooks.is_one(name, file):
        workbooks.check(name, file)
        return
    brought = Brought.of(Source(name, lambda: cast(BinaryIO, _Again(file))))
    if not whose(brought):
        raise BadRequest(_no_export(name), field="file")


class _Again:
    """A file owned by the caller, read from its start and left open."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        file.seek(0)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> "_Again":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.seek(0)

    def close(self) -> None:
        pass


def _is_workbook(source: Source) -> bool:
    with source.open() as file:
        if file.read(len(ZIP)) != ZIP:
            return False
        file.seek(0)
        return workbooks.is_one(source.name, file)


def _no_export(name: str) -> str:
    *tools, last = (tool.LABEL for tool in PEERS.values())
    return (
        f"{safe_name(name)} is a zip archive, no workbook, and not like what "
        f"{', '.join(tools)} or {last} exports. Send the table that is in it."
    )
