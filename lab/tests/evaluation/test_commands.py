"""Studies by command, on small files that we write ourselves."""

import json
from pathlib import Path

import pytest

from lab.evaluation.orders import ORDERS

pytestmark = pytest.mark.usefixtures("small_parser")
TREES = """\
(S (NP (NNP Mary)) (VP (VBD slept)))
(S (NP (DT the) (NN dog)) (VP (VBD met) (NP (NP (DT a) (NN cat)) \
(PP (IN in) (NP (DT a) (NN garden))))))
"""


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.mrg"
    path.write_text(TREES)
    return path


def test_steps_from_parses_to_gold_are_counted(gold, small_models, lab) -> None:
    given = ("--gold", gold, "--engine", "small", "--models", small_models)
    counts = json.loads(lab("evaluate", "corrections", *given, "--json"))
    assert (counts["sentences"], counts["tokens"], counts["left_out"]) == (2, 10, 0)
    assert counts["unreached"] == 0
    assert counts["wrong_doubtful"] <= counts["wrong"] <= counts["steps"]
    assert counts["steps"] >= 1


def test_orders_of_correcting_are_compared(gold, small_models, lab) -> None:
    given = ("--gold", gold, "--engine", "small", "--models", small_models)
    text = lab("evaluate", "worklists", *given, "--replicates", 20)
    first, head, *rows = text.splitlines()
    assert first.startswith("1 files, 2 sentences, 10 tokens, ")
    assert head.endswith("fixed after 10% 25% 50% of words")
    assert [row[:20].strip() for row in rows] == list(ORDERS)


def test_two_sets_are_compared_where_every_line_can_be_read(tmp_path, lab) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text("Mary slept in the garden .\n")
    second.write_text("Mary slept in the garden\nThe dog met a cat .\n")
    text = lab("evaluate", "contamination", "--first", first, "--second", second)
    assert "shared, exact:       0 sentences" in text
    assert "shared, normalised:  1 sentences" in text
