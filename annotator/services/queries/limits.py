"""A limit on the time of statements: the database itself gives up."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection, transaction
from django.utils.translation import gettext as _

from annotator.errors import Refusal

__all__ = ["QueryTooSlow", "within"]

STEPS = 5_000  # of SQLite's machine between two looks at the clock


class QueryTooSlow(Refusal):
    """The search took longer than it may; nothing was found out."""

    status = 503
    code = "query_too_slow"


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise QueryTooSlow if statements in here take longer than this together."""
    ends = time.monotonic() + seconds
    try:
        with _stopping(ends):
            yield
    except OperationalError as error:
        if time.monotonic() < ends - 0.05 * seconds:
            raise
        raise QueryTooSlow(
            _(
                "The search was stopped after %(n)s seconds. Search for "
                "something rarer, in one corpus, or in shorter sentences: "
                "where length < 20."
            )
            % {"n": f"{seconds:g}"},
            seconds=seconds,
        ) from error


@contextmanager
def _stopping(ends: float) -> Iterator[None]:
    if connection.vendor == "postgresql":
        left = max(1, int(1000 * (ends - time.monotonic())))
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config('statement_timeout', %s, true)", [f"{left}"]
            )
            cursor.execute("SELECT set_config('join_collapse_limit', '1', true)")
            yield
            cursor.execute("SELECT set_config('statement_timeout', '0', true)")
            cursor.execute("SELECT set_config('join_collapse_limit', '8', true)")
        return
    connection.ensure_connection()
    raw: Any = connection.connection
    raw.set_progress_handler(lambda: time.monotonic() > ends, STEPS)
    try:
        yield
    finally:
        raw.set_progress_handler(None, STEPS)
