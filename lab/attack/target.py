"""What is attacked: a Gemel started for it, or one that runs here already."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
READY_S = 300
SAMPLE_S = 0.2
PAGE_MB = os.sysconf("SC_PAGE_SIZE") / 2**20


@dataclass(frozen=True, slots=True)
class Target:
    """``pid``: of what started all its processes; 0: not known. The rest is what
    ``lab.attack.seed`` made there for a judge, a reader and the attacker."""

    host: str
    port: int
    pid: int
    campaign: str
    project: str
    judge: str  # an Authorization header
    manager: str
    session: str  # the Cookie header of someone who is signed in


class NotHere(ValueError):
    """Only this machine is attacked."""


def address(url: str) -> tuple[str, int]:
    """Return host and port; raise NotHere unless the URL is http:// on loopback."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        is_here = ip_address("127.0.0.1" if host == "localhost" else host).is_loopback
    except ValueError:
        is_here = False
    if parts.scheme != "http" or not is_here:
        raise NotHere(f"{url} is not http:// on this machine (127.0.0.1 or localhost)")
    return host, parts.port or 80


def seeded(host: str, port: int, pid: int, env: dict[str, str]) -> Target:
    """Return the installation of ``env``, filled with what its visitors need."""
    done = subprocess.run(
        [sys.executable, "-m", "lab.attack.seed"],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Target(host, port, pid, **json.loads(done.stdout))


@contextlib.contextmanager
def started() -> Iterator[Target]:
    """Start what ``make run`` starts, in a folder that is removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="gemel-attack-") as home:
        kept = ("DATABASE_URL", "CELERY_BROKER_URL")
        env = {k: v for k, v in os.environ.items() if k not in kept}
        env |= {"GEMEL_HOME": home, "GEMEL_METRICS_TOKEN": os.urandom(20).hex()}
        port = free_port()
        log = Path(home) / "up.log"
        with log.open("wb") as out:
            process = subprocess.Popen(  # noqa: S603 - our own command line
                [sys.executable, "manage.py", "up", f"--port={port}", "--no-sample"],
                cwd=ROOT,
                env=env,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        try:
            limit = time.monotonic() + READY_S
            while "Gemel is running" not in log.read_text(errors="replace"):
                if process.poll() is not None or time.monotonic() > limit:
                    raise RuntimeError(log.read_text(errors="replace"))
                time.sleep(0.1)
            yield seeded("127.0.0.1", port, process.pid, env)
        finally:
            process.terminate()
            process.wait(60)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Memory:
    """The most that all processes below ``pid`` held together while this was on, MB of
    resident memory; 0.0 where nothing is known of them."""

    def __init__(self, pid: int) -> None:
        self.peak_mb, self._pid, self._done = 0.0, pid, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Memory":
        if self._pid:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._pid:
            self._thread.join()

    def _watch(self) -> None:
        while not self._done.wait(SAMPLE_S):
            self.peak_mb = max(self.peak_mb, sum(map(_resident, _family(self._pid))))


def _family(first: int) -> set[int]:
    """Return the ids of this process and all its descendants."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            cells = path.read_text().rpartition(")")[2].split()
            parents[int(path.parent.name)] = int(cells[1])
    family, size = {first}, 0
    while size < len(family):
        size = len(family)
        family |= {pid for pid, parent in parents.items() if parent in family}
    return family


def _resident(pid: int) -> float:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * PAGE_MB
