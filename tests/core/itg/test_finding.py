"""Paraphrases found in a corpus: candidates by rare words, then scored."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.__main__ import main
from core.itg.finding import BlockingSettings, SharedWords, clash, scored
from core.text.stems import stem

TEXT = """The nurse opened the window of the clinic .
The window of the clinic was opened by the nurse .
Prices rose sharply in Bohemia last winter .

A dog slept on the old green sofa .
Last winter prices in Bohemia rose sharply .
the nurse opened the window of the clinic .
Too short .
"""

words = st.sampled_from(["ab", "cd", "ef", "gh", "ij", "kl", "mn"])
corpora = st.lists(st.lists(words, min_size=1, max_size=6), min_size=1, max_size=9)


@settings(max_examples=150, deadline=None)
@given(corpora, st.integers(1, 4), st.integers(2, 5), st.floats(0.01, 0.9))
def test_candidates_are_all_pairs_with_a_rare_key_and_enough_overlap(
    corpus: list[list[str]], rarest: int, crowd: int, overlap: float
) -> None:
    chosen = BlockingSettings(rarest=rarest, crowd=crowd, overlap=overlap, each=99)
    pairs, shares = SharedWords.of(corpus).candidates(chosen)
    assert pairs.shape == (len(shares), 2)
    assert (np.diff(shares) <= 1e-12).all()
    stems = [{stem(word) for word in sentence} for sentence in corpus]
    count = {w: sum(w in one for one in stems) for one in stems for w in one}
    weight = {w: float(np.log(len(corpus) / n)) for w, n in count.items()}
    found = {
        (a, b): share for (a, b), share in zip(pairs.tolist(), shares, strict=True)
    }
    for a in range(len(corpus)):
        for b in range(a + 1, len(corpus)):
            both = stems[a] & stems[b]
            mass = sum(weight[w] for w in stems[a]) + sum(weight[w] for w in stems[b])
            share = 2 * sum(weight[w] for w in both) / max(mass, 1e-9)
            if (a, b) in found:
                assert share == pytest.approx(found[a, b])
                assert share >= overlap
            elif share >= overlap + 1e-9:  # then no rare word of both is a key
                rare = [w for w in both if count[w] <= crowd]
                assert not rare or max(map(len, (stems[a], stems[b]))) > rarest


def test_each_sentence_keeps_its_nearest() -> None:
    corpus = [f"ab cd ef {x}".split() for x in ("gh", "gh ij", "ij kl", "mn op qr st")]
    shared = SharedWords.of([*corpus, ["uv"], ["wx"], ["yz"]])
    many, _ = shared.candidates(BlockingSettings(overlap=0.01, each=9))
    few, _ = shared.candidates(BlockingSettings(overlap=0.01, each=1))
    assert len(few) < len(many)
    assert few.tolist()[:-1] == many.tolist()[: len(few) - 1]
    assert set(few.ravel().tolist()) == set(many.ravel().tolist())


def test_a_word_of_many_sentences_suggests_none() -> None:
    corpus = [["ab", f"own{k}"] for k in range(6)] + [[f"other{k}"] for k in range(6)]
    pairs, _ = SharedWords.of(corpus).candidates(
        BlockingSettings(crowd=5, overlap=0.01)
    )
    assert not len(pairs)
    pairs, _ = SharedWords.of(corpus).candidates(
        BlockingSettings(crowd=6, overlap=0.01, each=99)
    )
    assert len(pairs) == 15


def test_numbers_and_names_of_both_sides_clash() -> None:
    for a, b, expected in (
        ("then Mrs Green has the floor", "then Mr Simpson has the floor", True),
        ("we thank Mr Green", "we thank him", False),
        ("Bohemia saw 3 % in 1997", "in 1997 it was 3 % in Bohemia", False),
        ("it closed at 7.30", "it closed at 11.05", True),
        ("it closed at 7.30", "it closed at seven", False),
        ("Voting is at noon", "Votes are cast at noon", False),
    ):
        assert clash(a.split(), b.split()) is expected, (a, b)


def test_candidates_are_scored_as_pairs_are() -> None:
    corpus = [line.split() for line in TEXT.splitlines()]
    pairs = np.array([[0, 1], [0, 4]])
    alike, apart = scored(corpus, pairs, np.array([0.8, 0.1]), scorer="plain")
    assert (alike.source, alike.target, alike.overlap) == (0, 1, 0.8)
    assert alike.score > apart.score


def test_the_command_prints_the_pairs_by_score_with_their_lines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "corpus.txt"
    path.write_text(TEXT)
    usual = ["find-paraphrases", str(path), "--tokens", "--scorer", "plain"]
    assert main([*usual, "--least", "0.9"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.split("\t")[2:4] == ["line_1", "line_2"]
    assert [row.split("\t")[2:4] for row in rows] == [["3", "6"]]
    assert main([*usual, "--least", "0"]) == 0
    out, told = capsys.readouterr()
    rows = [row.split("\t") for row in out.splitlines()[1:]]
    assert {tuple(row[2:4]) for row in rows} == {("1", "2"), ("3", "6")}
    assert float(rows[0][0]) >= float(rows[1][0])
    assert "5 different sentences" in told


def test_a_file_that_is_missing_or_no_text_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "corpus.txt"
    assert main(["find-paraphrases", str(path)]) == 2
    assert "corpus.txt" in capsys.readouterr().err
    path.write_bytes(b"caf\xe9 au lait\n")
    assert main(["find-paraphrases", str(path)]) == 2
    assert "0xE9 is not UTF-8" in capsys.readouterr().err


def test_pairs_of_two_corpora_have_a_side_in_each() -> None:
    corpus = [f"ab cd ef {x}".split() for x in ("gh", "ij", "kl", "mn")]
    sides = np.array([0, 0, 1, 1], np.int32)
    chosen = BlockingSettings(overlap=0.0, each=9)
    within, _ = SharedWords.of([*corpus, ["uv"]]).candidates(chosen)
    assert len(within) == 6
    between, _ = SharedWords.of(corpus).candidates(chosen, sides)
    assert {(a, b) for a, b in between.tolist()} == {(0, 2), (0, 3), (1, 2), (1, 3)}
