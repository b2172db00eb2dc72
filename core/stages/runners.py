"""Who works on the pieces: this process, or the executors of Apache Spark."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial

from core.errors import Unavailable
from core.stages import pieces
from core.stages.pieces import StageOrder

__all__ = ["Runner", "here", "spark"]

Runner = Callable[[StageOrder, Sequence[str], Callable[[str], object]], None]
"""Makes the pieces of these keys, each unless it is there, and tells how it goes on."""


def here(order: StageOrder, keys: Sequence[str], say: Callable[[str], object]) -> None:
    for k, key in enumerate(keys, 1):
        pieces.do(order, key)
        say(f"{k} of {len(keys)} pieces")


def spark(
    master: str, order: StageOrder, keys: Sequence[str], say: Callable[[str], object]
) -> None:
    """On a cluster whose machines reach the folder under the same path.

    A task is a piece; the process of an executor that runs it loads the model once and
    is used again. Spark does a task again whose executor was lost. Raises Unavailable.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise Unavailable(
            "Spark is not installed: pip install 'gemel[spark]'"
        ) from error
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(master).appName(f"gemel {order.stage}")
    session = builder.config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        tasks = session.sparkContext.parallelize(list(keys), len(keys))
        tasks.foreach(partial(pieces.do, order))
    finally:
        session.stop()
    say(f"{len(keys)} pieces")
