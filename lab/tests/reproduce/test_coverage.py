"""What of an alignment ITG can express."""

import pytest

from core.errors import InvalidValue
from lab.reproduce.coverage import coverage

INSIDE_OUT = [(0, 1), (1, 3), (2, 0), (3, 2)]


def test_nested_orders_are_covered() -> None:
    cover = coverage([(0, 3), (1, 4), (2, 2), (3, 0), (4, 1)])
    assert (cover.n_links, cover.n_single, cover.n_built) == (5, 5, 5)
    assert cover.is_built
    assert not cover.is_split


def test_inside_out_order_loses_one_link() -> None:
    cover = coverage(INSIDE_OUT)
    assert (cover.n_single, cover.n_built, cover.is_built) == (4, 3, False)
    assert not cover.is_split


def test_words_in_no_link_do_not_matter() -> None:
    spread = [(10 * i, 7 * j + 3) for i, j in INSIDE_OUT]
    assert coverage(spread) == coverage(INSIDE_OUT)


def test_phrase_is_one_unit() -> None:
    cover = coverage([(0, 0), (0, 1), (1, 2)])
    assert (cover.n_links, cover.n_single, cover.n_units) == (3, 2, 2)
    assert cover.is_built


def test_unit_round_another_is_split_though_its_words_can_be_linked_singly() -> None:
    cover = coverage([(0, 0), (0, 2), (1, 1)])
    assert cover.is_split
    assert not cover.is_built
    assert cover.n_built == cover.n_single == 2


def test_no_links_are_refused() -> None:
    with pytest.raises(InvalidValue):
        coverage([])
