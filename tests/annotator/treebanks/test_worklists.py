"""Worklists: what is handed out to whom, in which order, and what is kept."""

from collections import Counter
from uuid import uuid4

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, Frozen, NotAllowed
from annotator.models import (
    AlignmentLayer,
    JointPair,
    Membership,
    Origin,
    PackedForest,
    Parse,
    Sentence,
    TreeChange,
    Worklist,
    WorkShare,
)
from annotator.services.parses import drafts
from annotator.services.treebanks import worklists
from annotator.services.treebanks.worklists import Wanted
from core.data.alignment import Alignment, Link
from core.formats import forest_npz
from tests import cast as people
from tests.annotator import joint_cast
from tests.oracles.strategies import ambiguous_forest

pytestmark = pytest.mark.django_db
LINES = ("Tea", "Tea is hot", "Rain", "The door of the house is open")


@pytest.fixture
def treebank(cast):
    """Bob, Dan and Eve annotate six sentences; two are of the cast's pair."""
    for name in ("dan", "eve"):
        user = people.person(name)
        setattr(cast, name, user)
        Membership.objects.create(project=cast.project, user=user, role="annotator")
    for words in LINES:
        made = people.sentence(cast.corpus, words)
        people.parse(made, "(S " + " ".join(f"(X {w})" for w in words.split()) + ")")
    return cast


def made(cast, **more) -> Worklist:
    given = {"name": "First", "unit": "tree", "ranking": "shortest"}
    wanted = Wanted(**given | {"people": ("bob", "dan", "eve")} | more)
    return worklists.make(cast.corpus, wanted, by=cast.ada)


def texts(worklist: Worklist) -> list[str]:
    return [one.sentence.text for one in worklist.items.select_related("sentence")]


def edit(sentence: Sentence, user, label: str) -> None:
    draft = drafts.start(sentence, by=user)
    sent = {"uuid": uuid4(), "base_rev": draft.revision, "op": "relabel"}
    sent |= {"node": 0, "label": label}
    drafts.play(draft, drafts.DraftStep.read(sent, draft.to_tree()), by=user)


def test_length_and_size_make_the_list(treebank) -> None:
    assert texts(made(treebank, size=3)) == ["Tea", "Rain", "Tea is hot"]
    assert texts(made(treebank, ranking="longest", size=1)) == [
        "The window was opened by the nurse ."
    ]


def test_a_query_makes_the_list(treebank) -> None:
    assert texts(made(treebank, query="X < Tea")) == ["Tea", "Tea is hot"]
    pairs = made(treebank, query="VP << VBN", unit="pair")
    assert [one.pair for one in pairs.items.all()] == [treebank.pair]
    with pytest.raises(BadRequest, match="has no matches"):
        made(treebank, query="QP")
    with pytest.raises(BadRequest, match="Column"):
        made(treebank, query="NP <")


def test_the_same_seed_gives_the_same_order(treebank) -> None:
    orders = [texts(made(treebank, ranking="random", seed=n)) for n in (1, 1, 2, 3, 4)]
    assert orders[0] == orders[1]
    assert len({tuple(one) for one in orders}) > 1
    assert all(sorted(one) == sorted(orders[0]) for one in orders)


def test_where_people_disagree_comes_first(treebank) -> None:
    sentence = Sentence.objects.get(text="The door of the house is open")
    words = sentence.forms
    for user, cut in ((treebank.bob, 2), (treebank.dan, 3)):
        inner = " ".join(f"(X {w})" for w in words[:cut])
        rest = " ".join(f"(X {w})" for w in words[cut:])
        text = f"(S (A {inner}) (B {rest}))"
        Parse.objects.create(
            sentence=sentence, kind="constituency", origin=Origin.ANNOTATOR,
            author=user, text=text, digest=Sentence.key_of(text), version=str(user.pk),
        )  # fmt: skip
    first = made(treebank, ranking="disagreement").items.first()
    assert first.sentence == sentence
    assert first.value == pytest.approx(1 - 1 / 3)  # the whole is one of three


def test_the_tree_that_the_parser_is_least_sure_of_comes_first(treebank) -> None:
    made_of = people.sentence(treebank.corpus, "a b c")
    people.parse(made_of, "(S (A (X a) (X b)) (X c))", engine="toy")
    forest, weights = ambiguous_forest()
    data = forest_npz.dump(forest, weights)
    PackedForest.objects.create(sentence=made_of, engine="toy", version="", data=data)
    first, second, *_ = made(treebank, ranking="uncertainty").items.all()
    assert first.sentence == made_of
    derivations = np.exp([0.5 + 1.0, 0.75 + 0.25, 2.0])  # what differs between them
    of_a = derivations[0] / derivations.sum()
    assert first.value == pytest.approx((1 - of_a) / 3)  # a word; S is certain
    assert second.value is None


def test_pairs_are_ranked_by_the_aligners_doubt_and_by_links(treebank) -> None:
    other = people.pair(treebank.corpus, "(S (A a))", "(S (B b))")
    AlignmentLayer.objects.create(
        pair=other, origin=Origin.ENGINE, engine="x", slot="e", doubt=2.5
    )
    ranked = made(treebank, ranking="uncertainty", unit="pair").items
    values = [(one.pair, one.value) for one in ranked.all()]
    assert values == [(other, 2.5), (treebank.pair, None)]
    for user, links in ((treebank.bob, ("w0", "w1")), (treebank.dan, ("w0",))):
        layer, _ = AlignmentLayer.objects.get_or_create(
            pair=treebank.pair, origin=Origin.ANNOTATOR, author=user,
            defaults={"slot": user.username},
        )  # fmt: skip
        made_of = Alignment(tuple(Link(one, one) for one in links)).to_json()
        AlignmentLayer.objects.filter(pk=layer.pk).update(links=made_of, revision=1)
    first = made(treebank, ranking="disagreement", unit="pair").items.first()
    assert (first.pair, first.value) == (treebank.pair, pytest.approx(1 / 3))


def test_where_the_last_joint_parse_differs_most_comes_first(treebank) -> None:
    alike = people.pair(treebank.corpus, "(S (A a))", "(S (B b))")
    before = joint_cast.run(treebank, "Before")  # is not looked at
    result = JointPair.objects.create(run=before, pair=treebank.pair)
    TreeChange.objects.create(run=before, result=result, side="s", start=0, end=1)
    last = joint_cast.ledger(treebank)
    JointPair.objects.create(run=last, pair=alike)
    differing = joint_cast.pair(treebank)
    of_pairs = made(treebank, ranking="joint", unit="pair").items.all()
    assert [(one.pair, one.value) for one in of_pairs] == [
        (differing, pytest.approx(3 / 13)),
        (alike, 0.0),
        (treebank.pair, None),
    ]
    of_trees = made(treebank, ranking="joint").items.all()
    assert [(one.sentence, one.value) for one in of_trees][:4] == [
        (differing.source, pytest.approx(2 / 6)),
        (differing.target, pytest.approx(1 / 7)),
        (alike.source, 0.0),
        (alike.target, 0.0),
    ]
    assert {one.value for one in of_trees[4:]} == {None}


def test_without_a_joint_parse_the_corpus_keeps_its_order(treebank) -> None:
    assert {one.value for one in made(treebank, ranking="joint").items.all()} == {None}


def test_every_item_goes_to_k_people_and_none_to_more(treebank) -> None:
    worklist = made(treebank, n_each=2)
    users = [treebank.bob, treebank.dan, treebank.eve]
    idle: set[str] = set()
    while len(idle) < 3:
        for user in users:
            share = worklists.next_share(worklist, by=user)
            if share is None:
                idle.add(user.username)
            else:
                assert worklists.next_share(worklist, by=user) == share
                worklists.finish(share, "done", by=user)
    counts = Counter(WorkShare.objects.values_list("item__place", flat=True))
    assert counts == dict.fromkeys(range(1, 7), 2)


def test_a_skipped_item_goes_to_somebody_else(treebank) -> None:
    worklist = made(treebank, size=1)
    share = worklists.next_share(worklist, by=treebank.bob)
    assert worklists.next_share(worklist, by=treebank.dan) is None
    worklists.finish(share, "skipped", note="too long", by=treebank.bob)
    assert worklists.next_share(worklist, by=treebank.bob) is None
    assert worklists.next_share(worklist, by=treebank.dan) is not None


def test_done_saves_the_draft_as_ones_own_tree(treebank) -> None:
    worklist = made(treebank, size=1)
    share = worklists.next_share(worklist, by=treebank.bob)
    edit(share.item.sentence, treebank.bob, "NP")
    done = worklists.finish(share, "done", by=treebank.bob)
    assert (done.parse.author, done.parse.text) == (treebank.bob, "(NP (X Tea))")
    assert done.parse.origin == Origin.ANNOTATOR


def test_done_closes_ones_own_layer_of_the_pair(treebank) -> None:
    worklist = made(treebank, unit="pair")
    share = worklists.next_share(worklist, by=treebank.bob)
    worklists.finish(share, "done", by=treebank.bob)
    treebank.layer.refresh_from_db()
    assert treebank.layer.state == AlignmentLayer.State.DONE


def test_work_stays_when_people_are_taken_off(treebank) -> None:
    worklist = made(treebank, size=3)
    first = worklists.next_share(worklist, by=treebank.bob)
    worklists.finish(first, "done", by=treebank.bob)
    begun = worklists.next_share(worklist, by=treebank.bob)
    edit(begun.item.sentence, treebank.bob, "NP")
    untouched = worklists.next_share(worklist, by=treebank.dan)
    for name in ("bob", "dan"):
        worklists.remove(worklist, name, by=treebank.ada)
    states = dict(WorkShare.objects.values_list("user__username", "state"))
    assert states == {"bob": "skipped"}
    assert WorkShare.objects.filter(user=treebank.bob).count() == 2
    assert not WorkShare.objects.filter(pk=untouched.pk).exists()
    assert begun.item.sentence.drafts.get().text == "(NP (X Rain))"
    with pytest.raises(NotAllowed):
        worklists.next_share(worklist, by=treebank.bob)
    left = [worklists.next_share(worklist, by=treebank.eve).item.place]
    assert left == [2]
    worklists.set_people(worklist, ["dan"], by=treebank.ada)
    assert worklists.next_share(worklist, by=treebank.dan).item.place == 3


def test_a_closed_list_hands_nothing_out_but_lets_work_be_finished(treebank) -> None:
    worklist = made(treebank)
    share = worklists.next_share(worklist, by=treebank.bob)
    worklists.close(worklist, by=treebank.ada)
    worklist.refresh_from_db()
    with pytest.raises(Frozen):
        worklists.next_share(worklist, by=treebank.dan)
    worklists.finish(share, "done", by=treebank.bob)
    worklists.close(worklist, by=treebank.ada)
    worklist.refresh_from_db()
    assert worklists.next_share(worklist, by=treebank.dan) is not None


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"name": " "}, "name"),
        ({"unit": "word"}, "unit"),
        ({"ranking": "beauty"}, "ranking"),
        ({"size": 0}, "size"),
        ({"n_each": 4}, "n_each"),
        ({"n_each": 99}, "n_each"),
        ({"people": ()}, "people"),
        ({"people": ("cyd",)}, "people"),
        ({"seed": -1}, "seed"),
    ],
)
def test_what_cannot_be_handed_out_is_refused(treebank, more, field: str) -> None:
    with pytest.raises(BadRequest) as refused:
        made(treebank, **more)
    assert refused.value.facts["field"] == field
    assert not Worklist.objects.exists()


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_managers_alone_hand_out_and_others_see_their_own(treebank) -> None:
    worklist = made(treebank, people=("bob",))
    share = worklists.next_share(worklist, by=treebank.bob)
    page = reverse("worklist", args=["windows", worklist.code])
    work = reverse("work_finish", args=["windows", share.code])
    for user, status in (("ada", 200), ("bob", 200), ("dan", 404), ("cyd", 404)):
        assert client_of(getattr(treebank, user)).get(page).status_code == status
    for user in ("ada", "dan", "cyd"):
        answer = client_of(getattr(treebank, user)).post(work, {"do": "done"})
        assert answer.status_code == 404
    for what in ("close", "add", "remove"):
        sent = {"do": what, "name": "bob", "people": "dan"}
        assert client_of(treebank.bob).post(page, sent).status_code == 403
    body = client_of(treebank.bob).get(page).content.decode()
    assert "Progress" not in body
    assert "Ranked by" not in body


def test_a_person_goes_from_item_to_item(treebank) -> None:
    worklist = made(treebank, size=2, people=("bob",))
    client = client_of(treebank.bob)
    home = client.get(reverse("project", args=["windows"])).content.decode()
    assert "Continue with First" in home
    url = reverse("worklist", args=["windows", worklist.code])
    answer = client.post(url, {"do": "next"}, follow=True)
    assert "Tea" in answer.content.decode()
    assert "Done, next" in answer.content.decode()
    for text, said in (
        ("Rain", "1 done by you"),
        (None, "You have finished this list"),
    ):
        share = WorkShare.objects.get(state="open")
        done = reverse("work_finish", args=["windows", share.code])
        answer = client.post(done, {"do": "done"}, follow=True)
        assert said in answer.content.decode()
        assert text is None or text in answer.content.decode()
    assert WorkShare.objects.filter(state="done").count() == 2


def test_programs_hand_out_and_work(treebank) -> None:
    url = f"/api/corpora/{treebank.corpus.code}/worklists/"
    sent = {"name": "A", "unit": "tree", "ranking": "shortest", "people": ["bob"]}
    manager, worker = client_of(treebank.ada), client_of(treebank.bob)
    assert worker.post(url, sent, "application/json").status_code == 403
    handed_out = manager.post(url, sent, "application/json").json()
    assert (handed_out["done"], handed_out["wanted"]) == (0, 6)
    listed = worker.get(url).json()
    assert "done" not in listed[0]
    onward = f"/api/worklists/{handed_out['code']}/next/"
    work = worker.post(onward).json()["work"]
    assert work["sentence"] == Sentence.objects.get(text="Tea").code
    done = f"/api/work/{work['code']}/"
    assert manager.post(done, {"state": "done"}, "application/json").status_code == 404
    assert client_of(treebank.dan).post(onward).status_code == 404
    answer = worker.post(done, {"state": "done"}, "application/json").json()
    assert answer["state"] == "done"
    assert worker.get(url).json()[0]["own_done"] == 1
