"""``corpus run``: a stage over files of pairs, in pieces."""

import argparse
import resource
import time
from pathlib import Path
from typing import Any

from core.errors import InvalidValue
from core.parsing.registry import Say, add_parser_options
from core.pivoting import stages
from core.pivoting.stages import STAGES, StageOrder

HELP = "parse or align large text in pieces; continues where it stopped"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("stage", choices=STAGES, help="number of pieces")
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
    add("--out", type=Path, required=True, metavar="DIR", help="folder to create")
    add(
        "--trees",
        type=int,
        default=1,
        help="parse: the likeliest of a sentence, each with its probability, those "
        "below .01 left out; for pivot build --forest",
    )


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return a summary; ``say`` receives the number of finished pieces."""
    if options["trees"] < 1:
        raise InvalidValue("trees: expected at least one per sentence")
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
    planned = stages.plan(order, files)
    keys = list(dict.fromkeys(key for of in planned.values() for key in of))
    waiting = [key for key in keys if not stages.is_done(order, key)]
    for k, key in enumerate(waiting, 1):
        stages.do(order, key)
        say(f"{k} of {len(waiting)} pieces")
    stages.finish(order, planned, out)
    spent = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "files": sorted(planned),
        "pieces": len(keys),
        "made": len(waiting),
        "seconds": round(time.monotonic() - began, 1),
        "cpu_s_here": round(spent.ru_utime + spent.ru_stime, 1),
        "peak_mb_here": spent.ru_maxrss // 1024,
    }
