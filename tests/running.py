"""A real Gemel in processes of its own, for tests that kill it."""

import contextlib
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from core.compiled import fingerprint

ROOT = Path(__file__).resolve().parent.parent
WAIT_S = 600  # a busy machine is slow, not wrong


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def variables(home: Path, **more: str) -> dict[str, str]:
    """The environment of a fresh installation under ``home``: SQLite, file broker."""
    dropped = ("GEMEL", "DJANGO_ALLOW", "DATABASE_URL", "CELERY_BROKER_URL")
    plain = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
    return {**plain, "GEMEL_HOME": str(home), "PYTHONUNBUFFERED": "1", **more}


class Running:
    """``manage.py up`` on a port of its own; its output in ``home/up.log``."""

    program = (sys.executable, "manage.py")
    folder = ROOT

    def __init__(self, home: Path, *words: str, **more: str) -> None:
        self.home, self.port = home, free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.log = home / "up.log"
        self.env = variables(home, **more)
        (home / f"kernels.{fingerprint()}").touch()  # not compiled ahead each time
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [*self.program, "up", f"--port={self.port}", *words],
                cwd=self.folder,
                env=self.env,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def ready(self) -> "Running":
        wait(lambda: "Gemel is running" in self.output(), self.output)
        return self

    def output(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def owner_link(self) -> str:
        match = re.search(r"http://\S+/join/\S+", self.output())
        assert match, self.output()
        return match.group()

    def select(self, sql: str) -> Any:
        """The first value that its SQLite database has for this, or None. Seen from
        outside: a process of Gemel takes seconds to start, and what is waited for may
        be over by then."""
        path = self.home / "gemel.sqlite3"
        with contextlib.closing(sqlite3.connect(path, timeout=WAIT_S)) as there:
            return (there.execute(sql).fetchone() or [None])[0]

    def children(self, word: str) -> list[int]:
        """The processes under this one whose command line or name holds ``word``."""
        listed = subprocess.run(
            ["ps", "-ewwo", "pid,ppid,comm,args"],
            capture_output=True,
            text=True,
            check=True,
        )
        rows = [line.split(None, 2) for line in listed.stdout.splitlines()[1:]]
        family, grown = {self.process.pid}, True
        while grown:
            below = {int(pid) for pid, ppid, _ in rows if int(ppid) in family}
            grown = not below <= family
            family |= below
        return [
            int(pid) for pid, _, args in rows if int(pid) in family and word in args
        ]

    def kill(self, word: str) -> None:
        """kill -9 every process of this kind: no last words."""
        for pid in self.children(word):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(WAIT_S)


@contextlib.contextmanager
def running(home: Path, *words: str, **more: str) -> Iterator[Running]:
    gemel = Running(home, *words, **more)
    try:
        yield gemel.ready()
    finally:
        if gemel.process.poll() is None:
            gemel.stop()


def wait(holds, tell=lambda: "", *, seconds: float = WAIT_S) -> None:
    """Until ``holds()``; fails with ``tell()`` when it never does."""
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, tell()
        time.sleep(0.1)


def answers(url: str) -> bool:
    with contextlib.suppress(OSError):
        return urllib.request.urlopen(url, timeout=WAIT_S).status == 200
    return False
