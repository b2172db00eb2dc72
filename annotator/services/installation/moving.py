"""All rows from this installation's database into another, and the proof of it.

Files stay where they are: both databases belong to one ``GEMEL_HOME``.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, connections, transaction

from annotator.env import database
from annotator.errors import BadRequest, Conflict
from annotator.services.installation import archive_rows
from annotator.throughput.writing import snapshot

ALIAS = "target"
MIGRATE = ("-m", "annotator", "migrate", "--no-input", "--verbosity=0")
Say = Callable[[str], None]


def move(url: str, *, say: Say) -> dict[str, int]:
    """The number of rows by table, all as they were. ``url``: as DATABASE_URL.

    The old database is only read. Raises Conflict if people are in the other one,
    BadRequest if it cannot be reached or holds something else in the end.
    """
    say("Making the tables ...")
    _migrate(url)
    try:
        with _connected(url):
            if User.objects.using(ALIAS).exists():
                raise Conflict(
                    "That database already has accounts and data. Name an empty one: "
                    "nothing is "
                    "overwritten."
                )
            return _copied(say)
    except DatabaseError as error:
        raise BadRequest(f"The other database failed: {error}") from error


def _migrate(url: str) -> None:
    """In a separate process, for which the other database is the only one."""
    run = subprocess.run(  # noqa: S603 - our own command line
        [sys.executable, *MIGRATE],
        env={**os.environ, "DATABASE_URL": url},
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
    )
    if run.returncode:
        last = (run.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise BadRequest(f"The other database cannot be used: {last}")


@contextmanager
def _connected(url: str) -> Iterator[None]:
    own = connections["default"].settings_dict
    connections.databases[ALIAS] = {**own, "TEST": {}, **database(url, _home())}
    try:
        yield
    finally:
        connections[ALIAS].close()
        del connections[ALIAS]
        del connections.databases[ALIAS]


def _home() -> Path:
    return Path(settings.GEMEL_HOME)


def _copied(say: Say) -> dict[str, int]:
    counts: dict[str, int] = {}
    with tempfile.TemporaryFile(dir=_home()) as file, snapshot():
        say("Reading ...")
        for row in archive_rows.write(apps, using="default", counts=counts):
            file.write(row.encode("utf-8", "surrogatepass") + b"\n")
        file.seek(0)
        say(f"Writing {sum(counts.values()):,} rows ...")
        with transaction.atomic(using=ALIAS):
            archive_rows.clear(apps, using=ALIAS)
            archive_rows.insert(file, apps, using=ALIAS)
            say("Comparing row by row ...")
            _compare()
    return counts


def _compare() -> None:
    there, here = _digests(ALIAS), _digests("default")
    if wrong := [name for name, digest in here.items() if there[name] != digest]:
        raise BadRequest(
            f"{wrong[0]} differs in the other database, so nothing was moved."
        )


def _digests(alias: str) -> dict[str, str]:
    """For each table: SHA-256 over its rows in key order. A database may reorder the
    fields of a JSON value."""
    digests: dict[str, Any] = {}
    for row in archive_rows.write(apps, using=alias, counts={}):
        fields = json.loads(row)
        digest = digests.setdefault(fields["model"], hashlib.sha256())
        digest.update(json.dumps(fields, sort_keys=True).encode())
    every = {model._meta.label_lower for model in archive_rows.tables(apps)}
    return {
        name: digests[name].hexdigest() if name in digests else "" for name in every
    }
