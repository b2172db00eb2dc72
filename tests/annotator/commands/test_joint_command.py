"""``evaluate joint`` on sentences of our own."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

CONLLU = """# sent_id = own-1
1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\treads\tread\tVERB\tVBZ\t_\t0\troot\t_\t_
3\told\told\tADJ\tJJ\t_\t4\tamod\t_\t_
4\tbooks\tbook\tNOUN\tNNS\t_\t2\tobj\t_\t_
5\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
TREE = "(S (NP (DT The) (NN lake)) (VP (VBZ is) (ADJP (JJ deep))) (. .))\n"
PAIRS = """corpus\tsent_id\tsource\tparaphrase\toperations
web\town-1\tShe reads old books .\tOld books are read by her .\tvoice
lake\tlake:1\tThe lake is deep .\tDeep is the lake .\treorder
web\tgone\tNobody knows .\tNo one knows .\tlex
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own.conllu").write_text(CONLLU)
    (tmp_path / "lake.tree").write_text(TREE)
    (tmp_path / "pairs.tsv").write_text(PAIRS)
    return tmp_path


def run(folder: Path, *more: str) -> dict:  # type: ignore[type-arg]
    out = StringIO()
    names = ("pairs.tsv", "own.conllu", "lake.tree")
    pairs, *golds = (str(folder / name) for name in names)
    given = ("--pairs", pairs, "--gold", *golds, *more, "--json")
    call_command("evaluate", "joint", *given, stdout=out, stderr=StringIO())
    return json.loads(out.getvalue())  # type: ignore[no-any-return]


@pytest.mark.parametrize("method", ["bp", "mbr", "soft", "hard", "pairs", "spans"])
def test_every_method_is_scored_by_corpus(folder: Path, method: str) -> None:
    scores = run(folder, "--method", method)
    assert {"all", "web", "lake"} <= set(scores)
    assert scores["all"]["sentences"] == 2
    assert scores["without_gold"] == 1
    for name in ("baseline", "joint"):
        assert 0 <= scores["all"][name]["uas"] <= 100
    assert scores["lake"]["baseline"]["las"] is None
    assert scores["lake"]["baseline"]["f1"] == pytest.approx(100.0)
    assert scores["lake"]["f1"] == scores["lake"]["joint"]["f1"]
    assert "f1" not in scores["web"]
    assert scores["all"]["p"] == 1.0 or scores["all"]["gain"] != 0.0


def test_a_source_is_parsed_with_all_of_its_paraphrases(folder: Path) -> None:
    more = "web\town-1\tShe reads old books .\tWhat she reads is old books .\tcleft\n"
    (folder / "pairs.tsv").write_text(PAIRS + more)
    scores = run(folder, "--sets")
    assert scores["all"]["sentences"] == 2
    assert scores["sentences_a_set"] == 2.5
    assert scores["exact"] == 2
    assert set(scores["pairs"]) == {"gain", "set_over_pairs", "p"}
    gain = scores["pairs"]["gain"] + scores["pairs"]["set_over_pairs"]
    assert gain == pytest.approx(scores["all"]["gain"], abs=0.02)


def test_gold_that_fits_no_pair_is_named(folder: Path) -> None:
    (folder / "own.conllu").write_text(CONLLU.replace("own-1", "other"))
    (folder / "lake.tree").write_text("\n" + TREE)
    with pytest.raises(CommandError, match="no pair has gold"):
        run(folder)


def test_a_file_without_header_is_refused(folder: Path) -> None:
    (folder / "pairs.tsv").write_text("a\tb\n")
    with pytest.raises(CommandError, match="line 1: expected the header"):
        run(folder)


def test_a_line_ends_where_the_line_ends(folder: Path) -> None:
    """Not at a separator that is part of a word."""
    for name, text in (("own.conllu", CONLLU), ("pairs.tsv", PAIRS)):
        odd = text.replace("old", "o\u2028l\u0085d")
        (folder / name).write_text(odd, encoding="utf-8", newline="")
    scores = run(folder)
    assert scores["all"]["sentences"] == 2
    assert scores["web"]["words"] == 4  # the full stop is not counted
