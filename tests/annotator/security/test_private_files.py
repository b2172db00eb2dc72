"""Nobody else on the machine reads the database, the key or the uploads."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running import ROOT, variables

pytestmark = pytest.mark.once

SCRIPT = """
import io
from django.contrib.auth.models import User
from annotator.services.corpora import storing
from annotator.services.projects import members
ada = User.objects.create_user("ada")
project = members.create("One", by=ada)
storing.keep(project, "a.tsv", io.BytesIO(b"a\\tb\\n"), by=ada)
"""


def manage(home: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT, env=variables(home), capture_output=True, text=True, timeout=600,
        umask=0o022,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def open_to_others(folder: Path) -> list[str]:
    paths = [folder, *folder.rglob("*")]
    return [str(one) for one in paths if stat.S_IMODE(one.lstat().st_mode) & 0o077]


@pytest.mark.slow
def test_all_that_is_written_is_for_one_account(tmp_path) -> None:
    home = tmp_path / "home"
    manage(home, "migrate", "-v0")
    manage(home, "shell", "--no-imports", "-c", SCRIPT)
    manage(home, "backup", str(tmp_path / "one.zip"))
    assert open_to_others(home) == []
    assert stat.S_IMODE((tmp_path / "one.zip").stat().st_mode) == 0o600


def test_what_an_earlier_start_left_open_is_closed(tmp_path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    os.chmod(home, 0o755)
    for name in ("gemel.sqlite3", "gemel.sqlite3-wal"):
        (home / name).touch(mode=0o644)
    manage(home, "check")
    assert open_to_others(home) == []


def test_a_folder_that_is_shared_is_named_and_left(tmp_path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    os.chmod(home, 0o1777)
    assert "gemel.W005" in manage(home, "check")
    assert stat.S_IMODE(home.stat().st_mode) == 0o1777
