"""From people's judgments back to the table: its ninth condition."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from django.db import transaction
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import (
    Bitext,
    Campaign,
    Condition,
    Item,
    Job,
    Judgment,
    LogEntry,
    ParaphraseTable,
    ParaphraseWeights,
    Participant,
)
from annotator.services import jobs
from annotator.services.paraphrases import test_sets, weights
from tests.annotator.paraphrases.test_tables import bitexts_in, made
from tests.cast import Cast

JSON = "application/json"


@dataclass
class FittedTable:
    cast: Cast
    bitexts: list[Bitext]
    table: ParaphraseTable
    campaign: Campaign
    job: Job


@pytest.fixture(scope="module")
def there(
    django_db_setup, django_db_blocker, tmp_path_factory
) -> Iterator[FittedTable]:
    """Made, judged and fitted once. What a test writes is rolled back."""
    home = tmp_path_factory.mktemp("sea")
    at = override_settings(GEMEL_HOME=home, MEDIA_ROOT=home)
    with django_db_blocker.unblock(), transaction.atomic(), at:
        cast = Cast()
        texts = bitexts_in(home, cast)
        table = made(cast, texts)
        campaign, job = test_sets.start(
            table, texts[0], "Sea", n_phrases=100, by=cast.ada, enqueue=False
        )
        jobs.run(job.pk)
        judge(campaign, cast.bob)
        job = weights.start(table, campaign, by=cast.ada, enqueue=False)
        jobs.run(job.pk)
        job.refresh_from_db()
        assert job.state == Job.State.DONE, (job.note, job.error)
        yield FittedTable(cast, texts, table, campaign, job)
        transaction.set_rollback(True)


@pytest.fixture
def cast(db, there: FittedTable) -> Cast:
    return there.cast


@pytest.fixture
def bitexts(db, there: FittedTable) -> list[Bitext]:
    return there.bitexts


@pytest.fixture
def table(db, there: FittedTable) -> ParaphraseTable:
    return ParaphraseTable.objects.get(pk=there.table.pk)


@pytest.fixture
def campaign(db, there: FittedTable) -> Campaign:
    return Campaign.objects.get(pk=there.campaign.pk)


@pytest.fixture
def fitted(table: ParaphraseTable) -> ParaphraseWeights:
    return table.weights.get()


@pytest.fixture
def unjudged(campaign: Campaign, fitted: ParaphraseWeights) -> Campaign:
    """The campaign as it was before anybody judged."""
    fitted.delete()
    Judgment.objects.filter(item__campaign=campaign).delete()
    campaign.participants.all().delete()
    return campaign


def judge(campaign: Campaign, who) -> None:
    """One who wants short paraphrases, on every scale."""
    person = Participant.objects.create(campaign=campaign, user=who, label="A1")
    names = [scale.name for scale in campaign.scales.all()]
    for item in Item.objects.filter(campaign=campaign):
        value = max(1, 5 - item.paraphrase.count(" "))
        Judgment.objects.create(
            item=item,
            participant=person,
            state=Judgment.State.DONE,
            fills=True,
            lease_until=timezone.now(),
            values=dict.fromkeys(names, value),
        )


def signed_in(person) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_means_are_over_judges_and_scales_from_worst_to_best(
    cast: Cast, campaign: Campaign
) -> None:
    other = Participant.objects.create(campaign=campaign, user=cast.ada, label="A2")
    item = Item.objects.filter(campaign=campaign).first()
    ours = weights._means(campaign)[item.pk]
    assert ours == (max(1, 5 - item.paraphrase.count(" ")) - 1) / 4
    names = [scale.name for scale in campaign.scales.all()]
    Judgment.objects.create(
        item=item,
        participant=other,
        state=Judgment.State.DONE,
        fills=True,
        lease_until=timezone.now(),
        values=dict.fromkeys(names, 1),
    )
    assert weights._means(campaign)[item.pk] == ours / 2


def test_weights_are_a_version_with_what_they_gain(
    cast: Cast, table: ParaphraseTable, fitted: ParaphraseWeights
) -> None:
    facts = fitted.model["facts"]
    assert (fitted.number, facts["campaign"]) == (1, "Sea")
    assert facts["placed"] > 0.5
    assert {"difference", "low", "high", "p"} == facts["gain"].keys()
    assert weights._store(fitted.job, table, fitted.campaign, weights.current(table)[1])
    assert table.weights.count() == 1  # the same job stores nothing twice


def test_the_ninth_condition_is_searched_and_put_into_a_sentence(
    cast: Cast, table: ParaphraseTable, fitted: ParaphraseWeights
) -> None:
    bob = signed_in(cast.ada)
    where = reverse("paraphrase_search", args=[cast.project.slug, table.code])
    hits = bob.get(where, {"phrase": "old", "condition": "weighted"}).context["found"]
    assert hits.rows
    assert [row.p for row in hits.rows] == sorted(
        (row.p for row in hits.rows), reverse=True
    )
    where = reverse("paraphrase_substitute", args=[cast.project.slug, table.code])
    query = {"sentence": "The old boat came.", "phrase": "old"}
    columns = bob.get(where, query).context["found"].columns
    assert len(columns) == 9
    assert columns[-1].name == "Weighted by judgments"
    assert columns[-1].rows[0].paraphrase.text


def test_a_test_set_is_filled_by_nine_conditions(
    cast: Cast,
    table: ParaphraseTable,
    fitted: ParaphraseWeights,
    bitexts: list[Bitext],
) -> None:
    campaign, job = test_sets.start(
        table,
        bitexts[0],
        "Nine",
        n_phrases=9,
        by=cast.ada,
        weighted=True,
        enqueue=False,
    )
    jobs.run(job.pk)
    names = Condition.objects.filter(campaign=campaign).values_list("name", flat=True)
    assert "weighted" in names
    assert job.params["weights"] == 1


def test_weights_that_gain_are_adopted_rank_searches_and_are_undone(
    cast: Cast, table: ParaphraseTable, fitted: ParaphraseWeights
) -> None:
    compared = fitted.model["facts"]["compared"]
    assert compared["phrases"] == fitted.model["facts"]["phrases"]
    assert compared["low"] > 0
    ada, learn = signed_in(cast.ada), reverse("learn", args=[cast.project.slug])
    where = reverse("paraphrase_search", args=[cast.project.slug, table.code])
    key = f"weights_{table.code}:1"
    assert f'value="{key}"' in ada.get(learn).content.decode()
    home = reverse("project", args=[cast.project.slug])
    assert "1 model to adopt" in ada.get(home).content.decode()
    assert ada.get(where).context["condition"] == "baseline"
    ada.post(learn, {"do": "adopt", "model": key})
    table.project.refresh_from_db()
    assert ada.get(where).context["condition"] == "weighted"
    assert "1 model to adopt" not in ada.get(home).content.decode()
    assert ada.post(learn, {"do": "adopt", "model": key}).status_code == 400
    ada.post(learn, {"do": "undo", "model": key})
    assert ada.get(where).context["condition"] == "baseline"
    assert ada.post(learn, {"do": "undo", "model": key}).status_code == 400
    acts = LogEntry.objects.filter(kind="weights").order_by("pk")
    assert [(row.act, row.name) for row in acts] == [("adopted", "1"), ("left", "1")]


def test_new_weights_are_compared_with_the_adopted_on_phrases_new_to_it(
    cast: Cast, table: ParaphraseTable, fitted: ParaphraseWeights, campaign: Campaign
) -> None:
    weights.adopt(table, 1, by=cast.ada)
    with pytest.raises(NotAllowed):
        weights.undo_adoption(table, by=cast.bob)
    job = weights.start(table, campaign, by=cast.ada, enqueue=False)
    jobs.run(job.pk)
    second = table.weights.get(number=2)
    facts = second.model["facts"]
    assert (facts["before"], facts["compared"]) == (1, {"phrases": 0})
    assert not weights.is_better(second)
    assert weights.current(table)[0].number == 1  # the adopted one, not the newest
    with pytest.raises(BadRequest):
        weights.adopt(table, 2, by=cast.ada)


def test_the_page_shows_each_version_and_fits_one_more(
    cast: Cast, table: ParaphraseTable, fitted: ParaphraseWeights, campaign: Campaign
) -> None:
    where = reverse("paraphrase_weights", args=[cast.project.slug, table.code])
    assert "Fit weights" not in signed_in(cast.bob).get(where).content.decode()
    ada = signed_in(cast.ada)
    text = ada.get(where).content.decode()
    assert "Version 1, Sea" in text
    assert "fit of vectors" in text
    answer = ada.post(where, {"campaign": campaign.code})
    assert answer.status_code == 302
    assert (
        signed_in(cast.bob).post(where, {"campaign": campaign.code}).status_code == 403
    )
    again = ada.post(where, {"campaign": campaign.code})
    assert again.status_code == 409
    assert "This is already running: Weights" in again.content.decode()


def test_programs_see_fit_and_use_the_weights(
    cast: Cast, table: ParaphraseTable, fitted: ParaphraseWeights, campaign: Campaign
) -> None:
    at, ada = f"/api/tables/{table.code}/", signed_in(cast.ada)
    (row,) = ada.get(f"{at}weights/").json()
    assert (row["number"], row["campaign_name"]) == (1, "Sea")
    assert "language model" in row["weights"]
    query = {"phrase": "old", "condition": "weighted", "k": 1}
    assert len(ada.get(f"{at}lookup/", query).json()["paraphrases"]) == 1
    query = {"sentence": "The old boat came.", "phrase": "old"}
    rows = ada.get(f"{at}substitute/", query).json()["substitutes"]
    assert "weighted" in {row["condition"] for row in rows}
    body = {"campaign": campaign.code}
    assert ada.post(f"{at}weights/", body, content_type=JSON).status_code == 201
    bob = signed_in(cast.bob)
    assert bob.post(f"{at}weights/", body, content_type=JSON).status_code == 404
    assert signed_in(cast.cyd).get(f"{at}weights/").status_code == 404


def test_what_cannot_be_fitted_is_refused(
    cast: Cast,
    table: ParaphraseTable,
    unjudged: Campaign,
    bitexts: list[Bitext],
) -> None:
    with pytest.raises(BadRequest, match="No judgments"):
        weights.start(table, unjudged, by=cast.ada)
    with pytest.raises(BadRequest, match="No weights"):
        test_sets.start(
            table, bitexts[0], "Nine", n_phrases=9, by=cast.ada, weighted=True
        )
    query = {"phrase": "old", "condition": "weighted"}
    at = f"/api/tables/{table.code}/lookup/"
    assert signed_in(cast.bob).get(at, query).status_code == 400
    judge(unjudged, cast.bob)
    with pytest.raises(NotAllowed):
        weights.start(table, unjudged, by=cast.bob)
    table.made_at = None
    with pytest.raises(Conflict, match="not been created"):
        weights.start(table, unjudged, by=cast.ada)


def test_the_report_leads_to_the_tables_of_any_phrase(
    cast: Cast, table: ParaphraseTable, campaign: Campaign
) -> None:
    client = Client()
    client.force_login(cast.ada)
    report = reverse("report", args=[cast.project.slug, "campaign", campaign.code])
    there = reverse("paraphrase_tables_of", args=[cast.project.slug, table.code])
    form = f'<form method="get" action="{there}"'
    assert form in client.get(report).content.decode()
    assert client.get(there, {"phrase": "old"}).status_code == 200
    table.delete()
    assert form not in client.get(report).content.decode()
