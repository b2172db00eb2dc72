"""Nodes that a query names, relabelled in one step: the preview, the ledger, undo."""

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, Conflict, NotAllowed, StaleEdit
from annotator.models import (
    AlignmentLayer,
    Membership,
    Origin,
    TreeBatch,
    TreeDraft,
)
from annotator.services import jobs
from annotator.services.parses import drafts, gold
from annotator.services.treebanks import relabelling
from annotator.services.treebanks.relabelling import Order, planned
from core.data.alignment import Alignment, Link
from tests import cast as people
from tests.annotator.parses import test_retyping as retyping

pytestmark = pytest.mark.django_db
OBJECTS = Order("NP > VP", "OBJ")


def golds(cast) -> list[str]:
    both = (cast.pair.source, cast.pair.target)
    return [gold.gold_of(one).text for one in both]


def applied(cast, order: Order = OBJECTS) -> TreeBatch:
    seen = planned(cast.corpus, order, by=cast.ada).digest
    batch, job = relabelling.apply(cast.corpus, order, seen=seen, by=cast.ada)
    assert job is None
    return batch


def states(batch: TreeBatch) -> list[str]:
    return list(batch.trees.values_list("state", flat=True))


def relabel_by_hand(cast, sentence, node: int, label: str, *, by=None) -> None:
    by = by or cast.ada
    draft = drafts.start(sentence, by=by)
    sent = {"uuid": uuid4(), "base_rev": draft.revision, "op": "relabel"}
    sent |= {"node": node, "label": label}
    drafts.play(draft, drafts.DraftStep.read(sent, draft.to_tree()), by=by)


def test_a_plan_counts_what_goes_where_and_writes_nothing(cast) -> None:
    plan = planned(cast.corpus, Order("NP|PP", "XP"), by=cast.ada)
    assert plan.pairs == {("NP", "XP"): 4, ("PP", "XP"): 1}
    assert [one.labels for one in plan.changes] == [
        ((1, "XP"), (6, "XP")), ((1, "XP"), (8, "XP"), (10, "XP")),
    ]  # fmt: skip
    assert not TreeDraft.objects.exists()
    assert golds(cast) == [people.SOURCE, people.TARGET]


def test_a_batch_is_one_step_a_sentence_in_the_ledger_and_gold(cast) -> None:
    batch = applied(cast, Order("NP", "NX"))
    assert golds(cast) == [
        text.replace("NP", "NX") for text in (people.SOURCE, people.TARGET)
    ]
    row = batch.trees.select_related("event").first()
    assert row.event.op == "relabel_all"
    assert row.event.by == cast.ada
    assert row.before.text == people.SOURCE
    assert row.before.origin == Origin.FORMER
    assert [draft.events.count() for draft in TreeDraft.objects.all()] == [1, 1]


def test_one_click_takes_the_whole_batch_back(cast) -> None:
    batch = applied(cast, Order("NP", "NX"))
    assert relabelling.undo(batch, by=cast.ada) is None
    assert golds(cast) == [people.SOURCE, people.TARGET]
    assert states(batch) == ["undone", "undone"]
    assert [d.text for d in TreeDraft.objects.all()] == [people.SOURCE, people.TARGET]
    with pytest.raises(Conflict, match="already undone"):
        relabelling.undo(batch, by=cast.ada)


def test_what_was_changed_since_stays_and_is_named(cast) -> None:
    batch = applied(cast, Order("NP", "NX"))
    relabel_by_hand(cast, cast.pair.source, 4, "VX")
    draft = TreeDraft.objects.get(sentence=cast.pair.source)
    seen = gold.gold_of(cast.pair.source).code
    gold.save_as_gold(draft, by=cast.ada, seen=seen)
    relabelling.undo(batch, by=cast.ada)
    kept, undone = batch.trees.order_by("pk")
    assert (kept.state, kept.note) == (
        "kept", "Another gold tree was saved in the meantime by ada.",
    )  # fmt: skip
    assert undone.state == "undone"
    first, second = golds(cast)
    assert "NX" in first
    assert "VX" in first
    assert second == people.TARGET


def test_another_manager_undoes_it_and_no_draft_of_mine_is_touched(cast) -> None:
    batch = applied(cast)
    Membership.objects.filter(user=cast.bob).update(role="manager")
    relabelling.undo(batch, by=cast.bob)
    assert golds(cast) == [people.SOURCE, people.TARGET]
    assert "OBJ" in TreeDraft.objects.get().text


def test_gold_links_of_relabelled_phrases_stay_on_them(cast) -> None:
    layer = people.layer(cast.pair)
    links = Alignment((Link("n1", "n10"), Link("n6", "n1"))).to_json()
    AlignmentLayer.objects.filter(pk=layer.pk).update(links=links)
    batch = applied(cast, Order("NP", "NX"))
    layer.refresh_from_db()
    assert layer.source_parse.text == golds(cast)[0]
    assert layer.to_core() == Alignment.from_json(links)
    assert not layer.parked
    relabelling.undo(batch, by=cast.ada)
    layer.refresh_from_db()
    assert layer.source_parse.text == people.SOURCE
    assert layer.to_core() == Alignment.from_json(links)


def test_a_draft_with_unsaved_steps_is_never_written_over(cast) -> None:
    relabel_by_hand(cast, cast.pair.source, 4, "VX")
    batch = applied(cast, Order("NP", "NX"))
    left, done = batch.trees.order_by("pk")
    assert left.state == "left"
    assert "unsaved draft of this sentence" in left.note
    assert done.state == "done"
    assert "VX" in TreeDraft.objects.get(sentence=cast.pair.source).text


def test_a_parsers_tree_becomes_gold_only_if_that_is_wanted(cast) -> None:
    made = people.sentence(cast.corpus, "Doors open")
    people.parse(made, "(S (NP (NNS Doors)) (VP (VBP open)))", engine="cky")
    order = Order("NP > S <: NNS", "NX")
    plan = planned(cast.corpus, order, by=cast.ada)
    assert not plan.changes
    assert sum(plan.left.values()) == 1
    batch = applied(cast, Order(order.query, "NX", with_parsed=True))
    assert gold.gold_of(made).text == "(S (NX (NNS Doors)) (VP (VBP open)))"
    relabelling.undo(batch, by=cast.ada)
    assert gold.gold_of(made) is None
    assert made.parses.get(origin=Origin.ENGINE).text.startswith("(S (NP")


def test_a_named_node_and_what_follows_the_category(cast) -> None:
    made = people.sentence(cast.corpus, "Doors open")
    people.parse(made, "(S (NP-SBJ (NNS Doors)) (VP (VBP open)))")
    order = Order("S < @NP=subject < (VP <: VBP)", "NX", "subject", True)
    plan = planned(cast.corpus, order, by=cast.ada)
    assert plan.pairs == {("NP-SBJ", "NX-SBJ"): 1}
    with pytest.raises(BadRequest, match="called 'x'"):
        planned(cast.corpus, Order("NP", "NX", "x"), by=cast.ada)


@pytest.mark.parametrize(
    ("order", "said"),
    [
        (Order("NP", "N X"), "is not a command"),
        (Order("NP", ""), "is not a label"),
        (Order("[upos=VERB]", "V"), "dependency arcs"),
        (Order("door|nurse", "V"), "is a word"),
        (Order("NP <", "V"), "Column"),
    ],
)
def test_what_cannot_be_relabelled_is_refused_with_its_reason(
    cast, order: Order, said: str
) -> None:
    with pytest.raises(BadRequest, match=said):
        planned(cast.corpus, order, by=cast.ada)


def test_nothing_is_done_that_the_preview_did_not_show(cast) -> None:
    seen = planned(cast.corpus, OBJECTS, by=cast.ada).digest
    relabel_by_hand(cast, cast.pair.source, 6, "NZ")
    gold.save_as_gold(
        TreeDraft.objects.get(),
        by=cast.ada,
        seen=gold.gold_of(cast.pair.source).code,
    )
    with pytest.raises(StaleEdit):
        relabelling.apply(cast.corpus, OBJECTS, seen=seen, by=cast.ada)
    assert not TreeBatch.objects.exists()


def test_managers_alone_plan_apply_and_undo(cast) -> None:
    batch = applied(cast)
    for role in ("curator", "annotator", "viewer"):
        Membership.objects.filter(user=cast.bob).update(role=role)
        with pytest.raises(NotAllowed):
            planned(cast.corpus, OBJECTS, by=cast.bob)
        with pytest.raises(NotAllowed):
            relabelling.undo(batch, by=cast.bob)


def test_what_takes_longer_is_a_job_that_goes_on_where_it_was(
    cast, monkeypatch, django_capture_on_commit_callbacks
) -> None:
    monkeypatch.setattr(relabelling, "AT_ONCE_S", -1.0)
    order = Order("NP", "NX")
    seen = planned(cast.corpus, order, by=cast.ada).digest
    batch, job = relabelling.apply(cast.corpus, order, seen=seen, by=cast.ada)
    assert states(batch) == ["done", "waiting"]
    with pytest.raises(Conflict, match="still being applied"):
        relabelling.undo(batch, by=cast.ada)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == ("done", 1, 1)
    assert job.result["done"] == 2
    assert "NP" not in golds(cast)[1]
    jobs.run(relabelling.undo(batch, by=cast.ada).pk)
    assert golds(cast) == [people.SOURCE, people.TARGET]


def test_a_batch_whose_job_was_cancelled_can_be_undone(cast, monkeypatch) -> None:
    monkeypatch.setattr(relabelling, "AT_ONCE_S", -1.0)
    order = Order("NP", "NX")
    seen = planned(cast.corpus, order, by=cast.ada).digest
    batch, job = relabelling.apply(cast.corpus, order, seen=seen, by=cast.ada)
    jobs.cancel(job, by=cast.ada)
    assert relabelling.undo(batch, by=cast.ada) is None
    assert states(batch) == ["undone", "left"]
    assert golds(cast) == [people.SOURCE, people.TARGET]


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_the_page_shows_before_and_after_and_does_it(cast) -> None:
    client = client_of(cast.ada)
    url = reverse("relabel", args=["windows", cast.corpus.code])
    page = client.get(url, {"q": "NP > VP", "label": "OBJ"}).content.decode()
    assert "1 node in 1 sentence" in page
    assert page.count("<svg") == 2
    seen = planned(cast.corpus, OBJECTS, by=cast.ada).digest
    sent = {"q": "NP > VP", "label": "OBJ", "seen": seen}
    answer = client.post(url, sent, follow=True)
    assert "Undo all" in answer.content.decode()
    assert "(OBJ (DT the) (NN window))" in golds(cast)[0]
    again = client.post(answer.redirect_chain[-1][0], follow=True).content.decode()
    assert "as they were before: 1" in again
    assert golds(cast)[0] == people.SOURCE
    assert client.post(url, sent | {"seen": "0" * 32}).status_code == 409


def test_the_page_is_for_managers_of_the_project(cast) -> None:
    url = reverse("relabel", args=["windows", cast.corpus.code])
    batch = reverse("relabelled", args=["windows", applied(cast).code])
    assert client_of(cast.bob).get(url).status_code == 403
    assert client_of(cast.bob).post(batch).status_code == 403
    assert client_of(cast.cyd).get(url).status_code == 404
    assert client_of(cast.cyd).get(batch).status_code == 404


def test_programs_plan_apply_and_undo(cast) -> None:
    client = client_of(cast.ada)
    url = f"/api/corpora/{cast.corpus.code}/relabel/"
    sent = {"query": "NP > VP", "label": "OBJ"}
    plan = client.post(url, sent, "application/json").json()
    assert plan["batch"] is None
    assert plan["pairs"] == [{"before": "NP", "after": "OBJ", "nodes": 1}]
    assert golds(cast)[0] == people.SOURCE
    sent["seen"] = plan["digest"]
    done = client.post(url, sent, "application/json").json()["batch"]
    assert (done["counts"]["done"], done["job"]) == (1, None)
    undo = f"/api/tree-batches/{done['code']}/undo/"
    assert client_of(cast.bob).post(undo).status_code == 403
    assert client_of(cast.cyd).post(undo).status_code == 404
    assert client.post(undo).json()["counts"]["undone"] == 1
    assert client.get(f"/api/tree-batches/{done['code']}/").json()["undone_at"]
    assert client.post(url, sent | {"seem": 1}, "application/json").status_code == 400


def test_a_parsers_tree_of_before_a_word_was_typed_anew_gets_the_word(cast) -> None:
    """The sentence has gold arcs alone, which brought it the word."""
    AlignmentLayer.objects.all().delete()
    gold.gold_of(cast.pair.source).delete()
    people.parse(cast.pair.source, people.SOURCE, engine="toy")
    retyping.gold_arcs(cast)
    arcs = retyping.begin(cast, cast.ada, kind=retyping.DEPS)
    retyping.retype(arcs, "doctor")
    retyping.save(arcs, cast.ada)
    cast.pair.source.refresh_from_db()
    batch = applied(cast, Order("NP > VP", "OBJ", with_parsed=True))
    assert states(batch) == ["done"]
    assert gold.gold_of(cast.pair.source).to_tree().words[1] == "doctor"
    assert "(OBJ (DT the)" in golds(cast)[0]


@pytest.mark.parametrize("steps", [0, 1])
def test_a_draft_of_before_a_word_was_typed_anew_is_no_hindrance(cast, steps) -> None:
    early = retyping.begin(cast, cast.ada)
    if steps:
        retyping.play(early, "relabel", node=1, label="NX")
        gold.save(early, by=cast.ada)
    Membership.objects.filter(user=cast.bob).update(role="curator")
    theirs = retyping.begin(cast, cast.bob)
    retyping.retype(theirs, "doctor")
    retyping.save(theirs, cast.bob)
    batch = applied(cast)
    assert (states(batch), batch.trees.get().note) == (["done"], "")
    assert golds(cast)[0] == people.SOURCE.replace("nurse", "doctor").replace(
        "(NP (DT the)", "(OBJ (DT the)"
    )
    cast.pair.source.refresh_from_db()
    assert cast.pair.source.forms[1] == "doctor"
    relabelling.undo(batch, by=cast.ada)
    assert golds(cast)[0] == people.SOURCE.replace("nurse", "doctor")


def test_a_word_typed_in_a_draft_of_mine_does_not_come_with_a_batch(cast) -> None:
    mine = retyping.begin(cast, cast.ada)
    retyping.retype(mine, "doctor")
    own = gold.save(mine, by=cast.ada).parse
    batch = applied(cast)
    assert (states(batch), batch.trees.get().note) == (["done"], "")
    assert "nurse" in golds(cast)[0]
    assert "(OBJ (DT the)" in golds(cast)[0]
    own.refresh_from_db()
    assert own.to_tree().words[1] == "doctor"


def test_trees_are_rewritten_at_every_match_and_taken_back_as_a_whole(cast) -> None:
    order = Order("VP=v < (NP=x)", "move x under s; relabel v VX")
    with pytest.raises(BadRequest, match="called 's'"):
        planned(cast.corpus, order, by=cast.ada)
    order = Order("S=s < (VP=v < NP=x)", "delete v; relabel x NX")
    plan = planned(cast.corpus, order, by=cast.ada)
    assert [len(one.labels) for one in plan.changes] == [2]
    batch = applied(cast, order)
    assert golds(cast)[0] == people.SOURCE.replace(
        "(VP (VBD opened) (NP (DT the) (NN window)))",
        "(VBD opened) (NX (DT the) (NN window))",
    )
    relabelling.undo(batch, by=cast.ada)
    assert golds(cast) == [people.SOURCE, people.TARGET]


def test_drafts_alone_are_rewritten_and_taken_back(cast) -> None:
    batch = applied(cast, Order("NP=x > VP", "insert NQ x", as_drafts=True))
    assert golds(cast) == [people.SOURCE, people.TARGET]
    draft = TreeDraft.objects.get(sentence=cast.pair.source)
    assert "(NQ (NP (DT the) (NN window)))" in draft.text
    relabelling.undo(batch, by=cast.ada)
    draft.refresh_from_db()
    assert (draft.text, set(states(batch))) == (people.SOURCE, {"undone"})


def test_a_draft_that_was_changed_since_stays(cast) -> None:
    batch = applied(cast, Order("NP=x > VP", "insert NQ x", as_drafts=True))
    relabel_by_hand(cast, cast.pair.source, 1, "NZ")
    relabelling.undo(batch, by=cast.ada)
    assert "kept" in states(batch)


def test_commands_that_cannot_be_read_are_refused_at_their_field(cast) -> None:
    with pytest.raises(BadRequest, match="not a command") as refused:
        planned(cast.corpus, Order("NP=x", "fold x y"), by=cast.ada)
    assert refused.value.facts["field"] == "label"
