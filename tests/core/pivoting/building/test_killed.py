"""Kill -9 anywhere in a build costs time alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.pivoting.building.pipeline import STAGES
from core.pivoting.table import open_table
from tests.core.pivoting.test_table import built, contents


@pytest.mark.slow
def test_a_build_killed_at_every_stage_makes_the_same_table(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.core.pivoting.building.dying", str(tmp_path)]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    places = ("prepare", "extract", *STAGES, "work", "table")
    assert told == {"deaths": {**dict.fromkeys(places, 2), "nowhere": 0}, "last": 0}
    table = tmp_path / "table"
    assert contents(open_table(table)) == contents(built(tmp_path / "whole"))
    left = [path.name for path in (table / "work").glob(".spill-*")]
    assert left == []
