"""A broker and a database of one's own, to be taken away and given back."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

import psycopg
import pytest

from tests.running import free_port, wait


def missing(why: str) -> NoReturn:
    """Skip, and say so; on the machine that decides, fail."""
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)


class Redis:
    """A server that keeps nothing: what it held when it was killed is lost."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.start()

    def start(self) -> None:
        words = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1"]
        words += ["--save", "", "--appendonly", "no", "--dir", str(self.folder)]
        with (self.folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(words, stdout=log, stderr=log)
        wait(self._answers)

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait(600)

    def ask(self, *words: str) -> str:
        asked = ["redis-cli", "-p", str(self.port), *words]
        return subprocess.run(asked, capture_output=True, text=True).stdout.strip()

    def _answers(self) -> bool:
        return self.ask("ping") == "PONG"


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Redis]:
    if not shutil.which("redis-server"):
        missing("no redis-server on PATH")
    folder = tmp_path / "redis"
    folder.mkdir()
    server = Redis(folder)
    yield server
    server.kill()


class Postgres:
    """A database of its own on a server, which goes on for others."""

    def __init__(self, server: Any, base: str) -> None:
        self._server, self.name = server, f"gemel_away_{uuid4().hex[:12]}"
        self.url = f"{base}/{self.name}"
        server.execute(f"CREATE DATABASE {self.name}")

    @contextmanager
    def away(self) -> Iterator[None]:
        """Everybody is turned out, and nobody let in: as while it starts anew."""
        self._admit("false")
        sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname=%s"
        self._server.execute(sql, [self.name])
        try:
            yield
        finally:
            self._admit("true")

    def _admit(self, whom: str) -> None:
        self._server.execute(f"ALTER DATABASE {self.name} ALLOW_CONNECTIONS {whom}")

    def drop(self) -> None:
        self._server.execute(f"DROP DATABASE {self.name} WITH (FORCE)")


@pytest.fixture
def postgres() -> Iterator[Postgres]:
    url = os.environ.get("DATABASE_URL", "")
    base = url if url.startswith("postgres") else "postgres://root@127.0.0.1/"
    base = os.environ.get("GEMEL_TEST_POSTGRES", base).rpartition("/")[0]
    try:
        server = psycopg.connect(
            f"{base}/postgres", autocommit=True, connect_timeout=60
        )
    except psycopg.OperationalError as error:
        missing(f"no PostgreSQL (GEMEL_TEST_POSTGRES=postgres://user@host/): {error}")
    with server:
        database = Postgres(server, base)
        yield database
        database.drop()
