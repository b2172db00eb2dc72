"""Tables 1 to 4 of the paper, for a phrase of the tests' own bitext."""

from pathlib import Path

import pytest

from core.pivoting.building.pipeline import build_table
from core.pivoting.building.settings import BuildSettings
from core.pivoting.table import Table, open_table, phrase_tables
from tests.core.pivoting import small_bitext


@pytest.fixture
def table(tmp_path: Path) -> Table:
    out = tmp_path / "table"
    out.mkdir()
    sources = small_bitext.sources(tmp_path)
    list(build_table(out, sources, BuildSettings(buckets=1, widest=0)))
    return open_table(out)


def test_each_label_has_its_table_with_the_phrase_itself(table: Table) -> None:
    tables = phrase_tables(table, "Old", at_least=0.0)
    assert tables[0].label == ""
    assert tables[1].is_constituent
    assert {one.label for one in tables[1:]} == set(table.labels("old"))
    for one in tables:
        assert sum(p for _, p in one.rows) == pytest.approx(1.0)
        assert "old" in [text for text, _ in one.rows]


def test_the_phrase_itself_has_what_its_own_pivots_give_it(table: Table) -> None:
    (plain, *_) = phrase_tables(table, "old", at_least=0.0)
    own = sum(pivot.p for pivot in table.why("old", "old")) / plain.corpora
    assert dict(plain.rows)["old"] >= own > 0


def test_what_is_unlikely_is_left_out_and_an_unknown_phrase_has_none(
    table: Table,
) -> None:
    (plain, *_) = phrase_tables(table, "old", at_least=0.99)
    assert all(p >= 0.99 for _, p in plain.rows)
    assert phrase_tables(table, "submarine") == []
