"""Engines for the statements of a build: DuckDB here, Apache Spark in ``spark.py``."""

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import duckdb
from numpy.typing import NDArray

SPILL = ".spill-"  # folders so named hold what a database spilled


class Engine(Protocol):
    """Tables by name. Statements are written so that every engine reads them the same
    way."""

    name: str

    def scan(self, name: str, files: Sequence[Path]) -> None:
        """Give the rows of all ``files`` (Parquet) the name ``name``."""
        ...

    def make(self, name: str, sql: str) -> None:
        """Compute a table now, and keep it until ``clear``."""
        ...

    def write(self, sql: str, path: Path) -> None:
        """Write a result as one file; it is there whole or not at all."""
        ...

    def clear(self) -> None:
        """Forget all tables."""
        ...

    def close(self) -> None: ...


class DuckEngine:
    """One process, out of core: beyond ``memory`` it spills to ``scratch``."""

    name = "duckdb"

    def __init__(
        self, scratch: Path, *, memory: str = "2GB", threads: int = 0, **options: Any
    ) -> None:
        scratch.mkdir(parents=True, exist_ok=True)
        self._spill = tempfile.TemporaryDirectory(dir=scratch, prefix=SPILL)
        self._made: list[str] = []
        self._database = duckdb.connect(
            ":memory:",
            config={
                "memory_limit": memory,
                "threads": threads or min(2, len(os.sched_getaffinity(0))),
                "temp_directory": self._spill.name,
                "preserve_insertion_order": False,
                **options,
            },
        )
        self._database.execute("SET enable_progress_bar = false")  # it goes to stdout

    def scan(self, name: str, files: Sequence[Path], *, mixed: bool = False) -> None:
        """``mixed``: a column missing in some files is NULL there."""
        names = [str(file) for file in files]
        self._database.read_parquet(names, union_by_name=mixed).create_view(name)
        self._made.append(f"VIEW {name}")

    def make(self, name: str, sql: str) -> None:
        self._database.execute(f"CREATE TEMP TABLE {name} AS {sql}")
        self._made.append(f"TABLE {name}")

    def write(self, sql: str, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.part")
        options = "FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 20000"
        self._database.execute(f"COPY ({sql}) TO '{_quoted(part)}' ({options})")
        os.replace(part, path)

    def clear(self) -> None:
        for made in reversed(self._made):
            self._database.execute(f"DROP {made}")
        self._made.clear()

    def close(self) -> None:
        self._database.close()
        self._spill.cleanup()

    def take(self, name: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """Give arrays of one length the name ``name``."""
        self._database.register(name, dict(columns))
        self._made.append(f"VIEW {name}")

    def add(self, name: str, columns: Mapping[str, NDArray[Any]]) -> None:
        """More rows for a table that was made."""
        self._database.register("_more", dict(columns))
        self._database.execute(f"INSERT INTO {name} SELECT * FROM _more")
        self._database.unregister("_more")

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """The result as Python values."""
        return self._database.execute(sql, list(values)).fetchall()


def engine_of(master: str, scratch: Path, *, memory: str = "2GB") -> Engine:
    """Spark where ``master`` names one, else DuckDB."""
    if not master:
        return DuckEngine(scratch, memory=memory)
    from core.pivoting.building.spark import (
        SparkEngine,  # an extra: not always installed
    )

    return SparkEngine(master, scratch)


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
