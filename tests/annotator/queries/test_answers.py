"""What the SQL finds is what the definitions say, on random trees, arcs and links."""

from random import Random

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from annotator.models import AlignmentLayer, Origin, Parse, Sentence
from annotator.services.queries import running
from core.formats import treetext
from core.queries import parser
from tests import cast as people
from tests.cast import Cast
from tests.oracles import queries as oracle
from tests.oracles import query_worlds as worlds


class RollBack(Exception):
    """Ends a transaction without a trace."""


def stored(corpus, sides: worlds.PairSides, n: int) -> AlignmentLayer:
    """The pair with its trees, arcs and layer."""
    parses = []
    for at in (0, 1):
        words = " ".join(sides.trees[at].words)
        sentence = people.sentence(corpus, words + f" {n}.{at}")
        text, meta = treetext.dump(sides.trees[at])
        for kind, lines in (("constituency", text), ("dependency", sides.text(at))):
            row = Parse.objects.create(
                sentence=sentence, kind=kind, origin=Origin.GOLD, text=lines,
                digest=Sentence.key_of(lines),
                meta=meta if kind == "constituency" else {},
            )  # fmt: skip
            parses.append(row)
    source, _, target, _ = parses
    pair = people.Pair.objects.create(
        corpus=corpus, source=source.sentence, target=target.sentence, text="\n",
        n_source=1, n_target=1, key=str(n),
    )  # fmt: skip
    made = AlignmentLayer.objects.create(
        pair=pair, origin=Origin.GOLD, slot=str(n), source_parse=source,
        target_parse=target, links=sides.alignment.to_json(), parked=sides.parked,
    )  # fmt: skip
    return made


def expected(text: str, all_sides: list[worlds.PairSides]) -> list[tuple[int, ...]]:
    """Each match as the number of its pair, its side, and its nodes."""
    query = parser.parse(text)
    matches = []
    for n, sides in enumerate(all_sides):
        both = sides.oracle(deps=query.kind == "dependency")
        for side in (0, 1):
            for way in oracle.matches(query.root, both[side], both[1 - side]):
                matches.append((n, side, *(place.pre for place in way)))
    return sorted(matches)


def answers(text: str, corpus, layers: list[AlignmentLayer]) -> list[tuple[int, ...]]:
    search = running.search(text, [corpus], None)
    page = search.page(size=100_000)
    assert (page.after, page.waiting) == ("", 0)
    counts = search.counts()
    assert counts.matches == len(page.matches)
    assert sum(counts.by_label.values()) == counts.matches
    places = {}
    for n, layer in enumerate(layers):
        places[layer.pk] = n
        for side, sentence in ((0, layer.pair.source_id), (1, layer.pair.target_id)):
            places["s", sentence] = n, side
    rows = []
    for match in page.matches:
        if search.query.has_links:
            n, side, skip = places[match.layer], match.side, 2
        else:
            (n, side), skip = places["s", match.sentence], 1
        rows.append((n, side, *match.key[skip:]))
    return sorted(rows)


@example(seed=1, queries=["[] ~ verb ?<-[obj]- verb", "[] ~ noun"])
@settings(max_examples=40, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(
    seed=st.integers(0, 10**6), queries=st.lists(worlds.texts(), min_size=4, max_size=8)
)
def test_sql_finds_what_the_definitions_say(db, seed: int, queries: list[str]) -> None:
    rng = Random(seed)
    all_sides = [worlds.sides(rng) for _ in range(3)]
    try:
        with transaction.atomic():
            corpus = people.corpus(Cast().project, "Random")
            layers = [stored(corpus, one, n) for n, one in enumerate(all_sides)]
            for text in queries:
                assert answers(text, corpus, layers) == expected(text, all_sides), text
            raise RollBack
    except RollBack:
        pass


@pytest.mark.parametrize(
    "text",
    [
        "WHADVP << NP",
        "NP << zebra",
        "NP ~ zebra",
        "[lemma=zebra]",
        "[] -[obj]-> [lemma=zebra]",
    ],
)
def test_what_is_not_in_the_index_is_not_looked_for(cast: Cast, text: str) -> None:
    people.parse(
        people.sentence(cast.corpus, "It rains"), "(S (NP (PRP It)) (VBZ rains))"
    )
    search = running.search(text, [cast.corpus], None)
    with CaptureQueriesContext(connection) as asked:
        assert search.page().matches == []
        assert search.counts().matches == 0
    assert not [one for one in asked.captured_queries if "search_node" in one["sql"]]
