"""The memory limits of a process: a ceiling, and a mark for its replacement.

The system enforces the ceiling: private memory that a process may write (RLIMIT_DATA).
A request or job that would exceed it gets MemoryError, and the machine continues. Where
the system has no such limit (macOS), there is none.
"""

import contextlib
import os
import resource
from pathlib import Path

MB = 2**20
LEAST_MB = 512  # the engine, a parser and WordNet must fit
LEAST_ENGINE_MB = 1024  # models loaded, it holds less than half of what it may
WEB_MB = 2048  # on a machine that has twice as much
CONTAINER = Path("/sys/fs/cgroup/memory.max")


def machine_mb() -> int:
    """The memory of the machine, or of its container."""
    there = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(OSError, ValueError):  # no container, or "max"
        there = min(there, int(CONTAINER.read_text()))
    return there // MB


def of_web() -> int:
    """MB of each process of the web server, if nothing is said."""
    return max(LEAST_MB, min(WEB_MB, machine_mb() // 2))


def of_engine() -> int:
    """MB of the engine process, if nothing is said."""
    return max(LEAST_ENGINE_MB, of_web())


def of_worker() -> int:
    """MB of each process of a worker, if nothing is said."""
    return max(LEAST_MB, machine_mb() * 3 // 4)


def keep_below(mb: int) -> None:
    """This process, and what it starts, from now on."""
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    wanted = mb * MB if most == resource.RLIM_INFINITY else min(mb * MB, most)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted, most))


def taken_mb() -> int:
    """The memory that this process uses now; 0 if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") // MB


def is_worn(began_mb: int, ceiling_mb: int) -> bool:
    """Whether more than half of what it might take is taken since it began."""
    return taken_mb() - began_mb > (ceiling_mb - began_mb) // 2
