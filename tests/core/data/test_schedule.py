"""Checks come at places of a judge's own; how many are still to come is known."""

import pytest

from core.data.orders import CHECK, before_the_end, checks_ahead, is_due


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("every", "at_once"), [(1, 4), (2, 1), (5, 4), (15, 20)])
def test_checks_ahead_are_those_that_come(seed: int, every: int, at_once: int) -> None:
    slot, items, unseen = seed, 23, 4
    wanted = checks_ahead(seed, every, slot, items=items, unseen=unseen)
    came = 0
    while True:
        due = [is_due(seed, CHECK, every, s) for s in range(slot, slot + at_once)]
        checks = min(sum(due), unseen)
        main = min(items, at_once - checks)
        never = [False] * at_once
        checks, _ = before_the_end(due, never, checks=checks, repeats=0, items=main)
        if not checks + main:
            break
        came, unseen, items = came + checks, unseen - checks, items - main
        slot += checks + main
    assert (came, items) == (wanted, 0)


def test_without_checks_none_come() -> None:
    assert checks_ahead(1, 0, 0, items=100, unseen=5) == 0
    assert checks_ahead(1, 5, 0, items=100, unseen=0) == 0
    assert not is_due(1, CHECK, 0, 3)
