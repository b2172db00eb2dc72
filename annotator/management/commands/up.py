"""Start everything: migrate, load the sample, serve the web, run a worker.

One-time set-up is done here; then ``management.crew`` takes this process over, and
keeps web server and worker alive in a twentieth of the memory.
"""

import argparse
import fcntl
import os
import socket
import sys
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import run_checks
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.urls import reverse

from annotator import checks
from annotator.management import crew, database
from annotator.services.projects import invitations, members

ROOT = Path(settings.BASE_DIR)


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
        lines = []
        if only != "worker":
            _refuse_busy(host, port)
            lines = self._prepare(host, port, with_sample=not options["no_sample"])
        for fault in run_checks(tags=["database"], databases=["default"]):
            self.stderr.write(str(fault))
        connection.close()
        commands = {}
        if only != "worker":
            commands[crew.WEB] = web_command(host, port, options["web_workers"])
            commands[crew.ENGINE] = engine_command()
        if only != "web":
            os.environ["GEMEL_QUEUES"] = ",".join(options["queues"])
            commands["worker"] = worker_command(options["jobs"])
        self.stdout.flush()
        for file in held:  # by what takes over, too
            fcntl.fcntl(file, fcntl.F_SETFD, 0)
        crew.become(crew.Orders(commands, host, port, lines, str(ROOT)))

    def _prepare(self, host: str, port: int, *, with_sample: bool) -> list[str]:
        """Create tables, owner and sample; return the lines to print once the web
        server answers."""
        if not database.make_tables():
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
            lines.append(
                f"Sign in, once, as owner: {base}{reverse('join', args=[token])}"
            )
        lines.append(f"State is kept in {settings.GEMEL_HOME}. Ctrl-C stops.")
        return lines


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
    return [sys.executable, "-m", "annotator", "serve_engine"]


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
