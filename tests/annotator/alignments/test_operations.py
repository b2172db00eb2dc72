"""Each operation of a person on a layer: how it is read, what the draft becomes."""

from typing import Any

import pytest

from annotator.errors import BadRequest
from annotator.models import AlignmentLayer, Pair
from annotator.services.alignments.operations import PROPOSAL, LayerSnapshot, read
from core.data.alignment import Alignment, Link
from core.formats import ptb
from core.phrase_alignment.editing import Draft

SOURCE = ptb.parse_one("(S (NP (DT the) (NN dog)) (VP (VBD slept) (RB well)))")
TARGET = ptb.parse_one("(S (NP (NN dog)) (VP (VBD slept)))")
THERE = (Link("w0", "w0"), Link("w1", "w1", "possible", crossing=True))


def state(*links: Link, **more: Any) -> LayerSnapshot:
    layer = AlignmentLayer(pair=Pair(n_source=4, n_target=2))
    return LayerSnapshot(layer, Draft(Alignment(links), **more), SOURCE, TARGET)


def left(where: LayerSnapshot, **sent: Any) -> Draft:
    """The draft after an operation that was sent."""
    return read(sent).on(where)


def links(draft: Draft) -> set[Link]:
    return set(draft.alignment.links)


def test_a_link_is_put_instead_of_others_or_beside_them() -> None:
    new = {"s": "w0", "t": "w1", "kind": "possible", "crossing": True}
    link = Link("w0", "w1", "possible", crossing=True)
    assert links(left(state(*THERE), op="link", **new)) == {link}
    assert links(left(state(*THERE), op="add", **new)) == {link, *THERE}


@pytest.mark.parametrize(
    ("sent", "kind"),
    [
        ({}, "sure"),
        ({"kind": "sure"}, "sure"),
        ({"kind": "possible"}, "possible"),
        ({"kind": "perhaps"}, "sure"),
    ],
)
def test_a_link_is_sure_unless_it_is_said_to_be_possible(sent, kind: str) -> None:
    for op in ("link", "add"):
        (link,) = left(state(), op=op, s="w0", t="w0", **sent).alignment.links
        assert (link.kind, link.crossing) == (kind, False)
    marked = left(state(THERE[1]), op="kind", s="w1", t="w1", **sent)
    assert links(marked) == {Link("w1", "w1", kind, crossing=True)}


@pytest.mark.parametrize("crossing", [True, False])
def test_a_link_is_marked_as_crossing_or_as_none(crossing) -> None:
    for link in THERE:
        cell = {"s": link.source, "t": link.target}
        draft = left(state(link), op="crossing", crossing=crossing, **cell)
        assert links(draft) == {Link(*link.cell, link.kind, crossing=crossing)}
    draft = left(state(THERE[1]), op="crossing", s="w1", t="w1")
    assert links(draft) == {Link("w1", "w1", "possible")}


def test_a_link_goes() -> None:
    assert links(left(state(*THERE), op="unlink", s="w0", t="w0")) == {THERE[1]}


def test_suggestions_are_taken_with_what_they_say() -> None:
    offered = [("w0", "w0", "sure", False), ("w1", "w1", "possible", True)]
    operation = read({"op": "accept", "links": offered})
    assert operation.nodes == (("w0", "w1"), ("w0", "w1"))
    assert links(operation.on(state())) == set(THERE)
    assert read({"op": "accept"}).nodes == ((), ())


def test_nulls_are_put_and_cleared_on_either_side() -> None:
    null = left(state(*THERE), op="null", s="w0 w2", t="w1").alignment
    assert (null.null_source, null.null_target) == ({"w0", "w2"}, {"w1"})
    assert null.links == ()
    clear = left(state(*THERE), op="clear", s="w0").alignment
    assert clear == Alignment(THERE[1:])
    clear = left(state(*THERE), op="clear", t="w1").alignment
    assert clear == Alignment(THERE[:1])


def test_a_suggestion_is_rejected_by_its_words_in_whatever_tree() -> None:
    """n4 is "slept well", n3 "slept"."""
    cell = {"s": "n4", "t": "n3", "layer": PROPOSAL, "op": "reject"}
    assert left(state(), **cell).rejected == {"proposal 2-4 1-2": ""}
    cell |= {"s": "w3", "t": "w0"}
    assert left(state(), **cell).rejected == {"proposal 3-4 0-1": ""}
    lacking = cell | {"s": "w6"}  # a word that the tree does not have
    assert left(state(), **lacking).rejected == {"proposal 6-7 0-1": ""}
    layer = state().layer
    without = LayerSnapshot(layer, Draft(), None, None)
    assert left(without, **cell).rejected == {"proposal 3-4 0-1": ""}


def test_another_layers_link_is_rejected_by_its_nodes_and_with_a_reason() -> None:
    sent = {"op": "reject", "s": "n4", "t": "n3", "layer": "f" * 16, "note": "too wide"}
    assert left(state(), **sent).rejected == {f"{'f' * 16} n4 n3": "too wide"}
    for note in ("", "  "):
        with pytest.raises(BadRequest, match="Say why") as told:
            read(sent | {"note": note})
        assert told.value.facts["field"] == "note"


@pytest.mark.parametrize("op", ["must-bracket", "cannot-bracket"])
@pytest.mark.parametrize(("side", "key"), [("s", "0-4"), ("s", "3-4"), ("t", "0-2")])
def test_a_bracket_is_wanted_or_forbidden_and_taken_back(op, side, key) -> None:
    sent = {"side": side, "key": key}
    draft = left(state(), op=op, **sent)
    assert draft.brackets == {f"{side} {key}": op}
    again = state(brackets=draft.brackets)
    assert left(again, op="unbracket", **sent).brackets == {}


def test_a_bracket_is_over_the_source_unless_another_side_is_named() -> None:
    draft = left(state(), op="must-bracket", key="1-3")
    assert draft.brackets == {"s 1-3": "must-bracket"}


@pytest.mark.parametrize(
    ("side", "key"), [("s", "0-5"), ("t", "0-3"), ("s", "2-2"), ("s", "3-1")]
)
def test_a_bracket_is_over_words_that_there_are(side: str, key: str) -> None:
    with pytest.raises(BadRequest, match="Enter words of this side") as told:
        left(state(), op="must-bracket", side=side, key=key)
    assert told.value.facts["field"] == "key"


def test_a_bracket_may_begin_and_end_at_any_word_of_a_long_sentence() -> None:
    layer = AlignmentLayer(pair=Pair(n_source=9_999, n_target=1))
    where = LayerSnapshot(layer, Draft(), None, None)
    draft = left(where, op="must-bracket", key="1234-9999")
    assert draft.brackets == {"s 1234-9999": "must-bracket"}


@pytest.mark.parametrize("key", ["", "-", "1-", "-2", "1", "a-b", "²-³", "1-23456"])
def test_a_bracket_is_written_in_numbers(key: str) -> None:
    with pytest.raises(BadRequest, match="Enter words of this side") as told:
        read({"op": "must-bracket", "key": key})
    assert told.value.facts["field"] == "key"


def test_a_problem_is_ignored_with_a_note_and_counts_again() -> None:
    draft = left(state(), op="ignore", key="a", note="a fragment")
    assert draft.ignored == {"a": "a fragment"}
    for sent in ({"key": "a", "note": " "}, {"key": "", "note": "why"}, {}):
        with pytest.raises(BadRequest, match="Say why") as told:
            read({"op": "ignore"} | sent)
        assert told.value.facts["field"] == "note"
    again = state(ignored={"a": "a fragment", "b": "another"})
    assert left(again, op="unignore", key="a").ignored == {"b": "another"}


def test_what_cannot_be_read_is_refused_with_its_field() -> None:
    bad = [("n1", "seven", "sure", False)]
    for sent, field in (
        ({"op": "dance"}, "op"),
        ({"op": "link", "s": "w0", "t": ""}, "s, t"),
        ({"op": "unlink", "s": "w0 w1", "t": "w0"}, "s, t"),
        ({"op": "accept", "links": bad}, "links"),
    ):
        with pytest.raises(BadRequest) as told:
            read(sent)
        assert told.value.facts["field"] == field


@pytest.mark.parametrize("op", ["undo", "redo"])
def test_undo_and_redo_leave_the_draft_to_the_ledger(op: str) -> None:
    where = state(*THERE)
    assert left(where, op=op) is where.draft
