"""Work that came in a file says so; nobody is made or played by a file."""

import json

import pytest
from django.contrib.auth.models import User
from django.test import Client

from annotator.errors import BadRequest
from annotator.models import AlignmentLayer, LinkEvent, Membership, Parse
from annotator.services import accounts
from annotator.services.corpora import exports
from annotator.services.projects import invitations
from tests.annotator.corpora.test_importing import bring_in
from tests.cast import Cast

HEAD = [
    {"type": "bundle", "gemel": 1},
    {"type": "sentence", "id": "s1", "tokens": ["a", "b"]},
    {"type": "sentence", "id": "s2", "tokens": ["c", "d"]},
    {"type": "pair", "id": "p1", "source": "s1", "target": "s2"},
]
EVIL = "victim\u202eeman"


STRONG = "seven green horses"


def bundle(*names: str) -> str:
    """Layers, trees and operations that claim to be these people's."""
    rows = list(HEAD)
    for n, name in enumerate(names):
        rows.append(
            {"type": "layer", "id": f"a{n}", "pair": "p1", "origin": "annotator",
             "author": name, "revision": 1, "meta": {"_imported": {"by": "forged"}},
             "links": {"links": [["w0", f"w{n % 2}", "sure"]]}}
        )  # fmt: skip
        rows.append(
            {"type": "parse", "id": f"t{n}", "sentence": "s1", "origin": "annotator",
             "kind": "constituency", "author": name, "text": f"(S{n} (X a) (Y b))"}
        )  # fmt: skip
    for n, name in enumerate(names):
        rows.append(
            {"type": "event", "layer": f"a{n}", "revision": 1, "op": "link",
             "uuid": f"{n:032x}", "by": name, "at": "2020-01-01T00:00:00+00:00"}
        )  # fmt: skip
    rows.append({"type": "end", "records": len(rows)})
    rows.sort(key=lambda row: ["bundle", "sentence", "parse", "pair", "layer", "event",
                               "end"].index(row["type"]))  # fmt: skip
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def imported(cast: Cast) -> Cast:
    text = bundle("bob", "cyd", "nobody", EVIL)
    job = bring_in(cast, text, kind="gemel", name="edited.gemel", corpus="B")
    assert job.state == "done", job.note + job.error
    return cast


def test_a_file_makes_no_account_and_no_member(cast: Cast) -> None:
    before = set(User.objects.values_list("username", flat=True))
    members = Membership.objects.count()
    bring_in(
        cast,
        bundle("bob", "cyd", "new", EVIL),
        kind="gemel",
        name="e.gemel",
        corpus="B",
    )
    assert set(User.objects.values_list("username", flat=True)) == before
    assert Membership.objects.count() == members


def test_nothing_in_a_file_is_anybodys_work_here(imported: Cast) -> None:
    layers = AlignmentLayer.objects.filter(pair__corpus__name="B")
    parses = Parse.objects.filter(sentence__corpus__name="B")
    events = LinkEvent.objects.filter(layer__in=layers)
    assert (layers.count(), parses.count(), events.count()) == (4, 4, 4)
    for rows in (layers, parses):
        assert set(rows.values_list("author", flat=True)) == {None}
    assert set(events.values_list("by", flat=True)) == {None}


def test_it_says_from_which_file_and_who_imported_it(imported: Cast) -> None:
    layer = AlignmentLayer.objects.get(pair__corpus__name="B", meta___author="bob")
    assert layer.made_by == "bob (imported)"
    told = layer.meta["_imported"]
    assert (told["file"], told["by"]) == ("edited.gemel", "ada")
    client = Client()
    client.force_login(imported.ada)
    page = client.get(f"/p/windows/pair/{layer.pair.code}/?layer={layer.code}")
    text = page.content.decode()
    assert "bob (imported)" in text
    assert "edited.gemel, imported by ada" in text
    events = client.get(f"/api/layers/{layer.code}/history/").json()
    assert "bob (imported)" in json.dumps(events)


def test_signs_that_turn_a_name_around_are_shown_as_what_they_are(
    imported: Cast,
) -> None:
    made = [layer.made_by for layer in AlignmentLayer.objects.all()]
    assert not any("\u202e" in name for name in made)
    assert "victim\\u202eeman (imported)" in made


def test_ones_own_work_is_not_doubled_by_bringing_it_in_again(cast: Cast) -> None:
    (part,) = exports.parts(cast.corpus, "gemel", by=cast.ada)
    text = "".join(part.lines)
    job = bring_in(cast, text, kind="gemel", name="own.gemel", corpus="Houses")
    assert not any(job.result["new"].values())
    assert cast.pair.layers.count() == 1


NAMES = [
    ("Ａｎｎ", "Ann"),  # full width
    ("ﬁna", "fina"),  # a ligature
    ("  eve ", "eve"),
]


@pytest.mark.parametrize(("given", "kept"), NAMES)
def test_names_are_kept_in_one_spelling(db, given: str, kept: str) -> None:
    made = accounts.new_account(given, "seven green horses")
    assert made.username == kept


@pytest.mark.parametrize("name", ["a\u202eb", "a\u200bb", "a\x07b", "", "\ufeff"])
def test_names_with_hidden_signs_are_refused(cast: Cast, name: str) -> None:
    _, token = invitations.invite(cast.project, role="annotator", by=cast.ada)
    with pytest.raises(BadRequest):
        invitations.accept(
            token, user=None, username=name, password="seven green horses"
        )
    assert invitations.find_invitation(token) is not None


@pytest.mark.parametrize("name", ["ADA", "Ada", "ａｄａ", "ada"])
def test_a_name_is_one_persons_however_it_is_written(cast: Cast, name: str) -> None:
    with pytest.raises(BadRequest, match="taken"):
        accounts.new_account(name, "seven green horses")


def test_letters_beyond_ascii_are_compared_too(db) -> None:
    accounts.new_account("Straße", "seven green horses")
    accounts.new_account("éva", "seven green horses")
    for name in ("STRASSE", "ÉVA"):
        with pytest.raises(BadRequest, match="taken"):
            accounts.new_account(name, "seven green horses")


def test_a_file_tells_nothing_of_the_history_of_a_layer_that_is_here(
    cast: Cast,
) -> None:
    (part,) = exports.parts(cast.corpus, "gemel", by=cast.ada)
    rows = [json.loads(line) for line in part.lines]
    layer = next(row for row in rows if row["type"] == "layer")
    forged = {
        **{"type": "event", "layer": layer["id"], "revision": 7, "op": "link"},
        **{"uuid": "0" * 32, "by": "bob", "at": "2020-01-01T00:00:00+00:00"},
    }
    rows[-1:] = [forged, {"type": "end", "records": len(rows)}]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    job = bring_in(cast, text, kind="gemel", name="own.gemel", corpus="Houses")
    assert job.state == "done", job.note + job.error
    assert not LinkEvent.objects.exists()
