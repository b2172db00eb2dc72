"""Exports of other tools, small ones of our own: as files, as archives, as bytes."""

import io
import zipfile
from pathlib import Path

from annotator.exchange.files import Source
from annotator.exchange.peers.registry import opened
from annotator.exchange.peers.reports import UNITS, TransferReport
from annotator.exchange.peers.sheets import PeerSheet
from core.formats.records import BadLine

FILES = Path(__file__).parent / "files"


def source(name: str, content: bytes) -> Source:
    return Source(name, lambda: io.BytesIO(content))


def content_of(name: str) -> bytes:
    """A file of ``files``, or a folder of it as an archive."""
    path = FILES / name
    return archive(path) if path.is_dir() else path.read_bytes()


def archive(folder: Path, root: str = "") -> bytes:
    inside = {
        f"{root}{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    return zipped(inside)


def zipped(inside: dict[str, bytes]) -> bytes:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in inside.items():
            made.writestr(name, content)
    return held.getvalue()


def sheet(name: str, *, items: bool = False, tool: str = "") -> PeerSheet:
    suffix = ".zip" if (FILES / name).is_dir() else ""
    return read(content_of(name), name + suffix, items=items, tool=tool)


def read(
    content: bytes, name: str, *, items: bool = False, tool: str = ""
) -> PeerSheet:
    export = opened(source(name, content), items=items, tool=tool)
    assert isinstance(export, PeerSheet), "no tool is recognised"
    return export


def good(export: PeerSheet) -> list[dict[str, str]]:
    return [row for _, row, _ in export.rows() if isinstance(row, dict)]


def bad(export: PeerSheet) -> list[BadLine]:
    return [row for _, row, _ in export.rows() if isinstance(row, BadLine)]


def counts(report: TransferReport) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Held and taken: tasks, annotations, annotators, values."""
    held = tuple(report.held[unit] for unit in UNITS)
    return held, tuple(report.taken[unit] for unit in UNITS)


def is_even(report: TransferReport) -> bool:
    """Whether of each unit nothing is lost between what is held and what is taken."""
    left = {unit: sum(n for one, n, _ in report.left if one == unit) for unit in UNITS}
    return all(report.held[u] == report.taken[u] + left[u] for u in UNITS)
