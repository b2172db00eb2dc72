"""Start everything: migrate, load the sample, serve the web, run a worker.

One-time set-up is done here, while a first web server imports all pages. It and the
first worker are forked from this process, and share what is loaded by then. Then
``management.crew`` takes this process over, and keeps both alive in a twentieth of the
memory.
"""

import argparse
import fcntl
import gc
import os
import runpy
import socket
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from annotator import checks
from annotator.management import crew, database
from annotator.services.projects import invitations, members
from core.compiled import fingerprint

ROOT = Path(settings.BASE_DIR)
GEMEL = (sys.executable, "-m", "annotator")
WORKER = "worker"
EARLY = {"gunicorn": ("annotator.wsgi", "annotator.webserver", "gunicorn.app.wsgiapp")}


class Command(BaseCommand):
    help = "Run the web server and the workers until Ctrl-C."
    # Django's own checks import every page, which the web server does again.
    requires_system_checks = (checks.TAG,)

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--host",
            default="127.0.0.1",
            help="address to listen on (default: %(default)s)",
        )
        parser.add_argument(
            "--port",
            type=int,
            default=8000,
            help="port to listen on (default: %(default)s)",
        )
        parser.add_argument(
            "--web-workers",
            type=int,
            default=2,
            help="number of web server processes (default: %(default)s)",
        )
        parser.add_argument(
            "--jobs",
            type=int,
            default=1,
            help="number of worker processes (default: %(default)s)",
        )
        parser.add_argument(
            "--no-sample", action="store_true", help="do not load the sample project"
        )
        parser.add_argument(
            "--queues",
            nargs="+",
            choices=settings.ALL_QUEUES,
            default=settings.QUEUES,
            help="queues that the worker serves, in this order (default: all)",
        )
        parser.add_argument(
            "--only",
            choices=database.PARTS,
            help=(
                "run only the web server or only the worker, for example in a "
                "container each"
            ),
        )

    def handle(self, *args: Any, **options: Any) -> None:
        host, port, only = options["host"], options["port"], options["only"]
        parts = [only] if only else list(database.PARTS)
        held = [database.take(settings.GEMEL_HOME, part) for part in parts]
        commands = self._commands(**options)
        if only != "worker":
            _refuse_busy(host, port)
        self.stdout.flush()
        early = {
            name: _early(command, held)
            for name, command in commands.items()
            if _may_be_early(name, options["queues"])
        }
        lines = []
        if only != "worker":
            lines = self._prepare(host, port, with_sample=not options["no_sample"])
        for fault in run_checks(tags=["database"], databases=["default"]):
            self.stderr.write(str(fault))
        connection.close()
        self.stdout.flush()
        pipes = [pipe for _, pipe in early.values()]
        for file in [*(lock.fileno() for lock in held), *pipes]:
            fcntl.fcntl(file, fcntl.F_SETFD, 0)  # what takes over has them, too
        crew.become(crew.Orders(commands, host, port, lines, str(ROOT), early))

    def _commands(self, *, only: str | None, **options: Any) -> dict[str, list[str]]:
        """What runs, by name."""
        commands = {}
        if only != "worker":
            place = options["host"], options["port"]
            commands[crew.WEB] = web_command(*place, options["web_workers"])
            commands[crew.ENGINE] = engine_command()
            if not (settings.GEMEL_HOME / f"kernels.{fingerprint()}").exists():
                commands[crew.KERNELS] = [*GEMEL, "compile_kernels"]
        if only != "web":
            os.environ["GEMEL_QUEUES"] = ",".join(options["queues"])
            commands[WORKER] = worker_command(options["jobs"])
        return commands

    def _prepare(self, host: str, port: int, *, with_sample: bool) -> list[str]:
        """Create tables, owner and sample; return the lines to print once the web
        server answers."""
        call_command("migrate", verbosity=0, interactive=False)
        owner, _ = members.ensure_owner()
        loaded = settings.GEMEL_HOME / "sample.loaded"  # absent after a broken start
        if with_sample and not loaded.exists():
            from annotator.services.corpora import sample  # not at every start

            self.stdout.write("Loading the sample project ...")
            sample.load(owner)
            loaded.touch()
        base = settings.SITE_URL or f"http://{host}:{port}"
        lines = [f"Gemel is running at {base}/"]
        if not owner.has_usable_password():
            token = invitations.sign_in_link(owner)
            # Django's reverse() would import every page.
            lines.append(f"Sign in, once, as owner: {base}/join/{token}/")
        lines.append(f"State is kept in {settings.GEMEL_HOME}. Ctrl-C stops.")
        return lines


def _may_be_early(name: str, queues: Sequence[str]) -> bool:
    """Not the engine, which no one needs yet, and not a worker with other queues than
    the settings of this process name."""
    return name == crew.WEB or (name == WORKER and tuple(queues) == settings.QUEUES)


def _early(command: list[str], held: list[IO[str]]) -> tuple[int, int]:
    """Fork a process that does ``command`` when the crew tells it the place of the
    engine, and ends if it is told nothing. A web server imports all pages before.

    Returns its process id and the pipe to tell it. ``held``: locks that are not its
    own.
    """
    reading, writing = os.pipe()
    if pid := os.fork():
        os.close(reading)
        return pid, writing
    os.close(writing)
    os.setsid()
    for file in held:
        file.close()
    program = command[2]
    crew.call_this_process(program)
    gc.disable()
    for name in EARLY.get(program, ()):
        import_module(name)
    gc.freeze()  # shared, so that the collector of garbage leaves it alone
    gc.enable()
    with os.fdopen(reading) as pipe:
        told = pipe.readline()
    if told:
        os.environ[crew.PLACE] = told.strip()
        sys.argv = command[2:]
        runpy.run_module(program, run_name="__main__")
    sys.exit(0)


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
        "--worker-class=annotator.webserver.BufferingWorker",
        "--preload",
        # Longer than browsers keep a connection: one that we close first may be closed
        # while a request is on its way, which then gets no answer.
        "--keep-alive=320",
        "--max-requests=20000",
        "--max-requests-jitter=2000",
        "--log-level=warning",
        "--no-control-socket",
    ]


def engine_command() -> list[str]:
    return [*GEMEL, "serve_engine"]


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


def _refuse_busy(host: str, port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CommandError(
                f"Port {port} on {host} cannot be used ({error.strerror}). Use "
                f"another: make run PORT={port + 1}"
            ) from error
