"""Free disk space, checked before it runs out.

People's own small writes go on to the last byte; what can wait (jobs, imports) stops at
``settings.MIN_FREE_MB``, so that a reserve is left for them.
"""

import shutil
import time
from pathlib import Path

from django.conf import settings

from annotator.errors import NoSpace

FRESH_S = 1.0
_seen: tuple[float, float] | None = None  # when, and how much


def free_mb() -> float:
    """MB that are free where the state of the installation is; at most a second old."""
    global _seen
    now = time.monotonic()
    if _seen is None or now - _seen[0] > FRESH_S:
        _seen = now, shutil.disk_usage(settings.GEMEL_HOME).free / 2**20
    return _seen[1]


def shared() -> Path:
    """The folder that all machines of the installation reach: ``GEMEL_SHARED``, or
    ``GEMEL_HOME`` where there is one machine."""
    return Path(settings.SHARED or settings.GEMEL_HOME)


def is_low() -> bool:
    return free_mb() < settings.MIN_FREE_MB


def require(more: int = 0) -> None:
    """Raises NoSpace unless there are ``more`` bytes next to the reserve."""
    free = free_mb()
    if free - more / 2**20 < settings.MIN_FREE_MB:
        raise NoSpace(
            f"The disk of the server has {free:.0f} MB left; {settings.MIN_FREE_MB} MB "
            "are reserved for people's work (GEMEL_MIN_FREE_MB). Free some space and "
            "try again.",
            free_mb=int(free),
        )
