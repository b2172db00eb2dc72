"""Temperatures, calibration error, and their pictures."""

import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from core.data.tokens import Sentence, Token
from core.evaluation.golds import Gold
from core.parsing.english import MODEL
from core.parsing.neural import Raw
from core.text.subwords import Pieces, Subwords
from lab.training.calibrate import Reliability, temperatures
from lab.training.picture import curves, reliability_plot


class _Overconfident:
    """Tags words by fixed scores that are twice as large as they should be."""

    def __init__(self, scores: np.ndarray) -> None:
        self.labels = {
            "upos": (),
            "xpos": ("A", "B", "C"),
            "labels": (),
            "spans": ("",),
        }
        self.subwords = Subwords(MODEL / "tokenizer.json")
        self._scores = 2 * scores

    def run(self, pieces: Sequence[Pieces]) -> Raw:
        shape = (len(pieces), len(self._scores) + 1, len(self._scores) + 1)
        return {
            "xpos": np.repeat(self._scores[None], len(pieces), axis=0),
            "arcs": np.zeros(shape),
        }


def test_a_temperature_undoes_overconfidence() -> None:
    rng = np.random.default_rng(5)
    scores = rng.normal(size=(8, 3)) * 2
    shares = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    golds = [
        Gold(
            Sentence(tuple(Token("w", xpos="ABC"[rng.choice(3, p=p)]) for p in shares))
        )
        for _ in range(400)
    ]
    fitted = temperatures(_Overconfident(scores), golds)
    assert fitted["xpos"] == pytest.approx(2.0, abs=0.2)
    assert (fitted["spans"], fitted["arcs"]) == (1.0, 1.0)


def test_calibration_error_is_the_mean_gap() -> None:
    claims = [(0.95, True)] * 9 + [(0.95, False)] + [(0.15, False)] * 10
    reliability = Reliability.of(claims)
    assert reliability.count == (10, 10)
    assert reliability.share == (0.0, 0.9)
    assert reliability.error == pytest.approx((0.05 * 10 + 0.15 * 10) / 20)


def test_certain_claims_fall_into_the_last_bin() -> None:
    assert Reliability.of([(1.0, True), (0.99, True)]).count == (2,)


def test_pictures_are_well_formed_and_name_their_lines(tmp_path: Path) -> None:
    rows = [
        {"seconds": 60 * k, "loss": {"arcs": 1 / (k + 1)}, "dev": {"gum.las": 80 + k}}
        for k in range(4)
    ]
    log = tmp_path / "curves.jsonl"
    log.write_text("\n".join(json.dumps(row) for row in rows))
    plot = Reliability.of([(0.9, True), (0.4, False)])
    for picture in (curves(log), reliability_plot({"gum <arcs>": plot})):
        ElementTree.fromstring(picture)
    assert "gum.las" in curves(log)
    assert "stroke-dasharray" in curves(log)
