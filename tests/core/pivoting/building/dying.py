"""``python -m …dying FOLDER``: a build that kill -9 ends again and again.

Each process dies by its own SIGKILL in one stage, before or after its first file there
stands in place, or with half of a text written; the next one goes on. How many died in
each stage is printed, and how the last one ended. Processes are forked before a
database is open.
"""

import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path

from core.pivoting.building.pipeline import STAGES, build_table
from core.pivoting.building.settings import BuildSettings
from tests.core.pivoting import small_bitext

SMALL = {"buckets": 2, "chunk": 4, "max_length": 4}


def dies(where: Callable[[Path], None]) -> None:
    """``where`` is told each path that a file is about to have; it may end it all."""
    replace, write = os.replace, Path.write_text

    def replaced(source: Path, target: Path) -> None:
        where(Path(target))
        replace(source, target)
        where(Path(target))

    def written(path: Path, text: str, **more: str) -> int:
        write(path, text[: len(text) // 2], **more)
        where(path)
        return write(path, text, **more)

    os.replace, Path.write_text = replaced, written  # type: ignore[assignment]


def build(folder: Path, stage: str, chance: int) -> None:
    """Build; die at the so manieth chance in the folder of a stage."""
    left = chance

    def where(path: Path) -> None:
        nonlocal left
        left -= path.parent.name.startswith(stage)
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    sources = small_bitext.sources(folder)
    dies(where)
    for _ in build_table(folder / "table", sources, BuildSettings(**SMALL)):  # type: ignore[arg-type]
        pass
    os._exit(0)


def main(folder: Path) -> None:
    """A life for each chance; the last one meets none and ends well."""
    places = ["prepare", "extract", *STAGES, "work", "table"]
    deaths: Counter[str] = Counter()
    for stage, chance in [*product(places, (1, 2)), ("nowhere", 1)]:
        if not (child := os.fork()):
            build(folder, stage, chance)
        _, status = os.waitpid(child, 0)
        deaths[stage] += os.WIFSIGNALED(status)
    sys.stdout.write(json.dumps({"deaths": deaths, "last": status}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
