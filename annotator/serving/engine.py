"""The process with parsers and aligners, from the web server's side.

A page that needs a model, or a compiled kernel, is answered by the engine process: it
is the same application, and the web server passes the whole request over a local
socket. ``manage.py up`` keeps the socket open and starts the process on the first
connection; the process ends when it has been idle, has grown, or has worked on one
request for too long. Without such a socket (tests, gunicorn started by hand), each web
process answers these pages itself.

Messages of bytes are sent over the socket, which only this account can reach: the
request as JSON and its body, then the response likewise.
"""

import io
import json
import os
import re
import select
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from core.compiled import is_compiling

PLACE = "GEMEL_ENGINE"  # the environment variable that names the socket
AWAY = "gemel.engine_away"  # in the environ of a request: why the engine did not answer
AT_ONCE = 4  # requests that the engine works on
WAITING = 16  # requests that wait for their turn
MINE_AT_ONCE = 3  # of a web process: some thread always serves other pages
TURN_S = 3.0  # for one of these; an engine that starts takes about as long
PATIENCE_S = 30.0  # of a web process, from a request to its answer
STUCK_S = 45.0  # a request that takes longer, compiling apart, ends the process
MOST = 16 * 2**20  # bytes of a body; Django refuses larger ones with a message
BUSY, GONE, SLOW, PREPARING = "busy", "gone", "slow", "preparing"
_WARM, _FULL, _COMPILING = b"warm", b"full", b"compiling"
_CODE, _SLUG = "[0-9a-f]{16}", "[-a-zA-Z0-9_]+"
ADDRESSES = re.compile(
    "|".join(
        (
            r"/try/",
            rf"/p/{_SLUG}/sentence/{_CODE}/.*",
            rf"/p/{_SLUG}/pair/{_CODE}/(biparse|joint)/.*",
            rf"/p/{_SLUG}/paraphrases/of/",
            rf"/p/{_SLUG}/paraphrases/{_CODE}/substitute/",
            rf"/api/pairs/{_CODE}/(proposals|better-trees)/",
            rf"/api/layers/{_CODE}/proposals/",
            rf"/api/sentences/{_CODE}/.*",
            rf"/api/(arc|tree)-drafts/{_CODE}/.*",
            rf"/api/tables/{_CODE}/substitute/",
        )
    )
)
Answer = tuple[str, list[tuple[str, str]], bytes]
Application = Callable[[dict[str, Any], Any], Iterable[bytes]]
_mine = threading.BoundedSemaphore(MINE_AT_ONCE)


class EngineAway(Exception):
    """There is no answer: ``reason`` is BUSY, GONE, SLOW or PREPARING."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def is_there() -> bool:
    """Whether an engine process serves this one."""
    return PLACE in os.environ


def wants(environ: dict[str, Any]) -> bool:
    """Whether a request is for the engine process."""
    if not is_there() or not ADDRESSES.fullmatch(environ["PATH_INFO"]):
        return False
    return int(environ.get("CONTENT_LENGTH") or 0) <= MOST


def forward(environ: dict[str, Any]) -> Answer:
    """The answer of the engine process. Raises EngineAway; the body is still there."""
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    environ["wsgi.input"] = io.BytesIO(body)
    head = {name: value for name, value in environ.items() if isinstance(value, str)}
    if not _mine.acquire(timeout=TURN_S):
        raise EngineAway(BUSY)
    try:
        with _connected(PATIENCE_S) as line:
            # A busy engine closes the connection without reading, after its response.
            with suppress(BrokenPipeError, ConnectionResetError):
                line.send_bytes(json.dumps(head).encode())
                line.send_bytes(body)
            while (first := line.recv_bytes()) == _COMPILING:
                if _is_page(head):
                    raise EngineAway(PREPARING)
            if first == _FULL:
                raise EngineAway(BUSY)
            status, headers = json.loads(first)
            return status, [(k, v) for k, v in headers], line.recv_bytes()
    except BlockingIOError as error:  # its time is over
        raise EngineAway(SLOW) from error
    except (EOFError, OSError) as error:
        raise EngineAway(GONE) from error
    finally:
        _mine.release()


def _is_page(head: dict[str, str]) -> bool:
    """Whether a browser shows the answer: a page that says what it waits for can load
    itself again; programs, pictures and parts of pages wait."""
    is_part = "HTTP_HX_REQUEST" in head or head["PATH_INFO"].startswith("/api/")
    is_shown = "text/html" in head.get("HTTP_ACCEPT", "")
    return head["REQUEST_METHOD"] == "GET" and is_shown and not is_part


def warm() -> None:
    """Let the engine load what suggestions need; no one waits for it."""
    with suppress(OSError), _connected(1.0) as line:
        line.send_bytes(_WARM)


def _connected(seconds: float) -> Connection:
    """A connection to the engine; a longer wait at one read or write raises
    BlockingIOError."""
    line = socket.socket(socket.AF_UNIX)
    limit = struct.pack("ll", int(seconds), 0)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
    line.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
    try:
        line.connect(os.environ[PLACE])
    except BaseException:
        line.close()
        raise
    return Connection(line.detach())


class EngineServer:
    """The server side: it answers requests by ``application`` until it is time to end.

    ``load`` is called when suggestions will be needed soon.
    """

    def __init__(self, application: Application, load: Callable[[], object]) -> None:
        self._application, self._load = application, load
        self._lock = threading.Lock()
        self._n_taken = 0  # at work and waiting
        self._begun: dict[int, float] = {}  # by thread, since when it is at work
        self._lines: dict[int, tuple[Connection, threading.Lock]] = {}

    def serve(
        self, listening: socket.socket, *, idle_s: float, is_worn: Callable[[], bool]
    ) -> None:
        """Return when idle for so long, or worn: what was accepted is answered."""
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while not is_worn():
                is_busy = self._n_taken > 0
                limit = 1.0 if is_busy else idle_s
                ready = select.select([listening], [], [], limit)[0]
                if is_compiling():
                    self._ask_for_patience()
                self._end_if_stuck()
                if ready:
                    self._accept(listening, pool)
                elif not is_busy:
                    return

    def _accept(self, listening: socket.socket, pool: ThreadPoolExecutor) -> None:
        line = Connection(listening.accept()[0].detach())
        with self._lock:
            is_full = self._n_taken >= AT_ONCE + WAITING
            self._n_taken += not is_full
        if is_full:
            threading.Thread(target=_refuse, args=[line]).start()
        else:
            pool.submit(self._work, line)

    def _work(self, line: Connection) -> None:
        me = threading.get_ident()
        with self._lock:
            self._begun[me] = time.monotonic()
            self._lines[me] = line, threading.Lock()
        try:
            with suppress(EOFError, OSError), line:
                self._answer(line)
        finally:
            with self._lock:
                del self._begun[me], self._lines[me]
                self._n_taken -= 1

    def _answer(self, line: Connection) -> None:
        if not line.poll(PATIENCE_S):
            return
        head = line.recv_bytes()
        if head == _WARM:
            self._load()
            return
        request, body = json.loads(head), line.recv_bytes()
        if line.poll():  # the client has disconnected
            return
        if is_compiling() and _is_page(request):
            line.send_bytes(_COMPILING)
            return
        status, headers, content = called(self._application, request, body)
        with self._lines[threading.get_ident()][1]:
            line.send_bytes(json.dumps([status, headers]).encode())
            line.send_bytes(content)
            line.close()

    def _ask_for_patience(self) -> None:
        """After an installation, answers wait until the kernels are there."""
        with self._lock:
            lines = list(self._lines.values())
        for line, sending in lines:
            if sending.acquire(blocking=False):
                with suppress(OSError):
                    line.send_bytes(_COMPILING)
                sending.release()
        with self._lock:
            self._begun = dict.fromkeys(self._begun, time.monotonic())

    def _end_if_stuck(self) -> None:
        """Nothing else stops a computation in a thread; its web process has gone on."""
        with self._lock:
            oldest = min(self._begun.values(), default=None)
        if oldest is not None and time.monotonic() - oldest > STUCK_S:
            os._exit(70)


def _refuse(line: Connection) -> None:
    """Respond that the engine is busy, after reading the request: otherwise the
    response would be lost."""
    with suppress(EOFError, OSError), line:
        while line.poll(1.0) and line.recv_bytes() != _WARM:
            line.send_bytes(_FULL)


def called(application: Application, head: dict[str, str], body: bytes) -> Answer:
    """The application's response to a request that was passed on."""
    environ: dict[str, Any] = head | {
        "wsgi.version": (1, 0),
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    told: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], _error: object = None
    ) -> None:
        told.append((status, headers))

    answer = application(environ, start_response)
    try:
        content = b"".join(answer)
    finally:
        if close := getattr(answer, "close", None):
            close()
    return *told[-1], content
