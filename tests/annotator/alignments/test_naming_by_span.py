"""Programs name the nodes of a link by their tokens."""

from uuid import uuid4

import pytest

from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def say(client, cast: Cast):
    """Sends Bob an operation on his layer as it is now; the answer."""
    client.force_login(cast.bob)

    def said(op: str, **more: object):
        cast.layer.refresh_from_db()
        body = {"uuid": str(uuid4()), "base_rev": cast.layer.revision, "op": op}
        url = f"/api/layers/{cast.layer.code}/ops/"
        return client.post(url, body | more, content_type="application/json")

    return said


def test_a_link_is_made_and_taken_away_by_spans(say) -> None:
    made = say("link", s="0:2", t="5:7").json()
    assert [row[:2] for row in made["links"]] == [["n1", "n10"]]
    assert say("unlink", s="0:2", t="5:7").json()["links"] == []


def test_spans_stand_beside_refs_and_in_lists(say) -> None:
    made = say("null", s="0:1 w2 3:5").json()
    assert made["null_source"] == ["n6", "w0", "w2"]
    taken = say("accept", links=[["1:2", "6:7", "sure"]]).json()
    assert [row[:2] for row in taken["links"]] == [["w1", "w6"]]


@pytest.mark.parametrize(
    ("span", "said"),
    [
        ("1:3", "No node covers just the tokens 1:3"),
        ("0:99", "No node covers just the tokens 0:99"),
        ("2:2", "No node covers just the tokens 2:2"),
        ("0:²", "is not a node"),
    ],
)
def test_a_span_without_a_node_is_refused_by_its_name(say, span, said) -> None:
    answer = say("link", s=span, t="5:7")
    assert answer.status_code == 400
    assert said in answer.json()["error"]["message"]


def test_words_without_a_tree_have_spans_of_one_token(say, cast: Cast) -> None:
    cast.layer.source_parse = None
    cast.layer.save()
    assert [row[:2] for row in say("link", s="1:2", t="6:7").json()["links"]] == [
        ["w1", "w6"]
    ]
    assert say("link", s="0:2", t="5:7").status_code == 400
