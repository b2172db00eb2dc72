"""Metrics for Prometheus, if a token for them is set; otherwise nothing is counted.

Requests are counted by each process of the web server in files of a folder, which
whichever is asked adds up; so is the time of models, by workers, too: each process has
a file, which a lock holds while it lives; the next one goes on with it, so no counter
falls when a process ends. What the database and the disk know is read when asked.
Library: prometheus-client, imported by the first request that is counted.
"""

import fcntl
import itertools
import logging
import os
import threading
import time
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import IO, Any, NamedTuple

from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Min, Sum
from django.utils import timezone

from annotator import backups, disk
from annotator.models import Job, JobChunk
from core import instrumentation
from core.instrumentation import ModelCall
from core.parsing import registry

BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
# Each word more is a series more, and anyone may send any word.
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
ENDED = (Job.State.DONE, Job.State.FAILED, Job.State.CANCELLED)


def is_on() -> bool:
    return bool(settings.METRICS_TOKEN)


def folder() -> Path:
    return Path(settings.GEMEL_HOME) / "metrics"


def forget() -> None:
    """Begin at 0, before the processes of a web server start: files of dead ones would
    pile up. Prometheus knows a counter that begins again."""
    for path in folder().glob("*.db"):
        path.unlink(missing_ok=True)


def prepare() -> None:
    """Say where requests are counted, before prometheus-client is imported: it looks
    only then."""
    folder().mkdir(mode=0o700, exist_ok=True)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = str(folder())


class _Requests(NamedTuple):
    answered: Any
    seconds: Any


@cache
def _requests() -> _Requests:
    prepare()
    from prometheus_client import CollectorRegistry, Counter, Histogram

    own = CollectorRegistry()
    return _Requests(
        Counter(
            "gemel_requests",
            "Requests answered.",
            ["route", "method", "status"],
            registry=own,
        ),
        Histogram(
            "gemel_request_seconds",
            "Seconds from a request to its answer.",
            ["route"],
            buckets=BUCKETS,
            registry=own,
        ),
    )


def count_request(route: str, method: str, status: int, seconds: float) -> None:
    """``route``: the name of the page, never its path."""
    if is_on():
        answered, spent = _requests()
        known = method if method in METHODS else "other"
        answered.labels(route, known, str(status)).inc()
        spent.labels(route).observe(seconds)


def text() -> tuple[bytes, str]:
    """All figures in Prometheus' text format, and its media type."""
    _requests()
    from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry
    from prometheus_client.exposition import generate_latest
    from prometheus_client.multiprocess import MultiProcessCollector

    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=str(folder()))
    registry.register(_Installation())
    return generate_latest(registry), CONTENT_TYPE_LATEST


class _Installation:
    """What rows and files say now; one query over the jobs for each family."""

    def collect(self) -> Iterator[Any]:
        yield from collected()
        yield from _jobs()
        yield from _chunks()
        yield _gauge(
            "gemel_disk_free_bytes", "Free on the disk.", disk.free_mb() * 2**20
        )
        yield _gauge(
            "gemel_worker_silent_seconds",
            "Since a worker here showed itself; -1: never.",
            _age(disk.shared() / "worker.alive"),
        )
        newest = max((one.made_at for one in backups.state().kept), default=None)
        yield _gauge(
            "gemel_backup_age_seconds",
            "Since the newest backup; -1: there is none.",
            -1.0 if newest is None else (timezone.now() - newest).total_seconds(),
        )


def _jobs() -> Iterator[Any]:
    by_state = _family("gemel_jobs", "Jobs, by kind and state.", "kind", "state")
    for kind, state, n in _grouped("kind", "state", n=Count("pk")):
        by_state.add_metric([kind, state], n)
    yield by_state
    seconds = _family("gemel_jobs_seconds", "Seconds that ended jobs ran.", "kind")
    items = _family("gemel_jobs_items", "What ended jobs have done.", "kind")
    ended = Job.objects.filter(state__in=ENDED, started_at__isnull=False)
    rows = (
        ended.order_by()
        .values_list("kind")
        .annotate(spent=Sum(F("ended_at") - F("started_at")), n=Sum("done"))
    )
    for kind, spent, n in rows:
        seconds.add_metric([kind], spent.total_seconds() if spent else 0.0)
        items.add_metric([kind], n or 0)
    yield from (seconds, items)
    waiting = Job.objects.filter(state=Job.State.QUEUED).aggregate(at=Min("created_at"))
    yield _gauge(
        "gemel_jobs_oldest_waiting_seconds",
        "How long the first job in the queue has waited; 0: none does.",
        _since(waiting["at"]),
    )


def _chunks() -> Iterator[Any]:
    rows = JobChunk.objects.order_by().values_list("job__kind", "state")
    by_state = _family(
        "gemel_chunks", "Chunks of jobs, by kind and state.", "kind", "state"
    )
    for kind, state, n in rows.annotate(n=Count("pk")):
        by_state.add_metric([kind, state], n)
    yield by_state
    with connection.cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM search_todo")
        yield _gauge(
            "gemel_index_waiting",
            "Trees, sentences and layers that searches do not see yet.",
            cursor.fetchone()[0],
        )


def _grouped(*names: str, **figures: Any) -> Any:
    return Job.objects.order_by().values_list(*names).annotate(**figures)


def _since(at: datetime | None) -> float:
    return (timezone.now() - at).total_seconds() if at else 0.0


def _age(path: Path) -> float:
    try:
        return max(0.0, time.time() - path.stat().st_mtime)
    except OSError:
        return -1.0


def _family(name: str, words: str, *labels: str) -> Any:
    from prometheus_client.core import GaugeMetricFamily

    return GaugeMetricFamily(name, words, labels=labels)


def _gauge(name: str, words: str, value: float) -> Any:
    from prometheus_client.core import GaugeMetricFamily

    return GaugeMetricFamily(name, words, value=value)


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


def models_folder() -> Path:
    return disk.shared() / "metrics" / "models"


def count(call: ModelCall) -> None:
    """Add one call of a model. Nothing is counted where no file can be written."""
    if not is_on():
        return
    is_known = call.task not in PARSING or _is_everybodys(call.model)
    labels = [call.task, call.model if is_known else OWN]
    with _turn:
        if (counters := _counters()) is not None:
            counters.add(*SECONDS, labels, call.seconds)
            counters.add(*SENTENCES, labels, call.sentences)


def collected() -> Iterator[Any]:
    """The figures of all processes, as families for a registry of Prometheus."""
    prepare()
    from prometheus_client.multiprocess import MultiProcessCollector

    there = models_folder().glob("counter_*.db")
    files = (path for path in there if path.stat().st_size)
    yield from MultiProcessCollector.merge([str(path) for path in sorted(files)])


@cache
def _is_everybodys(parser: str) -> bool:
    return parser in registry.names(settings.MODELS_DIR)


def _counters() -> "_Counters | None":
    global _mine
    if _mine[0] != os.getpid():
        _mine = os.getpid(), None
        try:
            _mine = os.getpid(), _Counters(models_folder())
        except OSError as error:
            log.warning("the time of models is not counted: %s", error)
    return _mine[1]


class _Counters:
    """A file of numbers that this process holds until it ends. Not thread-safe."""

    def __init__(self, folder: Path) -> None:
        prepare()
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
