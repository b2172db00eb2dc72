"""The first stages of a build: files of pairs to counts, chunk by chunk, in DuckDB."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from core.errors import InvalidValue
from core.pivoting.building.counting import Chunk, ChunkRow, Counter, name_of
from core.pivoting.building.engines import DuckEngine
from core.pivoting.building.settings import BuildSettings, PairsFile

__all__ = ["Extraction"]

_PARSES = """
    SELECT source, tree, max(coalesce(p, 1.0)) AS p FROM (
        SELECT * FROM files UNION ALL BY NAME SELECT CAST(1 AS DOUBLE) AS p WHERE false)
    WHERE tree <> '' GROUP BY source, tree"""
_BEST = "first(tree ORDER BY p DESC, tree)"
_EVERY = "string_agg(printf('%.6f %s', p, tree), chr(10) ORDER BY p DESC, tree)"


class Extraction:
    """Prepares files, then reads them by ranges of pair numbers.

    Files over the same English side share their numbers, so the same range is read of
    all of them before the next: a tree that comes again has just been read.
    """

    def __init__(
        self,
        prepared: Path,
        extracted: Path,
        sources: Sequence[PairsFile],
        rules: BuildSettings,
        memory: str,
    ) -> None:
        self._prepared, self._extracted = prepared, extracted
        self._sources, self._rules, self._memory = sources, rules, memory

    def prepare(self) -> Iterator[str]:
        """Pairs beside their trees, sorted by number: a file each."""
        for at, source in enumerate(self._sources):
            path = self._pairs(at)
            if not path.is_file():
                with_trees = bool(source.parses) and self._rules.labels != "none"
                engine = self._engine()
                engine.scan("given", [source.pairs])
                if with_trees:
                    engine.scan("files", source.parses, mixed=True)
                    engine.make("parses", _PARSES)
                engine.write(self._beside(with_trees=with_trees), path)
                engine.close()
                yield source.pairs.name

    def extract(self) -> Iterator[str]:
        """Counts of phrase pairs: five files for each chunk of pairs."""
        counter = Counter(self._rules)
        engine = self._engine()
        try:
            for number, (low, at) in enumerate(self._chunks(engine)):
                if not self._file("corpora", number).is_file():
                    self._one(engine, counter, number, low, at)
                    engine.clear()
                    yield f"{self._sources[at].pairs.name} from {low}"
        finally:
            engine.close()

    def _engine(self) -> DuckEngine:
        return DuckEngine(self._extracted.parent, memory=self._memory)

    def _pairs(self, at: int) -> Path:
        return self._prepared / f"pairs-{at:04d}.parquet"

    def _file(self, name: str, number: int) -> Path:
        return self._extracted / f"{name}-{number:05d}.parquet"

    def _beside(self, *, with_trees: bool) -> str:
        tree, join = "CAST(NULL AS VARCHAR)", ""
        if with_trees:
            kept = _EVERY if self._rules.forest else _BEST
            tree = "t.tree"
            join = f"""LEFT JOIN (SELECT source, {kept} AS tree FROM parses
                GROUP BY source) t ON t.source = g.source"""
        only = f"WHERE {tree} IS NOT NULL" if self._rules.parsed_only else ""
        return f"""
            SELECT g.pair_id, g.corpus, g.source, g.target, g.links, {tree} AS tree
            FROM given g {join} {only} ORDER BY pair_id"""

    def _chunks(self, engine: DuckEngine) -> list[tuple[int, int]]:
        """The first pair number of each chunk, and its file; numbers in order."""
        chunks = []
        for at, source in enumerate(self._sources):
            last, unlinked = engine.rows(
                "SELECT max(pair_id), count(*) FILTER (links IS NULL) "
                "FROM read_parquet(?)",
                [str(self._pairs(at))],
            )[0]
            if unlinked:
                raise InvalidValue(
                    f"{source.pairs.name}: {unlinked} pairs have no word links "
                    "(align the bitext first)"
                )
            size = self._rules.chunk
            chunks += [(low, at) for low in range(0, (last or 0) + 1, size)]
        return sorted(chunks)

    def _one(
        self, engine: DuckEngine, counter: Counter, number: int, low: int, at: int
    ) -> None:
        rows = engine.rows(
            "SELECT corpus, pair_id, source, target, links, tree FROM read_parquet(?) "
            "WHERE pair_id >= ? AND pair_id < ? ORDER BY pair_id",
            [str(self._pairs(at)), low, low + self._rules.chunk],
        )
        names = sorted({row[0] for row in rows})
        if len(names) > 1:
            raise InvalidValue(f"{self._sources[at].pairs.name}: one corpus a file")
        corpus = name_of(names[0]) if names else 0
        try:
            chunk = counter.count([ChunkRow(*row[1:]) for row in rows])
        except InvalidValue as error:
            name = self._sources[at].pairs.name
            raise InvalidValue(f"{name}, pairs from {low}: {error}") from error
        self._write(engine, chunk, number, corpus, at)
        text = np.array(names, dtype=object)
        engine.take("corpora", {"corpus": np.full(len(names), corpus), "text": text})
        sql = "SELECT corpus, CAST(text AS VARCHAR) AS text FROM corpora"
        engine.write(sql, self._file("corpora", number))  # the last: the chunk is done

    def _write(
        self, engine: DuckEngine, chunk: Chunk, number: int, corpus: int, at: int
    ) -> None:
        mask = self._rules.buckets - 1
        engine.take("extracted", chunk.pairs)
        engine.take("english", chunk.english)
        engine.take("foreign_words", chunk.foreign)
        engine.take("sets", chunk.sets)
        engine.take("names", chunk.names)
        engine.make(
            "pairs",
            f"""
            SELECT f & {mask} AS bucket, CAST({corpus} AS BIGINT) AS corpus, f, e,
                labels, count(*) AS n, CAST(sum(loose) AS BIGINT) AS loose
            FROM extracted GROUP BY f, e, labels""",
        )
        tables = {
            "pairs": "SELECT * FROM pairs ORDER BY bucket, f",
            "english": f"""SELECT e & {mask} AS bucket, e,
                CAST(text AS VARCHAR) AS text, {at} AS file, pair_id, first, last
                FROM english ORDER BY bucket, e""",
            "foreign": f"""SELECT f & {mask} AS bucket, f,
                CAST(text AS VARCHAR) AS text FROM foreign_words ORDER BY bucket, f""",
            "sets": """SELECT DISTINCT s.labels, s.label, s.weight, p.low, p.high
                FROM sets s
                JOIN (SELECT labels, min(e) AS low, max(e) AS high FROM pairs
                    GROUP BY labels) p ON p.labels = s.labels""",
            "labels": f"""SELECT label, {at} AS file, pair_id, rank, first, last,
                node
                FROM names ORDER BY label""",
        }
        for name, sql in tables.items():
            engine.write(sql, self._file(name, number))
