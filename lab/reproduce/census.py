"""How many phrases of a paraphrase table can be paraphrased, and by what."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.pivoting.building.engines import DuckEngine
from core.pivoting.table import Table

KINDS = {
    "baseline": "p.label = ''",
    "constituents": "p.label <> '' AND NOT contains(p.label, '/') "
    "AND NOT contains(p.label, chr(92))",
    "ccg": "p.label <> ''",
}


def census(table: Table, phrases: Sequence[str]) -> dict[str, Any]:
    """How many of the phrases can be paraphrased, by what, and how often by a part.

    ``paraphrasable``: phrases; ``paraphrases``: pairs, each once whatever its labels;
    ``contained``: the share of pairs of which one holds the other, ``best contained``:
    of the best of each phrase. By kind: without labels, under constituents, under any
    label. Of all candidates, as their pivots give them (equations 5 and 7); under
    ``kept`` the same of those that the table keeps, at most ``best`` a label. The
    candidates are as many as pairs of phrases that share a pivot: DuckDB spills them
    to disk.
    """
    engine = table.engine
    engine.take("wanted", {"phrase": np.array(phrases, dtype=object)})
    engine.make(
        "everything",
        f"""
        WITH pivots AS (SELECT * FROM read_parquet('{table.files("pivots")}'))
        SELECT a.phrase, a.label, b.phrase AS paraphrase,
            sum(a.n / a.of_e * (b.n / b.of_f)) AS p
        FROM pivots a JOIN wanted w ON w.phrase = a.phrase JOIN pivots b
            ON b.corpus = a.corpus AND b.label = a.label
            AND b.foreign_phrase = a.foreign_phrase AND b.phrase <> a.phrase
        GROUP BY a.phrase, a.label, b.phrase""",
    )
    engine.make(
        "kept",
        f"""
        SELECT t.phrase, t.label, t.paraphrase, t.p FROM
        read_parquet('{table.files("paraphrases")}') t
        JOIN wanted w ON w.phrase = t.phrase""",
    )
    counts = {"phrases": len(phrases), **_counts(engine, "everything")}
    counts["kept"] = _counts(engine, "kept")
    engine.clear()
    return counts


def _counts(engine: DuckEngine, of: str) -> dict[str, dict[str, Any]]:
    names = ("paraphrasable", "paraphrases", "contained", "best contained")
    counts: dict[str, dict[str, Any]] = {name: {} for name in names}
    for kind, only in KINDS.items():
        row = engine.rows(f"""
            SELECT count(DISTINCT phrase), count(*), avg(inside),
                avg(inside) FILTER (place = 1) FROM (
                SELECT *, row_number() OVER (
                    PARTITION BY phrase ORDER BY best DESC, paraphrase) AS place
                FROM (SELECT p.phrase, p.paraphrase, max(p.p) AS best,
                    CAST(contains(' ' || p.phrase || ' ', ' ' || p.paraphrase || ' ')
                    OR contains(' ' || p.paraphrase || ' ', ' ' || p.phrase || ' ')
                    AS INTEGER) AS inside
                FROM {of} p WHERE {only} GROUP BY p.phrase, p.paraphrase) unique_)
            ranked""")[0]
        for name, value in zip(names, row, strict=True):
            counts[name][kind] = value
    return counts
