"""A report in words: each rule, and what is within chance stays unsaid."""

import re
from typing import Any

import pytest
from django.utils import translation

from annotator.pages.agreement import words
from annotator.pages.agreement.summary import summary
from annotator.pages.agreement.words import (
    BAND_WORDS,
    in_words,
    of_measure,
)
from core.agreement.judgments.verdicts import BANDS, NONE
from core.agreement.words import Reason


def figure(value=None, low=None, high=None, n=100) -> dict[str, Any]:
    if value is None:
        return {"undefined": "every judgment has the same value", "n": n}
    return {"value": value, "low": low, "high": high, "n": n}


def judge(label: str, **about: Any) -> dict[str, Any]:
    plain = {"bias": figure(0.0, -0.1, 0.1), "repeat": figure(n=0),
             "gold": figure(n=0), "drift": []}  # fmt: skip
    return {"annotator": label, **plain, **about}


def scale(alpha=None, judges=(), **about: Any) -> dict[str, Any]:
    row = {"key": "alpha_ordinal", "figure": alpha or figure(0.5, 0.45, 0.55)}
    plain = {"title": "Meaning", "is_ordered": True, "shared": 200, "few": False,
             "threshold": 3, "headline": [row], "more": [], "cut": None,
             "judges": list(judges), "half": 0}  # fmt: skip
    return {**plain, **about}


def said(*scales: dict[str, Any], conditions=None, name=str) -> list[str]:
    body = {"scales": list(scales), "conditions": conditions}
    texts = [one.text for one in summary(body, name)]
    assert not any(" %" in text for text in texts)  # no line is broken there
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts]


@pytest.mark.parametrize(
    ("alpha", "text"),
    [
        (figure(0.41, 0.402, 0.47), "is moderate, alpha 0.41 (0.40 to 0.47)."),
        (
            figure(0.41, 0.35, 0.47),
            "is between fair and moderate, alpha 0.41 (0.35 to 0.47).",
        ),
        (figure(0.1, None, None), "is slight, alpha 0.10."),
        (
            figure(-0.2, -0.3, -0.1),
            "is worse than chance, alpha −0.20 (−0.30 to −0.10).",
        ),
        (figure(1.0, 1.0, 1.0), "is almost perfect, alpha 1.00 (1.00 to 1.00)."),
        (figure(), "is undefined: every judgment has the same value."),
    ],
)
def test_how_well_people_agree(alpha, text: str) -> None:
    assert said(scale(alpha)) == [f"Agreement on meaning {text}"]


def test_labels_without_order_are_told_by_nominal_alpha() -> None:
    rows = [
        {"key": "raw", "figure": figure(0.9)},
        {"key": "alpha_nominal", "figure": figure(0.7, 0.65, 0.75)},
    ]
    (text,) = said(scale(is_ordered=False, headline=rows[:1], more=rows[1:]))
    assert "is substantial, alpha 0.70" in text


def test_without_overlap_nothing_is_known_and_with_little_it_is_said() -> None:
    assert said(scale(shared=0)) == [
        "Agreement on meaning is unknown: no item has two judgments."
    ]
    assert said(scale(few=True, shared=1))[0].endswith(" It is based on only 1 item.")
    assert said(scale(few=True, shared=9))[0].endswith(" It is based on only 9 items.")


def test_the_threshold_is_named() -> None:
    cut = [{"key": "raw", "figure": figure(0.783)}]
    assert said(scale(cut=cut))[1] == (
        "Two annotators are on the same side of the threshold (≥ 3) 78 % of the time."
    )
    assert len(said(scale(cut=[{"key": "raw", "figure": figure()}]))) == 1


def test_who_rates_higher_or_lower_beyond_chance_is_named() -> None:
    judges = [
        judge("A1", bias=figure(1.0, 0.7, 1.3)),
        judge("A2", bias=figure(0.62, 0.2, 1.1)),
        judge("A3", bias=figure(0.9, -0.2, 2.0)),  # may be chance
        judge("A4", bias=figure(0.3, 0.2, 0.4)),  # too little to name
        judge("A5", bias=figure(-1.0, -1.4, -0.8)),
        judge("A6", bias=figure()),
    ]
    assert said(scale(judges=judges))[1:] == [
        "A1 and A2 rate meaning 0.6 to 1.0 points higher than the rest.",
        "A5 rates meaning a point lower than the rest.",
    ]


def test_names_are_those_that_the_reader_may_see() -> None:
    judges = [judge("A1", bias=figure(1.2, 1.0, 1.4))]
    texts = said(scale(judges=judges), name=lambda label: {"A1": "Ada"}[label])
    assert texts[1] == "Ada rates meaning 1.2 points higher than the rest."


def test_who_drifts_repeats_badly_or_misses_gold_is_named() -> None:
    judges = [
        judge("A1", drift=[[9, 0.1], [9, -0.2], [9, -0.7]]),
        judge("A2", drift=[[9, 0.1], [9, 0.5]]),
        judge("A7", drift=[[2, 0.1], [2, 1.1]], moved=figure(1.0, -0.8, 2.8)),
        judge("A3", repeat=figure(0.45, n=20)),
        judge("A4", repeat=figure(0.45, n=9)),  # too few
        judge("A5", gold=figure(0.2, n=5)),
        judge("A6", gold=figure(0.9, n=50), repeat=figure(0.6, n=30)),
    ]
    assert said(scale(judges=judges))[1:] == [
        "A1 rated meaning lower over time, compared with the others:"
        " from +0.1 to −0.7 points.",
        "A3 repeated the same value of meaning in only 45 % of 20 repeats.",
        "A5 matched the expected meaning in only 20 % of 5 gold items.",
    ]


@pytest.mark.parametrize(
    ("half", "text"),
    [
        (12, "12 items of 200 carry half of the disagreement on meaning."),
        (1, "1 item of 200 carries half of the disagreement on meaning."),
        (50, ""), (0, ""), (None, ""),
    ],
)  # fmt: skip
def test_few_items_that_cost_most_are_counted(half, text: str) -> None:
    assert said(scale(half=half))[1:] == ([text] if text else [])


def row(name: str, share: float, gap=None, p=1.0, n=50) -> dict[str, Any]:
    tests = None if gap is None else [{"figure": figure(gap), "n": n, "p_holm": p}]
    return {"condition": name, "cells": [{"figure": figure(share)}], "tests": tests}


@pytest.mark.parametrize(
    ("rows", "texts"),
    [
        ([row("base", 0.48)], []),
        ([row("base", 0.48), row("x", 0.5, 0.02, 0.6)],
         ["No condition differs from base beyond chance."]),
        ([row("base", 0.48), row("x", 0.5, 0.02, 0.6, n=0)], []),
        ([row("base", 0.48), row("x", 0.62, 0.14, 0.003), row("y", 0.6, 0.1, 0.04),
          row("z", 0.2, -0.2, 0.001), row("w", 0.9, 0.4, 0.0, n=0)],
         ["x (62 %) and y (60 %) are better than base (48 % correct).",
          "z (20 %) is worse than base (48 % correct)."]),
    ],
)  # fmt: skip
def test_what_came_of_the_conditions(rows, texts: list[str]) -> None:
    assert said(conditions={"rows": rows}) == texts


def test_every_band_can_be_said_in_another_language() -> None:
    assert set(BAND_WORDS) == {NONE, *(word for _, word in BANDS)}


@pytest.mark.parametrize("pattern", Reason)
def test_reasons_of_the_engine_are_known_and_english_stays(pattern: str) -> None:
    text = re.sub(r"%\(\w+\)s", "3", pattern).replace("%%", "%")
    assert in_words(f"{text}; nothing known") == f"{text}; nothing known"


def test_sentences_keep_titles_as_they_are_where_a_language_writes_nouns_large() -> (
    None
):
    with translation.override("de"):
        (text,) = said(scale(shared=0))
        assert "Meaning" in text
        assert of_measure("no measure of ours") == "no measure of ours"


def test_the_chance_after_the_name_of_a_measure_stays(monkeypatch) -> None:
    monkeypatch.setattr(words, "gettext", str.upper)
    assert of_measure("K, uniform chance 1/5") == "K, UNIFORM CHANCE 1/5"
    assert in_words("raw agreement is 100 %; no reason of ours") == (
        "RAW AGREEMENT IS 100 %; no reason of ours"
    )
