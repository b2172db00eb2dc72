"""Scores of a back-end on gold files, against scorers that share no code with ours."""

import gzip
from pathlib import Path

import pytest

from core.data.tokens import Sentence
from core.errors import FormatError
from core.evaluation.golds import read_golds
from core.evaluation.parsers import evaluate
from core.forests.kbest import best_trees
from core.formats import ptb
from core.parsing import registry
from core.protocols import Analysis
from tests import small_pcfg
from tests.oracles import evalb

TREES = """\
( (S (NP-SBJ (DT The) (NN woman)) (VP (VBD saw) (NP (NP (DT the) (NN man))
  (PP (IN with) (NP (DT a) (NN telescope))))) (. .)))
(ROOT (S (NP (NNP Mary)) (VP (VBD slept))))
(S (NP (DT the) (NN zeppelin)) (VP (VBD left)))
"""
BLOCKS = """\
# sent_id = 1
1\tMary\tMary\tPROPN\tNNP\t_\t2\tnsubj\t_\t_
2\tslept\tsleep\tVERB\tVBD\t_\t0\troot\t_\t_

# sent_id = 2
1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tleft\tleave\tVERB\tVBD\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "a.ptb").write_text(TREES)
    with gzip.open(tmp_path / "b.conllu.gz", "wt") as file:
        file.write(BLOCKS)
    return tmp_path


def test_bracket_scores_agree_with_the_independent_scorer(files: Path) -> None:
    backend = registry.at(small_pcfg.written(files / "small"))
    golds, _ = read_golds([files / "a.ptb"])
    pairs = []
    for gold in golds:
        sentence = Sentence.of(gold.sentence.forms)
        (answer,) = backend.analyse([sentence], want=backend.info.capabilities)
        assert isinstance(answer, Analysis)
        assert answer.forest is not None
        assert answer.edge_weights is not None
        trees = best_trees(
            answer.forest,
            answer.edge_weights,
            1,
            words=sentence.forms,
            tags=answer.xpos,
        )
        assert gold.tree is not None
        guess = ptb.bracket(trees[0][1]) if trees else ""
        pairs.append((ptb.bracket(gold.tree), guess))
    scores = evaluate(backend, golds).to_json()
    assert scores["f1"] == pytest.approx(100 * evalb.f1(pairs), abs=0.005)
    assert 0 < scores["f1"] < 100
    assert scores["exact"] == pytest.approx(200 / 3, abs=0.01)
    assert scores["oracle_f1"]["10"] > scores["f1"]
    assert scores["uas"] is None
    assert scores["upos"] is None


def test_dependency_gold_has_no_bracket_scores(files: Path) -> None:
    golds, _ = read_golds([files / "b.conllu.gz"])
    scores = evaluate(registry.load("english"), golds).to_json()
    assert scores["f1"] is None
    assert scores["oracle_f1"] is None or scores["oracle_f1"]["2"] is None
    assert (scores["sentences"], scores["tokens"]) == (2, 5)
    assert scores["uas"] == scores["las"] == scores["upos"] == 100.0


def test_a_folder_joins_trees_and_dependencies_of_the_same_words(files: Path) -> None:
    golds, bad = read_golds([files])
    assert bad == []
    assert [(g.tree is not None, g.deps is not None) for g in golds] == [
        (True, False),
        (True, True),
        (True, False),
        (False, True),
    ]
    assert golds[1].sentence.tokens[0].upos == "PROPN"


def test_an_unreadable_block_is_named_and_the_rest_read(tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text("1\tbad\n\n" + BLOCKS)
    golds, bad = read_golds([path])
    assert len(golds) == 2
    assert len(bad) == 1
    assert "line 1" in bad[0]


@pytest.mark.parametrize(
    ("name", "reason"), [("x.txt", "says neither"), ("absent.ptb", "no such file")]
)
def test_files_that_cannot_be_read_are_refused(
    tmp_path: Path, name: str, reason: str
) -> None:
    (tmp_path / "x.txt").write_text("")
    with pytest.raises(FormatError, match=reason):
        read_golds([tmp_path / name])


def test_the_format_can_be_said(tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_text(TREES)
    assert len(read_golds([tmp_path / "x.txt"], format="ptb")[0]) == 3
