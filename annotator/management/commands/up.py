"""Start everything: migrate, load the sample, serve the web, run a worker."""

import argparse
import contextlib
import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.urls import reverse

from annotator.services import projects
from annotator.services.corpora import sample

ROOT = Path(settings.BASE_DIR)
WEB = "web server"
POLL_S = 0.5
PAUSE_S = 2.0  # before a start after a quick death; doubled with each
LONGEST_PAUSE_S = 60.0
QUICK_DEATH_S = 10.0
MAX_QUICK_DEATHS = 3  # of the web server before it has ever answered


class Command(BaseCommand):
    help = "Run Gemel here: web server and worker, until Ctrl-C."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)
        parser.add_argument("--web-workers", type=int, default=2)
        parser.add_argument("--jobs", type=int, default=1, help="worker processes")
        parser.add_argument("--no-sample", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        held = _take_home(settings.GEMEL_HOME)  # until this process ends
        _refuse_busy(host, port)
        call_command("migrate", verbosity=0, interactive=False)
        owner, _ = projects.ensure_owner()
        loaded = settings.GEMEL_HOME / "sample.loaded"  # absent after a broken start
        if not loaded.exists() and not options["no_sample"]:
            self.stdout.write("Loading the sample project ...")
            sample.load(owner)
            loaded.touch()
        base = settings.SITE_URL or f"http://{host}:{port}"
        lines = [f"Gemel is running at {base}/"]
        if not owner.has_usable_password():
            token = projects.sign_in_link(owner)
            lines.append(
                f"Sign in, once, as owner: {base}{reverse('join', args=[token])}"
            )
        lines.append(f"State is kept in {settings.GEMEL_HOME}. Ctrl-C stops.")
        for fault in run_checks(tags=["database"], databases=["default"]):
            self.stderr.write(str(fault))
        connection.close()
        crew = _Crew(self.stdout.write)
        crew.start(WEB, web_command(host, port, options["web_workers"]))
        crew.start("worker", worker_command(options["jobs"]))
        crew.keep(ready=lambda: _answers(host, port), lines=lines)
        held.close()


class _Crew:
    """Child processes, kept alive until a signal says stop.

    One that dies again and again is started after ever longer pauses, whatever the
    others do: people go on judging while no worker can be kept.
    """

    def __init__(self, say: Any) -> None:
        self._out = say
        self._commands: dict[str, list[str]] = {}
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._born: dict[str, float] = {}
        self._due: dict[str, float] = {}  # when those that died are started again
        self._quick_deaths: dict[str, int] = {}
        self._stopping = False
        signal.signal(signal.SIGTERM, self._stop)
        signal.signal(signal.SIGINT, self._stop)

    def start(self, name: str, command: list[str]) -> None:
        self._commands[name] = command
        self._born[name] = time.monotonic()
        # A session of its own: Ctrl-C reaches the children through us, in order.
        self._children[name] = subprocess.Popen(  # noqa: S603 - our own command line
            command, cwd=ROOT, start_new_session=True
        )

    def keep(self, *, ready: Any, lines: list[str]) -> None:
        """Say ``lines`` once the web answers; restart what dies; stop on a signal."""
        while not self._stopping:
            if lines and ready():
                self._say("\n" + "\n".join(lines) + "\n")
                lines = []
            for name, child in list(self._children.items()):
                if child.poll() is not None and not self._stopping:
                    self._revive(name, child.returncode, served=not lines)
            time.sleep(POLL_S if not lines else 0.1)
        self._end()

    def _revive(self, name: str, code: int, *, served: bool) -> None:
        now = time.monotonic()
        if name not in self._due:
            quick = now - self._born[name] < QUICK_DEATH_S
            deaths = self._quick_deaths.get(name, 0) + 1 if quick else 0
            self._quick_deaths[name] = deaths
            if name == WEB and deaths >= MAX_QUICK_DEATHS and not served:
                self._end()
                raise CommandError(
                    f"The {name} ended {deaths} times right after its start "
                    f"(code {code}); its messages are above."
                )
            pause = min(PAUSE_S * 2 ** (deaths - 1), LONGEST_PAUSE_S) if deaths else 0
            self._due[name] = now + pause
            self._say(
                f"The {name} ended (code {code}); starting it again in {pause:.0f} s."
            )
        if now >= self._due[name]:
            del self._due[name]
            self.start(name, self._commands[name])

    def _say(self, text: str) -> None:
        """Where nothing can be written (a full disk), we go on without a word."""
        with contextlib.suppress(OSError):
            self._out(text)

    def _stop(self, *_: object) -> None:
        self._stopping = True

    def _end(self) -> None:
        self._stopping = True
        self._say("Stopping ...")
        for child in self._children.values():
            if child.poll() is None:
                child.terminate()
        limit = time.monotonic() + 10
        for child in self._children.values():
            try:
                child.wait(max(0.1, limit - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
        self._say("Stopped.")


def web_command(host: str, port: int, workers: int) -> list[str]:
    return [
        sys.executable,
        "-m",
        "gunicorn",
        "annotator.wsgi:application",
        "--config=python:annotator.webserver",
        f"--bind={host}:{port}",
        f"--workers={workers}",
        "--threads=4",
        "--worker-class=annotator.webserver.EvenWorker",
        "--preload",
        # Longer than browsers keep a connection: one that we close first may be closed
        # while a request is on its way, which then gets no answer.
        "--keep-alive=320",
        "--max-requests=20000",
        "--max-requests-jitter=2000",
        "--log-level=warning",
        "--no-control-socket",
    ]


def worker_command(jobs: int) -> list[str]:
    return [
        sys.executable,
        "-m",
        "celery",
        "--quiet",
        "--app=annotator",
        "worker",
        f"--concurrency={jobs}",
        "--loglevel=WARNING",
        "--without-gossip",
        "--without-mingle",
    ]


def _take_home(home: Path) -> IO[str]:
    """The lock of this folder. Raises CommandError if another server has it: two would
    kill each other's jobs, and take each other's messages."""
    held = (home / "up.lock").open("a")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        held.close()
        raise CommandError(
            f"Another Gemel is running on {home}. Stop it, or give this one a folder "
            "of its own: GEMEL_HOME=..."
        ) from error
    return held


def _refuse_busy(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Port {port} on {host} cannot be used ({error.strerror}). "
                f"Take another: make run PORT={port + 1}"
            ) from error


def _answers(host: str, port: int) -> bool:
    try:
        with socket.create_connection((host, port), timeout=0.2):
            return True
    except OSError:
        return False
