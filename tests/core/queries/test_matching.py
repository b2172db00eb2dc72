"""One tree searched without an index gives what the definitions say."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import FormatError, InvalidValue
from core.formats import ptb
from core.queries import matching, parser
from core.queries.syntax import Query
from tests.oracles import queries as oracle
from tests.oracles import query_worlds as worlds


def read(text: str) -> Query | None:
    """The query, if it is one about a single tree."""
    try:
        query = parser.parse(text)
    except FormatError:  # more nodes than a query may have
        return None
    return None if query.has_links or query.where else query


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    texts=st.lists(worlds.texts(), min_size=5, max_size=10),
)
def test_a_tree_is_searched_as_the_definitions_say(seed: int, texts) -> None:
    sides = worlds.sides(Random(seed))
    for text in texts:
        query = read(text)
        if query is None:
            continue
        deps = query.kind == "dependency"
        there = sides.oracle(deps=deps)[0]
        wanted = {way[0].pre for way in oracle.matches(query.root, there)}
        ground = matching.ground_of(sides.trees[0])
        if deps:
            ground = matching.ground_of_deps(sides.arcs[0], sides.tokens[0])
        matches = [row.pre for row in matching.matches_in(ground, query)]
        assert matches == sorted(wanted), text


def test_a_query_that_would_never_end_is_refused() -> None:
    tree = ptb.parse_one("(S " + "(NP (NN a)) " * 40 + ")")
    query = parser.parse("__ : (__ : (__ : (__ : ZZ)))")
    with pytest.raises(InvalidValue, match="too many steps"):
        matching.matches_in(matching.ground_of(tree), query)


@pytest.mark.parametrize("text", ["NP ~ NP", "NP where length < 3"])
def test_links_and_conditions_are_not_for_one_tree(text: str) -> None:
    ground = matching.ground_of(ptb.parse_one("(S (NN a))"))
    with pytest.raises(InvalidValue, match="single tree"):
        matching.matches_in(ground, parser.parse(text))
