"""Decisions are a layer of their own: added, never overwriting, and seen in reports."""

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, Conflict, NotAllowed, StaleEdit
from annotator.models import Adjudication, Judgment, JudgmentEvent
from annotator.services.campaigns import answers, curation
from annotator.services.campaigns.curation import Decision
from annotator.services.reports import agreement
from annotator.services.reports.agreement import ReportSource, ReportSpec
from core.agreement.judgments.dataset import Selection
from tests.annotator.judged import Judged, judged
from tests.cast import Cast

pytestmark = pytest.mark.django_db
FIVE = {"meaning": 5, "grammar": 5}


@pytest.fixture
def set_up(cast: Cast) -> Judged:
    return judged(cast)


def decision(seen: int = 0, **more: object) -> Decision:
    given = {"values": FIVE, "reason": "majority", "confidence": 3} | more
    return Decision(**given, seen=seen)  # type: ignore[arg-type]


def stored(of: Judged) -> list[tuple]:
    return list(Judgment.objects.order_by("pk").values_list("values", "revision"))


def test_a_decision_is_added_and_no_judgment_changes(set_up: Judged) -> None:
    before = stored(set_up)
    made = curation.decide(set_up.items[0], decision(), by=set_up.cast.ada)
    assert (made.number, made.values, made.by) == (1, FIVE, set_up.cast.ada)
    again = curation.decide(
        set_up.items[0],
        decision(1, values={"meaning": 2, "grammar": 2}),
        by=set_up.cast.ada,
    )
    assert again.number == 2
    assert [row.number for row in curation.history(set_up.items[0])] == [2, 1]
    assert stored(set_up) == before


def test_a_second_curator_learns_of_the_first(set_up: Judged) -> None:
    curation.decide(set_up.items[0], decision(), by=set_up.cast.ada)
    with pytest.raises(StaleEdit) as caught:
        curation.decide(set_up.items[0], decision(), by=set_up.cast.ada)
    assert caught.value.facts == {"revision": 1, "values": FIVE}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"values": {"meaning": 5}}, "rammar"),
        ({"values": {"meaning": 9, "grammar": 5}}, "eaning"),
        ({"values": {}}, "Choose a value"),
        ({"reason": "mood"}, "Choose a reason"),
        ({"confidence": 9}, "Choose your confidence"),
        ({"accepts": "A1"}, "not the values of A1"),
    ],
)
def test_a_decision_that_makes_no_sense_is_refused(
    set_up: Judged, change: dict, told: str
) -> None:
    with pytest.raises(BadRequest, match=told):
        curation.decide(set_up.items[0], decision(**change), by=set_up.cast.ada)
    assert not Adjudication.objects.exists()


def test_accepting_a_judge_takes_their_values(set_up: Judged) -> None:
    item = set_up.items[0]
    judgment = item.judgments.select_related("participant").first()
    made = curation.decide(
        item,
        decision(values=judgment.values, accepts=judgment.participant.label),
        by=set_up.cast.ada,
    )
    assert made.accepts == judgment.participant.label


def test_annotators_do_not_decide(set_up: Judged) -> None:
    with pytest.raises(NotAllowed):
        curation.decide(set_up.items[0], decision(), by=set_up.cast.bob)


def test_a_withdrawn_decision_leaves_the_item_undecided(set_up: Judged) -> None:
    item, ada = set_up.items[0], set_up.cast.ada
    curation.decide(item, decision(), by=ada)
    curation.withdraw(item, by=ada, seen=1)
    assert curation.history(item)[0].values == {}
    codes = {row.code for row in curation.queue(set_up.campaign)}
    assert item.code in codes


def test_the_queue_holds_what_is_undecided_the_worst_first(set_up: Judged) -> None:
    rows = curation.queue(set_up.campaign)
    assert len(rows) == 16
    assert [r.distance for r in rows] == sorted(
        (r.distance for r in rows), reverse=True
    )
    worst = next(item for item in set_up.items if item.code == rows[0].code)
    assert curation.next_item(set_up.campaign, worst) == rows[1].code
    curation.decide(worst, decision(), by=set_up.cast.ada)
    assert worst.code not in {r.code for r in curation.queue(set_up.campaign)}
    decided = curation.queue(set_up.campaign, show="decided")
    assert [r.code for r in decided] == [worst.code]


def test_decisions_count_in_the_table_of_conditions_when_asked(set_up: Judged) -> None:
    source = ReportSource(set_up.cast.project, "campaign", set_up.campaign)
    for item in set_up.items:
        curation.decide(item, decision(), by=set_up.cast.ada)

    def shares(*, adjudicated: bool) -> list[float]:
        asked = ReportSpec(Selection(), adjudicated=adjudicated, replicates=20)
        table = agreement.report(source, asked)[0]["conditions"]
        return [row["cells"][-1]["figure"]["value"] for row in table["rows"]]

    assert shares(adjudicated=True) == [1, 1, 1]
    assert shares(adjudicated=False)[0] < 1


def test_reopening_gives_one_judge_the_item_back(set_up: Judged) -> None:
    judgment = set_up.items[0].judgments.first()
    values = judgment.values
    answers.reopen(judgment, by=set_up.cast.ada, uuid=uuid4())
    judgment.refresh_from_db()
    assert (judgment.state, judgment.values) == (Judgment.State.LEASED, values)
    assert JudgmentEvent.objects.get(judgment=judgment).verb == "reopen"
    with pytest.raises(Conflict):
        answers.reopen(judgment, by=set_up.cast.ada, uuid=uuid4())


def page(of: Judged, *more: str) -> str:
    name = "curate_item" if more else "curation"
    return reverse(name, args=["windows", of.campaign.code, *more])


def test_the_pages_decide_withdraw_and_reopen(client: Client, set_up: Judged) -> None:
    client.force_login(set_up.cast.ada)
    item = set_up.items[0]
    assert client.get(page(set_up)).content.decode().count("undecided") >= 16
    where = page(set_up, item.code)
    shown = client.get(where).content.decode()
    assert "bob" in shown
    assert "judge1" in shown
    form = {"value-meaning": 4, "value-grammar": 3, "reason": "context"}
    form |= {"confidence": 2, "seen": 0}
    assert client.post(where, form).url == where
    assert client.post(where, form).status_code == 409  # somebody decided meanwhile
    assert client.post(where, form | {"seen": 1, "reason": ""}).status_code == 400
    following = client.post(where, form | {"seen": 1, "next": "1"})
    assert following.url not in (where, page(set_up))
    client.post(where, {"withdraw": 1, "seen": 2})
    assert Adjudication.objects.get(number=3).values == {}
    judgment = item.judgments.first()
    again = reverse(
        "curate_reopen", args=["windows", set_up.campaign.code, judgment.code]
    )
    assert client.post(again).url == where
    assert "reopened" in client.get(where).content.decode()


def test_curation_is_for_curators(client: Client, set_up: Judged) -> None:
    for user, status in ((set_up.cast.bob, 403), (set_up.cast.cyd, 404)):
        client.force_login(user)
        assert client.get(page(set_up)).status_code == status
        assert client.get(page(set_up, set_up.items[0].code)).status_code == status
        assert client.post(page(set_up, set_up.items[0].code)).status_code == status


def test_programs_decide_read_and_freeze(client: Client, set_up: Judged) -> None:
    client.force_login(set_up.cast.ada)
    item = set_up.items[0]
    where = f"/api/items/{item.code}/decisions/"
    sent = {"values": FIVE, "reason": "agreed", "confidence": 3}
    made = client.post(where, sent, content_type="application/json")
    assert made.status_code == 201
    assert client.post(where, sent, content_type="application/json").status_code == 409
    assert [row["number"] for row in client.get(where).json()] == [1]
    report = f"/api/campaigns/{set_up.campaign.code}/agreement/"
    assert client.get(report).json()["facts"]["items"] == 16
    assert client.get(report + "?owner__password__startswith=a").status_code == 400
    kept = client.post(report, {"title": "One"}, content_type="application/json")
    assert kept.status_code == 201
    assert client.get(f"/api/reports/{kept.json()['code']}/").json()["title"] == "One"
    label = item.judgments.first().participant.label
    again = f"/api/items/{item.code}/judges/{label}/reopen/"
    assert client.post(again).json()["judge"] == label
    assert client.post(again).status_code == 404


@pytest.mark.parametrize(
    "path", ["items/{item}/decisions/", "campaigns/{campaign}/agreement/"]
)
def test_programs_of_others_are_kept_out(
    client: Client, set_up: Judged, path: str
) -> None:
    where = "/api/" + path.format(
        item=set_up.items[0].code, campaign=set_up.campaign.code
    )
    for user in (set_up.cast.bob, set_up.cast.cyd):
        client.force_login(user)
        assert client.get(where).status_code == 404
        sent = client.post(where, {}, content_type="application/json")
        assert sent.status_code == 404
