"""Errors corrected and introduced by the tree that aligns best."""

from core.formats.ptb import parse_one
from lab.evaluation.phrase_reranking import Reranked, ledger

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
    figures = ledger(rows)
    assert (figures["sentences"], figures["changed"]) == (3, 1)
    assert (figures["errors_before"], figures["corrected"], figures["introduced"]) == (
        1,
        1,
        0,
    )
    assert figures["f1_after"] == 1.0 > figures["f1_before"]
    assert figures["p"] == 1.0  # one pair of trees may differ by chance
