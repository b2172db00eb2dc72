"""The time that models take, added up over all processes: workers' and the web's.

Each process counts in a file of its own, in the folder that all machines reach; anyone
who is asked adds them up. A lock holds the file while its process lives; the next one
goes on with it. So no counter falls when a process ends, however it ends, and there are
never more files than there were processes at once.
"""

import fcntl
import itertools
import logging
import os
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from annotator import disk
from annotator.monitoring import metrics
from core import instrumentation
from core.instrumentation import ModelCall
from core.parsing import registry

SECONDS = "gemel_model_seconds", "Seconds that models worked, of all threads."
SENTENCES = "gemel_model_sentences", "Sentences that models were given."
LABELS = ["task", "model"]
PARSING = ("encoding", "decoding")
OWN = "a project's own"  # parsers: their names are made by people
BYTES = 1 << 16  # of a file, there from the beginning: no later write finds no room
log = logging.getLogger(__name__)
_turn = threading.Lock()
_mine: "tuple[int, _Counters | None]" = 0, None  # of which process; None: it has none


def listen() -> None:
    """Have the engine tell; what it tells is counted where a token is set."""
    instrumentation.listen(count)


def folder() -> Path:
    return disk.shared() / "metrics" / "models"


def count(call: ModelCall) -> None:
    """Add one call of a model. Nothing is counted where no file can be written."""
    if not metrics.is_on():
        return
    is_known = call.task not in PARSING or _is_everybodys(call.model)
    labels = [call.task, call.model if is_known else OWN]
    with _turn:
        if (counters := _counters()) is not None:
            counters.add(*SECONDS, labels, call.seconds)
            counters.add(*SENTENCES, labels, call.sentences)


def collected() -> Iterator[Any]:
    """The figures of all processes, as families for a registry of Prometheus."""
    metrics.prepare()
    from prometheus_client.multiprocess import MultiProcessCollector

    files = (path for path in folder().glob("counter_*.db") if path.stat().st_size)
    yield from MultiProcessCollector.merge([str(path) for path in sorted(files)])


@cache
def _is_everybodys(parser: str) -> bool:
    return parser in registry.names(settings.MODELS_DIR)


def _counters() -> "_Counters | None":
    global _mine
    if _mine[0] != os.getpid():
        _mine = os.getpid(), None
        try:
            _mine = os.getpid(), _Counters(folder())
        except OSError as error:
            log.warning("the time of models is not counted: %s", error)
    return _mine[1]


class _Counters:
    """A file of numbers that this process holds until it ends. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        metrics.prepare()
        from prometheus_client.mmap_dict import MmapedDict

        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._held, path = _free(folder)
        self._values: Any = MmapedDict(str(path))

    def add(self, name: str, words: str, labels: list[str], amount: float) -> None:
        from prometheus_client.mmap_dict import mmap_key

        key = mmap_key(name, f"{name}_total", LABELS, labels, words)
        there, _ = self._values.read_value(key)
        self._values.write_value(key, there + amount, 0.0)


def _free(folder: Path) -> tuple[IO[bytes], Path]:
    """The first file that no process holds, ours now, with what it is held by."""
    for number in itertools.count():
        held = (folder / f"{number}.lock").open("ab")
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            held.close()
            continue
        path = folder / f"counter_{number}.db"
        with path.open("ab") as made:
            os.posix_fallocate(made.fileno(), 0, BYTES)
        return held, path
    raise AssertionError("numbers do not end")
