"""Short write transactions that queue instead of racing.

SQLite has one writer at a time, and anyone who finds it busy sleeps and tries again, up
to a tenth of a second apart. Writers that first wait for a lock on a file of their own
are woken at once, in turn. Other writers still meet SQLite's own lock, so this is about
time only. PostgreSQL needs none of it.
"""

import fcntl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from django.conf import settings
from django.db import connection, transaction

_mine = threading.local()


@contextmanager
def write() -> Iterator[None]:
    """A transaction; on SQLite, entered in the order of arrival."""
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        with transaction.atomic():
            yield
        return
    file = _lock_file()
    fcntl.flock(file, fcntl.LOCK_EX)
    try:
        with transaction.atomic():
            yield
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)


def _lock_file() -> IO[bytes]:
    """Opened once a thread: locks of one opened file would not exclude each other."""
    if getattr(_mine, "file", None) is None:
        _mine.file = (settings.GEMEL_HOME / "write.lock").open("wb")
    file: IO[bytes] = _mine.file
    return file


@contextmanager
def snapshot() -> Iterator[None]:
    """All reads of the default database see one moment; who writes need not wait."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            if not connection.savepoint_ids:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            yield
    elif connection.in_atomic_block:
        yield
    else:  # atomic() would take the write lock
        with connection.cursor() as cursor:
            cursor.execute("BEGIN DEFERRED")
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
