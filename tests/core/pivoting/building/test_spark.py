"""Spark and DuckDB make the same table out of the same statements."""

from pathlib import Path

import pytest

from core.pivoting.building.pipeline import build_table
from core.pivoting.building.settings import BuildSettings
from core.pivoting.table import open_table
from tests.core.pivoting import small_bitext
from tests.core.pivoting.test_table import contents

pytest.importorskip("pyspark", reason="the spark extra is not installed")


@pytest.mark.slow
def test_spark_makes_the_table_that_duckdb_makes(tmp_path: Path) -> None:
    sources = small_bitext.sources(tmp_path)
    rules = BuildSettings(buckets=1, max_length=3, best=3, widest=2)
    assert list(build_table(tmp_path / "duckdb", sources, rules))
    assert list(build_table(tmp_path / "spark", sources, rules, spark="local[2]"))
    tables = [open_table(tmp_path / name) for name in ("duckdb", "spark")]
    one, other = [contents(table) for table in tables]
    assert one == other
    assert len(one[0]) > 50
