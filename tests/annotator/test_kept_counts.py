"""Counts over many rows: few are counted each time, many at most once a minute."""

from itertools import count
from uuid import uuid4

from annotator.services.kept_counts import MANY, kept


def test_few_rows_are_counted_each_time() -> None:
    n, key = count(), uuid4().hex
    assert [kept(key, MANY, lambda: next(n)) for _ in range(3)] == [0, 1, 2]


def test_many_rows_are_counted_once() -> None:
    n, key = count(), uuid4().hex
    assert [kept(key, MANY + 1, lambda: next(n)) for _ in range(3)] == [0, 0, 0]


def test_counts_of_two_things_are_kept_apart() -> None:
    key = uuid4().hex
    assert kept(f"{key}-1", MANY + 1, lambda: 1) == 1
    assert kept(f"{key}-2", MANY + 1, lambda: 2) == 2
