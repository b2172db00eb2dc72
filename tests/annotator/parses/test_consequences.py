"""The rest of a tree follows a person's step, and may be refused."""

from uuid import uuid4

import pytest
from django.test import Client

from annotator.models import TreeDraft
from annotator.services.parses import consequences, drafts
from core.formats import ptb
from tests import cast as people

pytestmark = pytest.mark.django_db
HIGH = (
    "(S (NP (PRP She)) (VP (VBD saw) (NP (DT a) (NN man))"
    " (PP (IN with) (NP (DT a) (NN hat)))) (. .))"
)
LOW = (
    "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT a) (NN man))"
    " (PP (IN with) (NP (DT a) (NN hat))))) (. .))"
)
MOVED = HIGH.replace("(NN man)) (PP", "(NN man) (PP").replace("hat)))) ", "hat))))) ")
TO_OBJECT = {"op": "move", "node": 8, "mother": 5}


@pytest.fixture
def draft(cast) -> TreeDraft:
    made = people.sentence(cast.corpus, "She saw a man with a hat .")
    people.parse(made, HIGH, engine="toy")
    people.forest(made, (0.0, HIGH), (-2.0, LOW), engine="toy")
    return drafts.start(made, by=cast.bob)


def step(draft: TreeDraft, **sent) -> drafts.DraftStep:
    sent = {"uuid": uuid4(), "base_rev": draft.revision} | sent
    return drafts.DraftStep.read(sent, draft.to_tree())


def play(draft: TreeDraft, **sent) -> str:
    consequences.play(draft, step(draft, **sent), by=draft.author)
    return TreeDraft.objects.get(pk=draft.pk).text


def test_one_attachment_and_the_rest_follows_as_a_step_of_its_own(draft) -> None:
    assert play(draft, **TO_OBJECT) == LOW
    ops = list(draft.events.values_list("op", flat=True))
    assert (ops, draft.revision) == (["move", "follow"], 2)
    brought = consequences.last_consequences(draft)
    tree = draft.to_tree()
    assert [(tree.labels[v], tree.spans[v]) for v in brought.came] == [("NP", (2, 4))]
    assert brought.gone == ()


def test_what_followed_is_refused_by_undo_and_does_not_come_again(draft) -> None:
    play(draft, **TO_OBJECT)
    assert play(draft, op="undo") == MOVED
    assert consequences.last_consequences(draft) == consequences.Consequences()
    play(draft, op="relabel", node=1, label="NX")
    assert draft.events.filter(op="follow").count() == 1
    assert (2, 4, "NP") in consequences.decisions(draft).barred
    play(draft, op="undo")
    assert play(draft, op="undo") == HIGH
    assert consequences.decisions(draft).fixed == frozenset()
    assert play(draft, op="redo") == MOVED


def test_the_sentence_is_parsed_again_under_my_fixes(draft) -> None:
    drafts.play(draft, step(draft, **TO_OBJECT), by=draft.author)
    sent = {"uuid": uuid4(), "base_rev": draft.revision}
    assert consequences.parse_again(draft, sent, by=draft.author)
    assert TreeDraft.objects.get(pk=draft.pk).text == LOW
    assert not consequences.parse_again(draft, sent, by=draft.author)
    assert play(draft, op="undo") == MOVED


def test_a_tag_leaves_the_doubt_of_its_phrase(draft) -> None:
    play(draft, op="relabel", node=4, label="VBN")
    assert consequences.decisions(draft).fixed == frozenset()


def test_a_page_without_the_switch_leaves_it_as_it_is(cast, client: Client) -> None:
    made = people.sentence(cast.corpus, "She slept .")
    people.parse(made, "(S (NP (PRP She)) (VP (VBD slept)) (. .))", engine="toy")
    client.force_login(cast.bob)
    url = f"/p/windows/sentence/{made.code}/tree/"
    page = client.get(url)
    sent = {"uuid": uuid4(), "base_rev": 0, "op": "relabel", "node": 1, "label": "NX"}
    assert client.post(url, sent, follow=True).status_code == 200
    assert not client.session.get("trees_stay", False)
    assert page.context["may_follow"] is False


def test_parts_of_a_joined_phrase_do_not_come_again(draft) -> None:
    joined = HIGH.replace(
        "(NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))",
        "(NP (DT a) (NN man) (IN with) (NP (DT a) (NN hat)))",
    )
    assert play(draft, op="join_phrases", first=5, last=8) == joined
    decided = consequences.decisions(draft)
    assert (2, 7, "NP") in decided.fixed
    assert {(2, 4, "NP"), (4, 7, "PP")} <= decided.barred
    play(draft, op="relabel", node=1, label="NX")
    assert "(NP (DT a) (NN man))" not in play(draft, op="undo")


def test_a_split_phrase_does_not_come_back_whole(draft) -> None:
    parted = HIGH.replace("(NP (DT a) (NN man))", "(NP (DT a)) (NP (NN man))")
    assert play(draft, op="split_phrase", node=7) == parted
    decided = consequences.decisions(draft)
    assert {(2, 3, "NP"), (3, 4, "NP")} <= decided.fixed
    assert (2, 4, "NP") in decided.barred
    assert play(draft, op="join_phrases", first=5) == HIGH
    assert (2, 4, "NP") in consequences.decisions(draft).fixed


def test_a_step_sent_twice_follows_once(draft) -> None:
    first = step(draft, **TO_OBJECT)
    events = [consequences.play(draft, first, by=draft.author) for _ in range(2)]
    assert events[0] == events[1]
    assert draft.events.count() == 2


def test_without_a_forest_nothing_follows(cast) -> None:
    draft = drafts.start(cast.pair.source, by=cast.bob)
    play(draft, op="relabel", node=1, label="NX")
    assert [event.op for event in draft.events.all()] == ["relabel"]


def test_the_parser_s_doubt_is_that_under_what_is_decided(draft) -> None:
    stored = consequences.forest_of(draft.sentence, draft.base)
    before = consequences.chances(
        draft.to_tree(), stored, consequences.decisions(draft)
    )
    assert before[5] == pytest.approx(1.0)  # both readings have the small NP
    play(draft, **TO_OBJECT)
    tree = draft.to_tree()
    after = consequences.chances(tree, stored, consequences.decisions(draft))
    assert min(after.values()) == pytest.approx(1.0)
    low = consequences.chances(ptb.parse_one(LOW), stored, consequences.Decisions())
    assert low[5] == pytest.approx(0.1192, abs=1e-4)  # e^-2 / (1 + e^-2)


def test_programs_ask_for_what_follows(draft, client: Client) -> None:
    client.force_login(draft.author)
    ops = f"/api/tree-drafts/{draft.code}/ops/"
    sent = {"uuid": str(uuid4()), "base_rev": 0, "follow": True} | TO_OBJECT
    after = client.post(ops, sent, "application/json").json()
    assert (after["revision"], after["undo"]) == (2, "follow")
    assert after["followed"] == [6]
    sent = {"uuid": str(uuid4()), "base_rev": 2, "op": "undo"}
    after = client.post(ops, sent, "application/json").json()
    assert (after["followed"], after["undo"]) == ([], "move")


def test_the_ledger_played_again_gives_the_tree(draft) -> None:
    play(draft, **TO_OBJECT)
    play(draft, op="undo")
    play(draft, op="redo")
    tree = ptb.parse_one(HIGH)
    for event in draft.events.all():
        tree = drafts.editing.read(event.done).on(tree).tree
    assert ptb.bracket(tree) == LOW
