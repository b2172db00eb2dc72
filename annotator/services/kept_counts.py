"""Counts over very many rows, which a page may show as they were a moment ago."""

from collections.abc import Callable
from typing import TypeVar

from django.core.cache import cache

MANY = 20_000  # rows; fewer are counted each time
AT_MOST_S = 60
_T = TypeVar("_T")


def kept(key: str, n_rows: int, count: Callable[[], _T]) -> _T:
    """What ``count()`` says; over more than ``MANY`` rows what it last said in this
    process, unless that is older than a minute. ``n_rows``: about how many it reads."""
    if n_rows <= MANY:
        return count()
    n: _T | None = cache.get_or_set(f"count-{key}", count, AT_MOST_S)
    return count() if n is None else n
