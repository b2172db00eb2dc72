"""``manage.py evaluate parser``: a table for people, one JSON object for programs."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

pytestmark = pytest.mark.usefixtures("small_parser")
TREES = """\
(S (NP (NNP Mary)) (VP (VBD slept)))
(S (NP (DT the) (NN dog)) (VP (VBD met) (NP (NP (DT a) (NN cat)) \
(PP (IN in) (NP (DT a) (NN garden))))))
"""
KEYS = {
    *("sentences", "tokens", "uas", "las", "upos", "xpos", "precision", "recall"),
    *("f1", "exact", "oracle_f1", "sentences_per_second", "arcs_fit_brackets"),
}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.mrg"
    path.write_text(TREES)
    return path


def _run(*options: object) -> str:
    """What it prints, with what it says of its progress before."""
    out, said = StringIO(), StringIO()
    call_command("evaluate", "parser", *map(str, options), stdout=out, stderr=said)
    return said.getvalue() + out.getvalue()


def test_json_has_every_score_and_null_where_gold_is_silent(gold: Path) -> None:
    text = _run("--gold", gold, "--engine", "small", "--json")
    scores = json.loads(text.splitlines()[-1])
    assert set(scores) >= KEYS
    assert (scores["sentences"], scores["tokens"]) == (2, 10)
    assert (scores["precision"], scores["recall"], scores["exact"]) == (
        100.0,
        90.0,
        50.0,
    )
    assert scores["f1"] == 94.74
    assert set(scores["oracle_f1"]) == {"2", "10", "50"}
    assert scores["uas"] is None
    assert scores["sentences_per_second"] > 0


def test_the_table_names_each_score_and_long_sentences_stay_out(gold: Path) -> None:
    text = _run("--gold", gold, "--engine", "small", "--max-tokens", "3")
    rows = dict(line.split(maxsplit=1) for line in text.splitlines())
    assert (rows["sentences"], rows["f1"], rows["uas"]) == ("1", "100.0", "–")


def test_a_line_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.ptb"
    path.write_text("(S (NP (NNP Mary)) (VP (VBD slept)))\n)\n")
    text = _run("--gold", path, "--engine", "small", "--no-oracle")
    assert "line 2, column 1" in text


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--gold", "nowhere.ptb"), "no such file"),
        (("--gold", __file__), "says neither"),
        (("--gold", "GOLD", "--engine", "klingon"), "known: english"),
        (("--gold", "GOLD", "--max-tokens", "1"), "no gold sentence"),
    ],
)
def test_what_cannot_be_scored_is_said(
    gold: Path, options: tuple[str, ...], reason: str
) -> None:
    given = [str(gold) if option == "GOLD" else option for option in options]
    with pytest.raises(CommandError, match=reason):
        _run(*given)
