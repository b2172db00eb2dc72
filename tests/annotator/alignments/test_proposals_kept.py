"""What is kept in memory for suggestions: never what a person said, never too long."""

import base64
import tracemalloc
import zlib

import numpy as np
import pytest

from annotator.models import AlignmentLayer, Origin, PackedForest, Pair
from annotator.services.alignments import links, phrases, proposals
from annotator.services.alignments.proposals import Decided
from core.formats import forest_npz
from core.phrase_alignment.aligner import ENGINE, VERSION
from tests import cast
from tests.annotator.alignments.test_aligning_proposals import (
    cells,
    forked,
    pair,
    parses,
    people,
    proposed,
    step,
    two_trees,
)
from tests.cast import Cast

__all__ = ["forked", "pair", "people"]
pytestmark = pytest.mark.django_db
FLAT = "(S (DT a) (NN dog) (VP (VBD saw) (NP (NNP Mary))))"


def test_what_one_person_decides_is_nothing_to_the_next(pair: Pair) -> None:
    free = proposed(pair)
    held = proposed(pair, links=(("w0", "w1"),), null_source=("w3",))
    assert held != free
    assert proposed(pair) == free
    assert proposed(pair, links=(("w0", "w1"),), null_source=("w3",)) == held


def test_another_tree_has_suggestions_of_its_own(pair: Pair, people: Cast) -> None:
    layer = cast.layer(pair, author=people.bob)
    source, target = parses(pair)
    first = proposals.propose(pair, (source, target), Decided())
    assert ("n1", "n9") in cells(first)
    other = cast.parse(pair.source, FLAT, engine="toy")
    asked = step(layer, "parse", side="s", parse=other.code)
    links.play(layer, asked, by=people.bob)
    layer.refresh_from_db()
    assert layer.source_parse == other
    moved = proposals.propose(pair, (other, target), Decided())
    assert "n9" not in {link.target for link in moved.links}
    assert proposals.propose(pair, (source, target), Decided()) == first


def test_the_engine_counts_from_the_moment_it_has_aligned(pair: Pair) -> None:
    before = proposed(pair)
    here = proposals.ready(pair, parses(pair))
    against = here.gains.copy()
    s, t = here.sides[0].over[1, 2][-1], here.sides[1].over[5, 6][-1]
    against[s, t] = -20.0
    layer = engine_layer(pair, VERSION, against)
    assert ("w1", "w5") in cells(before)
    assert ("w1", "w5") not in cells(proposed(pair))
    layer.delete()
    assert proposed(pair) == before
    engine_layer(pair, "another version", against)
    assert proposed(pair) == before


def engine_layer(pair: Pair, version: str, gains: np.ndarray) -> AlignmentLayer:
    source, target = parses(pair)
    return AlignmentLayer.objects.create(
        pair=pair,
        origin=Origin.ENGINE,
        engine=ENGINE,
        version=version,
        slot=AlignmentLayer.slot_of(Origin.ENGINE, engine=ENGINE, version=version),
        source_parse=source,
        target_parse=target,
        meta={"gains": phrases.pack(gains)},
    )


def test_a_newer_forest_is_looked_at(forked: Pair, people: Cast) -> None:
    both = parses(forked)
    ruled = Decided(brackets=(("s", (2, 5), "cannot-bracket"),))
    assert proposals.prefer(forked, both, ruled, by=people.bob)
    forest = two_trees()
    weights = np.zeros(forest.n_edges)
    weights[forest.n_edges - 2] = -50.0  # the other tree is as good as impossible
    PackedForest.objects.create(
        sentence=forked.source,
        engine="toy",
        version="2",
        data=forest_npz.dump(forest, weights),
    )
    assert proposals.prefer(forked, both, ruled, by=people.bob) == []


def test_a_process_is_made_ready_before_anybody_asks() -> None:
    proposals.aligner.cache_clear()
    proposals.warm()
    assert proposals.aligner.cache_info().currsize == 1


def test_gains_of_a_hostile_bundle_take_no_memory_and_are_computed_anew(
    pair: Pair,
) -> None:
    source, target = parses(pair)
    expected = proposed(pair)
    layer = engine_layer(pair, VERSION, np.zeros((2, 2)))
    bomb = base64.b85encode(zlib.compress(b"\0" * 200_000_000, 9)).decode()
    for packed in (bomb, "no base 85 ~~", phrases.pack(np.full((9, 9), np.nan)), 7):
        AlignmentLayer.objects.filter(pk=layer.pk).update(meta={"gains": packed})
        proposals._loaded.cache_clear()
        tracemalloc.start()
        found = proposals.propose(pair, (source, target), Decided())
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found == expected
        assert peak < 50e6
