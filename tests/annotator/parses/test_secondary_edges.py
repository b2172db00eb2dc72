"""Secondary edges by hand: steps, undo, what is stored, what goes out, older rows."""

from importlib import import_module
from types import SimpleNamespace
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import connection
from django.test import Client
from django.urls import reverse

from annotator.models import Parse, Sentence, TreeDraft
from annotator.services.parses import consequences, drafts, gold
from core.forests.constraints import Decisions
from core.formats import tigerxml
from tests import cast as people
from tests.annotator.corpora.test_exporting import RICH, bring_in, edit_gold, out
from tests.annotator.parses.test_tree_drafts import draft, play, text
from tests.cast import Cast

__all__ = ["draft"]

pytestmark = pytest.mark.django_db
# S NP DT NN VP VBD NP DT NN . : the numbers of the nodes of the cast's source
# VROOT S NE VMFIN VP VVINF $. : those of RICH


def edges(draft: TreeDraft) -> tuple:
    return TreeDraft.objects.get(pk=draft.pk).to_tree().secondary


def test_a_step_draws_one_and_undo_takes_it_back(draft) -> None:
    play(draft, "add_secondary", node=1, target=4, edge="SB")
    assert (edges(draft), text(draft)) == (((1, 4, "SB"),), people.SOURCE)
    play(draft, "add_secondary", node=8, target=1)
    play(draft, "undo")
    assert edges(draft) == ((1, 4, "SB"),)
    play(draft, "redo")
    play(draft, "remove_secondary", node=1, target=4, edge="SB")
    assert edges(draft) == ((8, 1, ""),)
    play(draft, "undo")
    assert edges(draft) == ((1, 4, "SB"), (8, 1, ""))
    assert draft.events.count() == 6


def test_a_step_says_which_edges_went_with_their_nodes(draft) -> None:
    play(draft, "add_secondary", node=1, target=6, edge="OA")
    play(draft, "add_secondary", node=8, target=6)
    play(draft, "relabel", node=6, label="NX")
    play(draft, "insert", first=1, last=4, label="X")
    assert edges(draft) == ((2, 7, "OA"), (9, 7, ""))
    assert all(drafts.GONE not in event.done for event in draft.events.all())
    event = play(draft, "delete", node=7)
    assert (edges(draft), event.done[drafts.GONE]) == ((), 2)
    play(draft, "undo")
    event = play(draft, "remove_secondary", node=9, target=7)
    assert drafts.GONE not in event.done, "it was asked for"


def test_the_parser_does_not_follow_them(cast) -> None:
    """Nor do they count as decisions once they are gone."""
    draft = drafts.start(cast.pair.source, by=cast.bob)
    for op in ("add_secondary", "remove_secondary"):
        sent = {"uuid": uuid4(), "base_rev": draft.revision, "op": op}
        sent |= {"node": 1, "target": 6}
        step = drafts.DraftStep.read(sent, draft.to_tree())
        consequences.play(draft, step, by=cast.bob)
        draft.refresh_from_db()
    assert (text(draft), draft.revision) == (people.SOURCE, 2)
    assert consequences.decisions(draft) == Decisions()


def test_a_tree_with_other_edges_alone_is_another_gold_tree(cast, draft) -> None:
    found = []
    for edge in ("SB", "OA"):
        play(draft, "add_secondary", node=1, target=4, edge=edge)
        seen = gold.gold_of(cast.pair.source)
        saved = gold.save_as_gold(draft, by=cast.ada, seen=seen.code if seen else "")
        found.append(saved.parse.to_tree().secondary)
    assert found == [((1, 4, "SB"),), ((1, 4, "OA"), (1, 4, "SB"))]
    first = gold.save(draft, by=cast.bob).parse
    assert gold.save(draft, by=cast.bob).parse == first, "the same tree is one row"
    play(draft, "undo")
    again = gold.save_as_gold(draft, by=cast.ada, seen=saved.parse.code).parse
    assert again.to_tree().secondary == found[0]
    assert cast.pair.source.parses.filter(origin="former").count() == 2


def test_the_api_has_them(cast) -> None:
    client = Client()
    client.force_login(cast.bob)
    source = cast.pair.source
    begin = f"/api/sentences/{source.code}/draft/"
    begun = client.post(begin, {}, "application/json").json()
    assert begun["secondary"] == []
    step = {"uuid": str(uuid4()), "base_rev": 0, "op": "add_secondary", "node": 1}
    ops = f"/api/tree-drafts/{begun['code']}/ops/"
    refused = client.post(ops, step | {"target": 1}, "application/json")
    assert (refused.status_code, "another node" in refused.content.decode()) == (
        409,
        True,
    )
    sent = step | {"target": 6, "edge": "SB"}
    there = client.post(ops, sent, "application/json").json()
    wanted = [{"node": 1, "target": 6, "label": "SB"}]
    assert (there["secondary"], there["revision"], there["undo"]) == (
        wanted,
        1,
        "add_secondary",
    )
    client.post(
        f"/api/tree-drafts/{begun['code']}/save/", {"role": "mine"}, "application/json"
    )
    record = client.get(f"/api/sentences/{source.code}/").json()
    assert wanted in [one["secondary"] for one in record["parses"]]


def test_the_page_works_without_scripts(cast) -> None:
    client = Client()
    client.force_login(cast.bob)
    url = reverse("tree_edit", args=["windows", cast.pair.source.code])
    form = {"base_rev": 0, "op": "add_secondary", "node": 1, "second": "SB"}
    answer = client.post(url, form | {"uuid": uuid4()})
    assert "leads to as the second node" in answer.content.decode()
    client.post(url, form | {"uuid": uuid4(), "other": 6})
    page = client.get(url).content.decode()
    assert "secondary edge SB to NP “the window”" in page
    assert 'class="secedges"' in page
    assert 'value="1 6 SB"' in page
    gone = {"base_rev": 1, "op": "remove_secondary", "uuid": uuid4()}
    answer = client.post(url, gone)
    assert "Choose a secondary edge first" in answer.content.decode()
    client.post(url, gone | {"secedge": "1 6 SB"})
    assert 'class="secedges"' not in client.get(url).content.decode()


def test_they_go_out_as_tigerxml_and_come_back(cast: Cast) -> None:
    bring_in(cast, RICH.encode(), kind="tigerxml", name="it.xml")
    edit_gold(cast, "add_secondary", node=4, target=2, edge="OA")
    edit_gold(cast, "remove_secondary", node=5, target=2, edge="SB")
    text = out(cast, "tigerxml")["it.xml"].decode()
    assert text.count("<secedge") == 1
    assert '<secedge label="OA" idref="w1"/>' in text
    assert from_bundle(cast) == ((4, 2, "OA"),)
    edit_gold(cast, "remove_secondary", node=4, target=2, edge="OA")
    assert from_bundle(cast) == (), "none comes from the text it was"


def from_bundle(cast: Cast, former: str = "") -> tuple:
    """Of the gold tree of a new corpus, from a bundle of News without ``former``."""
    bundle = b"".join(out(cast, "gemel").values()).replace(former.encode(), b"")
    corpus = f"Corpus {uuid4()}"
    bring_in(cast, bundle, kind="gemel", name="a.gemel", corpus=corpus)
    parse = Parse.objects.get(sentence__corpus__name=corpus, origin="gold")
    return parse.to_tree().secondary


def test_a_bundle_of_an_earlier_release_has_them_in_the_text_alone(cast: Cast) -> None:
    bring_in(cast, RICH.encode(), kind="tigerxml", name="it.xml")
    bundle = b"".join(out(cast, "gemel").values()).decode()
    former = ',"secondary":[[5,2,"SB"]]'
    assert former in bundle
    assert from_bundle(cast, former) == ((5, 2, "SB"),)


def test_rows_of_earlier_releases_get_the_edges_of_their_text(cast: Cast) -> None:
    bring_in(cast, RICH.encode(), kind="tigerxml", name="it.xml")
    (sentence,) = Sentence.objects.filter(corpus__name="News")
    draft = drafts.start(sentence, by=cast.ada)
    play(draft, "relabel", node=1, label="SX")
    for row in (gold.gold_of(sentence), draft):
        row.refresh_from_db()
        del row.meta["secondary"]
        if isinstance(row, Parse):
            row.digest = Sentence.key_of(row.text)
        row.save()
    lift = import_module("annotator.migrations.0040_secondary_edges").lift
    lift(apps, SimpleNamespace(connection=connection))
    wanted = ((5, 2, "SB"),)
    parse = gold.gold_of(sentence)
    assert (parse.to_tree().secondary, edges(draft)) == (wanted, wanted)
    bring_in(cast, RICH.encode(), kind="tigerxml", name="it.xml")
    assert sentence.parses.count() == 1, "its digest is that of a new import"
    assert tigerxml.lifted(parse.meta, RICH) == parse.meta
