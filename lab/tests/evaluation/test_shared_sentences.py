"""Sentences that two sets share, and the command that counts them."""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import FormatError, InvalidValue
from lab.evaluation.commands import contamination
from lab.evaluation.shared_sentences import (
    SetRow,
    compare,
    format_of,
    read_set,
    reduced,
)

FILES = {
    "a.conllu": ("conllu", "1\tCats\tcat\t_\t_\t_\t0\troot\t_\t_\n\n", ["Cats"]),
    "a.mrg": ("ptb", "(S (NP (NNS Cats)) (VP (VBP sleep)))\n", ["Cats sleep"]),
    "a.jsonl": ("jsonl", '{"source": "Cats sleep", "target": "x"}\n', ["Cats sleep"]),
    "m.txt": (
        "msrpc",
        "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t7\t8\tCats sleep\tx\n",
        ["Cats sleep"],
    ),
    "r.xml": (
        "rte",
        '<entailment-corpus><pair id="1" value="TRUE" task="IR"><t>Cats sleep</t>'
        "<h>x</h></pair></entailment-corpus>\n",
        ["Cats sleep"],
    ),
    "mwa.tsv": (
        "multimwa",
        "7\tCats sleep\t-\tx\t-\t1\t1\t0-0\t\n",
        ["Cats sleep"],
    ),
    "j.json": (
        "jacana",
        json.dumps([{"source": "Cats sleep", "target": "x", "sureAlign": "0-0"}]),
        ["Cats sleep"],
    ),
    "l.json": (
        "phrase-links",
        json.dumps(
            [
                {
                    "source_tree": "(S (NNS Cats) (VBP sleep))",
                    "paraphrase_tree": "(X x)",
                    "links": {"a": []},
                }
            ]
        ),
        ["Cats sleep"],
    ),
    "d.tsv": (
        "paraphrases",
        "corpus\tsent_id\tsource\tparaphrase\toperations\nX\t1\tCats sleep\tx\tlex\n",
        ["Cats sleep"],
    ),
    "p.tsv": ("pairs", "Cats sleep\tx\n", ["Cats sleep"]),
    "t.txt": ("text", "Cats sleep\n", ["Cats sleep"]),
    "s.msr": (
        "msr-rte2",
        "# sentence pair 3\nCats sleep\nNULL ({ / / }) x ({ 1 / / })\n",
        ["Cats sleep"],
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_every_format_is_known_by_its_file_and_read(tmp_path: Path, name: str) -> None:
    format, text, sentences = FILES[name]
    path = tmp_path / name
    path.write_text(text)
    assert format_of(path) == format
    rows, bad = read_set([path])
    assert not bad
    assert [row.texts[0] for row in rows] == sentences
    assert rows[0].place.startswith(f"{path}:")


def test_a_compressed_file_is_read_as_what_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg.gz"
    path.write_bytes(gzip.compress(b"(S (NNS Cats) (VBP sleep))\n"))
    assert read_set([path])[0][0].texts == ("Cats sleep",)


def test_a_line_that_cannot_be_read_is_named_and_the_rest_is_compared(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"source": 1}\n{"source": "Cats", "target": "x"}\n')
    rows, bad = read_set([path])
    assert [row.place for row in rows] == [f"{path}:2"]
    assert [line.startswith(f"{path}, line 1: ") for line in bad] == [True]


def test_a_file_with_nothing_in_it_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.mrg"
    path.write_text("")
    with pytest.raises(FormatError, match="no sentence in it"):
        read_set([path])
    with pytest.raises(FormatError, match="cannot be read"):
        read_set([tmp_path / "none.mrg"])


def rows(*texts: str, name: str = "f") -> list[SetRow]:
    return [SetRow(f"{name}:{at}", (text,)) for at, text in enumerate(texts, 1)]


def test_an_exact_match_is_told_from_one_of_letters_alone() -> None:
    first = rows("`` Cats '' sleep .", "Dogs  bark .")
    second = rows('"Cats" sleep.', "Dogs bark .", "Cats bark .", name="g")
    matches = [(one.first, one.second, one.exact) for one in compare(first, second)]
    assert matches == [("f:1", "g:1", False), ("f:2", "g:2", True)]


def test_an_exact_place_comes_before_one_that_is_only_alike() -> None:
    first, second = rows("cats sleep", "Cats sleep"), rows("Cats sleep", name="g")
    assert [one.first for one in compare(first, second)] == ["f:2"]


def test_signs_alone_are_no_sentence_and_short_ones_can_be_left_out() -> None:
    assert compare(rows("...", "Yes ."), rows("!", "...")) == []
    assert len(compare(rows("Yes ."), rows("Yes ."), least=2)) == 1
    assert compare(rows("Yes ."), rows("Yes ."), least=3) == []


SENTENCES = st.lists(
    st.lists(st.sampled_from(["a", "A", "b", ".", "ﬁ", "fi"]), min_size=1, max_size=3),
    max_size=5,
)


@given(SENTENCES, SENTENCES)
def test_matches_are_all_pairs_that_read_the_same(
    a: list[list[str]], b: list[list[str]]
) -> None:
    texts = [[" ".join(words) for words in side] for side in (a, b)]
    matches = compare(rows(*texts[0]), rows(*texts[1]))
    wanted = [
        (f"f:{at}", text in texts[0])
        for at, text in enumerate(texts[1], 1)
        if reduced(text) and any(reduced(text) == reduced(one) for one in texts[0])
    ]
    assert [(one.second, one.exact) for one in matches] == wanted


def run(*given: object) -> dict[str, Any]:
    parser = argparse.ArgumentParser()
    contamination.add_arguments(parser)
    options = vars(parser.parse_args([str(one) for one in given]))
    return contamination.run(options, lambda _: None)


def test_the_command_counts_rows_of_both_and_shows_no_sentence_unasked(
    tmp_path: Path,
) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.tsv"
    first.write_text("Cats sleep .\nCats sleep .\nDogs bark .\n")
    second.write_text("Cats sleep .\tdogs bark\nOwls fly .\tOwls soar .\n")
    results = run("--first", first, "--second", second)
    assert results["shared"] == {
        "exact": {"first_rows": 2, "second_rows": 1, "sentences": 1},
        "normalised": {"first_rows": 3, "second_rows": 1, "sentences": 2},
    }
    assert (results["first"], results["second"]) == (
        {"rows": 3, "sentences": 3},
        {"rows": 2, "sentences": 4},
    )
    shown = "\n".join(contamination.lines(results))
    assert f"{first}:1  {second}:1  exact" in shown
    assert "Cats" not in shown
    told = run("--first", first, "--second", second, "--texts")
    assert "Cats sleep ." in "\n".join(contamination.lines(told))


def test_places_are_cut_unless_all_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"Cat {at} sleeps\n" for at in range(25)))
    both = ("--first", path, "--second", path)
    assert list(contamination.lines(run(*both)))[-1] == "  and 5 more (--all)"
    assert len(run(*both, "--all")["places"]) == 25


def test_a_least_length_below_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Cats sleep\n")
    with pytest.raises(InvalidValue, match="--least"):
        run("--first", path, "--second", path, "--least", 0)
