"""The searches that are counted again, and what counts them."""

from lab.bench.searches import SEARCHES, Source, disagreeing, head_nouns, sentences
from tests.annotator.queries.test_worked_searches import DOCS, ROW

ARCS = """1\tLists\tlist\tNOUN\t_\tNumber=Plur\t2\tnsubj\t_\t_
2\tgrows\tgrow\tVERB\t_\tNumber=Sing\t0\troot\t_\t_
"""


def test_they_are_those_of_the_documentation() -> None:
    rows = ROW.findall(DOCS.read_text())
    assert [row[:2] for row in rows] == [row[:2] for row in SEARCHES]


def test_words_are_read_from_conllu_without_the_product() -> None:
    (words,) = sentences(ARCS)
    assert list(disagreeing(words)) == ["grow"]


def test_noun_phrases_have_heads_by_the_rules_as_published() -> None:
    from nltk import ParentedTree

    text = (
        "(S (NP (NP (DT the) (NN end)) (PP (IN of) (NP (NNS days)))) (VP (VBD came)))"
    )
    source = Source([ParentedTree.fromstring(text)], [])
    assert dict(head_nouns(source)) == {"NN": 1, "NNS": 1, "NP": 1}
