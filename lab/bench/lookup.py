"""How long a look-up takes: ``python -m lab bench lookup FOLDER [MILLIONS]``.

Makes a table of so many million paraphrases (5) in FOLDER, in the form that `pivot
build` writes, and asks it 200 phrases in turn, each for the first time, and the one
phrase that has a thousand labels. The answer names, by question, median, 95th
percentile and slowest wall-clock time and the mean CPU time, in milliseconds, and the
CPU time of that one phrase; "page": what the search page asks together. The words are
made up; the sizes of buckets and row groups are real.
"""

import argparse
import json
import random
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from core.pivoting.building.engines import DuckEngine
from core.pivoting.building.settings import VERSION
from core.pivoting.extract import WordHashes, span_hashes
from core.pivoting.table import Table, open_table

BUCKETS, LABELS, KEPT, PIVOTS = 64, 5, 5, 10
HEAVY = "so much"
_LABELS = "CASE WHEN l = 0 THEN '' ELSE 'L' || l END AS label"
_FILES = {
    "paraphrases": f"""
        SELECT text AS phrase, {_LABELS}, 'p' || k || ' ' || text AS paraphrase,
            0.3::DOUBLE / (k + 1) AS p, CAST(10 AS BIGINT) AS pivots, k + 1 AS place
        FROM mine, range(labels) t(l), range({KEPT}) u(k) ORDER BY phrase, label, place
        """,
    "heads": f"""
        SELECT text AS phrase, {_LABELS}, CAST({KEPT} AS BIGINT) AS candidates,
            0.5::DOUBLE AS mass, 0::DOUBLE AS lost, 0::DOUBLE AS next,
            CAST(3 AS BIGINT) AS corpora
        FROM mine, range(labels) t(l) ORDER BY phrase, label""",
    "pivots": f"""
        SELECT text AS phrase, {_LABELS}, 'c' || k % 3 AS corpus,
            'f' || k || ' ' || right(text, 3) AS foreign_phrase, 2::DOUBLE AS n,
            CAST(20 + l AS DOUBLE) AS of_e, 30::DOUBLE AS of_f,
            CAST(0 AS BIGINT) AS loose
        FROM mine, range(labels) t(l), range({PIVOTS}) u(k)
        ORDER BY phrase, label, corpus, foreign_phrase""",
    "places": """
        SELECT text AS phrase, 0 AS file, CAST(id + 7 * k AS BIGINT) AS pair_id,
            CAST(0 AS BIGINT) AS first, CAST(2 AS BIGINT) AS last
        FROM mine, range(3) u(k) ORDER BY phrase, pair_id""",
}
_PAIRS = """
    SELECT CAST(i AS BIGINT) AS pair_id, 'c0' AS corpus, 'a b c d e f' AS source,
        'g h i j' AS target, '' AS links, NULL AS tree
    FROM range(250000) t(i) ORDER BY pair_id"""


def main(folder: Path, millions: float = 5) -> None:
    if not (folder / "manifest.json").is_file():
        _make(folder, int(millions * 1e6 / LABELS / KEPT))
    phrases = _phrases(int(millions * 1e6 / LABELS / KEPT))
    table = open_table(folder)
    drawn = random.Random(1).sample(phrases, 200)
    figures = {"size": table.size()}
    for name, ask in _questions(table).items():
        figures[name] = _times(ask, drawn) | {HEAVY: _times(ask, [HEAVY])["cpu"]}
    print(json.dumps(figures, indent=1))


def _questions(table: Table) -> dict[str, Callable[[str], object]]:
    return {
        "lookup": lambda phrase: table.lookup(phrase, k=20),
        "lookup with label": lambda phrase: table.lookup(phrase, "L1", k=20),
        "labels": table.labels,
        "why": lambda phrase: table.why(phrase, phrase, label="L1"),
        "examples": table.examples,
        "page": lambda phrase: (
            table.lookup(phrase, k=20),
            table.labels(phrase),
            table.examples(phrase),
        ),
    }


def _times(ask: Callable[[str], object], phrases: list[str]) -> dict[str, float]:
    taken = []
    spent = time.process_time()
    for phrase in phrases:
        start = time.perf_counter()
        ask(phrase)
        taken.append(1000 * (time.perf_counter() - start))
    spent = time.process_time() - spent
    low, high = np.quantile(taken, [0.5, 0.95])
    return {
        "median": round(float(low), 1),
        "p95": round(float(high), 1),
        "slowest": round(max(taken), 1),
        "cpu": round(1000 * spent / len(phrases), 1),
    }


def _phrases(n: int) -> list[str]:
    side = int(n**0.5) + 1
    return [f"w{i // side} v{i % side}" for i in range(n)]


def _make(folder: Path, n: int) -> None:
    phrases = [HEAVY, *_phrases(n)]
    words, first = WordHashes().of([phrase.split(" ") for phrase in phrases])
    zero = np.zeros(len(phrases), dtype=np.int64)
    names = span_hashes(words, first, np.arange(len(phrases)), zero, zero + 2)
    engine = DuckEngine(folder, memory="2GB")
    many = np.full(len(phrases), LABELS)
    many[0] = 1000
    columns = {"text": np.array(phrases, dtype=object), "id": np.arange(len(phrases))}
    engine.take("given", {**columns, "bucket": names & (BUCKETS - 1), "labels": many})
    engine.make("phrases", "SELECT * FROM given")
    for bucket in range(BUCKETS):
        one = f"(SELECT * FROM phrases WHERE bucket = {bucket}) mine"
        for name, sql in _FILES.items():
            path = folder / "table" / f"{name}-{bucket:04d}.parquet"
            engine.write(sql.replace("FROM mine", f"FROM {one}"), path)
    engine.write(_PAIRS, folder / "table" / "pairs-0000.parquet")
    engine.close()
    settings = {"buckets": BUCKETS, "lowercase": True}
    facts = {"version": VERSION, "table": "table", "settings": settings, "sources": []}
    (folder / "manifest.json").write_text(json.dumps(facts | {"stages": {}}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("millions", type=float, nargs="?", default=5.0)
    main(**vars(parser.parse_args()))
