"""Rewordings of gold trees; sentences of our own."""

import random

import pytest

from core.data.deps import DepTree
from core.data.tokens import Sentence, Token
from core.evaluation.golds import Gold
from lab.evaluation.rewordings import Clause, rewordings

TAGS = {
    "CC": "CCONJ",
    "DT": "DET",
    "IN": "ADP",
    "JJ": "ADJ",
    "NN": "NOUN",
    "NNP": "PROPN",
    "NNS": "NOUN",
    "POS": "PART",
    "PRP": "PRON",
    "RB": "ADV",
    "VBD": "VERB",
    "VBN": "VERB",
}
SANG = "Mina/NNP/2/nsubj sang/VBD/0/root in/IN/4/case May/NNP/2/obl ././2/punct"
FRONT = (
    "In/IN/2/case May/NNP/5/obl ,/,/2/punct she/PRP/5/nsubj sang/VBD/0/root ././5/punct"
)
TWICE = (
    "She/PRP/2/nsubj sang/VBD/0/root in/IN/4/case May/NNP/2/obl at/IN/6/case "
    "sea/NN/2/obl ././2/punct"
)
BOTH = (
    "Old/JJ/2/amod men/NNS/5/nsubj and/CC/4/cc boys/NNS/2/conj sang/VBD/0/root "
    "././5/punct"
)
SOLD = "She/PRP/2/nsubj sold/VBD/0/root old/JJ/4/amod boats/NNS/2/obj ././2/punct"
LID = "The/DT/2/det lid/NN/5/nsubj of/IN/4/case boxes/NNS/2/nmod broke/VBD/0/root"
BOX = "The/DT/3/det box/NN/3/compound lid/NN/4/nsubj broke/VBD/0/root"
HERS = "Mina/NNP/3/nmod:poss 's/POS/1/case boat/NN/4/nsubj sank/VBD/0/root"
HOPED = (
    "We/PRP/2/nsubj hoped/VBD/0/root that/IN/5/mark they/PRP/5/nsubj sang/VBD/2/ccomp"
)
ALL = (SANG, FRONT, TWICE, BOTH, SOLD, LID, BOX, HERS, HOPED)
WAYS = {way.__name__.strip("_"): way for way in rewordings({"sell": "sold"})}


class First(random.Random):
    """Draws what comes first, and the least."""

    def choice(self, seq):  # type: ignore[no-untyped-def]
        return seq[0]

    def random(self) -> float:
        return 0.0


def gold(text: str) -> Gold:
    """Words as form/tag/head/label, heads from 1."""
    rows = [word.split("/") for word in text.split()]
    rows = [row if len(row) == 4 else [".", ".", *row[-2:]] for row in rows]
    lemmas = {"sold": "sell", "sang": "sing"}
    tokens = tuple(
        Token(form, lemmas.get(form, form.lower()), TAGS.get(tag, "PUNCT"), tag)
        for form, tag, _, _ in rows
    )
    heads = tuple(int(head) - 1 for *_, head, _ in rows)
    deps = DepTree(heads, tuple(label for *_, label in rows))
    return Gold(Sentence(tokens), deps=deps)


@pytest.mark.parametrize(
    ("way", "text", "words", "heads", "labels"),
    [
        (
            "to_front",
            SANG,
            "In May , Mina sang .",
            (2, 5, 2, 5, 0, 5),
            "case obl punct nsubj root punct",
        ),
        (
            "to_back",
            FRONT,
            "She sang in May .",
            (2, 0, 4, 2, 2),
            "nsubj root case obl punct",
        ),
        (
            "neighbours",
            TWICE,
            "She sang at sea in May .",
            (2, 0, 4, 2, 6, 2, 2),
            "nsubj root case obl case obl punct",
        ),
        (
            "conjuncts",
            BOTH,
            "Boys and old men sang .",
            (5, 4, 4, 1, 0, 5),
            "nsubj cc amod conj root punct",
        ),
        (
            "passive",
            SOLD,
            "Old boats were sold by her .",
            (2, 4, 4, 0, 6, 4, 4),
            "amod nsubj:pass aux:pass root case obl:agent punct",
        ),
        (
            "genitive",
            LID,
            "The boxes lid broke",
            (3, 3, 4, 0),
            "det compound nsubj root",
        ),
        (
            "genitive",
            BOX,
            "The lid of box broke",
            (2, 5, 4, 2, 0),
            "det nsubj case nmod root",
        ),
        (
            "possessive",
            HERS,
            "The boat of Mina sank",
            (2, 5, 4, 2, 0),
            "det nsubj case nmod root",
        ),
        (
            "drop",
            HOPED,
            "We hoped they sang",
            (2, 0, 4, 2),
            "nsubj root nsubj ccomp",
        ),
    ],
)
def test_a_way_to_say_it(
    way: str, text: str, words: str, heads: tuple[int, ...], labels: str
) -> None:
    clause = Clause.of(gold(text).sentence, gold(text).deps)
    assert WAYS[way](clause, First())
    sentence, deps = clause.tree()
    assert " ".join(sentence.forms) == words
    assert tuple(head + 1 for head in deps.heads) == heads
    assert deps.labels == tuple(labels.split())


def test_what_cannot_be_said_so_stays_as_it_was() -> None:
    for way, text in (("passive", SANG), ("conjuncts", SOLD), ("genitive", SANG)):
        clause = Clause.of(gold(text).sentence, gold(text).deps)
        assert not WAYS[way](clause, First())
        assert [word.form for word in clause.words] == [*gold(text).sentence.forms]


@pytest.mark.parametrize("seed", range(20))
def test_what_is_reworded_stays_a_tree(seed: int) -> None:
    """One root, to which every word leads, however many rules were applied."""
    draw = random.Random(seed)
    for text in ALL:
        clause = Clause.of(gold(text).sentence, gold(text).deps)
        for way in draw.sample(sorted(WAYS), 3):
            WAYS[way](clause, draw)
        if clause.is_whole():
            sentence, deps = clause.tree()
            assert len(sentence) == len(deps)
            assert deps.heads.count(-1) == 1
            assert all(leads_to_root(deps.heads, at) for at in range(len(deps)))


def leads_to_root(heads: tuple[int, ...], at: int) -> bool:
    seen: set[int] = set()
    while at >= 0 and at not in seen:
        seen.add(at)
        at = heads[at]
    return at < 0
