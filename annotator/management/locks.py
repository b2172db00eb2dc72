"""Who works on a folder of state: at most one web server and one worker."""

import fcntl
from pathlib import Path
from typing import IO

from django.core.management.base import CommandError

PARTS = {"web": "up.lock", "worker": "worker.lock"}


def take(home: Path, part: str) -> IO[str]:
    """The lock of a part, held until the file is closed. Raises CommandError if another
    has it: two would kill each other's jobs, and take each other's messages."""
    held = (home / PARTS[part]).open("a")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        held.close()
        raise CommandError(
            f"Another Gemel is running on {home}. Stop it, or give this one its own "
            "folder: "
            "GEMEL_HOME=..."
        ) from error
    return held
