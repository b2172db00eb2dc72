"""What the aligner proposes beside what a person has decided."""

from typing import Any
from uuid import uuid4

import numpy as np
import pytest
from rest_framework.test import APIClient

from annotator.errors import BadRequest, NotAllowed, NotReady
from annotator.models import AlignmentLayer, Origin, PackedForest, Pair, Parse
from annotator.services.alignments import layers, proposals
from annotator.services.alignments.links import play
from annotator.services.alignments.operations import LayerStep
from annotator.services.alignments.proposals import Decided
from core.data.forest import Forest, ForestBuilder
from core.formats import forest_npz
from tests import cast
from tests.cast import Cast

pytestmark = pytest.mark.django_db
SOURCE = "(S (NP (DT a) (NN dog)) (VP (VBD saw) (NP (NNP Mary))))"
TARGET = (
    "(S (NP (NNP Mary)) (VP (VBD was) (VP (VBN seen) (PP (IN by) "
    "(NP (DT a) (NN dog))))))"
)


@pytest.fixture
def people() -> Cast:
    return Cast()


@pytest.fixture
def pair(people: Cast) -> Pair:
    made = cast.pair(people.corpus, SOURCE, TARGET)
    return Pair.objects.select_related("corpus__project").get(pk=made.pk)


def parses(pair: Pair) -> tuple[Parse, Parse]:
    return pair.source.parses.get(), pair.target.parses.get()


def proposed(pair: Pair, **decided: Any) -> proposals.Proposal:
    return proposals.propose(pair, parses(pair), Decided(**decided))


def cells(proposal: proposals.Proposal) -> set[tuple[str, str]]:
    return {link.cell for link in proposal.links}


def step(seen: AlignmentLayer, name: str, **rest: Any) -> LayerStep:
    sent = {"uuid": uuid4(), "base_rev": seen.revision, "op": name}
    return LayerStep.read(sent | rest)


def test_without_a_decision_the_obvious_is_proposed(pair: Pair) -> None:
    proposal = proposed(pair)
    assert {("n0", "n0"), ("w0", "w4"), ("w1", "w5"), ("w3", "w0")} <= cells(proposal)
    assert all(0 <= float(link.attrs["prob"]) <= 1 for link in proposal.links)
    assert proposal.conflicts == ()


def test_links_nulls_and_rejections_are_kept(pair: Pair) -> None:
    proposal = proposed(pair, links=(("w0", "w1"),), null_source=("w3",))
    assert ("w0", "w1") in cells(proposal)
    assert "w3" not in {link.source for link in proposal.links}
    assert ("w1", "w5") not in cells(proposed(pair, rejected=(((1, 2), (5, 6)),)))


def test_a_decided_word_moves_its_phrase(pair: Pair) -> None:
    free, held = proposed(pair), proposed(pair, links=(("w1", "w0"),))
    assert ("n1", "n9") in cells(free)
    assert ("n1", "n9") not in cells(held)


def test_decisions_that_exclude_each_other_are_said_and_the_rest_goes_on(
    pair: Pair,
) -> None:
    proposal = proposed(pair, links=(("w0", "w1"), ("w0", "w2")))
    (said,) = proposal.conflicts
    assert "“a” = “was”" in said
    assert "“a” = “seen”" in said
    assert ("w0", "w1") in cells(proposal)
    assert ("w3", "w0") in cells(proposal)


def test_what_excludes_each_other_is_said_until_one_of_them_goes(pair: Pair) -> None:
    links = (("w0", "w1"), ("w0", "w2"))
    first, again = (proposed(pair, links=links) for _ in range(2))
    assert first == again
    assert proposed(pair, links=links[:1]).conflicts == ()
    assert proposed(pair, links=links[1:]).conflicts == ()


def test_a_chain_is_decided_by_its_top_or_by_a_link_below(pair: Pair) -> None:
    assert ("w3", "w0") not in cells(proposed(pair, links=(("n6", "n9"),)))
    both = proposed(pair, links=(("n6", "n9"), ("w3", "w0")))
    assert both.conflicts == ()
    assert ("w3", "w0") in cells(both)


@pytest.mark.usefixtures("thesaurus")
def test_supports_go_down_to_the_words(pair: Pair) -> None:
    proposal = proposed(pair)
    left, leaves = ["n0 n0"], set()
    while left:
        below = proposal.supports[cell := left.pop()]
        leaves |= set() if below else {cell}
        left += below
    assert {"w1 w5", "w3 w0"} <= leaves
    assert proposal.grounds["w1 w5"] == "the same word"
    assert proposal.grounds["w2 w2"] == "forms of one word"


def test_trees_of_another_pair_are_refused(pair: Pair, people: Cast) -> None:
    other = parses(people.pair)
    with pytest.raises(BadRequest, match="do not belong to this pair"):
        proposals.propose(pair, other, Decided())


def test_a_pair_too_long_to_wait_for_is_not_ready(people: Cast) -> None:
    long = "(S " + " ".join(f"(NN house{i})" for i in range(30)) + ")"
    pair = cast.pair(people.corpus, long, f"(S {long} (. .))")
    with pytest.raises(NotReady, match="too long"):
        proposed(pair)


def test_what_a_layer_decides_is_read_from_its_steps(pair: Pair, people: Cast) -> None:
    layer = cast.layer(pair, author=people.bob)
    steps: list[tuple[str, dict[str, Any]]] = [
        ("link", {"s": "w0", "t": "w4"}),
        ("null", {"s": "w2"}),
        ("reject", {"s": "n1", "t": "n9", "layer": "proposal"}),
        ("must-bracket", {"side": "t", "key": "4-6"}),
        ("cannot-bracket", {"side": "s", "key": "2-4"}),
        ("unbracket", {"side": "t", "key": "4-6"}),
    ]
    for name, rest in steps:
        play(layer, step(layer, name, **rest), by=people.bob)
        layer.refresh_from_db()
    assert proposals.decided_in(layers.draft_of(layer)) == Decided(
        (("w0", "w4"),),
        ("w2",),
        (),
        (((0, 2), (4, 6)),),
        (("s", (2, 4), "cannot-bracket"),),
    )
    for _ in steps:
        play(layer, step(layer, "undo"), by=people.bob)
        layer.refresh_from_db()
    assert proposals.decided_in(layers.draft_of(layer)) == Decided()


@pytest.mark.parametrize("key", ["", "3", "2-2", "3-1", "0-99", "a-b", "-1-2"])
def test_brackets_are_words_of_the_sentence(pair: Pair, people: Cast, key: str) -> None:
    layer = cast.layer(pair, author=people.bob)
    with pytest.raises(BadRequest):
        play(layer, step(layer, "must-bracket", key=key), by=people.bob)


def test_anothers_link_is_rejected_with_a_reason(pair: Pair, people: Cast) -> None:
    layer = cast.layer(pair, author=people.bob)
    with pytest.raises(BadRequest, match="Say why"):
        step(layer, "reject", s="n1", t="n9", layer="f" * 16)


def test_a_crossing_suggestion_is_accepted_as_crossing(
    pair: Pair, people: Cast
) -> None:
    layer = cast.layer(pair, author=people.bob)
    client = APIClient()
    client.force_authenticate(people.bob)
    url = f"/api/layers/{layer.code}/ops/"
    body = {"uuid": str(uuid4()), "base_rev": 0, "op": "accept"}
    bad = client.post(url, body | {"links": [["w0", "w4", "sure", "?"]]}, "json")
    assert bad.status_code == 400
    rows = [["w0", "w4", "sure", "crossing"], ["w1", "w5", "sure"]]
    links = client.post(url, body | {"links": rows}, "json").json()["links"]
    assert links == [["w0", "w4", "sure", True], ["w1", "w5", "sure"]]


SAW = (  # saw (men (with eyes))
    "(S (NP (PRP I)) (VP (VBD saw) (NP (NP (NN men)) (PP (IN with) (NNS eyes)))))"
)
SEEN = "(S (NP (PRP They)) (VP (VBD saw) (NP (NN men)) (PP (IN with) (NNS eyes))))"


@pytest.fixture
def forked(people: Cast) -> Pair:
    """A pair whose source has a forest of two trees and stands on the first."""
    sentence = cast.sentence(people.corpus, "I saw men with eyes")
    cast.parse(sentence, SAW, engine="toy")
    made = cast.pair(people.corpus, SAW, SEEN)
    assert made.source == sentence
    forest = two_trees()
    weights = np.zeros(forest.n_edges)
    PackedForest.objects.create(
        sentence=sentence,
        engine="toy",
        version="1",
        data=forest_npz.dump(forest, weights),
    )
    return Pair.objects.select_related("corpus__project").get(pk=made.pk)


def two_trees() -> Forest:
    """``SAW``, and saw (men) (with eyes)."""
    build = ForestBuilder()
    leaves = [build.node("", i, i + 1) for i in range(5)]
    for leaf in leaves:
        build.edge(leaf)
    with_eyes, men_with = build.node("PP", 3, 5), build.node("NP", 2, 5)
    saw_men, saw = build.node("", 1, 3), build.node("VP", 1, 5)
    whole = build.node("S", 0, 5)
    build.edge(with_eyes, leaves[3:])
    build.edge(men_with, [leaves[2], with_eyes])
    build.edge(saw_men, leaves[1:3])
    build.edge(saw, [leaves[1], men_with])
    build.edge(saw, [saw_men, with_eyes])
    build.edge(whole, [leaves[0], saw])
    return build.freeze()


def test_another_tree_is_offered_where_decisions_go_better_with_it(
    forked: Pair, people: Cast
) -> None:
    both = parses(forked)
    ruled = Decided(brackets=(("s", (2, 5), "cannot-bracket"),))
    (better,) = proposals.prefer(forked, both, ruled, by=people.bob)
    assert (better.side, better.nats, better.parse) == ("s", None, "")
    assert better.not_here == ("NP men with eyes",)
    assert forked.source.parses.count() == 1
    (taken,) = proposals.prefer(forked, both, ruled, by=people.bob, take="s")
    stored = forked.source.parses.get(code=taken.parse)
    assert (2, 5) not in stored.to_tree().spans
    assert stored.origin == Origin.ENGINE
    kept = Decided(brackets=(("s", (2, 5), "must-bracket"),))
    assert proposals.prefer(forked, both, kept, by=people.bob) == []


def test_gold_trees_are_never_doubted(pair: Pair, people: Cast) -> None:
    ruled = Decided(brackets=(("s", (0, 2), "cannot-bracket"),))
    assert proposals.prefer(pair, parses(pair), ruled, by=people.bob) == []
    with pytest.raises(NotAllowed):
        proposals.prefer(pair, parses(pair), ruled, by=people.cyd)


def test_the_api_answers_members_alone(pair: Pair, people: Cast) -> None:
    source, target = parses(pair)
    body = {"source_parse": source.code, "target_parse": target.code}
    body |= {"links": [["w0", "w1"]], "rejected": [["1-2", "5-6"]]}
    client = APIClient()
    client.force_authenticate(people.bob)
    for name in ("proposals", "better-trees"):
        answer = client.post(f"/api/pairs/{pair.code}/{name}/", body, "json")
        assert answer.status_code == 200, answer.content
    proposal = client.post(f"/api/pairs/{pair.code}/proposals/", body, "json").json()
    assert [row[:4] for row in proposal["links"]].count(["w0", "w1", "sure", True]) <= 1
    assert {"supports", "grounds", "said"} < set(proposal)
    bad = body | {"rejected": [["1", "2"]]}
    assert client.post(f"/api/pairs/{pair.code}/proposals/", bad, "json").status_code
    client.force_authenticate(people.cyd)
    answer = client.post(f"/api/pairs/{pair.code}/proposals/", body, "json")
    assert answer.status_code == 404


def test_anothers_layer_is_not_proposed_from(pair: Pair, people: Cast) -> None:
    layer = cast.layer(pair, author=people.ada)
    client = APIClient()
    client.force_authenticate(people.bob)
    assert client.get(f"/api/layers/{layer.code}/proposals/").status_code == 404
    client.force_authenticate(people.ada)
    assert client.get(f"/api/layers/{layer.code}/proposals/").json()["links"]
