"""Operations on links: nothing lost, nothing twice, everything undone."""

from threading import Barrier, Thread
from uuid import UUID, uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.errors import BadRequest, Conflict, Frozen, NotAllowed, StaleEdit
from annotator.models import AlignmentLayer, LinkEvent, Membership, Parse, Project
from annotator.services.alignments import layers
from annotator.services.alignments.links import play
from annotator.services.alignments.operations import OPS, LayerStep, read
from core.phrase_alignment.legitimacy import refs_of
from tests import cast as people

pytestmark = pytest.mark.django_db
ON_POSTGRES = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite locks as a whole"
)
OTHER = "(S (NP (DT The) (NN nurse)) (VP (VBD opened) (DT the) (NN window)) (. .))"


def step(base: int, op: str, **more) -> LayerStep:
    return LayerStep.read({"uuid": uuid4(), "base_rev": base, "op": op} | more)


def do(layer: AlignmentLayer, op: str, by, *, rev: int | None = None, **more):
    layer.refresh_from_db()
    base = layer.revision if rev is None else rev
    event = play(layer, step(base, op, **more), by=by)
    layer.refresh_from_db()
    return event


def cells(layer: AlignmentLayer) -> list[tuple[str, str]]:
    return [link.cell for link in layer.to_core().links]


def test_a_link_replaces_the_old_one_in_one_step(cast) -> None:
    do(cast.layer, "link", cast.bob, s="w1", t="w6")
    do(cast.layer, "link", cast.bob, s="w1", t="w1")
    assert cells(cast.layer) == [("w1", "w1")]
    do(cast.layer, "undo", cast.bob)
    assert cells(cast.layer) == [("w1", "w6")]
    assert cast.layer.events.count() == cast.layer.revision == 3


def test_the_same_uuid_counts_once(cast) -> None:
    uuid = UUID(int=7)
    first = do(cast.layer, "link", cast.bob, s="w1", t="w6", uuid=uuid)
    again = do(cast.layer, "link", cast.bob, s="w1", t="w6", uuid=uuid, rev=0)
    assert first == again
    assert (cast.layer.revision, cast.layer.events.count()) == (1, 1)


def test_second_editor_learns_what_the_first_did(cast) -> None:
    gold = people.layer(cast.pair)
    Membership.objects.filter(user=cast.bob).update(role="curator")
    do(gold, "link", cast.ada, s="w1", t="w6")
    with pytest.raises(StaleEdit) as refusal:
        do(gold, "null", cast.bob, s="w1", rev=0)
    facts = refusal.value.facts
    assert facts["revision"] == 1
    assert [event["by"] for event in facts["theirs"]] == ["ada"]
    assert cells(gold) == [("w1", "w6")]


def test_undo_takes_back_only_ones_own_steps(cast) -> None:
    gold = people.layer(cast.pair)
    Membership.objects.filter(user=cast.bob).update(role="curator")
    do(gold, "link", cast.ada, s="w1", t="w6")
    do(gold, "link", cast.bob, s="w2", t="w3")
    do(gold, "undo", cast.ada)
    assert cells(gold) == [("w2", "w3")]
    with pytest.raises(Conflict, match="nothing to undo"):
        do(gold, "undo", cast.ada)


def test_undo_refuses_what_another_has_changed_since(cast) -> None:
    gold = people.layer(cast.pair)
    Membership.objects.filter(user=cast.bob).update(role="curator")
    do(gold, "link", cast.ada, s="w1", t="w6")
    do(gold, "null", cast.bob, s="w1")
    with pytest.raises(Conflict, match="cannot be undone"):
        do(gold, "undo", cast.ada)


def test_a_bulk_null_is_one_step(cast) -> None:
    do(cast.layer, "null", cast.bob, s="n1 w0 w1", t="w2")
    assert cast.layer.to_core().null_source == {"n1", "w0", "w1"}
    do(cast.layer, "undo", cast.bob)
    assert cast.layer.to_core().null_source == frozenset()
    do(cast.layer, "redo", cast.bob)
    assert cast.layer.to_core().null_target == {"w2"}


def test_a_new_step_ends_redo(cast) -> None:
    do(cast.layer, "link", cast.bob, s="w1", t="w6")
    do(cast.layer, "undo", cast.bob)
    do(cast.layer, "link", cast.bob, s="w2", t="w3")
    with pytest.raises(Conflict, match="nothing to redo"):
        do(cast.layer, "redo", cast.bob)


def test_a_done_layer_is_closed_until_opened(cast) -> None:
    layers.set_state(cast.layer, "done", by=cast.bob)
    with pytest.raises(Frozen):
        do(cast.layer, "link", cast.bob, s="w1", t="w6")
    layers.set_state(cast.layer, "open", by=cast.bob)
    do(cast.layer, "link", cast.bob, s="w1", t="w6")


@pytest.mark.parametrize("who", ["ada", "cyd"])
def test_nobody_edits_the_layer_of_another(cast, who: str) -> None:
    with pytest.raises(NotAllowed):
        do(cast.layer, "link", getattr(cast, who), s="w1", t="w6")


@pytest.mark.parametrize("ref", ["w99", "n99", "n3", "x1", "w", "wx", "w-1"])
def test_a_node_that_is_not_there_is_refused(cast, ref: str) -> None:
    with pytest.raises(BadRequest):
        do(cast.layer, "link", cast.bob, s=ref, t="w1")
    assert cast.layer.events.count() == 0


def test_a_failure_leaves_neither_links_nor_record(cast) -> None:
    do(cast.layer, "link", cast.bob, s="w1", t="w6")

    @transaction.atomic
    def fail_late() -> None:
        play(cast.layer, step(1, "null", s="w1"), by=cast.bob)
        LinkEvent.objects.create(layer=cast.layer, revision=1, op="twice")

    with pytest.raises(IntegrityError):
        fail_late()
    cast.layer.refresh_from_db()
    assert cells(cast.layer) == [("w1", "w6")]
    assert (cast.layer.revision, cast.layer.events.count()) == (1, 1)


def test_another_tree_parks_and_undo_brings_back(cast) -> None:
    other = people.parse(cast.pair.source, OTHER, engine="toy")
    do(cast.layer, "link", cast.bob, s="n6", t="n1")  # NP "the window"
    do(cast.layer, "link", cast.bob, s="w1", t="w6")
    do(cast.layer, "parse", cast.bob, side="s", parse=other.code)
    assert cells(cast.layer) == [("w1", "w6")]
    assert len(cast.layer.parked) == 1
    assert cast.layer.source_parse == other
    snapshot = layers.snapshot(cast.layer, cast.bob)
    assert snapshot["problems"][0]["rule"] == "same_tree"
    do(cast.layer, "undo", cast.bob)
    assert ("n6", "n1") in cells(cast.layer)
    assert cast.layer.parked == []


def test_a_tree_of_another_sentence_is_refused(cast) -> None:
    code = cast.pair.target.parses.get().code
    with pytest.raises(BadRequest, match="no such tree"):
        do(cast.layer, "parse", cast.bob, side="s", parse=code)


def test_the_unfinished_tree_of_another_annotator_is_no_tree_to_stand_on(cast) -> None:
    theirs = people.parse(cast.pair.source, OTHER)
    Parse.objects.filter(pk=theirs.pk).update(origin="annotator", author=cast.cyd)
    with pytest.raises(BadRequest, match="no such tree"):
        do(cast.layer, "parse", cast.bob, side="s", parse=theirs.code)
    client = Client()
    client.force_login(cast.bob)
    codes = {"source_parse": theirs.code, "target_parse": cast.layer.target_parse.code}
    url = f"/api/pairs/{cast.pair.code}/proposals/"
    assert client.post(url, codes, "application/json").status_code == 404
    Parse.objects.filter(pk=theirs.pk).update(author=cast.bob)
    do(cast.layer, "parse", cast.bob, side="s", parse=theirs.code)


def test_an_ignored_problem_keeps_its_note_and_can_come_back(cast) -> None:
    do(cast.layer, "ignore", cast.bob, key="root:n0:n0", note="a fragment")
    assert layers.snapshot(cast.layer, cast.bob)["ignored"] == {
        "root:n0:n0": "a fragment"
    }
    do(cast.layer, "undo", cast.bob)
    assert layers.snapshot(cast.layer, cast.bob)["ignored"] == {}
    with pytest.raises(BadRequest, match="Say why"):
        do(cast.layer, "ignore", cast.bob, key="root:n0:n0", note=" ")


SIDE = st.sampled_from(["w0", "w1", "w2", "n0", "n1"])
PLAYS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(["link", "add", "unlink"]), SIDE, SIDE),
        st.tuples(st.sampled_from(["null", "clear"]), SIDE, st.just("")),
        st.tuples(st.sampled_from(["undo", "redo", "parse"]), st.just(""), st.just("")),
    ),
    max_size=8,
)


@settings(max_examples=25)
@given(PLAYS)
def test_undo_all_is_the_beginning_and_redo_all_the_end(cast, plays) -> None:
    with transaction.atomic():
        layer = people.layer(cast.pair, author=cast.bob, name="play")
        trees = [layer.source_parse, people.parse(cast.pair.source, OTHER, engine="x")]
        empty = state_of(layer)
        for op, s, t in plays:
            more = {"side": "s", "parse": trees[layer.revision % 2].code}
            try:
                do(layer, op, cast.bob, s=s, t=t, **(more if op == "parse" else {}))
            except (Conflict, BadRequest):
                continue
        end = state_of(layer)
        assert repeat(layer, "undo", cast.bob) == empty
        n_undone = layer.events.filter(op="undo").count()
        repeat(layer, "redo", cast.bob, at_most=n_undone)
        if not any(op in ("undo", "redo") for op, _, _ in plays):
            assert state_of(layer) == end
        assert layer.events.count() == layer.revision
        transaction.set_rollback(True)


def state_of(layer: AlignmentLayer):
    layer.refresh_from_db()
    return layer.links or {}, layer.parked, layer.source_parse_id


def repeat(layer: AlignmentLayer, op: str, by, *, at_most: int = 99):
    for _ in range(at_most):
        try:
            do(layer, op, by)
        except Conflict:
            break
    links, parked, parse = state_of(layer)
    return ({} if not any(links.values()) else links), parked, parse


def test_a_layer_starts_on_the_trees_of_the_gold_one(cast) -> None:
    people.parse(cast.pair.source, OTHER, engine="toy")
    made = layers.start(cast.pair, by=cast.ada)
    assert made == layers.start(cast.pair, by=cast.ada)
    assert made.source_parse.origin == "gold"
    assert refs_of(made.source_parse.to_tree())[0] == "n0"


def test_annotators_see_their_own_gold_and_engines_layers(cast) -> None:
    people.layer(cast.pair, author=cast.ada)
    people.layer(cast.pair)
    seen = AlignmentLayer.objects.visible_to(cast.bob)
    assert {row.origin for row in seen} == {"annotator", "gold"}
    assert {row.author for row in seen} == {cast.bob, None}
    assert AlignmentLayer.objects.visible_to(cast.ada).count() == 3
    assert AlignmentLayer.objects.visible_to(cast.cyd).count() == 0


def test_a_role_elsewhere_shows_nothing_here(cast) -> None:
    theirs = people.layer(cast.pair, author=cast.ada)
    elsewhere = Project.objects.create(name="Doors", slug="doors")
    Membership.objects.create(project=elsewhere, user=cast.bob, role="manager")
    seen = AlignmentLayer.objects.visible_to(cast.bob)
    assert set(seen) == {cast.layer}
    Membership.objects.filter(project=cast.project, user=cast.bob).update(role="viewer")
    assert set(AlignmentLayer.objects.visible_to(cast.bob)) == {cast.layer, theirs}


@pytest.mark.parametrize("url", ["/api/layers/{}/", "/api/layers/{}/history/"])
def test_pages_lists_and_programs_ask_the_same_question(cast, client, url) -> None:
    theirs = people.layer(cast.pair, author=cast.ada)
    client.force_login(cast.bob)
    listed = client.get(f"/api/pairs/{cast.pair.code}/layers/").json()
    assert [row["code"] for row in listed] == [cast.layer.code]
    page = f"/p/windows/pair/{cast.pair.code}/"
    assert client.get(url.format(cast.layer.code)).status_code == 200
    assert client.get(url.format(theirs.code)).status_code == 404
    assert client.get(page, {"layer": theirs.code}).status_code == 400
    assert client.get(page, {"layer": cast.layer.code}).status_code == 200


def test_a_pair_is_done_when_nobody_is_at_work_on_it(cast) -> None:
    theirs = people.layer(cast.pair, author=cast.ada)
    do(theirs, "link", cast.ada, s="w1", t="w6")
    layers.set_state(cast.layer, "done", by=cast.bob)
    cast.pair.refresh_from_db()
    assert cast.pair.state == "started"
    layers.set_state(theirs, "done", by=cast.ada)
    cast.pair.refresh_from_db()
    assert cast.pair.state == "done"


@pytest.mark.service
@ON_POSTGRES
@pytest.mark.django_db(transaction=True)
def test_the_same_operation_sent_at_once_counts_once(cast) -> None:
    op = step(0, "link", s="w1", t="w6")
    gate, answers = Barrier(4), []

    def send() -> None:
        gate.wait()
        try:
            answers.append(play(cast.layer, op, by=cast.bob).revision)
        finally:
            connection.close()

    threads = [Thread(target=send) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [1, 1, 1, 1]
    cast.layer.refresh_from_db()
    assert (cast.layer.revision, cast.layer.events.count()) == (1, 1)


@pytest.mark.service
@ON_POSTGRES
@pytest.mark.django_db(transaction=True)
def test_of_two_at_once_one_is_told_of_the_other(cast) -> None:
    gate, answers = Barrier(2), []

    def send(target: str) -> None:
        op = step(0, "link", s="w1", t=target)
        gate.wait()
        try:
            play(cast.layer, op, by=cast.bob)
            answers.append("done")
        except StaleEdit as stale:
            answers.append(len(stale.facts["theirs"]))
        finally:
            connection.close()

    threads = [Thread(target=send, args=(target,)) for target in ("w6", "w1")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers, key=str) == [1, "done"]


WIRE = st.fixed_dictionaries(
    {"op": st.sampled_from(sorted(OPS)), "s": st.just("n1"), "t": st.just("w2")},
    optional={
        "kind": st.sampled_from(["sure", "possible"]),
        "crossing": st.booleans(),
        "key": st.sampled_from(["1-3", "root:n0:n0", ""]),
        "note": st.sampled_from(["", "a fragment"]),
        "layer": st.sampled_from(["proposal", "f" * 16]),
        "side": st.sampled_from(["s", "t"]),
        "parse": st.just("0" * 16),
        "links": st.just([("n1", "n2", "sure", False)]),
    },
)


@given(WIRE)
def test_an_operation_keeps_its_name_and_its_nodes(sent) -> None:
    try:
        operation = read(sent)
    except BadRequest:
        assert sent["op"].endswith(("bracket", "ignore", "reject"))
        return
    assert operation.op == sent["op"]
    assert set().union(*operation.nodes) <= {"n1", "w2", "n2"}
    assert read(sent).nodes == operation.nodes


def test_a_suggestion_of_no_node_is_refused_when_it_is_read() -> None:
    with pytest.raises(BadRequest):
        read({"op": "accept", "links": [("n1", "seven", "sure", False)]})


@pytest.mark.parametrize("op", ["link", "add", "unlink", "kind", "crossing", "reject"])
@pytest.mark.parametrize("ends", [("", "w1"), ("w1", ""), ("w1 w2", "w1")])
def test_one_link_is_between_two_nodes(op: str, ends: tuple[str, str]) -> None:
    sent = {"op": op, "s": ends[0], "t": ends[1], "layer": "proposal"}
    with pytest.raises(BadRequest, match="one node of each side"):
        read(sent)
