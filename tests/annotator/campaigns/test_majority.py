"""Many items decided at once where most judges agree; blind curation; the exports."""

import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotator.errors import NotAllowed
from annotator.exchange.written import Exported
from annotator.models import Adjudication, Campaign, Item, Judgment, LogEntry
from annotator.services.campaigns import curation
from annotator.services.campaigns.curation import Decision
from annotator.services.reports import exports
from tests.annotator.judged import Judged, judged
from tests.cast import Cast


@pytest.fixture
def made(cast: Cast) -> Judged:
    """Three judges of all items; on the first four they say what the test sets."""
    set_up = judged(cast, k=3)
    for item, given in zip(set_up.items, VALUES, strict=False):
        rows = item.judgments.order_by("pk")
        for row, (meaning, grammar) in zip(rows, given, strict=True):
            values = {"meaning": meaning, "grammar": grammar}
            Judgment.objects.filter(pk=row.pk).update(values=values)
    for item in set_up.items[len(VALUES) :]:
        for n, row in enumerate(item.judgments.order_by("pk")):
            values = {"meaning": n + 1, "grammar": n + 1}
            Judgment.objects.filter(pk=row.pk).update(values=values)
    return set_up


VALUES = [
    [(4, 5), (4, 5), (4, 5)],  # all agree
    [(4, 5), (4, 5), (2, 1)],  # two of three, on both scales
    [(4, 5), (4, 1), (2, 1)],  # two of three on each scale, not the same two
    [(4, 5), (4, 2), (2, 1)],  # no majority on grammar
]


def decided(of: Judged) -> list[dict]:
    """What stands of the first four."""
    last = [curation.history(item)[:1] for item in of.items[:4]]
    return [rows[0].values if rows else {} for rows in last]


def told(text: str, name: str) -> bool:
    """Whether a text has this name as a word: codes in addresses may have it inside."""
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def test_what_more_than_half_say_on_every_scale_is_decided(made: Judged) -> None:
    batch = curation.take(made.campaign, by=made.cast.ada)
    four, one = {"meaning": 4, "grammar": 5}, {"meaning": 4, "grammar": 1}
    assert batch.n == 3
    assert decided(made) == [four, four, one, {}]
    rows = Adjudication.objects.order_by("item")
    assert [row.reason for row in rows] == ["agreed", "majority", "majority"]
    assert [row.confidence for row in rows] == [3, 2, 2]
    assert curation.proposals(made.campaign) == {}


def test_it_is_taken_back_but_for_what_was_decided_since(made: Judged) -> None:
    batch = curation.take(made.campaign, by=made.cast.ada)
    own = Decision({"meaning": 1, "grammar": 1}, "guideline", 3, seen=1)
    curation.decide(made.items[0], own, by=made.cast.ada)
    assert [one.n for one in curation.batches(made.campaign)] == [2]
    assert curation.take_back(made.campaign, batch.code, by=made.cast.ada) == 2
    assert decided(made) == [dict(own.values), {}, {}, {}]
    assert curation.take_back(made.campaign, batch.code, by=made.cast.ada) == 0
    assert curation.batches(made.campaign) == []
    assert curation.take(made.campaign, by=made.cast.ada).n == 2
    acts = [str(row) for row in LogEntry.objects.order_by("pk")]
    assert "took back majority of items 2 items of Substitutes" in acts


@pytest.mark.parametrize("kind", ["gold", "attention", "training"])
def test_the_majority_decides_main_items_only(made: Judged, kind: str) -> None:
    Item.objects.filter(pk=made.items[0].pk).update(kind=kind, gold={"meaning": 4})
    assert made.items[0].pk not in curation.proposals(made.campaign)
    assert curation.take(made.campaign, by=made.cast.ada).n == 2
    assert not made.items[0].adjudications.exists()


def test_the_decisions_say_of_what_kind_an_item_is(made: Judged) -> None:
    own = Decision({"meaning": 1, "grammar": 1}, "guideline", 3)
    Item.objects.filter(pk=made.items[0].pk).update(kind="gold", gold={"meaning": 4})
    for item in made.items[:2]:
        curation.decide(item, own, by=made.cast.ada)
    rows = table(exports.decisions(made.campaign, by=made.cast.ada))
    kinds = {row["item"]: row["kind"] for row in rows}
    assert kinds == {made.items[0].code: "gold", made.items[1].code: "main"}


def test_what_a_curator_decided_is_not_overruled(made: Judged) -> None:
    own = Decision({"meaning": 1, "grammar": 1}, "guideline", 3)
    curation.decide(made.items[1], own, by=made.cast.ada)
    curation.take(made.campaign, by=made.cast.ada)
    assert decided(made)[1] == own.values


def test_annotators_take_no_majority(made: Judged) -> None:
    with pytest.raises(NotAllowed):
        curation.take(made.campaign, by=made.cast.bob)
    with pytest.raises(NotAllowed):
        curation.take_back(made.campaign, "x", by=made.cast.bob)


def test_the_page_offers_takes_and_takes_back(made: Judged, client: Client) -> None:
    client.force_login(made.cast.ada)
    here = ["windows", made.campaign.code]
    url = reverse("curation", args=here)
    assert "Accept majority" in client.get(url).text
    post = reverse("curation_majority", args=here)
    client.post(post, {"what": "take"})
    page = client.get(url).text
    assert "Accept majority" not in page
    assert "3 items decided by majority (ada)" in page
    batch = curation.batches(made.campaign)[0].code
    client.post(post, {"what": "undo", "batch": batch})
    assert "Accept majority" in client.get(url).text
    client.force_login(made.cast.bob)
    assert client.post(post, {"what": "take"}).status_code == 403


def test_blind_curation_tells_neither_who_nor_from_where(
    made: Judged, client: Client
) -> None:
    client.force_login(made.cast.ada)
    item = made.items[0]
    url = reverse("curate_item", args=["windows", made.campaign.code, item.code])
    names = [one.user.username for one in made.participants]
    open_page = client.get(url).text
    assert all(name in open_page for name in names)
    Campaign.objects.update(is_curation_blind=True)
    page = client.get(url).text
    main = page[page.index("<main") : page.index("</main>")]
    labels = [one.label for one in made.participants]
    conditions = [credit.condition.name for credit in item.credits.all()]
    assert not [one for one in (*names, *labels, *conditions) if told(main, one)]
    assert main.count("Judge 1") > 1


def test_whose_values_were_taken_is_known_though_nobody_saw_it(
    made: Judged, client: Client
) -> None:
    Campaign.objects.update(is_curation_blind=True)
    client.force_login(made.cast.ada)
    item = made.items[1]
    row = item.judgments.order_by("pk").last()
    url = reverse("curate_item", args=["windows", made.campaign.code, item.code])
    form = {"seen": 0, "accepts": row.code, "reason": "misread", "confidence": 2}
    values = {f"value-{name}": value for name, value in row.values.items()}
    client.post(url, form | values)
    assert curation.history(item)[0].accepts == row.participant.label
    assert not told(client.get(url).text.split("<main")[1], row.participant.label)


def test_decisions_are_in_both_tables(made: Judged) -> None:
    curation.take(made.campaign, by=made.cast.ada)
    rows = table(exports.judgments(made.campaign, by=made.cast.ada))
    of = [row for row in rows if row["item"] == made.items[1].code]
    assert {(row["scale"], row["decided"]) for row in of} == {
        ("meaning", "4"),
        ("grammar", "5"),
    }
    assert {row["reason"] for row in of} == {"majority"}
    assert {row["decided_by"] for row in of} == {"ada"}
    last = [row for row in rows if row["item"] == made.items[3].code]
    assert {row["decided"] for row in last} == {None}
    decided = table(exports.decisions(made.campaign, by=made.cast.ada))
    assert len(decided) == 3 * 2
    assert {(row["scale"], row["value"]) for row in decided[:2]} == {
        ("meaning", "4"),
        ("grammar", "5"),
    }
    assert {(row["by_rule"], row["confidence"]) for row in decided[:2]} == {(1, "high")}


def test_the_exports_are_the_same_in_every_language(made) -> None:
    curation.take(made.campaign, by=made.cast.ada)

    def exported() -> list[list[dict]]:
        made_by = (exports.judgments, exports.decisions, exports.items)
        return [table(of(made.campaign, by=made.cast.ada)) for of in made_by]

    wanted = exported()
    with translation.override("de"):
        assert exported() == wanted


def table(exported: Exported) -> list[dict]:
    return [dict(zip(exported.columns, row, strict=True)) for row in exported.rows]
