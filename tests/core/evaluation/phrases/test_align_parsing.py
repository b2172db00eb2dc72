"""Errors corrected and introduced by the tree that aligns best."""

from core.evaluation.phrases.parses import Reranked, ledger
from core.formats.ptb import parse_one

HIGH = "(S (NP (PRP I)) (VP (VBD saw) (NP (NN men)) (PP (IN with) (NP (NNS eyes)))))"
LOW = (
    "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN men)) (PP (IN with) (NP (NNS eyes))))))"
)


def changed(gold: str, before: str, after: str) -> Reranked:
    trees = [parse_one(text) for text in (gold, before, after)]
    return Reranked("1", "toy", *trees)


def test_an_error_is_corrected_or_introduced() -> None:
    # The wrong bracket over "men with eyes" is an error, its lack another.
    better, worse = changed(HIGH, LOW, HIGH), changed(HIGH, HIGH, LOW)
    assert (better.corrected, better.introduced) == (1, 0)
    assert (worse.corrected, worse.introduced) == (0, 1)
    missing = changed(LOW, HIGH, LOW)
    assert (missing.corrected, missing.introduced) == (1, 0)


def test_the_ledger_adds_up() -> None:
    rows = [changed(HIGH, LOW, HIGH), changed(HIGH, HIGH, HIGH), changed(LOW, LOW, LOW)]
    found = ledger(rows)
    assert (found["sentences"], found["changed"]) == (3, 1)
    assert (found["errors_before"], found["corrected"], found["introduced"]) == (
        1,
        1,
        0,
    )
    assert found["f1_after"] == 1.0 > found["f1_before"]
    assert found["p"] == 1.0  # one pair of trees may differ by chance
