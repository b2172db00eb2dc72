"""Connections of the web server: a thread gets a request only once it is complete.

One loop reads all connections of a process, so that who sends slowly, or not at all,
holds a place in memory and never a thread. What a connection may cost is bounded here:
its patience, its share of memory and disk, and how many there are. Who is over a bound,
or has waited longest when places run out, is cut off.
Library: waitress; its loop is turned by a worker of gunicorn (``webserver``).
"""

import logging
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from waitress import wasyncore  # type: ignore[import-untyped]
from waitress.adjustments import Adjustments  # type: ignore[import-untyped]
from waitress.buffers import ReadOnlyFileBasedBuffer  # type: ignore[import-untyped]
from waitress.channel import HTTPChannel  # type: ignore[import-untyped]
from waitress.server import TcpWSGIServer, UnixWSGIServer  # type: ignore[import-untyped]
from waitress.task import ThreadedTaskDispatcher, WSGITask  # type: ignore[import-untyped]
from waitress.utilities import Error  # type: ignore[import-untyped]

CONNECTIONS = 400  # of a process; each may hold a file, too, and 1,024 may be open
HEADERS_S = 15.0  # from connecting, or from the first byte, to the end of the headers
BODY_S = 30.0  # that a body may take however small it is
BODY_RATE = 4096  # bytes a second that are added to that: the worst mobile network
READER_S = 60.0  # without taking a byte of an answer that waits
HEADER_BYTES = 32 * 1024
BODY_IN_MEMORY = 512 * 1024  # of one request; what is longer goes to a file
ANSWER_IN_MEMORY = 16 * 2**20
ANSWER_ON_DISK = 256 * 2**20  # above it, the responding thread waits for the reader
MEMORY = 128 * 2**20  # of all requests and responses of a process
DISK = 2 * 2**30
LINGER_S = 2.0  # that a kept connection stays open for a request that is on its way
PAUSE_S = 0.001
# While requests wait for a thread, more need not be read at once: each reading takes
# the interpreter from a thread that is in a transaction.
BUSY_S = 0.003
TICK_S = 1.0  # from one look at all connections to the next

logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # people wait for a thread


class NoRoom(Error):
    code = HTTPStatus.INSUFFICIENT_STORAGE.value
    reason = HTTPStatus.INSUFFICIENT_STORAGE.phrase


class _Pieces:
    """Stands for a connection while the beginning of an answer is made."""

    def __init__(self, server: Any) -> None:
        self.server, self.there = server, list[bytes]()

    def write_soon(self, data: bytes) -> None:
        self.there.append(data)


class OnePacket(WSGITask):
    """An answer whose headers go with the first piece of its body."""

    channel: Any

    def write(self, data: bytes) -> None:
        if self.wrote_header:
            super().write(data)
            return
        visit = self.channel
        self.channel = pieces = _Pieces(visit.server)
        try:
            super().write(data)
        finally:
            self.channel = visit
        visit.write_soon(b"".join(pieces.there))


class Visit(HTTPChannel):
    """One connection, with the moment from which it is waited for."""

    task_class = OnePacket
    request: Any  # that comes in

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.since = self.creation_time
        self.is_kept = False  # it has brought a whole request

    def received(self, data: bytes) -> bool:
        if self.request is None:
            self.since = time.time()
        try:
            super().received(data)
        except OSError as error:  # what is too long for memory found no room on disk
            self._refuse(str(error.strerror))
        self.is_kept = self.is_kept or bool(self.requests)
        return True

    def _refuse(self, why: str) -> None:
        request, self.request = self.request, None
        request.error, request.completed = NoRoom(why), True
        self.requests.append(request)
        self.server.add_task(self)

    def is_overdue(self, now: float, patience: float) -> bool:
        """``patience``: seconds without a request."""
        if self.total_outbufs_len:
            return now - self.last_activity > READER_S
        if self.requests:
            self.since = now  # what came after it has not been read meanwhile
            return False
        if self.request is None and self.is_kept:
            return now - self.last_activity > patience
        if self.request is None or not self.request.headers_finished:
            return now - self.since > HEADERS_S
        more = self.request.body_bytes_received / BODY_RATE
        return now - self.since > BODY_S + more

    def is_idle(self) -> bool:
        """No request is being answered, and at most part of the headers has arrived."""
        coming = self.request is not None and self.request.headers_finished
        return not (coming or self.is_answered())

    def is_answered(self) -> bool:
        return bool(self.requests or self.total_outbufs_len)

    def held(self) -> tuple[int, int]:
        """Bytes in memory and on the disk, of what has come and what is to go."""
        there = [(one.body_bytes_received, BODY_IN_MEMORY) for one in self.requests]
        if coming := self.request:
            there.append((coming.body_bytes_received, BODY_IN_MEMORY))
        own = (
            b for b in list(self.outbufs) if not isinstance(b, ReadOnlyFileBasedBuffer)
        )
        there.append((sum(len(b) for b in own), ANSWER_IN_MEMORY))
        small = sum(n for n, most in there if n <= most)
        return small, sum(n for n, most in there if n > most)


class _Listener:
    """What both kinds of listening sockets have in common."""

    channel_class = Visit
    active_channels: dict[int, Visit]

    def readable(self: Any) -> bool:
        return bool(self.accepting)

    def handle_accept(self: Any) -> None:
        if self.hall.may_accept():
            super().handle_accept()  # type: ignore[misc]


class _Tcp(_Listener, TcpWSGIServer):
    pass


class _Unix(_Listener, UnixWSGIServer):
    pass


class Hall:
    """All connections of a process, and the threads that answer what they bring.

    ``may_accept``: asked before a connection is accepted; ``told``: how many there are.
    """

    def __init__(
        self,
        application: Any,
        sockets: list[Any],
        *,
        threads: int,
        patience: float,
        largest: int,
        may_accept: Callable[[int], bool],
        told: Callable[[int], None],
    ) -> None:
        self._patience, self._asked, self._told = patience, may_accept, told
        self._looked_at, self._n = 0.0, 0
        self._map: dict[int, Any] = {}
        self._threads = ThreadedTaskDispatcher()
        self._threads.set_thread_count(threads)
        adjustments = _adjustments(largest)
        self._listeners = []
        for one in sockets:
            kind = _Unix if one.family.name == "AF_UNIX" else _Tcp
            listener = kind(
                application,
                map=self._map,
                _sock=one,
                dispatcher=self._threads,
                adj=adjustments,
                sockinfo=(one.family, one.type, None, None),
                bind_socket=False,
            )
            listener.hall = self
            self._listeners.append(listener)

    def connections(self) -> list[Visit]:
        return [one for by in self._listeners for one in by.active_channels.values()]

    def turn(self) -> None:
        """One round of the loop: at most TICK_S long, when nothing happens."""
        if self._threads.queue:
            time.sleep(BUSY_S)
        wasyncore.loop(timeout=TICK_S, map=self._map, use_poll=True, count=1)
        self._count()
        now = time.time()
        if not 0 <= now - self._looked_at < TICK_S:
            self._looked_at = now
            self._look(now)

    def wake(self) -> None:
        self._listeners[0].pull_trigger()

    def may_accept(self) -> bool:
        """A place is made for who is new: anyone who has waited longest goes."""
        self._count()
        if not self._asked(self._n):
            return False
        if self._n >= CONNECTIONS:
            waited_for = [one for one in self.connections() if not one.is_answered()]
            if not waited_for:
                time.sleep(PAUSE_S)  # who is new waits in the queue of the system
                return False
            # First who has never brought a whole request.
            longest = min(waited_for, key=lambda one: (one.is_kept, one.last_activity))
            longest.handle_close()
        return True

    def leave(self, seconds: float, alive: Callable[[], None]) -> None:
        """Answer what is here, take nothing new, and close all. ``alive`` is called
        all the while, for at most ``seconds``."""
        for listener in self._listeners:
            listener.accepting = False
        began = time.monotonic()
        while (now := time.monotonic()) < began + seconds:
            for one in self.connections():
                if now > began + LINGER_S and one.is_idle():
                    one.handle_close()
            if not self.connections():
                break
            alive()
            self.turn()
        self._threads.shutdown(timeout=1)

    def _count(self) -> None:
        n = sum(len(by.active_channels) for by in self._listeners)
        if n != self._n:
            self._n = n
            self._told(n)

    def _look(self, now: float) -> None:
        for one in self.connections():
            if one.is_overdue(now, self._patience):
                one.handle_close()
        for which, limit in enumerate((MEMORY, DISK)):
            self._make_room(which, limit)

    def _make_room(self, which: int, limit: int) -> None:
        """Who holds most goes, until the others fit."""
        held = [(one.held()[which], one) for one in self.connections()]
        total = sum(size for size, _ in held)
        for size, one in sorted(held, key=lambda pair: -pair[0]):
            if total <= limit:
                return
            one.handle_close()
            total -= size


def _adjustments(largest: int) -> Any:
    return Adjustments(
        ident=None,
        clear_untrusted_proxy_headers=False,  # Django knows which to trust
        max_request_header_size=HEADER_BYTES,
        max_request_body_size=largest,
        inbuf_overflow=BODY_IN_MEMORY,
        outbuf_overflow=ANSWER_IN_MEMORY,
        outbuf_high_watermark=ANSWER_ON_DISK,
        recv_bytes=16 * 1024,
        log_socket_errors=False,
        backlog=2048,
        cleanup_interval=2**31,  # we look ourselves
    )
