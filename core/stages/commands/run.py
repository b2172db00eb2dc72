"""``corpus run``: a stage over files of pairs, in pieces."""

import argparse
import os
import resource
import time
from functools import partial
from pathlib import Path
from typing import Any

from core.errors import InvalidValue
from core.evaluation.commands.options import Say, add_parser_options
from core.stages import pieces, runners
from core.stages.kinds import STAGES
from core.stages.pieces import StageOrder
from core.stages.runners import Runner

HELP = "parse or align large text in pieces; goes on where it was stopped"
SPARK = "GEMEL_SPARK_MASTER"
RUNNERS: dict[str, Runner] = {"here": runners.here}  # "workers": in an installation


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("stage", choices=STAGES, help="of these")
    add_parser_options(parser)
    add(
        "--in",
        dest="files",
        type=Path,
        nargs="+",
        required=True,
        metavar="FILE",
        help="pairs.parquet files",
    )
    add("--out", type=Path, required=True, metavar="DIR", help="folder to make")
    add(
        "--trees",
        type=int,
        default=1,
        help="parse: the likeliest of a sentence, each with its probability, those "
        "below .01 left out; for pivot build --forest",
    )
    add(
        "--on",
        choices=sorted({*RUNNERS, "spark"}),
        default="here",
        help=f"who works: this process, or the cluster that {SPARK} names",
    )


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """What was made; ``say`` is told how many pieces have been done."""
    if options["trees"] < 1:
        raise InvalidValue("trees: at least one of a sentence")
    out, began = options["out"].resolve(), time.monotonic()
    files = [file.resolve() for file in options["files"]]
    models, engine = options.get("models"), options["engine"]
    order = StageOrder(
        options["stage"],
        str(Path(engine).resolve()) if "/" in engine else engine,
        str(models.resolve()) if models else "",
        str(out / "pieces"),
        options["trees"],
    )
    planned = pieces.plan(order, files)
    keys = list(dict.fromkeys(key for of in planned.values() for key in of))
    waiting = [key for key in keys if not pieces.is_done(order, key)]
    if waiting:
        _runner(options["on"])(order, waiting, say)
    pieces.finish(order, planned, out)
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "files": sorted(planned),
        "pieces": len(keys),
        "made": len(waiting),
        "seconds": round(time.monotonic() - began, 1),
        "cpu_s_here": round(spent.ru_utime + spent.ru_stime, 1),
        "peak_mb_here": spent.ru_maxrss // 1024,
    }


def _runner(name: str) -> Runner:
    if name != "spark":
        return RUNNERS[name]
    if not os.environ.get(SPARK):
        raise InvalidValue(f"{SPARK} names no cluster, such as local[2]")
    return partial(runners.spark, os.environ[SPARK])
