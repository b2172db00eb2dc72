"""Word links: what the aligner finds, and what its parts promise."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.data.alignment import Link
from core.data.tokens import Sentence, Token
from core.errors import InvalidValue, Unavailable
from core.protocols import Analysis, BackendInfo, WordAligner
from core.word_alignment.aligner import WEIGHTS, TrainedWordAligner, WordSettings
from core.word_alignment.features import (
    BESIDE,
    CLASSES,
    AnalysedWords,
    around,
    table,
)

ACTIVE = "The nurse opened the old window ."
PASSIVE = "The old window was opened by the nurse ."
SAME = {("w1", "w7"), ("w2", "w4"), ("w4", "w1"), ("w5", "w2"), ("w6", "w8")}
TAGS = {"The": "DT", "the": "DT", "nurse": "NN", "opened": "VBD", "old": "JJ",
        "window": "NN", "was": "VBD", "by": "IN", ".": "."}  # fmt: skip


ALIGNER = replace(TrainedWordAligner.load(), thesaurus=None)
# The columns of both rounds, in order.
LEXICAL = (
    "exact",
    "stem",
    "synonym",
    "derived",
    "kin",
    "same_case",
    "spelling",
    "beginning",
    "other_number",
    "alone",
    "same_rank",
    "both_function",
    "function_s",
    "function_t",
    "exact_function",
    "same_tag",
    "same_class",
    "distance",
    "shift",
    "size",
)
SPREAD = tuple(f"exact{i:+d}{j:+d}" for i, j in BESIDE)
KINDS = tuple(f"{side}_{kind}" for side in "st" for kind in CLASSES)
PLAIN_NAMES = (*LEXICAL, *SPREAD, *KINDS)
COSINES = (
    "cosine",
    "cosine_squared",
    "lead_row",
    "lead_column",
    "share_row",
    "share_column",
    *(f"cosine{i:+d}{j:+d}" for i, j in BESIDE),
    "raw_cosine",
    "raw_lead_row",
    "raw_lead_column",
)
CONTEXT_NAMES = (*PLAIN_NAMES, *COSINES)
ROUND_NAMES = (
    "nats",
    "prob",
    "rival_row",
    "rival_column",
    "rest_row",
    "rest_column",
    *(f"prob{i:+d}{j:+d}" for i, j in BESIDE),
    "prob-1+1",
    "prob+1-1",
    "band",
    "counter_band",
)


@pytest.fixture
def aligner() -> TrainedWordAligner:
    return ALIGNER


def bare(text: str) -> Analysis:
    tokens = tuple(Token(word) for word in text.split())
    xpos = tuple(TAGS.get(word, "NN") for word in text.split())
    return Analysis(Sentence(tokens), xpos=xpos)


def cells(links: tuple[Link, ...]) -> set[tuple[str, str]]:
    return {link.cell for link in links}


def words(text: str, vectors: np.ndarray | None = None) -> AnalysedWords:
    forms = tuple(text.split())
    return AnalysedWords(forms, tuple(TAGS.get(form, "NN") for form in forms), vectors)


def test_words_of_a_reordered_sentence_are_linked(aligner: WordAligner) -> None:
    links = aligner.align(bare(ACTIVE), bare(PASSIVE))
    assert cells(links) >= SAME
    assert all(0.5 <= float(link.attrs["prob"]) <= 1 for link in links)
    sources, targets = zip(*cells(links), strict=True)
    assert len(set(sources)) == len(set(targets)) == len(links)
    assert links == aligner.align(bare(ACTIVE), bare(PASSIVE))


def test_it_does_without_tags(aligner: WordAligner) -> None:
    sides = (Analysis(Sentence.of(text)) for text in (ACTIVE, PASSIVE))
    assert cells(aligner.align(*sides)) >= SAME


def test_kinds_follow_the_probability(aligner: TrainedWordAligner) -> None:
    rules = WordSettings(least=0.3, sure=0.8)
    links = replace(aligner, settings=rules).links(np.array([[0.9, 0.1], [0.2, 0.5]]))
    assert [(link.cell, link.kind) for link in links] == [
        (("w0", "w0"), "sure"),
        (("w1", "w1"), "possible"),
    ]


@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 999))
def test_many_to_many_holds_all_links_of_one_to_one(n: int, m: int, seed: int) -> None:
    prob = np.random.default_rng(seed).random((n, m))
    one, many = ALIGNER, ALIGNER.with_settings(many=True)
    assert cells(one.links(prob)) <= cells(many.links(prob))
    assert len(many.links(prob)) == (prob >= one.settings.least).sum()
    assert 0 <= many.expected_errors(prob) <= n * m


def test_one_word_each_is_enough(aligner: TrainedWordAligner) -> None:
    assert aligner.probabilities(bare("Yes"), bare("Yes")).shape == (1, 1)


def test_vectors_of_another_model_are_refused(aligner: TrainedWordAligner) -> None:
    source, target = bare(ACTIVE), bare(PASSIVE)
    strange = [replace(one, vectors=np.ones((len(one.sentence), 7))) for one in
               (source, target)]  # fmt: skip
    with pytest.raises(InvalidValue, match="fit it on this parser"):
        aligner.probabilities(*strange)


def test_it_knows_the_parser_whose_vectors_it_was_fitted_on(
    aligner: TrainedWordAligner,
) -> None:
    name, version = aligner.facts["vectors"].split()
    info = BackendInfo(name, version, "", ("en",), frozenset())
    assert aligner.knows(info)
    assert aligner.knows(replace(info, version=f"{version}.7"))
    assert not aligner.knows(replace(info, version="0.9"))
    assert not aligner.knows(replace(info, name="other"))
    further = replace(aligner, facts={**aligner.facts, "as_good": ["other 2.1"]})
    assert further.knows(replace(info, name="other", version="2.0"))
    assert not further.knows(replace(info, name="other", version="1.0"))
    assert further.knows(info)


def test_a_missing_or_broken_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "words.json"
    with pytest.raises(Unavailable, match=r"words\.json"):
        TrainedWordAligner.load(path)
    path.write_text('{"settings": {}, "context": {}, "plain": {}}')
    with pytest.raises(InvalidValue):
        TrainedWordAligner.load(path)
    with pytest.raises(InvalidValue, match="least"):
        WordSettings(least=0.8, sure=0.5)


def test_saved_and_loaded_it_says_the_same(
    aligner: TrainedWordAligner, tmp_path: Path
) -> None:
    aligner.save(tmp_path / "w.json")
    again = replace(TrainedWordAligner.load(tmp_path / "w.json"), thesaurus=None)
    sides = bare(ACTIVE), bare(PASSIVE)
    difference = again.probabilities(*sides) - aligner.probabilities(*sides)
    assert np.abs(difference).max() < 1e-3


def test_features_are_as_many_as_their_names() -> None:
    rng = np.random.default_rng(0)
    vectors = [rng.normal(size=(len(text.split()), 5)) for text in (ACTIVE, PASSIVE)]
    sides = words(ACTIVE, vectors[0]), words(PASSIVE, vectors[1])
    plain = table(*sides, None)
    both = table(*sides, None, (vectors[0], vectors[1]))
    assert plain.shape == (7, 9, len(PLAIN_NAMES))
    assert both.shape == (7, 9, len(CONTEXT_NAMES))
    assert (both[..., : len(PLAIN_NAMES)] == plain).all()
    assert np.isfinite(both).all()


@pytest.mark.parametrize(("i", "j"), BESIDE)
def test_neighbours_are_read_off_the_table(i: int, j: int) -> None:
    nats = np.random.default_rng(1).normal(size=(4, 6))
    prob = 1 / (1 + np.exp(-nats))
    columns = around(nats)[..., ROUND_NAMES.index(f"prob{i:+d}{j:+d}")]
    for a in range(4):
        for b in range(6):
            inside = 0 <= a + i < 4 and 0 <= b + j < 6
            wanted = prob[a + i, b + j] if inside else 0.0
            assert columns[a, b] == pytest.approx(wanted, abs=1e-6)


def test_rivals_are_the_best_of_the_others() -> None:
    nats = np.random.default_rng(2).normal(size=(5, 4))
    prob = 1 / (1 + np.exp(-nats))
    columns = around(nats)
    for a in range(5):
        for b in range(4):
            row = np.delete(prob[a], b).max()
            column = np.delete(prob[:, b], a).max()
            assert columns[a, b, ROUND_NAMES.index("rival_row")] == pytest.approx(
                row, abs=1e-6
            )
            assert columns[a, b, ROUND_NAMES.index("rival_column")] == pytest.approx(
                column, abs=1e-6
            )


def test_the_shipped_weights_say_where_they_are_from() -> None:
    facts = TrainedWordAligner.load(WEIGHTS).facts
    assert "edinburgh" in facts["fitted_on"]
    assert WEIGHTS.stat().st_size < 300_000
