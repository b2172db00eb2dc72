"""One tree changed twice at once: nothing is overwritten."""

from itertools import pairwise
from uuid import uuid4

import pytest
from django.test import Client

from annotator.errors import StaleEdit
from annotator.models import Origin, TreeDraft
from annotator.services.parses import arc_drafts, drafts, gold, steps
from core.formats import ptb
from tests import cast as people
from tests.annotator.parses.test_arc_drafts import parsed
from tests.annotator.parses.test_tree_drafts import play, step, text, url

pytestmark = pytest.mark.django_db
# S NP DT NN VP VBD NP DT NN . : the numbers of the nodes of the cast's source
WINDOW = "(NP (DT the) (NN window))"


@pytest.fixture
def draft(cast) -> TreeDraft:
    return drafts.start(cast.pair.source, by=cast.bob)


def stale(draft: TreeDraft, op: str, *, rev: int = 0, **more) -> drafts.DraftStep:
    """A step that was made on the tree of a former revision."""
    sent = {"uuid": uuid4(), "base_rev": rev, "op": op} | more
    return drafts.DraftStep.read(sent, steps.tree_seen(draft, rev))


def test_a_step_on_a_former_tree_is_refused_with_the_present_one(draft) -> None:
    play(draft, "insert", first=1, last=1, label="NX")
    with pytest.raises(StaleEdit) as refused:
        drafts.play(draft, stale(draft, "delete", node=6), by=draft.author)
    facts = refused.value.facts
    assert facts["revision"] == facts["draft"]["revision"] == 1
    assert "(NX (NP (DT The)" in " ".join(facts["draft"]["text"].split())
    assert TreeDraft.objects.get().revision == 1


def test_a_step_sent_twice_counts_once_whatever_came_since(draft) -> None:
    sent = stale(draft, "delete", node=6)
    event = drafts.play(draft, sent, by=draft.author)
    play(draft, "relabel", node=1, label="NX")
    assert drafts.play(draft, sent, by=draft.author) == event
    assert TreeDraft.objects.get().revision == 2


def test_a_former_revision_is_found_again_whatever_was_done(draft) -> None:
    texts = [text(draft)]
    for op, more in (
        ("split_phrase", {"node": 3}),
        ("join_phrases", {"first": 1, "last": 3}),
        ("split", {"node": 8, "forms": ["win", "dow"]}),
        ("undo", {}),
    ):
        play(draft, op, **more)
        texts.append(text(draft))
    seen = [ptb.bracket(steps.tree_seen(draft, n)) for n in range(len(texts))]
    assert seen == texts
    assert all(a != b for a, b in pairwise(texts))


def sent(page, rev: int, **more) -> dict:
    gold_seen = page.context["gold"]
    return {"uuid": uuid4(), "base_rev": rev, "base": "", "gold": gold_seen} | more


def hidden(page) -> dict:
    """What the choice sends again."""
    return {name: str(value) for name, value in page.context["choice"]["sent"].items()}


def test_the_page_shows_the_tree_as_it_is_now(cast, client: Client) -> None:
    client.force_login(cast.bob)
    page = client.get(url(cast))
    client.post(url(cast), sent(page, 0, op="relabel", node=1, label="NX"))
    refused = client.post(url(cast), sent(page, 0, op="delete", node=6))
    body = " ".join(refused.content.decode().split())
    assert refused.status_code == 409
    assert "Your step was not applied" in body
    assert "(NX (DT The)" in body
    assert TreeDraft.objects.get().revision == 1


def test_brackets_that_were_typed_stay_in_their_field(cast, client: Client) -> None:
    client.force_login(cast.bob)
    page = client.get(url(cast))
    client.post(url(cast), sent(page, 0, op="relabel", node=1, label="NX"))
    typed = people.SOURCE.replace("VP", "VX")
    refused = client.post(url(cast), sent(page, 0, op="replace", text=typed))
    assert typed in refused.content.decode()


def test_two_curators_see_both_gold_trees_and_choose(cast, client: Client) -> None:
    cast.project.memberships.filter(user=cast.bob).update(role="manager")
    source = cast.pair.source
    client.force_login(cast.ada)
    page = client.get(url(cast))
    hers = client.post(url(cast), sent(page, 0, op="relabel", node=6, label="NZ"))
    his = drafts.start(source, by=cast.bob)
    drafts.play(his, step(his, "relabel", node=1, label="NX"), by=cast.bob)
    theirs = gold.save_as_gold(his, by=cast.bob, seen=page.context["gold"]).parse
    asked = client.post(url(cast), sent(page, 1, op="gold"))
    body = asked.content.decode()
    assert asked.status_code == 409
    assert "NX “The nurse”" in body
    assert "NZ “the window”" in body
    assert gold.gold_of(source) == theirs
    done = client.post(url(cast), hidden(asked) | {"op": "gold"}, follow=True)
    assert "This is the gold tree now" in done.content.decode()
    theirs.refresh_from_db()
    assert theirs.origin == Origin.FORMER
    assert hers.status_code == 302


def test_programs_get_what_is_there_and_go_on(cast, client: Client) -> None:
    client.force_login(cast.ada)
    code = cast.pair.source.code
    begun = client.post(f"/api/sentences/{code}/draft/", {}, "application/json").json()
    ops = f"/api/tree-drafts/{begun['code']}/ops/"

    def post(**more):
        sent = {"uuid": str(uuid4()), "base_rev": 0} | more
        return client.post(ops, sent, "application/json")

    post(op="insert", first=1, last=1, label="NX")
    refused = post(op="delete", node=6)
    error = refused.json()["error"]
    assert (refused.status_code, error["code"]) == (409, "stale_edit")
    assert error["facts"]["draft"]["revision"] == 1
    after = post(op="delete", node=7, base_rev=1).json()
    assert (after["revision"], "NX" in after["text"]) == (2, True)
    save = f"/api/tree-drafts/{begun['code']}/save/"
    wrong = client.post(save, {"role": "gold"}, "application/json").json()["error"]
    assert wrong["facts"]["gold"] == gold.gold_of(cast.pair.source).code
    assert wrong["facts"]["mine"]["text"] == after["text"]
    assert wrong["facts"]["theirs"]["nodes"][1]["label"] == "NP"


def test_two_curators_of_arcs_choose_too(cast) -> None:
    parsed(cast.pair.source)
    hers, his = (
        arc_drafts.start(cast.pair.source, by=who) for who in (cast.ada, cast.bob)
    )

    def played(draft: TreeDraft, **more) -> None:
        sent = {"uuid": uuid4(), "base_rev": draft.revision} | more
        made = arc_drafts.read_step(sent, draft.to_arcs())
        drafts.play(draft, made, by=draft.author)

    played(hers, op="relation", token=1, relation="nsubj")
    played(his, op="attach", token=3, head=2)
    cast.project.memberships.filter(user=cast.bob).update(role="manager")
    seen = gold.gold_of(cast.pair.source, "dependency").code
    theirs = gold.save_as_gold(his, by=cast.bob, seen=seen).parse
    with pytest.raises(StaleEdit) as refused:
        gold.save_as_gold(hers, by=cast.ada, seen=seen)
    assert refused.value.facts["theirs"]["arcs"][3]["head"] == 2
    saved = gold.save_as_gold(hers, by=cast.ada, seen=theirs.code).parse
    assert saved.to_deps().labels[1] == "nsubj"
