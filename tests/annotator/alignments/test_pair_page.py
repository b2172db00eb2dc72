"""The pair page and its API: who sees what, and what it costs."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotator.models import AlignmentLayer, Job, Membership, Origin
from core.data.alignment import Alignment, Link
from tests import cast as people

pytestmark = pytest.mark.django_db
MAX_BYTES = 150_000


def page_url(pair, rest: str = "") -> str:
    return f"/p/windows/pair/{pair.code}/{rest}"


def queries(client, url: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert client.get(url).status_code == 200
    return len(captured)


def crowd(cast, n: int) -> None:
    """Many people's layers, engines' trees and steps on one pair."""
    for i in range(n):
        user = people.person(f"p{i}")
        Membership.objects.create(project=cast.project, user=user, role="annotator")
        layer = people.layer(cast.pair, author=user)
        layer.links = Alignment((Link("w1", "w6"),)).to_json()
        layer.save()
        people.parse(cast.pair.source, people.SOURCE, rank=i + 1, engine="toy")


@pytest.mark.parametrize("rest", ["", "drawing/", "table/"])
def test_a_pair_costs_the_same_queries_however_much_it_holds(
    cast, client, rest: str
) -> None:
    client.force_login(cast.ada)
    url = page_url(cast.pair, rest) + f"?layer={cast.layer.code}"
    queries(client, url)
    few = queries(client, url)
    crowd(cast, 50)
    assert queries(client, url) == few


def test_the_api_costs_the_same_queries_for_one_layer_and_fifty(cast, client) -> None:
    client.force_login(cast.ada)
    urls = [
        f"/api/pairs/{cast.pair.code}/layers/",
        f"/api/pairs/{cast.pair.code}/trees/",
        f"/api/layers/{cast.layer.code}/",
        f"/api/layers/{cast.layer.code}/compare/?with=x",
    ]
    few = [queries(client, url) for url in urls]
    crowd(cast, 50)
    assert [queries(client, url) for url in urls] == few


def sixty() -> str:
    """A bracketing over sixty words, with as many phrases as a sentence has."""
    part = "(NP (NP (DT the) (JJ old) (NN house{0})) (PP (IN of) (NP (NN stone{0}))))"
    clause = "(S (NP (PRP we)) (VP (VBD saw) " + part + "))"
    clauses = " ".join(clause.format(i) for i in range(8))
    return f"(S {clauses} (. .) (X x) (X x) (X x))"


def test_a_pair_of_sixty_words_is_light(cast, client) -> None:
    pair = people.pair(cast.corpus, sixty(), sixty().replace("saw", "built"))
    assert pair.n_source == 60
    layer = people.layer(pair, author=cast.bob)
    links = tuple(Link(f"w{i}", f"w{i}") for i in range(60))
    layer.links = Alignment((*links, Link("n0", "n0"))).to_json()
    layer.save()
    client.force_login(cast.bob)
    assert len(client.get(page_url(pair)).content) <= MAX_BYTES


def test_an_annotator_sees_own_gold_and_engines_layers(cast, client) -> None:
    theirs = people.layer(cast.pair, author=cast.ada)
    client.force_login(cast.bob)
    page = client.get(page_url(cast.pair)).content.decode()
    assert theirs.code not in page
    assert client.get(page_url(cast.pair, f"?layer={theirs.code}")).status_code == 400
    assert client.get(f"/api/layers/{theirs.code}/").status_code == 404
    client.force_login(cast.ada)
    assert cast.layer.code in client.get(page_url(cast.pair)).content.decode()


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("get", "/api/layers/{0}/"),
        ("post", "/api/layers/{0}/ops/"),
        ("get", "/api/layers/{0}/history/"),
        ("post", "/api/layers/{0}/state/"),
        ("get", "/api/layers/{0}/compare/"),
        ("get", "/api/pairs/{1}/layers/"),
        ("post", "/api/pairs/{1}/layers/"),
        ("get", "/api/pairs/{1}/trees/"),
        ("get", "/p/windows/pair/{1}/"),
        ("get", "/p/windows/pair/{1}/drawing/"),
        ("get", "/p/windows/pair/{1}/table/"),
        ("post", "/p/windows/pair/{1}/table/"),
        ("get", "/p/windows/pair/{1}/figure.svg"),
    ],
)
def test_strangers_find_nothing(cast, client, method: str, path: str) -> None:
    client.force_login(cast.cyd)
    url = path.format(cast.layer.code, cast.pair.code)
    response = getattr(client, method)(url, {}, content_type="application/json")
    assert response.status_code == 404
    assert cast.layer.events.count() == 0


def test_an_operation_by_api_answers_with_the_whole_layer(cast, client) -> None:
    client.force_login(cast.bob)
    url = f"/api/layers/{cast.layer.code}/ops/"
    sent = {"uuid": str(uuid4()), "base_rev": 0, "op": "link", "s": "n1", "t": "n10"}
    for _ in range(2):
        answer = client.post(url, sent, content_type="application/json")
        assert answer.status_code == 200
        assert answer.json()["revision"] == 1
    assert answer.json()["links"] == [["n1", "n10", "sure"]]
    stale = client.post(
        url, sent | {"uuid": str(uuid4())}, content_type="application/json"
    )
    assert stale.status_code == 409
    error = stale.json()["error"]
    assert error["code"] == "stale_edit"
    assert error["facts"]["theirs"][0]["op"] == "link"


@pytest.mark.parametrize(
    "wrong",
    [
        {"op": "explode"},
        {"s": "n99"},
        {"s": "n1 n2"},
        {"uuid": "x"},
        {"base_rev": -1},
        {"kind": "maybe"},
        {"links": [["w0"]], "op": "accept"},
    ],
)
def test_nonsense_is_refused_and_changes_nothing(cast, client, wrong: dict) -> None:
    client.force_login(cast.bob)
    sent = {"uuid": str(uuid4()), "base_rev": 0, "op": "link", "s": "n1", "t": "n10"}
    answer = client.post(
        f"/api/layers/{cast.layer.code}/ops/",
        sent | wrong,
        content_type="application/json",
    )
    assert answer.status_code == 400
    assert set(answer.json()["error"]) == {"code", "message", "facts"}
    cast.layer.refresh_from_db()
    assert (cast.layer.revision, cast.layer.events.count()) == (0, 0)


def test_a_payload_shows_as_text(cast, client) -> None:
    bad = "</script><script>alert(1)</script>"
    brackets = f"(S (NP{bad.replace('(', '').replace(')', '')} (NN {bad[:17]})))"
    pair = people.pair(cast.corpus, brackets, brackets)
    client.force_login(cast.bob)
    for rest in ("", "table/"):
        page = client.get(page_url(pair, rest)).content.decode()
        assert "<script>alert" not in page
        assert "</script><script>" not in page
    assert "<script" not in client.get(page_url(pair, "drawing/")).json()["svg"]


def test_a_pair_without_trees_can_be_linked_by_words(cast, client) -> None:
    pair = bare(cast)
    client.force_login(cast.bob)
    page = client.get(page_url(pair)).content.decode()
    assert "The source sentence has no tree" in page
    made = client.post(f"/api/pairs/{pair.code}/layers/").json()
    answer = client.post(
        f"/api/layers/{made['code']}/ops/",
        {"uuid": str(uuid4()), "base_rev": 0, "op": "link", "s": "w1", "t": "w2"},
        content_type="application/json",
    )
    assert answer.json()["links"] == [["w1", "w2", "sure"]]


def test_an_engines_layer_is_offered_as_suggestions(cast, client) -> None:
    AlignmentLayer.objects.create(
        pair=cast.pair,
        origin=Origin.ENGINE,
        engine="forest",
        slot="x",
        source_parse=cast.layer.source_parse,
        target_parse=cast.layer.target_parse,
        links=Alignment((Link("n1", "n10", attrs={"prob": "0.9"}),)).to_json(),
    )
    client.force_login(cast.bob)
    data = client.get(page_url(cast.pair, "drawing/")).json()
    assert data["suggestions"] == [["n1", "n10", "sure", False, 0.9]]


def bare(cast):
    """A pair without any tree."""
    pair = people.pair(cast.corpus, people.SOURCE, "(S (NN x))")
    source = people.sentence(cast.corpus, "It rang .")
    target = people.sentence(cast.corpus, "The bell rang .")
    type(pair).objects.filter(pk=pair.pk).update(
        source=source, target=target, n_source=3, n_target=4, has_parse=False
    )
    pair.refresh_from_db()
    return pair


def test_a_tree_can_be_pasted_for_a_sentence_without_one(cast, client) -> None:
    pair = bare(cast)
    client.force_login(cast.bob)
    page = client.get(page_url(pair)).content.decode()
    assert "Paste a tree in brackets" in page
    trees = {
        "s": "(S (NP (PRP It))\n (VP (VBD rang)) (. .))",
        "t": "(S (NP (DT The) (NN bell)) (VP (VBD rang)) (. .))",
    }
    for side, text in trees.items():
        for _ in range(2):
            client.post(page_url(pair, "tree/"), {"side": side, "text": text})
    assert pair.source.parses.get().author == cast.bob
    pair.refresh_from_db()
    assert pair.has_parse
    page = client.get(page_url(pair)).content.decode()
    assert "has no tree" not in page


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(S (NP (PRP It)", "lacks 2 closing brackets"),
        ("(S (PRP It) (VBD rings) (. .))", "word 2: 'rings', not 'rang'"),
        ("(S (PRP It) (VBD rang))", "2 words, not 3"),
        ("(A (B It)) (A (B rang))", "expected one tree"),
    ],
)
def test_a_pasted_tree_that_does_not_fit_is_explained(
    cast, client, text: str, said: str
) -> None:
    pair = bare(cast)
    client.force_login(cast.bob)
    answer = client.post(
        f"/api/pairs/{pair.code}/trees/",
        {"side": "s", "text": text},
        content_type="application/json",
    )
    assert answer.status_code == 400
    assert said in answer.json()["error"]["message"]
    assert not pair.source.parses.exists()


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("queued", "Parsing waits: 0 jobs before it"),
        ("running", "The corpus is being parsed: 3"),
        ("failed", "Parsing failed"),
        ("done", "The parser says: It is too long"),
    ],
)
def test_the_page_says_how_far_the_parser_is(
    cast, client, state: str, said: str
) -> None:
    pair = bare(cast)
    job = Job.objects.create(
        project=cast.project,
        kind="parse",
        title="Parse Houses",
        state=state,
        done=3,
        params={"corpus": cast.corpus.code},
    )
    if state == "done":
        job.issues.create(reason="It is too long", excerpt=pair.source.text)
    client.force_login(cast.ada)
    page = client.get(page_url(pair)).content.decode()
    assert said in " ".join(page.split())
    assert ("Cancel the parsing" in page) == (state in ("queued", "running"))


def words_alone(cast) -> AlignmentLayer:
    """Gold links of words, beside an engine's layer on trees."""
    gold = people.layer(cast.pair)
    gold.links = Alignment((Link("w1", "w5"),)).to_json()
    gold.source_parse = gold.target_parse = None
    gold.save()
    links = Link("n1", "n10", attrs={"prob": "0.9"}), Link("w0", "w0")
    AlignmentLayer.objects.create(
        pair=cast.pair,
        origin=Origin.ENGINE,
        engine="forest",
        slot="x",
        source_parse=cast.layer.source_parse,
        target_parse=cast.layer.target_parse,
        links=Alignment(links).to_json(),
    )
    return gold


def test_a_layer_of_words_alone_is_offered_links_of_words_alone(cast, client) -> None:
    gold = words_alone(cast)
    client.force_login(cast.ada)
    url = page_url(cast.pair, f"drawing/?layer={gold.code}")
    assert client.get(url).json()["suggestions"] == [["w0", "w0", "sure", False, None]]
    engine = AlignmentLayer.objects.get(origin=Origin.ENGINE)
    compared = client.get(f"/api/layers/{gold.code}/compare/?with={engine.code}").json()
    (row,) = compared
    assert [link[:2] for link in row["links"]] == [["w0", "w0"]]
    assert row["missing"] == 1


def test_a_layer_without_trees_says_where_to_choose_them(cast, client) -> None:
    gold = words_alone(cast)
    client.force_login(cast.ada)
    page = client.get(page_url(cast.pair, f"?layer={gold.code}")).content.decode()
    assert "This layer uses no source tree. Choose one under Trees." in page
    assert "This layer uses no target tree. Choose one under Trees." in page
    assert "has no tree: its words can be linked" not in page
    assert "Paste a tree in brackets" not in page
