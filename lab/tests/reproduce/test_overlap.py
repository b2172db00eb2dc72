"""Baselines of scores: word overlap and edit distance."""

from lab.reproduce.overlap import BASELINES, dice, edit_similarity, jaccard, overlap
from tests.core.itg.test_reordering import area, pairs

__all__ = ["pairs"]


def test_baselines_worked_by_hand() -> None:
    a, b = ["a", "b", "b", "c"], ["b", "a", "b", "d", "e"]
    assert jaccard(a, b) == 2 / 5
    assert dice(a, b) == 6 / 9
    assert overlap(a, b) == 3 / 5
    assert edit_similarity(["A", "b", "c"], ["a", "x", "c", "d"]) == 1 - 2 / 7


def test_overlap_is_blind_and_edit_distance_is_misled(pairs) -> None:
    areas = {
        name: area(
            [of(p["source"].split(), p["target"].split()) for p in pairs],
            pairs,
            "roles",
            "scramble",
        )
        for name, of in BASELINES.items()
    }
    assert areas["overlap"] == areas["jaccard"] == areas["dice"] == 50.0
    assert areas["edit"] < 40.0
