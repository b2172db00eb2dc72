"""The searches worked out in the documentation find what it shows."""

import re
from pathlib import Path

import pytest

from annotator.models import Parse, Sentence
from annotator.services.queries import running
from annotator.services.queries.contexts import lines
from annotator.services.queries.grouping import grouped
from tests import cast as people
from tests.cast import Cast

pytestmark = pytest.mark.django_db
DOCS = Path(__file__).parents[3] / "docs" / "queries.md"
ROW = re.compile(r"\| [^|]+\? \| `(.+)` \| `(\w+)` \| (.+) \|")
GROUPS = ("of", "gave", "that", "NNS", "VP", "draw", "What", "grow", "put", "VP")
TREES = (
    "(S (NP (PRP She)) (VP (VBD read) (NP (NP (DT the) (NN end))"
    " (PP (IN of) (NP (DT the) (NN story))))) (. .))",
    "(S (NP (PRP He)) (VP (VBD gave) (NP (NNP Ann)) (NP (DT a) (NN map))) (. .))",
    "(S (NP (NP (DT The) (NN map)) (SBAR (WHNP (WDT that))"
    " (S (NP (NNP Ann)) (VP (VBD drew))))) (VP (VBD vanished)) (. .))",
    "(S (NP (DT The) (JJ tall) (NNS sisters)) (VP (VBD left)) (. .))",
    "(S (NP (NNP Tom)) (VP (VBD sang) (CC and) (VBD danced)) (. .))",
    "(S (NP (DT The) (NN map)) (VP (VBD was)"
    " (VP (VBN drawn) (PP (IN by) (NP (NNP Ann))))) (. .))",
)
ARCS = (
    "The the DET _ 2 det\nmap map NOUN Number=Sing 4 nsubj:pass"
    "\nwas be AUX _ 4 aux:pass\ndrawn draw VERB _ 0 root"
    "\nby by ADP _ 6 case\nAnn Ann PROPN _ 4 obl"
    "\n. . PUNCT _ 4 punct",
    "What what PRON _ 4 obj\ndid do AUX _ 4 aux\nTom Tom PROPN _ 4 nsubj"
    "\nsing sing VERB _ 0 root\n? ? PUNCT _ 4 punct",
    "The the DET _ 2 det\nlist list NOUN Number=Sing 5 nsubj\nof of ADP _ 4 case"
    "\nnames name NOUN Number=Plur 2 nmod\ngrow grow VERB Number=Plur 0 root"
    "\n. . PUNCT _ 5 punct",
    "Ann Ann PROPN _ 2 nsubj\nput put VERB _ 0 root\nthe the DET _ 4 det"
    "\nlamp lamp NOUN _ 2 obj\nout out ADP _ 2 compound:prt\n. . PUNCT _ 2 punct",
)


@pytest.fixture
def treebank(cast: Cast) -> Cast:
    """The sentences of the documentation, with brackets, arcs or both."""
    corpus, sentences = people.corpus(cast.project, "Own"), {}
    for tree in TREES:
        text = people.ptb_words(tree)
        sentences[text] = people.sentence(corpus, text)
        people.parse(sentences[text], tree)
    for arcs in ARCS:
        rows = [line.split() for line in arcs.split("\n")]
        text = " ".join(row[0] for row in rows)
        sentence = sentences.get(text) or people.sentence(corpus, text)
        conllu = "\n".join(
            f"{n}\t{form}\t{lemma}\t{upos}\t_\t{feats}\t{head}\t{relation}\t_\t_"
            for n, (form, lemma, upos, feats, head, relation) in enumerate(rows, 1)
        )
        Parse.objects.create(
            sentence=sentence, kind="dependency", origin="gold", text=conllu,
            digest=Sentence.key_of(conllu),
        )  # fmt: skip
    return cast


def test_each_example_is_a_match_in_its_group(treebank: Cast) -> None:
    corpus = treebank.project.corpora.get(name="Own")
    rows = ROW.findall(DOCS.read_text())
    assert len(rows) == len(GROUPS)
    for (query, by, example), group in zip(rows, GROUPS, strict=True):
        search = running.search(query, [corpus], None)
        found = [
            f"{one.before} **{one.match}** {one.after}".strip()
            for one in lines(search.page().matches)
        ]
        assert example in found, query
        assert group in dict(grouped(search, by).rows), query
