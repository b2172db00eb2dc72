"""Gunicorn settings around its workers, and how they share connections.

A process works on one message of a judge at a time, on two where the database is
another process to wait for: threads that compute at once take the interpreter from each
other in the middle of a transaction, which others wait for (on SQLite a third more
judgments in lab.bench.judging). What is loaded before the workers part is shared:
it is frozen, so that the collector of garbage leaves it alone. Pages that need a parser
or an aligner are answered by another process (``annotator.serving.engine``).

This file is read before Django is set up, so that services are imported where they are
used.
"""

import contextlib
import gc
import mmap
import os
import shutil
import struct
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from gunicorn.workers.base import Worker  # type: ignore[import-untyped]

from annotator.serving import engine, memory
from annotator.serving.connections import PAUSE_S, Hall

MAX_WORKERS = 256
STEP_ASIDE_S = 0.05  # for a new connection, altogether: the other may be dead or stuck
WEIGH_S = 1.0  # from one look at the memory to the next
MESSAGES = "/api/judge/"  # of judges, by POST: each is one short transaction
AT_ONCE = {"sqlite": 1, "postgresql": 2}  # such messages that a process works on
MORE_MB = 20  # than the largest upload: Django refuses larger ones with a message


class _Shared:
    """How many connections each worker holds, in memory that all of them see.

    A place is 0 while no one has it, else one more than its worker's connections. Only
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


class BufferingWorker(Worker):
    """A process that buffers requests, and leaves a new connection to one that holds
    fewer.

    People keep their connections while they work, and the kernel tends to wake the same
    worker for each new one: left alone, seventeen of twenty were seen in one process.
    """

    in_turn: Any = threading.Semaphore(1)  # one message of a judge
    place = -1
    began_mb = 0
    _weighed_at = 0.0
    hall: Hall | None = None
    _aside_since: float | None = None

    def run(self) -> None:
        from django.conf import settings

        self.hall = Hall(
            self.answer,
            [one.sock for one in self.sockets],
            threads=self.cfg.threads,
            patience=self.cfg.keepalive,
            largest=(settings.MAX_UPLOAD_MB + MORE_MB) * 2**20,
            may_accept=self.may_accept,
            told=self.tell,
        )
        while self.alive and self.ppid == os.getppid() and not self.is_worn():
            self.notify()
            self.hall.turn()
        self.hall.leave(self.cfg.graceful_timeout, self.notify)

    def is_worn(self) -> bool:
        """It has answered many requests, or uses much memory: another one replaces
        it."""
        from django.conf import settings

        if self.nr >= self.max_requests:
            return True
        now = time.monotonic()
        if now < self._weighed_at + WEIGH_S:
            return False
        self._weighed_at = now
        return memory.is_worn(self.began_mb, settings.WEB_MEMORY_MB)

    def handle_exit(self, sig: int, frame: Any) -> None:
        super().handle_exit(sig, frame)
        if self.hall:
            self.hall.wake()

    def answer(self, environ: dict[str, Any], start_response: Any) -> Any:
        """In one of the threads: the application. Only judges' messages queue."""
        self.nr += 1
        if is_message(environ):
            return self._answer_in_turn(environ, start_response)
        if engine.wants(environ):
            try:
                status, headers, content = engine.forward(environ)
            except engine.EngineAway as away:
                environ[engine.AWAY] = away.reason  # Django says so on its page
            else:
                start_response(status, headers)
                return [content]
        answer = self.wsgi(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return answer
        with contextlib.closing(answer):  # which Django leaves to the server
            return []

    def _answer_in_turn(self, environ: dict[str, Any], start_response: Any) -> Any:
        from annotator.throughput import durability

        durability.take_turn(self.in_turn)
        try:
            return self.wsgi(environ, start_response)
        finally:
            durability.leave_turn()  # unless the wait for the disk has done so

    def tell(self, connections: int) -> None:
        """The others, how many this one holds."""
        if self.place >= 0:
            _shared.set(self.place, connections)

    def may_accept(self, held: int) -> bool:
        """Asked again at once while the connection waits: no one else took it."""
        now = time.monotonic()
        if self.place >= 0 and held > _shared.least():
            self._aside_since = self._aside_since or now
            if now < self._aside_since + STEP_ASIDE_S:
                time.sleep(PAUSE_S)
                return False
        self._aside_since = None
        return True


def is_message(environ: dict[str, Any]) -> bool:
    """A judge's."""
    is_post = environ["REQUEST_METHOD"] == "POST"
    return is_post and environ["PATH_INFO"].startswith(MESSAGES)


def incoming() -> Path:
    """The folder for incoming data: /tmp may be memory."""
    from django.conf import settings

    return Path(settings.GEMEL_HOME) / "incoming"


def when_ready(server: Any) -> None:
    """Before the workers start. What killed ones left behind goes."""
    from annotator.monitoring import metrics

    shutil.rmtree(incoming(), ignore_errors=True)
    incoming().mkdir(mode=0o700)
    _read_first_page(server.app.wsgi())
    metrics.forget()
    gc.collect()
    gc.freeze()


def _read_first_page(application: engine.Application) -> None:
    """What every page needs, routes and templates, is read once for all workers."""
    from django.db import connections

    head = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": "/sign-in/",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "443",
        "wsgi.url_scheme": "https",
    }
    engine.called(application, head, b"")
    connections.close_all()


def pre_fork(server: Any, worker: Any) -> None:
    """In the parent process, before the fork."""
    worker.place = _shared.take()


def post_fork(server: Any, worker: Any) -> None:
    """In each worker as it starts."""
    from django.conf import settings
    from django.db import connection

    from annotator.services.alignments import proposals

    memory.keep_below(settings.WEB_MEMORY_MB)
    worker.began_mb = memory.taken_mb()
    tempfile.tempdir = str(incoming())
    if not engine.is_there():
        proposals.is_cold.set()
    worker.in_turn = threading.Semaphore(AT_ONCE.get(connection.vendor, 1))


def child_exit(server: Any, worker: Any) -> None:
    """In the parent process, however the worker ended."""
    if worker.place >= 0:
        _shared.free(worker.place)
