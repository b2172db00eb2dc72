"""The same statements on Apache Spark (the ``[spark]`` extra)."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from core.errors import Unavailable

try:
    from pyspark.sql import DataFrame, SparkSession
except ImportError as error:
    raise Unavailable("Spark is not installed: pip install 'gemel[spark]'") from error

_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parquet.compression.codec": "zstd",
}


class SparkEngine:
    """A session on ``master``; files are as DuckDB writes them, one each."""

    name = "spark"

    def __init__(self, master: str, scratch: Path) -> None:
        scratch.mkdir(parents=True, exist_ok=True)
        builder = SparkSession.builder.master(master).appName("gemel pivoting")
        for key, value in _SETTINGS.items():
            builder = builder.config(key, value)
        self._session = builder.getOrCreate()
        self._session.sparkContext.setLogLevel("ERROR")
        self._made: list[tuple[str, DataFrame]] = []

    def scan(self, name: str, files: Sequence[Path]) -> None:
        table = self._session.read.parquet(*(f"file://{file}" for file in files))
        table.createOrReplaceTempView(name)
        self._made.append((name, table))

    def make(self, name: str, sql: str) -> None:
        table = self._session.sql(sql).cache()
        table.createOrReplaceTempView(name)
        self._made.append((name, table))

    def write(self, sql: str, path: Path) -> None:
        folder = path.with_name(f".{path.name}.parts")
        table = self._session.sql(sql).coalesce(1)
        table.write.mode("overwrite").parquet(f"file://{folder}")
        part = next(folder.glob("part-*.parquet"))
        os.replace(part, path)
        shutil.rmtree(folder)

    def clear(self) -> None:
        for name, table in self._made:
            table.unpersist()
            self._session.catalog.dropTempView(name)
        self._made.clear()

    def close(self) -> None:
        self.clear()
        self._session.stop()
