"""From one database to another: every row, checked, and nothing overwritten."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotator.management import database
from tests.annotator.durability.test_archives_whole import (
    CONTENT,
    FILL,
    ask,
    full,
    manage,
    server_url,
)
from tests.running import ROOT, variables

__all__ = ["full", "server_url"]  # fixtures

pytestmark = pytest.mark.once


@pytest.mark.slow
def test_a_desk_moves_to_a_server_and_back(server_url, tmp_path: Path) -> None:
    desk = variables(tmp_path)
    server = variables(tmp_path, DATABASE_URL=server_url)
    manage(desk, "migrate", "-v0")
    ask(FILL, desk)
    before = json.loads(ask(CONTENT, desk))
    told = _move(desk, server_url)
    assert "set DATABASE_URL" in told.stdout, told.stderr
    assert json.loads(ask(CONTENT, server)) == before
    again = _move(desk, server_url)
    assert again.returncode != 0
    assert "nothing is overwritten" in again.stderr
    for path in tmp_path.glob("gemel.sqlite3*"):
        path.unlink()
    told = _move(server, "sqlite")
    assert "unset DATABASE_URL" in told.stdout, told.stderr
    assert json.loads(ask(CONTENT, desk)) == before


def _move(env: dict[str, str], url: str) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, "manage.py", "move_to", url]
    return subprocess.run(words, cwd=ROOT, env=env, capture_output=True, text=True)


def test_what_cannot_be_reached_is_named(full) -> None:
    with pytest.raises(CommandError, match="cannot be used"):
        call_command("move_to", "postgres://nobody:hush@127.0.0.1:1/none")
    with pytest.raises(CommandError, match="'mysql' is not postgres") as caught:
        call_command("move_to", "mysql://root:hush@127.0.0.1/none")
    assert "hush" not in str(caught.value)


def test_nothing_moves_under_a_running_server(full, settings, tmp_path: Path) -> None:
    settings.GEMEL_HOME = tmp_path
    with (
        database.take(tmp_path, "worker"),
        pytest.raises(CommandError, match="Another Gemel is running"),
    ):
        call_command("move_to", "sqlite", stdout=io.StringIO())


CARELESS = """
from django.apps import apps
from annotator.errors import BadRequest
from annotator.models import Project
from annotator.services.installation import archive_rows, moving
insert, url = archive_rows.insert, "sqlite://" + {path!r}
def careless(file, apps, *, using):
    insert(file, apps, using=using)
    Project.objects.using(using).filter(pk=1).update(name="Another")
archive_rows.insert = careless
try:
    moving.move(url, say=lambda line: None)
except BadRequest as error:
    print(error)
archive_rows.insert = insert
print(sum(moving.move(url, say=lambda line: None).values()) > 50)
"""


@pytest.mark.slow
def test_a_row_that_came_over_otherwise_is_seen(tmp_path: Path) -> None:
    desk = variables(tmp_path)
    manage(desk, "migrate", "-v0")
    ask(FILL, desk)
    told = ask(CARELESS.format(path=str(tmp_path / "other.sqlite3")), desk)
    assert told.splitlines() == [
        "annotator.project differs in the other database, so nothing was moved.",
        "True",
    ]
