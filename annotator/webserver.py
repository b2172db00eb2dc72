"""What gunicorn does around its workers, and how they share out connections.

A process works on one message of a judge at a time, on two where the database is
another process to wait for: threads that compute at once take the interpreter from each
other in the middle of a transaction, which others wait for (on SQLite a third more
judgments in bench/judging.py). What is loaded before the workers part is shared by all:
it is frozen, so that the collector of garbage leaves it alone. The engine is loaded
when somebody opens a pair: a server where people only judge never does.

This file is read before Django is set up, so that services are imported where they are
used.
"""

import gc
import mmap
import struct
import threading
import time
from io import BytesIO
from typing import Any

from gunicorn.workers.gthread import ThreadWorker  # type: ignore[import-untyped]

__all__ = ["EvenWorker", "child_exit", "post_fork", "pre_fork", "when_ready"]

MAX_WORKERS = 256
STEP_ASIDE_S = 0.05  # for a new connection, altogether: the other may be dead or stuck
PAUSE_S = 0.001
MESSAGES = "/api/judge/"  # of judges, by POST: each is one short transaction
AT_ONCE = {"sqlite": 1, "postgresql": 2}  # such messages that a process works on
LARGEST = 64 * 1024  # bytes of such a message


class _Shared:
    """How many connections each worker holds, in memory that all of them see.

    A place is 0 while nobody has it, else one more than its worker's connections. Only
    its worker writes it, and the process that starts and buries workers.
    """

    def __init__(self) -> None:
        self._memory = mmap.mmap(-1, 4 * MAX_WORKERS)

    def take(self) -> int:
        """A free place, now one of a worker that holds nothing; -1: there is none."""
        for place, there in enumerate(self._all()):
            if not there:
                self.set(place, 0)
                return place
        return -1

    def set(self, place: int, connections: int) -> None:
        struct.pack_into("i", self._memory, 4 * place, connections + 1)

    def free(self, place: int) -> None:
        self.set(place, -1)

    def least(self) -> int:
        """The connections of the worker that has the fewest."""
        return min((there - 1 for there in self._all() if there), default=0)

    def _all(self) -> tuple[int, ...]:
        return struct.unpack(f"{MAX_WORKERS}i", self._memory)


_shared = _Shared()


class EvenWorker(ThreadWorker):
    """A worker that leaves a new connection to one that holds fewer.

    People keep their connections while they work, and the kernel tends to wake the same
    worker for each new one: left alone, seventeen of twenty were seen in one process.
    """

    in_turn: Any = threading.Semaphore(1)  # one message of a judge
    place = -1
    _held = 0
    _aside_since: float | None = None

    @property
    def nr_conns(self) -> int:
        """Counted by gunicorn; the others are told."""
        return self._held

    @nr_conns.setter
    def nr_conns(self, n: int) -> None:
        self._held = n
        if self.place >= 0:
            _shared.set(self.place, n)

    def handle_request(self, req: Any, conn: Any) -> Any:
        """In one of the threads. Only judges' messages queue, and only when they are
        here as a whole: a network that fails half-way keeps nobody waiting."""
        if not is_message(req):
            return super().handle_request(req, conn)
        req.body = BytesIO(req.body.read(LARGEST))
        from annotator.throughput import durability

        durability.take_turn(self.in_turn)
        try:
            return super().handle_request(req, conn)
        finally:
            durability.leave_turn()  # unless the wait for the disk has done so

    def accept(self, *listener: Any) -> None:
        """Called again at once while the connection waits: nobody else took it."""
        now = time.monotonic()
        if self.place >= 0 and self._held > _shared.least():
            self._aside_since = self._aside_since or now
            if now < self._aside_since + STEP_ASIDE_S:
                time.sleep(PAUSE_S)
                return
        self._aside_since = None
        super().accept(*listener)


def is_message(req: Any) -> bool:
    """A judge's, of a size told beforehand."""
    if req.method != "POST" or not req.path.startswith(MESSAGES):
        return False
    length = dict(req.headers).get("CONTENT-LENGTH", "")
    return length.isdecimal() and len(length) < 9 and int(length) <= LARGEST


def when_ready(server: Any) -> None:
    """Before the workers start."""
    from annotator.monitoring import metrics

    metrics.forget()
    gc.collect()
    gc.freeze()


def pre_fork(server: Any, worker: Any) -> None:
    """In the process that all workers come from, before this one parts."""
    worker.place = _shared.take()


def post_fork(server: Any, worker: Any) -> None:
    """In each worker as it starts."""
    from django.db import connection

    from annotator.services.alignments import warming

    warming.is_cold.set()
    worker.in_turn = threading.Semaphore(AT_ONCE.get(connection.vendor, 1))


def child_exit(server: Any, worker: Any) -> None:
    """In the process that all workers come from, however this one ended."""
    if worker.place >= 0:
        _shared.free(worker.place)
