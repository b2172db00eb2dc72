"""Words in pairs, found by the database's own full-text index.

PostgreSQL: a GIN index on ``to_tsvector('simple', text)``. SQLite: an FTS5 table kept
by triggers. Both are made in a migration of their own.
"""

import re

from django.db import connection, models

_WORD = re.compile(r"\w+", re.UNICODE)
_FEW = 2000


def containing(rows: models.QuerySet, words: str) -> models.QuerySet:
    """The rows whose text holds all these words, anywhere, in any case."""
    wanted = _WORD.findall(words)
    if not wanted:
        return rows.none() if words.strip() else rows
    if connection.vendor == "postgresql":
        return _few_by_key(rows, _indexed(rows, " ".join(wanted)))
    query = " ".join(f'"{word}"' for word in wanted)
    return rows.extra(
        where=[
            "annotator_pair.id IN"
            " (SELECT rowid FROM annotator_pair_fts WHERE annotator_pair_fts MATCH %s)"
        ],
        params=[query],
    )


def _indexed(rows: models.QuerySet, words: str) -> models.QuerySet:
    return rows.extra(
        where=[
            "to_tsvector('simple', annotator_pair.text)"
            " @@ plainto_tsquery('simple', %s)"
        ],
        params=[words],
    )


def _few_by_key(rows: models.QuerySet, hits: models.QuerySet) -> models.QuerySet:
    """``hits``, by their keys where they are few. Of a million rows PostgreSQL takes a
    rare word for a commoner one, and for the first in some order it reads them all; of
    a common word it soon has as many as a page shows."""
    keys = list(hits.order_by().values_list("pk", flat=True)[: _FEW + 1])
    return hits if len(keys) > _FEW else rows.filter(pk__in=keys)
