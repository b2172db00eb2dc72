"""Counts of phrase pairs in one chunk of aligned and parsed sentence pairs.

The first stages of a build: files of pairs to counts, chunk by chunk, in DuckDB.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import GemelError, InvalidValue
from core.pivoting.building.engines import DuckEngine
from core.pivoting.building.settings import BuildSettings, PairsFile
from core.pivoting.building.statements import ONE
from core.pivoting.extract import Rows, WordHashes, consistent_pairs, span_hashes
from core.pivoting.labels import SpanLabels, TreeArrays, set_names, span_labels

_SPREAD = 0x9E3779B97F4A7C1  # odd: weights and labels do not cancel out


class ChunkRow(NamedTuple):
    """A sentence pair: tokens with a space between, Pharaoh links, a bracketed tree, or
    several as ``kept_trees`` reads them."""

    pair_id: int
    source: str
    target: str
    links: str
    tree: str | None


Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tables by column, arrays of one length each.

    ``pairs``: f, e, labels, loose, a row for each occurrence of a phrase pair.
    ``english, foreign``: name, text of each phrase, and for English ones where it is:
    pair_id, first, last. ``sets``: labels, label, weight, a row each. ``names``: of
    each label a place where it is: pair_id, rank of the tree, first, last, node.
    """

    pairs: Columns
    english: Columns
    foreign: Columns
    sets: Columns
    names: Columns


def name_of(text: str) -> int:
    """64 bits for a label, a set of labels or a corpus; never 0, which means none."""
    hashed = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(hashed, "little", signed=True) or 1


class Counter:
    """Counts chunk after chunk; words and trees that come again are not read again."""

    def __init__(self, settings: BuildSettings) -> None:
        self._settings = settings
        self._words = WordHashes()
        self._labels_known = WordHashes()
        self._tree = lru_cache(maxsize=settings.chunk + 1000)(self._read_tree)

    def count(self, rows: Sequence[ChunkRow]) -> Chunk:
        """All phrase pairs of these sentences. Raises InvalidValue, naming the pair."""
        english = [self._words_of(row.source) for row in rows]
        foreign = [self._words_of(row.target) for row in rows]
        sizes = np.array(
            [(len(e), len(f)) for e, f in zip(english, foreign, strict=True)]
        )
        first, links = _links(rows)
        phrases = consistent_pairs(sizes, first, links, self._settings.max_length)
        e, e_at = self._named(english, phrases[:, 0], phrases[:, 1], phrases[:, 2])
        f, f_at = self._named(foreign, phrases[:, 0], phrases[:, 3], phrases[:, 4])
        ids = np.array([row.pair_id for row in rows], dtype=np.int64)
        labels = self._labels(rows, phrases)
        return Chunk(
            {
                "f": f,
                "e": e,
                "labels": labels.of(phrases[:, :3]),
                "loose": phrases[:, 5],
            },
            {
                "e": e[e_at],
                "text": _texts(english, phrases[e_at][:, :3]),
                "pair_id": ids[phrases[e_at, 0]],
                "first": phrases[e_at, 1],
                "last": phrases[e_at, 2],
            },
            {"f": f[f_at], "text": _texts(foreign, phrases[f_at][:, [0, 3, 4]])},
            labels.sets(),
            labels.names(ids),
        )

    def _words_of(self, text: str) -> list[str]:
        return (text.lower() if self._settings.lowercase else text).split(" ")

    def _named(
        self, sentences: Sequence[Sequence[str]], owners: Rows, i: Rows, j: Rows
    ) -> tuple[Rows, Rows]:
        """The name of each phrase, and where each name occurs first."""
        words, first = self._words.of(sentences)
        names = span_hashes(words, first, owners, i, j)
        return names, np.unique(names, return_index=True)[1]

    def _labels(self, rows: Sequence[ChunkRow], phrases: Rows) -> "_Labelled":
        """Return the label sets of all phrases of a tree."""
        trees = self._forest(rows)
        spans = phrases[:0, :3]
        if len(trees.trees):
            spans = phrases[np.isin(phrases[:, 0], trees.pair), :3]
        if len(spans):
            new = np.r_[True, (np.diff(spans, axis=0) != 0).any(axis=1)]
            spans = spans[new]
        distinct, at = trees.over(spans)
        exact = self._settings.labels == "constituents"
        labels = span_labels(trees.trees, distinct, exact=exact)
        if len(trees.pair) == len(np.unique(trees.pair)):
            one = np.full(len(labels.labels), ONE, dtype=np.int64)
            ranks = np.zeros_like(one)
            return _Labelled(
                spans, labels.at, labels.labels, one, ranks, labels.nodes, labels.sets
            )
        return _merged(spans, trees, distinct[:, 0], at, labels)

    def _forest(self, rows: Sequence[ChunkRow]) -> "_Trees":
        """The trees there are."""
        trees: list[TreeArrays] = []
        owners: list[tuple[int, int, float]] = []
        for k, row in enumerate(rows):
            if not row.tree or self._settings.labels == "none":
                continue
            for rank, (text, p) in enumerate(kept_trees(row.tree)):
                tree = self._tree(text)
                if tree is not None and len(tree.leaves) == row.source.count(" ") + 1:
                    trees.append(tree)
                    owners.append((k, rank, p))
        about = np.array(owners, dtype=np.float64).reshape(-1, 3)
        pair = about[:, 0].astype(np.int64)
        mass = np.bincount(pair, about[:, 2], len(rows))
        share = np.rint(ONE * about[:, 2] / mass[pair]).astype(np.int64)
        return _Trees(trees, pair, about[:, 1].astype(np.int64), share)

    def _read_tree(self, text: str) -> TreeArrays | None:
        """None if it is not a tree, or has crossing branches."""
        try:
            return TreeArrays.read(text, self._labels_known)
        except GemelError:
            return None


@dataclass(frozen=True, slots=True)
class _Trees:
    """Trees, of each the number of its ``pair`` in order, its ``rank`` among the
    pair's, and its ``share`` of their probability, in millionths."""

    trees: list[TreeArrays]
    pair: Rows
    rank: Rows
    share: Rows

    def over(self, spans: Rows) -> tuple[Rows, Rows]:
        """Each of the ``spans`` in each tree of its pair, rows of tree, start and end;
        and which of the spans each row is."""
        low = np.searchsorted(spans[:, 0], self.pair, side="left")
        many = np.searchsorted(spans[:, 0], self.pair, side="right") - low
        before = np.concatenate([[0], np.cumsum(many)])[:-1]
        at = np.arange(many.sum()) + np.repeat(low - before, many)
        tree = np.repeat(np.arange(len(self.trees)), many)
        return np.column_stack([tree, spans[at, 1:]]).astype(np.int64), at


@dataclass(frozen=True, slots=True)
class _Labelled:
    """Spans (S, 3), in order of sentence, start and end. The labels of span s are
    ``labels[at[s] : at[s + 1]]``, with their weights in millionths and where each can
    be read off: the ``ranks`` of the tree and its ``nodes``. ``sets`` names them all
    together, 0: none."""

    spans: Rows
    at: Rows
    labels: Rows
    weights: Rows
    ranks: Rows
    nodes: Rows
    names_of_sets: Rows

    def of(self, rows: Rows) -> Rows:
        """The set of each of ``rows``, 0: none; they are in the same order."""
        sets = np.zeros(len(rows), dtype=np.int64)
        if len(self.spans):
            wide = int(rows[:, 1:].max()) + 1
            mine = (self.spans[:, 0] * wide + self.spans[:, 1]) * wide + self.spans[
                :, 2
            ]
            wanted = (rows[:, 0] * wide + rows[:, 1]) * wide + rows[:, 2]
            at = np.minimum(np.searchsorted(mine, wanted), len(mine) - 1)
            sets[:] = np.where(mine[at] == wanted, self.names_of_sets[at], 0)
        return sets

    def sets(self) -> Columns:
        """The labels of each set once."""
        first = np.unique(self.names_of_sets, return_index=True)[1]
        many = np.diff(self.at)[first]
        at = np.repeat(self.at[first] - np.r_[0, np.cumsum(many)[:-1]], many)
        at += np.arange(len(at))
        return {
            "labels": np.repeat(self.names_of_sets[first], many),
            "label": self.labels[at],
            "weight": self.weights[at],
        }

    def names(self, ids: Rows) -> Columns:
        """For each label one place where it can be read."""
        labels, first = np.unique(self.labels, return_index=True)
        span = self.spans[np.searchsorted(self.at, first, side="right") - 1]
        return {
            "label": labels,
            "pair_id": ids[span[:, 0]],
            "rank": self.ranks[first],
            "first": span[:, 1],
            "last": span[:, 2],
            "node": self.nodes[first],
        }


def _merged(
    spans: Rows, trees: _Trees, tree: Rows, span: Rows, labelled: SpanLabels
) -> _Labelled:
    """Labels of several trees, each once a span with the shares of its trees added.

    ``tree``, ``span``: of each row of ``labelled``. A label that two nodes of one tree
    give counts once in it.
    """
    many = np.diff(labelled.at)
    rows = np.column_stack(
        [np.repeat(span, many), labelled.labels, np.repeat(tree, many)]
    )
    order = np.lexsort(rows.T[::-1])
    rows, nodes = rows[order], labelled.nodes[order]
    once = np.r_[True, (np.diff(rows, axis=0) != 0).any(axis=1)][: len(rows)]
    rows, nodes = rows[once], nodes[once]
    first = np.flatnonzero(
        np.r_[True, (np.diff(rows[:, :2], axis=0) != 0).any(axis=1)][: len(rows)]
    )
    weights = np.zeros(0, dtype=np.int64)
    if len(first):
        weights = np.add.reduceat(trees.share[rows[:, 2]], first)
    kept = rows[first]
    at = np.searchsorted(kept[:, 0], np.arange(len(spans) + 1)).astype(np.int64)
    named = (kept[:, 1] ^ weights * _SPREAD).astype(np.int64)
    return _Labelled(
        spans,
        at,
        kept[:, 1],
        weights,
        trees.rank[kept[:, 2]],
        nodes[first],
        set_names(named.view(np.uint64), at),
    )


def kept_trees(text: str) -> list[tuple[str, float]]:
    """Trees and their probabilities: one a line, or one tree alone, which has 1."""
    if text.startswith("("):
        return [(text, 1.0)]
    rows = (line.partition(" ") for line in text.split("\n"))
    return [(tree, float(p)) for p, _, tree in rows]


def _links(rows: Sequence[ChunkRow]) -> tuple[Rows, Rows]:
    """All links in a row, and where each sentence's begin."""
    counts = [row.links.count("-") for row in rows]
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    flat = " ".join(row.links for row in rows if row.links).replace("-", " ").split()
    try:
        links = np.array(flat, dtype=np.int64).reshape(-1, 2)
    except ValueError as error:
        raise InvalidValue(f"expected links such as 0-0 1-2: {error}") from error
    if len(links) != first[-1]:
        raise InvalidValue("expected links such as 0-0 1-2")
    return first, links


def _texts(sentences: Sequence[Sequence[str]], spans: Rows) -> NDArray[Any]:
    """The words of each ``(sentence, start, end)``."""
    words = (" ".join(sentences[s][i:j]) for s, i, j in _plain(spans))
    return np.array(list(words), dtype=object)


def _plain(spans: Rows) -> Iterator[list[int]]:
    return iter(spans.tolist())


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
        """Pairs next to their trees, sorted by number: a file each."""
        for at, source in enumerate(self._sources):
            path = self._pairs(at)
            if not path.is_file():
                with_trees = bool(source.parses) and self._rules.labels != "none"
                engine = self._engine()
                engine.scan("given", [source.pairs])
                if with_trees:
                    engine.scan("files", source.parses, mixed=True)
                    engine.make("parses", _PARSES)
                engine.write(self._with_trees(with_trees=with_trees), path)
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

    def _with_trees(self, *, with_trees: bool) -> str:
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
            raise InvalidValue(
                f"{self._sources[at].pairs.name}: expected one corpus per file"
            )
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
