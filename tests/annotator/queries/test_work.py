"""Every relation is searched with about as little work as NP < PP, from the start."""

from random import Random

import pytest
from django.db import connection

from annotator.models import Corpus, Origin, Parse, Sentence
from annotator.services.queries import index, running
from core.data.tree import Tree
from core.formats import ptb
from tests import cast as people
from tests.cast import Cast
from tests.oracles import queries as oracle
from tests.oracles.query_worlds import PLAIN

N_TREES = 100
RULES = {
    "S": ("NP VP .", "PP NP VP .", "S CC S"),
    "NP": ("DT NN", "DT JJ NN", "NP PP", "NP CC NP", "NNS"),
    "VP": ("VBD NP", "VBD NP PP", "MD VP", "VBD SBAR"),
    "PP": ("IN NP",),
    "SBAR": ("IN S",),
}
STEPS = 1000  # of SQLite's machine between two calls of the counter
RATIO = 60  # ".." and ":" have as many matches more


def grown(rng: Random, label: str = "S", depth: int = 0) -> str:
    if label not in RULES:
        return f"({label} {rng.choice('abcdefgh')})"
    rule = RULES[label][0] if depth > 4 else rng.choice(RULES[label])
    parts = " ".join(grown(rng, one, depth + 1) for one in rule.split())
    return f"({label} {parts})"


@pytest.fixture
def trees(cast: Cast) -> list[Tree]:
    rng, made = Random(5), []
    corpus = people.corpus(cast.project, "Grown")
    sentences, parses = [], []
    for n in range(N_TREES):
        tree = ptb.parse_one(grown(rng))
        made.append(tree)
        text = f"{' '.join(tree.words)} {n}"
        sentences.append(people.sentence(corpus, text))
        parses.append(
            Parse(
                sentence=sentences[-1],
                kind="constituency",
                origin=Origin.GOLD,
                text=ptb.bracket(tree),
                digest=Sentence.key_of(text),
            )
        )
    Parse.objects.bulk_create(parses)
    return made


@pytest.mark.slow
def test_each_relation_is_counted_whole_with_little_work(
    cast: Cast, trees: list[Tree]
) -> None:
    corpus = Corpus.objects.get(name="Grown")
    plain = measured(corpus, "NP < PP")
    sides = [oracle.Side(oracle.of_tree(tree)) for tree in trees]
    for op in PLAIN:
        text = f"NP {op} PP"
        search = running.search(text, [corpus], None)
        wanted = sum(len(list(oracle.matches(search.query.root, s))) for s in sides)
        steps, counts = measured(corpus, text)
        assert (counts.matches, counts.is_whole) == (wanted, True), text
        assert steps <= RATIO * max(plain[0], 1), text


@pytest.mark.parametrize("op", ["$.", "$,", "$,,"])
def test_sisters_of_sisters_are_found_without_reading_whole_trees(
    cast: Cast, op: str
) -> None:
    corpus = people.corpus(cast.project, "Long")
    flat = "(S (NP (NN a)) (VBD b) (NP (NN c)) (NP (NN d)) (PP (IN e) (NP (NN f))))"
    text = f"(S {' '.join([flat] * 12)})"
    people.parse(people.sentence(corpus, people.ptb_words(text)), text)
    index.catch_up([corpus.pk])
    plain = measured(corpus, "__ < (__ < NN|NP|S)", steps=50)[0]
    steps, counts = measured(corpus, f"__ {op} (__ {op} NN|NP|S)", steps=50)
    assert counts.is_whole
    assert steps <= RATIO * max(plain, 1)


def measured(
    corpus: Corpus, text: str, steps: int = STEPS
) -> tuple[int, running.MatchCounts]:
    """So many ``steps`` of SQLite's machine (0 elsewhere), and what is counted."""
    search = running.search(text, [corpus], None)
    calls = 0

    def counted() -> int:
        nonlocal calls
        calls += 1
        return 0

    if connection.vendor != "sqlite":
        return 0, search.counts()
    body = search._body(corpus)
    connection.connection.set_progress_handler(counted, steps)
    try:
        running.selected(f"SELECT COUNT(*) {body.sql}", body.params)
    finally:
        connection.connection.set_progress_handler(None, steps)
    return calls, search.counts()
