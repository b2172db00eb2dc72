"""Faults of the machine as refusals: their meaning, and whether a retry helps.

A full disk, a read-only one, a database that is away: no one's bug, and no answer was
stored. Who sent it keeps it and sends it again.
"""

import errno

from django.db import DatabaseError, InterfaceError, OperationalError

from annotator.errors import NoSpace, NotReady, Refusal

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_DISK_FULL = "53100"  # PostgreSQL's code
_FULL_WORDS = ("disk is full", "disk i/o error", "no space left")
_READ_ONLY = ("readonly database", "read-only transaction", "unable to open database")


def refusal_of(error: BaseException) -> Refusal | None:
    """The message for people and programs; None if it is a programming error."""
    if is_full(error):
        return NoSpace(
            "The disk of the server is full, so nothing was stored. Keep your work and "
            "try again when there is space."
        )
    if isinstance(error, MemoryError):
        return NotReady(
            "The server does not have enough memory for this now, so nothing was "
            "stored."
        )
    text = str(error).lower()
    is_database = isinstance(error, DatabaseError | InterfaceError)
    if getattr(error, "errno", 0) == errno.EROFS or (
        is_database and any(words in text for words in _READ_ONLY)
    ):
        return NotReady(
            "The server's disk or database is read-only now, so nothing was stored."
        )
    if isinstance(error, OperationalError | InterfaceError):
        return NotReady(
            "The database does not respond, so nothing was stored. Try again."
        )
    return None


def is_full(error: BaseException | None) -> bool:
    """Whether this, or what it comes from, is a full disk."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        if isinstance(error, DatabaseError):
            text = str(error).lower()
            code = getattr(error.__cause__, "sqlstate", "")
            if code == _DISK_FULL or any(words in text for words in _FULL_WORDS):
                return True
        error = error.__cause__
    return False
