"""Durable commits: many commits share one wait for the disk.

SQLite writes a commit to its log and, with ``synchronous=NORMAL``, leaves it to the
system when the log reaches the disk. Waiting inside the transaction (``FULL``) makes
all others wait too, for a turn of the disk each. Here the wait comes after the commit
and before the answer: who is answered has been waited for, and anyone who comes while
the disk is busy shares its next turn (group commit: Gray and Reuter 1993, Transaction
Processing, 10.4.7). PostgreSQL does the same within COMMIT.
"""

import errno
import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register
from django.db import connection
from django.http import HttpRequest, HttpResponse

_mine = threading.local()


class _Run:
    """One run of the work: whether it has ended, and how."""

    has_ended = False
    error: OSError | None = None


class Group:
    """Calls of ``wait`` that share runs of ``work``: each sees one begin and end.

    A waiter holds the run that it waits for: what later runs bring is nothing to it.
    """

    def __init__(self, work: Callable[[], None]) -> None:
        self._work = work
        self._change = threading.Condition()
        self._next = _Run()
        self._is_running = False

    def wait(self) -> None:
        """Until a run that began after this call has ended; raises what it raised."""
        with self._change:
            mine = self._next
            while self._is_running and not mine.has_ended:
                self._change.wait()
            if not mine.has_ended:
                self._is_running, self._next = True, _Run()
        if not mine.has_ended:
            self._run(mine)
        if mine.error:
            raise mine.error

    def _run(self, mine: _Run) -> None:
        mine.error = OSError(errno.EIO, "the disk was not reached")  # until it was
        try:
            self._work()
            mine.error = None
        except OSError as cause:
            mine.error = cause
        finally:
            with self._change:
                mine.has_ended, self._is_running = True, False
                self._change.notify_all()


class _Log:
    """The write-ahead log of the SQLite database."""

    def __init__(self) -> None:
        self._file = -1

    def sync(self) -> None:
        """Sync to disk. A file that is gone was merged into the database, and
        synced."""
        path = Path(f"{connection.settings_dict['NAME']}-wal")
        try:
            now = path.stat()
        except FileNotFoundError:
            return
        if self._file < 0 or not os.path.samestat(now, os.fstat(self._file)):
            self._close()
            self._file = os.open(path, os.O_RDONLY)
        os.fdatasync(self._file)

    def _close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


_log = _Log()
_group = Group(_log.sync)


def on_disk() -> None:
    """Wait until all that this thread has committed is on the disk. Raises OSError."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return
    leave_turn()
    _group.wait()


def take_turn(turn: Any) -> None:
    """Wait for ``turn``, a semaphore, which waiting for the disk gives back."""
    turn.acquire()
    _mine.turn = turn


def leave_turn() -> None:
    """Release the turn of this thread, if it has one."""
    turn, _mine.turn = getattr(_mine, "turn", None), None
    if turn is not None:
        turn.release()


class DurableMiddleware:
    """Answer what may have changed something only when the change is on the disk."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        is_done = response.status_code < 400
        if is_done and request.method not in ("GET", "HEAD", "OPTIONS"):
            on_disk()
        return response


@register(Tags.database)
def commits_wait_for_the_disk(
    databases: Sequence[str] | None = None, **_: Any
) -> list[CheckMessage]:
    """Acknowledged changes are on disk only if COMMIT waits for it."""
    if not databases or connection.vendor != "postgresql" or _is_synchronous():
        return []
    return [
        Warning(
            "PostgreSQL confirms writes before they are on disk: a power cut loses "
            "answers.",
            hint="Set synchronous_commit and fsync to on.",
            id="gemel.W004",
        )
    ]


def _is_synchronous() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")
        commit = cursor.fetchone()
        cursor.execute("SHOW fsync")
        return commit != ("off",) and cursor.fetchone() == ("on",)
