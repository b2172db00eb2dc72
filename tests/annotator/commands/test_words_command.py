"""``evaluate words`` on sentences of our own."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from core.word_alignment import aligner
from core.word_alignment.aligner import TrainedWordAligner

pytestmark = pytest.mark.usefixtures("small_parser")
NOUNS = ["nurse", "cook", "king", "baker", "pilot", "judge", "farmer", "singer"]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    rows = []
    for at, noun in enumerate(NOUNS):
        source = f"the old {noun} opened a window on Monday ."
        target = f"on Monday the old {noun} opened a window ."
        links = "0-2 1-3 2-4 3-5 4-6 5-7 6-0 7-1 8-8"
        rows.append({"id": at, "source": source, "target": target, "sureAlign": links})
    path = tmp_path / "pairs.json"
    path.write_text(json.dumps(rows))
    return path


def run(*options: object) -> dict[str, Any]:
    out = StringIO()
    fixed = ("--engine", "small", "--format", "jacana", "--json")
    given = map(str, options)
    call_command("evaluate", "words", *given, *fixed, stdout=out, stderr=StringIO())
    scores: dict[str, Any] = json.loads(out.getvalue())
    return scores


@pytest.mark.parametrize("links", ["one", "many"])
def test_reordered_sentences_are_aligned(pairs: Path, links: str) -> None:
    scores = run("--pairs", pairs, "--links", links, "--no-wordnet")
    assert scores["f1"] > 0.95
    assert scores["aer"] == pytest.approx(1 - scores["f1"])
    assert (scores["pairs"], scores["gold_links"]) == (8, 72)
    assert scores["wordnet"] is False
    assert scores["pairs_per_second"] > 0


def test_bad_files_are_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text('[{"source": "a", "target": "b", "sureAlign": "0-9"}]')
    with pytest.raises(CommandError, match=r"bad\.json, line 1: link 0-9"):
        run("--pairs", path)


def test_the_shipped_weights_say_where_they_are_from() -> None:
    facts = TrainedWordAligner.load(aligner.WEIGHTS).facts
    assert "edinburgh" in facts["fitted_on"]
    assert aligner.WEIGHTS.stat().st_size < 300_000
