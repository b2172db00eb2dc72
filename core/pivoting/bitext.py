r"""Parallel text on disk: Parquet files, written and read by DuckDB.

``pairs.parquet``, one file for each corpus and foreign language:

    pair_id  BIGINT   the pair's line in its corpus, from 0. Files of several languages
                      over the same English side share the numbers, so that rows with
                      the same number have the same source. A line without a
                      counterpart has no row: numbers may be skipped, never repeated,
                      and they grow.
    corpus   VARCHAR  what the counts are kept apart by: "europarl-11.fr"
    source   VARCHAR  English tokens, one space between two; never empty
    target   VARCHAR  foreign tokens, likewise
    links    VARCHAR  Pharaoh, source-target, from 0, sorted: "0-0 1-2"; '' if no word
                      is linked, NULL if the words have not been aligned

``parses.parquet``, one for each English side and parser, a row a distinct sentence,
or several, likeliest first, where the best trees of its forest are kept:

    source   VARCHAR  as in ``pairs.parquet``: the two are joined on it
    tree     VARCHAR  one bracketed tree whose leaves are the tokens; '' = no parse
    p        DOUBLE   its probability; 1 where only the best is kept

A file is written next to its place and renamed: it is there whole or not at all. Rows
pass through a text file next to it, so memory does not grow with their number.
"""

import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from core.errors import InvalidValue

if TYPE_CHECKING:
    import duckdb

PAIR_COLUMNS = {
    "pair_id": "BIGINT",
    "corpus": "VARCHAR",
    "source": "VARCHAR",
    "target": "VARCHAR",
    "links": "VARCHAR",
}
PARSE_COLUMNS = {"source": "VARCHAR", "tree": "VARCHAR", "p": "DOUBLE"}
_NULL = "\x1f"  # no token holds a control character
_CONTROL = re.compile(r"[\x00-\x1f]")
_ROWS = 50_000  # of a row group
_MAX_LINE = 32 * 2**20  # bytes of one row of text
_BATCH = 10_000  # rows fetched at once
_PARSES = """
    SELECT source, tree, coalesce(p, 1.0) AS p FROM (
        SELECT * FROM read_parquet($paths, union_by_name = true)
        UNION ALL BY NAME SELECT CAST(1 AS DOUBLE) AS p WHERE false)"""  # p is optional


@dataclass(frozen=True, slots=True)
class BitextPair:
    """A row of ``pairs.parquet``; ``links`` None: the words have not been aligned."""

    pair_id: int
    corpus: str
    source: str
    target: str
    links: str | None = None


@dataclass(frozen=True, slots=True)
class BitextParse:
    """A row of ``parses.parquet``."""

    source: str
    tree: str
    p: float = 1.0


@dataclass(frozen=True, slots=True)
class BitextSizes:
    """``sources``: distinct English sentences."""

    pairs: int
    sources: int
    source_tokens: int
    target_tokens: int
    links: int


@dataclass(frozen=True, slots=True)
class Bitext:
    """A file of pairs. Reading is streamed and in the order of ``pair_id``."""

    path: Path

    def __len__(self) -> int:
        return self._one("SELECT count(*) FROM rows")

    @property
    def n_linked(self) -> int:
        """Pairs whose words have been aligned."""
        return self._one("SELECT count(links) FROM rows")

    def sizes(self) -> BitextSizes:
        """The size of the file."""
        spaces = "sum(length({0}) - length(replace({0}, ' ', '')) + 1)"
        sql = (
            "SELECT count(*), count(DISTINCT source), "
            f"{spaces.format('source')}, {spaces.format('target')}, "
            f"{spaces.format('links')} FILTER (links <> '') FROM rows"
        )
        return BitextSizes(*(int(n or 0) for n in next(self._rows(sql))))

    def pairs(
        self, *, start: int = 0, limit: int | None = None
    ) -> Iterator[BitextPair]:
        """Row ``start`` and those after it, at most ``limit``."""
        names = ", ".join(PAIR_COLUMNS)
        sql = f"SELECT {names} FROM rows ORDER BY pair_id"
        for row in self._rows(sql + _window(start, limit)):
            yield BitextPair(*row)

    def sources(self, *, start: int = 0, limit: int | None = None) -> Iterator[str]:
        """The distinct English sentences, in the order of their first pair."""
        sql = "SELECT source FROM rows GROUP BY source ORDER BY min(pair_id)"
        for (source,) in self._rows(sql + _window(start, limit)):
            yield source

    def _one(self, sql: str) -> int:
        return int(next(iter(self._rows(sql)))[0])

    def _rows(self, sql: str) -> Iterator[tuple]:  # type: ignore[type-arg]
        if not self.path.is_file():
            raise InvalidValue(f"{self.path.name}: no such file of pairs")
        with _database() as database:
            database.read_parquet(str(self.path)).create_view("rows")
            cursor = database.execute(sql)
            while batch := cursor.fetchmany(_BATCH):
                yield from batch


def write_pairs(path: Path, rows: Iterable[BitextPair]) -> int:
    """Write ``pairs.parquet`` at ``path``; how many rows. Streamed.

    Raises InvalidValue if a side is empty or not tokens with one space between, or if
    a ``pair_id`` does not grow; nothing is written then.
    """
    return _write(path, _checked(rows), PAIR_COLUMNS)


def write_parses(path: Path, rows: Iterable[BitextParse]) -> int:
    """Write ``parses.parquet`` at ``path``; how many rows. Streamed."""
    return _write(path, (astuple(row) for row in rows), PARSE_COLUMNS)


def both_ways(pairs: Iterable[BitextPair]) -> Iterator[BitextPair]:
    """Yield text whose pivots are phrases of its own language, from aligned pairs.

    Four rows for each pair: as it is, turned round, and each sentence next to itself. A
    phrase then pivots through its own wording and through those that are aligned with
    it, so equations 5 to 10 hold with one language on both sides. Callison-Burch 2008,
    section 6, asks whether the constraints apply to monolingual text.
    """
    for pair in pairs:
        cells = [cell.split("-") for cell in (pair.links or "").split()]
        turned = sorted((int(j), int(i)) for i, j in cells)
        a, b = pair.source, pair.target
        sides = (a, b, pair.links), (b, a, _pharaoh(turned))
        same = [(one, one, _pharaoh((k, k) for k in _places(one))) for one in (a, b)]
        for at, row in enumerate((*sides, *same)):
            yield BitextPair(4 * pair.pair_id + at, pair.corpus, *row)


def _places(side: str) -> range:
    return range(side.count(" ") + 1)


def _pharaoh(cells: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"{i}-{j}" for i, j in cells)


def set_links(path: Path, links: Iterable[str]) -> int:
    """Give the pairs of the file, in order, these links; how many.

    Raises InvalidValue if there are not as many as pairs; the file is as it was then.
    """
    pairs = Bitext(path).pairs()

    def joined() -> Iterator[BitextPair]:
        given = iter(links)
        for pair in pairs:
            mine = next(given, None)
            if mine is None:
                raise InvalidValue(f"pair {pair.pair_id}: it has no links")
            yield BitextPair(pair.pair_id, pair.corpus, pair.source, pair.target, mine)
        if next(given, None) is not None:
            raise InvalidValue("more links than pairs")

    return write_pairs(path, joined())


def join_files(parts: Sequence[Path], path: Path) -> None:
    """One file of the rows of several with the same columns, in their order."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".writing-") as scratch:
        whole = Path(scratch) / "rows.parquet"
        with _database() as database:
            rows = database.read_parquet(list(map(str, parts)), union_by_name=True)
            rows.write_parquet(str(whole), compression="zstd", row_group_size=_ROWS)
        os.replace(whole, path)


def trees_in(paths: Sequence[Path], sources: Sequence[str]) -> dict[str, str]:
    """The likeliest trees that files of parses have of these sentences."""
    there = [path for path in paths if path.is_file()]
    if not there or not sources:
        return {}
    with _database() as database:
        cursor = database.execute(
            f"SELECT source, max_by(tree, p) FROM ({_PARSES}) "
            "WHERE source IN (SELECT unnest($sources)) GROUP BY source",
            {"paths": list(map(str, there)), "sources": list(sources)},
        )
        return dict(cursor.fetchall())


def parses_of(path: Path) -> Iterator[BitextParse]:
    """The rows of ``parses.parquet``, in the order of the file."""
    with _database() as database:
        cursor = database.execute(_PARSES, {"paths": [str(path)]})
        while batch := cursor.fetchmany(_BATCH):
            yield from (BitextParse(*row) for row in batch)


def _checked(rows: Iterable[BitextPair]) -> Iterator[tuple[object, ...]]:
    last = -1
    for row in rows:
        if row.pair_id <= last:
            raise InvalidValue(
                f"pair {row.pair_id} after pair {last}: ids must increase"
            )
        last = row.pair_id
        for side in (row.source, row.target):
            if "" in side.split(" "):
                raise InvalidValue(
                    f"pair {row.pair_id}: expected tokens separated by single spaces, "
                    f"got {side[:40]!r}"
                )
        yield astuple(row)


def _write(
    path: Path, rows: Iterable[Sequence[object]], columns: dict[str, str]
) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".writing-") as scratch:
        text, parquet = Path(scratch) / "rows.tsv", Path(scratch) / "rows.parquet"
        count = _to_text(text, rows)
        with _database() as database:
            _to_parquet(database, text, parquet, columns)
        os.replace(parquet, path)
    return count


def _to_text(path: Path, rows: Iterable[Sequence[object]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as out:
        for row in rows:
            cells = [_NULL if cell is None else str(cell) for cell in row]
            if any(_CONTROL.search(cell) for cell in cells if cell != _NULL):
                raise InvalidValue(f"row {count + 1} holds a control character")
            out.write("\t".join(cells) + "\n")
            count += 1
    return count


def _to_parquet(
    database: "duckdb.DuckDBPyConnection",
    text: Path,
    parquet: Path,
    columns: dict[str, str],
) -> None:
    database.read_csv(
        str(text),
        sep="\t",
        quotechar="",
        escapechar="",
        header=False,
        auto_detect=False,
        na_values=_NULL,
        columns=columns,
        max_line_size=_MAX_LINE,
        parallel=False,
    ).write_parquet(str(parquet), compression="zstd", row_group_size=_ROWS)


def _window(start: int, limit: int | None) -> str:
    return (f" LIMIT {int(limit)}" if limit is not None else "") + (
        f" OFFSET {int(start)}" if start else ""
    )


@contextmanager
def _database() -> Iterator["duckdb.DuckDBPyConnection"]:
    """A database in memory that spills next to the system's scratch files."""
    import duckdb  # when it is used: it is large

    with tempfile.TemporaryDirectory(prefix="gemel-duckdb-") as spill:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "threads": 1,
            "memory_limit": "1GB",
            "temp_directory": spill,
        }
        database = duckdb.connect(":memory:", config=settings)
        try:
            yield database
        finally:
            database.close()


assert [field.name for field in fields(BitextPair)] == list(PAIR_COLUMNS)
