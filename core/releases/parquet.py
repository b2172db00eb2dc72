"""Lines of JSON to a Parquet file."""

from collections.abc import Mapping
from pathlib import Path

import duckdb


def from_json_lines(lines: Path, target: Path, columns: Mapping[str, str]) -> None:
    """Write ``target``. ``columns``: the DuckDB type of each, in their order."""
    types = ", ".join(f"\"{name}\": '{kind}'" for name, kind in columns.items())
    reading = (
        "read_json(?, format = 'newline_delimited', maximum_object_size = 50000000,"
        f" columns = {{{types}}})"
    )
    with duckdb.connect(":memory:", config={"threads": 2}) as database:
        database.execute("SET enable_progress_bar = false")
        relation = database.sql(f"FROM {reading}", params=[str(lines)])
        relation.write_parquet(str(target), compression="zstd")
