"""The first command on a new installation works: nobody has to migrate first."""

import json
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
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["pairs"] == 1


def test_the_migrations_make_the_tables_that_the_models_describe(db) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
