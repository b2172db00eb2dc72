"""People's trees of one sentence compared, and one of them chosen as gold."""

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import NotAllowed, StaleEdit
from annotator.models import Origin, Parse, Sentence
from annotator.services.parses import gold
from annotator.services.treebanks import comparing
from tests import cast as people
from tests.annotator.parses.test_arc_drafts import LINES, MENDED

pytestmark = pytest.mark.django_db
FLAT = people.SOURCE.replace("(NP (DT the) (NN window))", "(DT the) (NN window)")
RELABELLED = people.SOURCE.replace("(NP (DT The)", "(NX (DT The)")


def made(of: Sentence, by, text: str, kind=Parse.Kind.CONSTITUENCY) -> Parse:
    return Parse.objects.create(
        sentence=of, kind=kind, origin=Origin.ANNOTATOR, author=by, text=text,
        version=str(by.pk), digest=Sentence.key_of(text),
    )  # fmt: skip


@pytest.fixture
def source(cast) -> Sentence:
    """Gold, one tree of Ada's, two of Bob's, and a parser's."""
    source = cast.pair.source
    made(source, cast.bob, FLAT)
    made(source, cast.bob, RELABELLED)
    made(source, cast.ada, FLAT)
    people.parse(source, people.SOURCE, engine="toy")
    return source


def test_each_person_has_their_last_tree_and_gold_is_first(cast, source) -> None:
    trees = comparing.made_of(source, Parse.Kind.CONSTITUENCY, cast.ada)
    texts = [(one.name, one.text) for one in trees]
    assert [name for name, _ in texts][0::3] == ["Gold", "toy, tree 1"]
    assert sorted(texts[1:3]) == [("ada", FLAT), ("bob", RELABELLED)]


def test_annotators_see_nobody_else_s(cast, source) -> None:
    trees = comparing.made_of(source, Parse.Kind.CONSTITUENCY, cast.bob)
    assert {one.author for one in trees} == {None, cast.bob}


def test_every_two_are_scored_the_least_alike_first(cast, source) -> None:
    trees = comparing.made_of(source, Parse.Kind.CONSTITUENCY, cast.ada)
    scores = {
        frozenset((one.a.name, one.b.name)): one.f1
        for one in comparing.likenesses(trees)
    }
    assert scores[frozenset(("Gold", "toy, tree 1"))] == 100
    assert scores[frozenset(("Gold", "bob"))] == pytest.approx(75)
    assert scores[frozenset(("Gold", "ada"))] == pytest.approx(100 * 6 / 7)
    assert list(scores.values()) == sorted(scores.values())


def test_arcs_are_scored_by_heads_and_labels(cast) -> None:
    rows = [
        made(cast.pair.source, who, text, Parse.Kind.DEPENDENCY)
        for who, text in ((cast.ada, LINES), (cast.bob, MENDED))
    ]
    (one,) = comparing.likenesses(rows)
    assert (one.uas, one.las) == (100, pytest.approx(100 * 5 / 6))


def test_a_curator_makes_one_of_them_gold(cast, source) -> None:
    former = gold.gold_of(source)
    chosen = source.parses.get(author=cast.bob, text=RELABELLED)
    with pytest.raises(NotAllowed):
        gold.save_as_gold(chosen, by=cast.bob, seen=former.code)
    with pytest.raises(StaleEdit):
        gold.save_as_gold(chosen, by=cast.ada, seen="")
    gold.save_as_gold(chosen, by=cast.ada, seen=former.code)
    former.refresh_from_db()
    assert (former.origin, gold.gold_of(source).text) == (Origin.FORMER, RELABELLED)
    assert chosen.origin == Origin.ANNOTATOR


def test_the_page_shows_two_and_chooses(cast, source, client: Client) -> None:
    client.force_login(cast.ada)
    url = reverse("trees_compare", args=["windows", source.code])
    page = client.get(url)
    assert {one.name for one in page.context["pair"]} == {"ada", "bob"}
    assert "not in the other tree" in page.content.decode()
    bobs = source.parses.get(author=cast.bob, text=RELABELLED)
    golds = gold.gold_of(source)
    page = client.get(url, {"a": golds.code, "b": bobs.code})
    assert page.context["pair"] == (golds, bobs)
    sent = {"parse": bobs.code, "gold": page.context["gold"]}
    page = client.post(url, sent, follow=True)
    assert "This is the gold tree now" in page.content.decode()
    assert client.get(url, {"kind": "dependency"}).context["pair"] is None
    assert client.get(url, {"kind": "magic"}).status_code == 400


def test_nobody_compares_or_chooses_what_is_not_theirs(
    cast, source, client: Client
) -> None:
    url = reverse("trees_compare", args=["windows", source.code])
    adas = source.parses.get(author=cast.ada)
    golds = gold.gold_of(source)
    client.force_login(cast.bob)
    asked = client.get(url, {"a": golds.code, "b": adas.code})
    assert asked.status_code == 404
    sent = {"parse": adas.code, "gold": golds.code}
    assert client.post(url, sent).status_code == 404
    client.force_login(cast.cyd)
    assert client.get(url).status_code == 404


def test_programs_have_the_same_figures(cast, source, client: Client) -> None:
    client.force_login(cast.ada)
    url = f"/api/sentences/{source.code}/likenesses/"
    trees = comparing.made_of(source, Parse.Kind.CONSTITUENCY, cast.ada)
    rows = client.get(url).json()
    assert [row["f1"] for row in rows] == [
        one.f1 for one in comparing.likenesses(trees)
    ]
    assert client.get(url, {"kind": "dependency"}).json() == []
    assert client.get(url, {"kind": "magic"}).status_code == 400
