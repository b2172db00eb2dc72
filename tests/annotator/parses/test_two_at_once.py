"""One tree changed twice at once: both states are shown, and a choice goes on."""

from itertools import pairwise
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import Conflict, StaleEdit
from annotator.models import Origin, TreeDraft
from annotator.services.parses import arc_drafts, drafts, gold, steps
from annotator.services.treebanks import comparing
from core.formats import ptb
from core.trees import editing
from tests import cast as people
from tests.annotator.parses.test_arc_drafts import LINES, MENDED, parsed
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


def test_both_states_are_in_the_refusal(draft) -> None:
    play(draft, "insert", first=1, last=1, label="NX")
    with pytest.raises(StaleEdit) as refused:
        drafts.play(draft, stale(draft, "delete", node=6), by=draft.author)
    facts = refused.value.facts
    assert facts["revision"] == facts["draft"]["revision"] == 1
    assert [one["op"] for one in facts["theirs"]] == ["insert"]
    assert facts["mine"]["done"] == {"op": "delete", "node": 6}
    flat = people.SOURCE.replace(WINDOW, "(DT the) (NN window)")
    assert " ".join(facts["mine"]["text"].split()) == flat
    both = flat.replace("(NP (DT The) (NN nurse))", "(NX (NP (DT The) (NN nurse)))")
    assert " ".join(facts["on_top"]["text"].split()) == both


def test_mine_goes_on_top_with_its_nodes_found_again(draft) -> None:
    play(draft, "insert", first=1, last=1, label="NX")
    sent = stale(draft, "delete", node=6, onto=1)
    event = drafts.play(draft, sent, by=draft.author)
    assert drafts.play(draft, sent, by=draft.author) == event
    assert event.done["node"] == 7
    assert "(NX (NP (DT The)" in text(draft)
    assert WINDOW not in text(draft)
    play(draft, "undo")
    assert WINDOW in text(draft)


def test_a_choice_is_asked_again_where_a_third_step_came_between(draft) -> None:
    play(draft, "relabel", node=1, label="NX")
    play(draft, "relabel", node=1, label="NY")
    with pytest.raises(StaleEdit) as refused:
        drafts.play(draft, stale(draft, "delete", node=6, onto=1), by=draft.author)
    assert [one["revision"] for one in refused.value.facts["theirs"]] == [1, 2]


@pytest.mark.parametrize(
    ("theirs", "mine", "why"),
    [
        ({"op": "delete", "node": 6}, {"op": "relabel", "node": 6, "label": "X"},
         "NP “the window” is not there any more"),
        ({"op": "move", "node": 6, "mother": 0}, {"op": "insert", "first": 5, "last": 6,
         "label": "X"}, "not side by side"),
        ({"op": "split", "node": 8, "forms": ["win", "dow"]},
         {"op": "retype", "node": 8, "form": "door"}, "“window” is not there any more"),
        ({"op": "split_phrase", "node": 8}, {"op": "move", "node": 6, "mother": 0},
         "NP “the window” is not there any more"),
        ({"op": "retype", "node": 8, "form": "door"}, {"op": "undo"},
         "no longer the last one"),
        ({"op": "retype", "node": 8, "form": "door"},
         {"op": "replace", "text": people.SOURCE}, "stands on other words"),
        ({"op": "delete", "node": 4}, {"op": "move", "node": 1, "mother": 4},
         "is not there any more"),
    ],
)  # fmt: skip
def test_what_does_not_apply_any_more_says_why(draft, theirs, mine, why) -> None:
    play(draft, **theirs)
    with pytest.raises(StaleEdit) as refused:
        drafts.play(draft, stale(draft, **mine), by=draft.author)
    assert why in refused.value.facts["on_top"]["why"]
    before = text(draft)
    with pytest.raises(Conflict, match=r"any more|no longer|other words"):
        drafts.play(draft, stale(draft, **mine, onto=1), by=draft.author)
    assert text(draft) == before


@pytest.mark.parametrize(
    "mine",
    [
        {"op": "relabel", "node": 6, "label": "X"},
        {"op": "delete", "node": 6},
        {"op": "insert", "first": 7, "last": 8, "label": "X"},
        {"op": "move", "node": 6, "mother": 0},
        {"op": "split_phrase", "node": 8},
        {"op": "retype", "node": 8, "form": "door"},
        {"op": "split", "node": 8, "forms": ["win", "dow"]},
        {"op": "replace", "text": people.SOURCE.replace("NP", "NZ")},
    ],
)
def test_every_step_goes_on_top_of_what_is_elsewhere(draft, mine) -> None:
    play(draft, "insert", first=1, last=1, label="NX")
    event = drafts.play(draft, stale(draft, **mine, onto=1), by=draft.author)
    alone = editing.read(event.done).on(ptb.parse_one(people.SOURCE)) if (
        mine["op"] in ("retype", "split", "replace")
    ) else None  # fmt: skip
    assert alone is None or alone.tree.words == draft.to_tree().words
    tree = ptb.parse_one(people.SOURCE)
    for one in draft.events.order_by("revision"):
        tree = editing.read(one.done).on(tree).tree
    assert tree == draft.to_tree()
    play(draft, "undo")
    play(draft, "undo")
    assert text(draft) == people.SOURCE


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


def test_arcs_go_on_top_and_say_why_not(cast) -> None:
    parsed(cast.pair.source)
    draft = arc_drafts.start(cast.pair.source, by=cast.bob)

    def played(rev: int, **sent):
        sent = {"uuid": uuid4(), "base_rev": rev} | sent
        step = arc_drafts.read_step(sent, steps.tree_seen(draft, rev))
        drafts.play(draft, step, by=cast.bob)

    played(0, op="split", token=0, forms=["Th", "e"])
    with pytest.raises(StaleEdit) as refused:
        played(0, op="relation", token=1, relation="nsubj")
    facts = refused.value.facts
    assert facts["mine"]["text"] == MENDED
    assert facts["on_top"]["arcs"][2]["relation"] == "nsubj"
    with pytest.raises(StaleEdit) as refused:
        played(0, op="retype", token=0, form="A")
    assert "“The” is not there any more" in refused.value.facts["on_top"]["why"]
    played(0, op="relation", token=1, relation="nsubj", onto=1)
    drafts.play(draft, drafts.DraftStep(uuid4(), 2, "undo"), by=cast.bob)
    drafts.play(draft, drafts.DraftStep(uuid4(), 3, "undo"), by=cast.bob)
    assert TreeDraft.objects.get(pk=draft.pk).text == LINES


def sent(page, rev: int, **more) -> dict:
    gold_seen = page.context["gold"]
    return {"uuid": uuid4(), "base_rev": rev, "base": "", "gold": gold_seen} | more


def hidden(page) -> dict:
    """What the choice sends again."""
    return {name: str(value) for name, value in page.context["choice"]["sent"].items()}


def test_the_page_asks_and_does_what_is_chosen(cast, client: Client) -> None:
    client.force_login(cast.bob)
    page = client.get(url(cast))
    client.post(url(cast), sent(page, 0, op="relabel", node=1, label="NX"))
    asked = client.post(url(cast), sent(page, 0, op="delete", node=6))
    body = " ".join(asked.content.decode().split())
    assert asked.status_code == 409
    assert "NP “The nurse” gets the label NX" in body
    assert "NP “the window” is removed" in body
    assert TreeDraft.objects.get().revision == 1
    again = hidden(asked) | {"op": "delete"}
    page = client.post(url(cast), again, follow=True)
    assert "choice" not in page.context
    assert WINDOW not in TreeDraft.objects.get().text
    assert "(NX (DT The)" in TreeDraft.objects.get().text
    stale = client.post(url(cast), sent(page, 0, op="relabel", node=6, label="X"))
    assert "is not there any more" in stale.content.decode()
    kept = client.post(url(cast), hidden(stale) | {"op": "keep"}, follow=True)
    assert "Theirs is kept" in kept.content.decode()
    assert TreeDraft.objects.get().revision == 2


def test_brackets_that_were_typed_outlast_the_choice(cast, client: Client) -> None:
    client.force_login(cast.bob)
    page = client.get(url(cast))
    client.post(url(cast), sent(page, 0, op="relabel", node=1, label="NX"))
    typed = people.SOURCE.replace("VP", "VX")
    asked = client.post(url(cast), sent(page, 0, op="replace", text=typed))
    assert typed in asked.content.decode()
    kept = client.post(url(cast), hidden(asked) | {"op": "keep"})
    assert typed in kept.content.decode()
    client.post(url(cast), hidden(asked) | {"op": "replace"})
    assert TreeDraft.objects.get().text == typed


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


def test_programs_get_both_states_and_go_on(cast, client: Client) -> None:
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
    facts = error["facts"]
    assert facts["theirs"][0]["done"]["label"] == "NX"
    after = post(op="delete", node=6, onto=facts["revision"]).json()
    assert after["text"] == facts["on_top"]["text"]
    assert after["nodes"] == facts["on_top"]["nodes"]
    save = f"/api/tree-drafts/{begun['code']}/save/"
    wrong = client.post(save, {"role": "gold"}, "application/json").json()["error"]
    assert wrong["facts"]["gold"] == gold.gold_of(cast.pair.source).code
    assert wrong["facts"]["mine"]["text"] == after["text"]
    assert wrong["facts"]["theirs"]["nodes"][1]["label"] == "NP"


def test_programs_put_their_steps_on_another_gold_tree(cast, client: Client) -> None:
    cast.project.memberships.filter(user=cast.bob).update(role="manager")
    hers = drafts.start(cast.pair.source, by=cast.ada)
    drafts.play(hers, step(hers, "relabel", node=6, label="NY"), by=cast.ada)
    his = drafts.start(cast.pair.source, by=cast.bob)
    drafts.play(his, step(his, "relabel", node=1, label="NX"), by=cast.bob)
    seen = gold.gold_of(cast.pair.source).code
    theirs = gold.save_as_gold(his, by=cast.bob, seen=seen).parse
    client.force_login(cast.ada)
    there = f"/api/tree-drafts/{hers.code}/on-gold/"
    sent = {"uuid": str(uuid4()), "base_rev": 1, "gold": seen}
    refused = client.post(there, sent, "application/json")
    assert refused.status_code == 409
    sent["gold"] = refused.json()["error"]["facts"]["gold"]
    made = client.post(there, sent, "application/json").json()
    assert made == {"done": 1, "left": [], "is_typed": False, "revision": 3}
    assert text(hers) == theirs.text.replace("(NP (DT the)", "(NY (DT the)")
    client.force_login(cast.bob)
    assert client.post(there, sent, "application/json").status_code == 404


def test_arcs_ask_on_their_page(cast, client: Client) -> None:
    parsed(cast.pair.source)
    client.force_login(cast.bob)
    there = reverse("arcs_edit", args=["windows", cast.pair.source.code])
    page = client.get(there)
    client.post(there, sent(page, 0, op="attach", node=3, other=2))
    asked = client.post(there, sent(page, 0, op="relation", node=1, label="nsubj"))
    body = " ".join(asked.content.decode().split())
    assert asked.status_code == 409
    assert "“the” attaches to “opened”" in body
    assert "“nurse” gets the relation nsubj" in body
    client.post(there, hidden(asked) | {"op": "relation"})
    now = TreeDraft.objects.get().to_arcs().deps
    assert (now.heads[3], now.labels[1]) == (2, "nsubj")


def test_my_steps_go_on_top_of_another_gold_tree(cast, client: Client) -> None:
    cast.project.memberships.filter(user=cast.bob).update(role="manager")
    source = cast.pair.source
    client.force_login(cast.ada)
    page = client.get(url(cast))
    for rev, more in enumerate((
        {"op": "relabel", "node": 6, "label": "NZ"}, {"op": "undo"},
        {"op": "relabel", "node": 6, "label": "NY"}, {"op": "delete", "node": 1},
    )):  # fmt: skip
        client.post(url(cast), sent(page, rev, **more))
    his = drafts.start(source, by=cast.bob)
    drafts.play(his, step(his, "delete", node=1), by=cast.bob)
    theirs = gold.save_as_gold(his, by=cast.bob, seen=page.context["gold"]).parse
    asked = client.post(url(cast), sent(page, 4, op="gold"))
    again = hidden(asked) | {"op": "put_on_gold"}
    page = client.post(url(cast), again, follow=True)
    body = " ".join(page.content.decode().split())
    assert "You have 1 unsaved step on top of the gold tree" in body
    assert "NP “The nurse” is not there any more" in body
    draft = TreeDraft.objects.get(author=cast.ada)
    assert draft.text == theirs.text.replace("(NP (DT the)", "(NY (DT the)")
    assert gold.gold_of(source) == theirs
    client.post(url(cast), again)  # sent twice it counts once
    assert TreeDraft.objects.get(pk=draft.pk).revision == draft.revision
    tree = ptb.parse_one(people.SOURCE)
    for event in draft.events.order_by("revision"):
        tree = editing.read(event.done).on(tree).tree
    assert ptb.bracket(tree) == draft.text
    for _ in range(2):
        play(draft, "undo")
    flat = "(DT The) (NN nurse)"
    mine = people.SOURCE.replace(f"(NP {flat})", flat)
    assert text(draft) == mine.replace("(NP (DT the)", "(NY (DT the)")


def test_my_arcs_go_on_top_of_other_gold_arcs(cast) -> None:
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
    with pytest.raises(StaleEdit):
        comparing.put_on_gold(hers, by=cast.ada, seen=seen, base_rev=1, uuid=uuid4())
    rest = {"seen": theirs.code, "base_rev": 1, "uuid": uuid4()}
    assert comparing.put_on_gold(hers, by=cast.ada, **rest).done == 1
    deps = hers.to_arcs().deps
    assert (deps.heads[3], deps.labels[1]) == (2, "nsubj")
