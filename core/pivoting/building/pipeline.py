"""Building a paraphrase table from aligned, parsed pairs, stage by stage.

    prepare   pairs next to their trees, by number        a file of pairs each
    extract   counts of phrase pairs, their words        a chunk of pairs each
    share     labels that two English phrases have       once
    count     pairs that join, and totals                a bucket of foreign phrases
    join      the same with totals of English phrases    a bucket of English phrases
    pivot     sums over foreign phrases                  a bucket of foreign phrases
    rank      the best of each phrase and label          a bucket of English phrases
    name      labels in words                            once
    spell     phrases in words                           a bucket
    finish    what is read: paraphrases, pivots, places  a bucket of English phrases

Every piece is one file, written under a temporary name and renamed, in a folder named
by a digest of all that it depends on: the content of the inputs, the settings, the
version. So an interrupted build continues, and unchanged pieces are not rebuilt. Memory
is bounded by ``buckets`` and ``chunk``, whatever the size of the text.

Labels as text: each is read from a tree in which it occurs.
"""

import fcntl
import json
import os
import resource
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import InvalidValue
from core.pivoting.building import statements
from core.pivoting.building.counting import Extraction, kept_trees
from core.pivoting.building.engines import SPILL, DuckEngine, Engine, engine_of
from core.pivoting.building.settings import (
    VERSION,
    BuildSettings,
    PairsFile,
    digest,
    file_digest,
)
from core.pivoting.extract import phrase_hash
from core.pivoting.labels import NodeNames, PlainTree
from core.protocols import Step

_AT_ONCE = 200_000
_PLACES = """
    SELECT n.label, n.file, n.pair_id, n.rank, n.first, n.last, n.node FROM (
        SELECT label, file, pair_id, rank, first, last, node, row_number() OVER (
            PARTITION BY label ORDER BY file, pair_id, rank, first, last, node) AS place
        FROM names WHERE label IN (SELECT label FROM wanted)) n
    WHERE n.place = 1"""


def spell_labels(
    names: Sequence[Path],
    wanted: Sequence[Path],
    pairs: Sequence[Path],
    path: Path,
    *,
    memory: str = "2GB",
) -> None:
    """Write ``label, text`` of the labels in the files ``wanted``.

    ``names``: the places where labels are; ``pairs``: the files with their trees, in
    the order of their numbers. Trees are read in order, each once.
    """
    engine = DuckEngine(path.parent, memory=memory)
    try:
        engine.scan("names", names)
        engine.scan("joins", wanted)
        engine.make("wanted", "SELECT DISTINCT label FROM joins WHERE label <> 0")
        engine.make("places", _PLACES)
        engine.make("spelled", "SELECT CAST(0 AS BIGINT) AS label, '' AS text LIMIT 0")
        for number, file in enumerate(pairs):
            _of_file(engine, number, file)
        engine.write("SELECT label, text FROM spelled ORDER BY label", path)
    finally:
        engine.close()


def _of_file(engine: DuckEngine, number: int, file: Path) -> None:
    sql = """
        SELECT p.tree, n.rank, n.first, n.last, n.node, n.label FROM places n
        JOIN read_parquet(?) p ON p.pair_id = n.pair_id
        WHERE n.file = ? ORDER BY n.pair_id, n.rank LIMIT ? OFFSET ?"""
    start = 0
    while rows := engine.rows(sql, [str(file), number, _AT_ONCE, start]):
        labels, texts = [], []
        for (kept, rank), places in groupby(rows, key=lambda row: row[:2]):
            names = NodeNames(PlainTree.read(kept_trees(kept)[rank][0]))
            for _, _, first, last, node, label in places:
                labels.append(label)
                texts.append(names.name(node, first, last))
        engine.add(
            "spelled",
            {"label": np.array(labels), "text": np.array(texts, dtype=object)},
        )
        start += _AT_ONCE


STAGES = ("share", "count", "join", "pivot", "rank", "name", "spell", "finish")
NOTES = ("prepare", "extract", *STAGES, "done")  # the first word of each step's note


def build_table(
    out: Path,
    sources: Sequence[PairsFile],
    settings: BuildSettings | None = None,
    *,
    spark: str = "",
    memory: str = "2GB",
    keep_work: bool = True,
) -> Iterator[Step]:
    """Make the table at ``out``, a step for each piece; it is there when all are done.

    ``spark``: the master of a Spark cluster ("local[2]"), which then runs everything
    but the extraction; "": DuckDB, within ``memory``. ``keep_work``: intermediate files
    stay in ``out/work``, so the next build can reuse them. A table at ``out`` stays
    until the new one is complete. Raises InvalidValue on missing or wrong input, before
    anything is written.
    """
    rules = settings or BuildSettings()
    if not sources:
        raise InvalidValue("a table needs at least one file of pairs")
    build = _Build(out, list(sources), rules, memory)
    with _alone(out / "work"):
        engine = engine_of(spark, out / "work", memory=memory)
        try:
            yield from build.run(engine)
        finally:
            engine.close()
    if not keep_work:
        shutil.rmtree(out / "work")


@contextmanager
def _alone(work: Path) -> Iterator[None]:
    """One build a folder; a lock that its process holds goes when that ends."""
    work.mkdir(parents=True, exist_ok=True)
    with (work / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise InvalidValue(
                f"{work.parent}: another build is running here"
            ) from error
        for spilled in work.glob(f"{SPILL}*"):  # a build that was killed left it
            shutil.rmtree(spilled)
        yield


@dataclass(slots=True)
class _Watch:
    """Seconds and peak memory by stage, over all runs that a build took."""

    path: Path

    def add(self, stage: str, seconds: float) -> None:
        stages = json.loads(self.path.read_text()) if self.path.is_file() else {}
        row = stages.setdefault(stage, {"seconds": 0.0, "peak_mb": 0})
        row["seconds"] = round(row["seconds"] + seconds, 2)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        row["peak_mb"] = max(row["peak_mb"], peak)
        _write_whole(self.path, json.dumps(stages, indent=1))


def _write_whole(path: Path, text: str) -> None:
    """All of it or, whatever happens meanwhile, what was there before."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)


class _Build:
    """The stages of one build; each method makes one of them, piece by piece."""

    def __init__(
        self, out: Path, sources: list[PairsFile], rules: BuildSettings, memory: str
    ) -> None:
        self.out, self.sources, self.rules, self.memory = out, sources, rules, memory
        contents = [
            [file_digest(source.pairs), *map(file_digest, source.parses)]
            for source in sources
        ]
        facts = rules.facts()
        reading = {k: facts[k] for k in ("max_length", "lowercase", "labels", "forest")}
        reading |= {k: facts[k] for k in ("parsed_only", "buckets", "chunk")}
        self.reading = digest([VERSION, contents, reading])
        wanted = {k: facts[k] for k in ("widest", "wanted")}
        self.pivoting = digest([self.reading, wanted])
        self.key = digest([self.pivoting, facts])
        self.all = list(range(rules.buckets))

    def run(self, engine: Engine) -> Iterator[Step]:
        extraction = Extraction(
            self.folder("prepare"),
            self.folder("extract"),
            self.sources,
            self.rules,
            self.memory,
        )
        watch = _Watch(self.out / "work" / f"times-{self.key}.json")
        stages: list[tuple[str, Iterator[str]]] = [
            ("prepare", extraction.prepare()),
            ("extract", extraction.extract()),
            *((stage, self._pieces(engine, stage)) for stage in STAGES),
        ]
        for stage, pieces in stages:
            begun = time.monotonic()
            for piece in pieces:
                watch.add(stage, time.monotonic() - begun)
                yield Step(1, note=f"{stage} {piece}")
                begun = time.monotonic()
        self._publish(json.loads(watch.path.read_text()))
        yield Step(1, note="done")

    def folder(self, stage: str) -> Path:
        """The files of a stage; the name of their folder contains what they depend
        on."""
        key = {"pivot": self.pivoting, "rank": self.key, "finish": self.key}
        folder = self.out / "work" / f"{stage}-{key.get(stage, self.reading)}"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def files(self, stage: str, name: str) -> list[Path]:
        return sorted(self.folder(stage).glob(f"{name}-*.parquet"))

    def file(self, stage: str, name: str, bucket: int) -> Path:
        return self.folder(stage) / f"{name}-{bucket:04d}.parquet"

    def _pieces(self, engine: Engine, stage: str) -> Iterator[str]:
        """Do what has not been done of a stage."""
        names, make = self._stage(stage)
        for bucket in [0] if stage in ("share", "name") else self.all:
            wanted = [self.file(stage, name, bucket) for name in names]
            if all(path.is_file() for path in wanted):
                continue
            make(engine, bucket)
            engine.clear()
            yield f"{bucket + 1}"

    def _stage(
        self, stage: str
    ) -> tuple[tuple[str, ...], Callable[[Engine, int], None]]:
        return {
            "share": (("labels",), self._share),
            "count": (("joinable", "sums"), self._count),
            "join": (("joined", "totals"), self._join),
            "pivot": (("terms", "bounds"), self._pivot),
            "rank": (("ranked", "heads"), self._rank),
            "name": (("labels",), self._name),
            "spell": (statements.SPELLED, self._spell),
            "finish": (statements.FINISHED, self._finish),
        }[stage]

    def _share(self, engine: Engine, bucket: int) -> None:
        engine.scan("sets", self.files("extract", "sets"))
        engine.write(statements.shared_labels(), self.file("share", "labels", bucket))

    def _count(self, engine: Engine, bucket: int) -> None:
        engine.scan("chunks", self.files("extract", "pairs"))
        engine.scan("shared", self.files("share", "labels"))
        engine.make("pairs", statements.pair_counts(bucket))
        engine.make("counts", statements.counted())
        for name, sql in (
            ("joinable", statements.joinable(self.rules.buckets)),
            ("sums", statements.english_sums(self.rules.buckets)),
        ):
            engine.write(sql, self.file("count", name, bucket))

    def _join(self, engine: Engine, bucket: int) -> None:
        engine.scan("joinable", self.files("count", "joinable"))
        engine.scan("sums", self.files("count", "sums"))
        engine.make("totals", statements.totals(bucket))
        sql = statements.joined(bucket, self.rules.buckets)
        engine.write(sql, self.file("join", "joined", bucket))
        sql = "SELECT e, label, corpus, of_e FROM totals ORDER BY e, label, corpus"
        engine.write(sql, self.file("join", "totals", bucket))

    def _pivot(self, engine: Engine, bucket: int) -> None:
        rules, wanted = self.rules, bool(self.rules.wanted)
        if wanted:
            engine.scan("wanted", [self._wanted()])
        engine.scan("joined", self.files("join", "joined"))
        engine.make("pivots", statements.pivots(bucket))
        engine.make("kept", statements.kept(rules.widest))
        for name, make in (("terms", statements.terms), ("bounds", statements.bounds)):
            sql = make(rules.widest, rules.buckets, wanted=wanted)
            engine.write(sql, self.file("pivot", name, bucket))

    def _wanted(self) -> Path:
        """The phrases to find paraphrases for, by name."""
        path = self.folder("pivot") / "wanted.parquet"
        if not path.is_file():
            lower = self.rules.lowercase
            phrases = {w.lower() if lower else w for w in self.rules.wanted}
            names = sorted(phrase_hash(phrase) for phrase in phrases)
            duck = DuckEngine(self.out / "work", memory=self.memory)
            duck.take("names", {"e": np.array(names, dtype=np.int64)})
            duck.write("SELECT DISTINCT e FROM names", path)
            duck.close()
        return path

    def _rank(self, engine: Engine, bucket: int) -> None:
        best = self.rules.best
        engine.scan("terms", self.files("pivot", "terms"))
        engine.scan("bounds", self.files("pivot", "bounds"))
        engine.scan("totals", [self.file("join", "totals", bucket)])
        engine.make("summed", statements.summed(bucket))
        engine.make("ranked", statements.ranked(best))
        sql = f"SELECT * FROM ranked WHERE place <= {best} ORDER BY e1, label, place"
        engine.write(sql, self.file("rank", "ranked", bucket))
        engine.write(statements.heads(bucket, best), self.file("rank", "heads", bucket))

    def _name(self, engine: Engine, bucket: int) -> None:
        spell_labels(
            self.files("extract", "labels"),
            self.files("join", "joined"),
            self.files("prepare", "pairs"),
            self.file("name", "labels", bucket),
            memory=self.memory,
        )

    def _spell(self, engine: Engine, bucket: int) -> None:
        engine.scan("english", self.files("extract", "english"))
        engine.scan("foreign_words", self.files("extract", "foreign"))
        engine.scan("joined", [self.file("join", "joined", bucket)])
        engine.scan("joinable", [self.file("count", "joinable", bucket)])
        for name, sql in statements.spelled(bucket).items():
            engine.write(sql, self.file("spell", name, bucket))

    def _finish(self, engine: Engine, bucket: int) -> None:
        engine.scan("ranked", [self.file("rank", "ranked", bucket)])
        engine.scan("heads", [self.file("rank", "heads", bucket)])
        engine.scan("joined", [self.file("join", "joined", bucket)])
        engine.scan("mine", [self.file("spell", "english", bucket)])
        engine.scan("places", [self.file("spell", "places", bucket)])
        engine.scan("english", self.files("spell", "english"))
        engine.scan("foreign_words", self.files("spell", "foreign"))
        engine.scan("labels", self.files("name", "labels"))
        engine.scan("corpora", self.files("extract", "corpora"))
        for name, sql in statements.finished().items():
            engine.write(sql, self.file("finish", name, bucket))

    def _publish(self, times: dict[str, Any]) -> None:
        """Put the finished files in place, then the manifest that names them."""
        name = f"table-{self.key}"
        if not (self.out / name).is_dir():
            part = self.out / f".{name}.part"
            shutil.rmtree(part, ignore_errors=True)
            shutil.copytree(self.folder("finish"), part, copy_function=os.link)
            for path in self.files("prepare", "pairs"):
                os.link(path, part / path.name)
            os.replace(part, self.out / name)
        facts = {
            "version": VERSION,
            "table": name,
            "settings": self.rules.facts(),
            "sources": [str(source.pairs) for source in self.sources],
            "stages": times,
        }
        _write_whole(self.out / "manifest.json", json.dumps(facts, indent=1) + "\n")
        for old in self.out.glob("table-*"):
            if old.name != name:
                shutil.rmtree(old)
