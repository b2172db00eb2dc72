"""The pieces of a run on disk: what is to do, what is done, and the whole.

``todo/KEY.parquet`` holds the rows of a piece, ``done/KEY.parquet`` what came of them;
KEY is the SHA-256 of the rows and of all that decides the result, so a piece that is
there need not be made again, whoever made it and when. Each file is written beside its
place and renamed: killed at any time, a run leaves no half of one.
"""

import hashlib
import shutil
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from core.errors import InvalidValue
from core.pivoting.bitext import join_files
from core.stages.kinds import Stage, stage_of

__all__ = ["StageOrder", "do", "finish", "is_done", "plan"]


@dataclass(frozen=True, slots=True)
class StageOrder:
    """A stage over files, to be done in ``folder``; plain values, as it travels.
    ``trees``: kept of a sentence that is parsed."""

    stage: str
    engine: str
    models: str
    folder: str
    trees: int = 1

    def load(self) -> Stage:
        models = Path(self.models) if self.models else None
        return stage_of(self.stage, self.engine, models, self.trees)

    def todo(self, key: str) -> Path:
        return Path(self.folder) / "todo" / f"{key}.parquet"

    def done(self, key: str) -> Path:
        return Path(self.folder) / "done" / f"{key}.parquet"


def plan(order: StageOrder, files: Sequence[Path]) -> dict[str, list[str]]:
    """The pieces of each file to make, in order; what they need lies in ``todo``."""
    stage, pieces = order.load(), dict[str, list[str]]()
    for name in ("todo", "done"):
        (Path(order.folder) / name).mkdir(parents=True, exist_ok=True)
    for name, rows in stage.pieces(files):
        key = _key(stage, rows)
        pieces.setdefault(name, []).append(key)
        if not is_done(order, key) and not order.todo(key).exists():
            stage.put(order.todo(key), rows)
    if not pieces:
        raise InvalidValue("there are no rows in these files")
    return pieces


def do(order: StageOrder, key: str) -> None:
    """Make a piece, unless it is there."""
    if not is_done(order, key):
        stage = order.load()
        stage.put(order.done(key), stage.make(order.todo(key)))


def is_done(order: StageOrder, key: str) -> bool:
    return order.done(key).exists()


def finish(order: StageOrder, pieces: dict[str, list[str]], out: Path) -> None:
    """Join the pieces to files in ``out``, and clear what is no longer needed; pieces
    stay, for a run over more text."""
    for name, keys in pieces.items():
        join_files([order.done(key) for key in keys], out / name)
    shutil.rmtree(Path(order.folder) / "todo")
    for left in (Path(order.folder) / "done").glob(".writing-*"):
        shutil.rmtree(left, ignore_errors=True)


def _key(stage: Stage, rows: Sequence[object]) -> str:
    digest = hashlib.sha256(stage.key.encode())
    for row in rows:
        digest.update(repr(astuple(row)).encode())  # type: ignore[call-overload]
    return digest.hexdigest()
