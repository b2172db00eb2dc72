"""Counts over a table, as Callison-Burch 2008 gives them in section 3."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from core.pivoting.table import Table

__all__ = ["KINDS", "census"]

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
    label. Of what the table keeps.
    """
    engine = table.engine
    engine.take("wanted", {"phrase": np.array(phrases, dtype=object)})
    engine.make(
        "p",
        f"""
        SELECT t.phrase, t.label, t.paraphrase, t.p FROM
        read_parquet('{table.files("paraphrases")}') t
        JOIN wanted w ON w.phrase = t.phrase""",
    )
    counts: dict[str, Any] = {"phrases": len(phrases)}
    for name in ("paraphrasable", "paraphrases", "contained", "best contained"):
        counts[name] = {}
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
                FROM p WHERE {only} GROUP BY p.phrase, p.paraphrase) unique_)
            ranked""")[0]
        names = ("paraphrasable", "paraphrases", "contained", "best contained")
        for name, value in zip(names, row, strict=True):
            counts[name][kind] = value
    engine.clear()
    return counts
