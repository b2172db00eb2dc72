"""The first command on a new installation works: nobody has to migrate first."""

import contextlib
import json
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

from tests.running import ROOT, variables


@pytest.mark.once
def test_the_first_import_makes_its_tables(tmp_path: Path) -> None:
    rows = tmp_path / "pairs.tsv"
    rows.write_text("id\tsource\ttarget\np1\tThe door is open .\tIt stands open .\n")
    words = ["import_corpus", str(rows), "--format", "pairs", "--corpus", "New"]
    done = subprocess.run(
        [sys.executable, "manage.py", *words, "--json"],
        cwd=ROOT,
        env=variables(tmp_path / "home"),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pairs"] == 1


def test_the_migrations_make_the_tables_that_the_models_describe(db) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def manage(env: dict[str, str], code: str) -> None:
    words = [sys.executable, "manage.py", "shell", "--no-imports", "-c", code]
    subprocess.run(words, cwd=ROOT, env=env, check=True, timeout=600)


def contents(path: Path) -> dict[str, list[str]]:
    """What a database consists of: its schema, and the rows that Django itself adds."""
    with contextlib.closing(sqlite3.connect(path)) as there:
        made = there.execute("SELECT name, sql FROM sqlite_master WHERE sql NOT NULL")
        schema = sorted(f"{name} {_parts(sql)}" for name, sql in made)
        asked = {
            "migrations": "SELECT app || name FROM django_migrations ORDER BY 1",
            "types": "SELECT id || app_label || model FROM django_content_type",
            "permissions": "SELECT id || codename FROM auth_permission",
        }
        rows = {name: sorted(there.execute(sql)) for name, sql in asked.items()}
    return {"schema": schema} | {name: [row for (row,) in rows[name]] for name in rows}


def _parts(sql: str) -> list[str]:
    """The columns and constraints of a statement, whatever their order."""
    return sorted(re.split(r", (?=\"|CONSTRAINT)", sql.rstrip(")")))


MIGRATIONS = """
from django.core.management import call_command
from django.core.management.commands import migrate
call_command(migrate.Command(), verbosity=0)  # Django's own, which goes through them
"""


@pytest.mark.slow
@pytest.mark.once
def test_tables_made_from_models_are_those_that_migrations_make(tmp_path: Path) -> None:
    from_models, migrated = variables(tmp_path / "a"), variables(tmp_path / "b")
    words = [sys.executable, "manage.py", "migrate", "-v0"]
    subprocess.run(words, cwd=ROOT, env=from_models, check=True, timeout=600)
    manage(migrated, MIGRATIONS)
    found, wanted = (contents(tmp_path / one / "gemel.sqlite3") for one in ("a", "b"))
    assert len(wanted["schema"]) > 100
    for name in wanted:
        assert found[name] == wanted[name], name
