"""Treebanks as training examples."""

import gzip
import re
from pathlib import Path

import pytest

from core.errors import FormatError
from core.formats import ptb
from lab.training.corpus import (
    TrainingSentence,
    TreebankSource,
    derivation,
    merge,
    read_conllu,
    read_ptb,
    spans_of,
)


def test_traces_functions_and_roots_are_stripped(tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_text(
        "( (S (NP-SBJ-1 (PRP It))"
        "     (VP (VBD was) (VP (VBN seen) (NP-1 (-NONE- *)))) (. .)))"
    )
    (example,) = read_ptb(TreebankSource("a", tmp_path))
    assert example.words == ("It", "was", "seen", ".")
    assert example.xpos == ("PRP", "VBD", "VBN", ".")
    assert example.spans == (
        (0, 4, "S"),
        (0, 1, "NP"),
        (1, 3, "VP"),
        (2, 3, "VP"),
    )


def test_no_break_spaces_may_indent(tmp_path: Path) -> None:
    (tmp_path / "a.mrg").write_text("(S (NP (NN tea))\n\t\u00a0(. .))", "utf-8")
    (example,) = read_ptb(TreebankSource("a", tmp_path))
    assert example.words == ("tea", ".")


def test_speaker_turns_are_no_words() -> None:
    tree = ptb.parse_one("(ROOT (FRAG (CODE B.1) (UH yes) (, ,) (S (VP (VB go)))))")
    keep = [i for i, tag in enumerate(tree.tags) if tag != "CODE"]
    assert spans_of(tree, keep) == ((0, 3, "FRAG"), (2, 3, "S+VP"))


def test_conllu_is_read_packed_and_without_ranges(tmp_path: Path) -> None:
    block = (
        "# text = du pain\n1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "1\tde\tde\tADP\t_\t_\t3\tcase\t_\t_\n"
        "2\tle\tle\tDET\t_\t_\t3\tdet\t_\t_\n"
        "3\tpain\tpain\tNOUN\t_\t_\t0\troot\t_\t_\n\n"
    )
    with gzip.open(tmp_path / "a.conllu.gz", "wt", encoding="utf-8") as file:
        file.write(block)
    (example,) = read_conllu(TreebankSource("fr", tmp_path))
    assert example.words == ("de", "le", "pain")
    assert example.heads == (3, 3, 0)
    assert example.upos == ("ADP", "DET", "NOUN")
    assert example.xpos is None


def test_files_can_be_left_out_by_name(tmp_path: Path) -> None:
    for name in ("wsj_1.mrg", "web_1.mrg"):
        (tmp_path / name).write_text(f"(S (NN {name}))")
    (example,) = read_ptb(TreebankSource("a", tmp_path), skip=re.compile("^wsj_"))
    assert example.words == ("web_1.mrg",)


def test_a_broken_treebank_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "toy.ptb").write_text("(ROOT (NN b))\n(ROOT (S (NN a)\n")
    with pytest.raises(FormatError, match=r"toy\.ptb") as caught:
        read_ptb(TreebankSource("toy", tmp_path / "toy.ptb"))
    assert caught.value.line == 2


def test_a_folder_without_treebanks_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"no file ending in \.conllu"):
        read_conllu(TreebankSource("toy", tmp_path))


def test_trees_meet_dependencies_across_their_escapes() -> None:
    tree = TrainingSentence("a", ("-LRB-", "so", "-RRB-"), spans=((0, 3, "PRN"),))
    deps = TrainingSentence(
        "a", ("(", "so", ")"), heads=(2, 0, 2), labels=("p", "root", "p")
    )
    (joined,) = merge([deps, tree])
    assert joined.words == ("(", "so", ")")
    assert joined.spans == ((0, 3, "PRN"),)


def test_other_treebanks_are_not_met() -> None:
    tree = TrainingSentence("a", ("Yes",), spans=((0, 1, "INTJ"),))
    deps = TrainingSentence("b", ("Yes",), heads=(0,), labels=("root",))
    assert len(merge([deps, tree])) == 2


def test_repeated_sentences_are_joined_one_by_one() -> None:
    tree = TrainingSentence("a", ("Yes",), spans=((0, 1, "INTJ"),))
    deps = TrainingSentence("a", ("Yes",), heads=(0,), labels=("root",))
    joined = merge([deps, deps, tree])
    assert sorted(e.spans is not None for e in joined) == [False, True]
    assert len(joined) == 2


def test_a_derivation_has_words_constituents_and_open_rests() -> None:
    spans = ((0, 4, "S"), (2, 4, "VP"))
    assert sorted(derivation(spans, 4)) == [
        (0, 1, ""),
        (0, 4, "S"),
        (1, 2, ""),
        (1, 4, ""),
        (2, 3, ""),
        (2, 4, "VP"),
        (3, 4, ""),
    ]


def test_a_sentence_that_no_phrase_spans_is_an_open_rest() -> None:
    assert (0, 2, "") in list(derivation([(0, 1, "NP")], 2))
