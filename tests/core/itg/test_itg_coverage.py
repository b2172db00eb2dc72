"""What of an alignment ITG can express."""

import pytest

from core.errors import InvalidValue
from core.itg.coverage import coverage

INSIDE_OUT = [(0, 1), (1, 3), (2, 0), (3, 2)]


def test_nested_orders_are_covered() -> None:
    found = coverage([(0, 3), (1, 4), (2, 2), (3, 0), (4, 1)])
    assert (found.n_links, found.n_single, found.n_built) == (5, 5, 5)
    assert found.is_built
    assert not found.is_split


def test_inside_out_order_loses_one_link() -> None:
    found = coverage(INSIDE_OUT)
    assert (found.n_single, found.n_built, found.is_built) == (4, 3, False)
    assert not found.is_split


def test_words_in_no_link_do_not_matter() -> None:
    spread = [(10 * i, 7 * j + 3) for i, j in INSIDE_OUT]
    assert coverage(spread) == coverage(INSIDE_OUT)


def test_phrase_is_one_unit() -> None:
    found = coverage([(0, 0), (0, 1), (1, 2)])
    assert (found.n_links, found.n_single, found.n_units) == (3, 2, 2)
    assert found.is_built


def test_unit_round_another_is_split_though_its_words_can_be_linked_singly() -> None:
    found = coverage([(0, 0), (0, 2), (1, 1)])
    assert found.is_split
    assert not found.is_built
    assert found.n_built == found.n_single == 2


def test_no_links_are_refused() -> None:
    with pytest.raises(InvalidValue):
        coverage([])
