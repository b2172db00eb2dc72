"""Reports in the browser: who sees them, what they say, what stands behind a figure."""

import json
import re
from datetime import timedelta
from urllib.parse import urljoin

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotator.models import Job, Judgment, Membership, Project, Report
from annotator.services import jobs
from annotator.services.campaigns import answers, items, progress, setup
from annotator.services.reports import agreement, judged_data
from annotator.services.reports.agreement import ReportSource, ReportSpec
from core.agreement.judgments.dataset import Selection
from tests.annotator import campaigns_cast
from tests.annotator.judged import Judged, judged, links, save_again
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def set_up(cast: Cast) -> Judged:
    return judged(cast)


@pytest.fixture
def ada(client: Client, set_up: Judged) -> Client:
    client.force_login(set_up.cast.ada)
    return client


def url(of: Judged, name: str = "report", *more: str) -> str:
    return reverse(name, args=["windows", "campaign", of.campaign.code, *more])


def source(of: Judged) -> ReportSource:
    return ReportSource(of.cast.project, "campaign", of.campaign)


def body(of: Judged, asked: ReportSpec | None = None) -> dict:
    report, _ = agreement.report(
        source(of), asked or ReportSpec(Selection(), replicates=50)
    )
    return report


def test_the_report_shows_every_section(ada: Client, set_up: Judged) -> None:
    page = ada.get(url(set_up)).content.decode()
    for section in ("headline", "pairs", "confusion", "judges", "conditions"):
        assert f'id="{section}"' in page
    assert page.count("<svg") >= 6
    assert "Quadratic" in page or "quadratic" in page
    assert "<script>" not in page
    assert not re.search(r"\sstyle=", page)


def test_each_interval_is_drawn_beside_its_figures(ada: Client, set_up: Judged) -> None:
    page = ada.get(url(set_up)).content.decode()
    start = page.index('<table class="figures stack">')
    table = page[start : page.index("</table>", start)]
    figures = re.findall(r'<tr>\s*<th scope="row">.*?</tr>', table, re.DOTALL)
    with_interval = [row for row in figures if re.search(r"\d to \d|% to", row)]
    assert with_interval
    assert all('class="chart in-row"' in row for row in with_interval)


def test_the_head_of_the_matrix_stands_over_its_figures(
    ada: Client, set_up: Judged
) -> None:
    page = ada.get(url(set_up)).content.decode()
    heads = re.findall(r'role="columnheader"[^>]*>', page)
    assert heads
    assert all('class="num"' in head for head in heads)


def test_a_report_follows_withdrawn_items_and_the_baseline(set_up: Judged) -> None:
    made, ada = set_up.campaign, set_up.cast.ada
    before = body(set_up)
    items.withdraw(set_up.items[0], by=ada)
    made.refresh_from_db()
    assert body(set_up)["facts"]["items"] == before["facts"]["items"] - 1
    set_up.items[0].refresh_from_db()
    items.restore(set_up.items[0], by=ada)
    made.refresh_from_db()
    assert body(set_up)["facts"]["items"] == before["facts"]["items"]
    setup.set_baseline(made.conditions.get(name="both"), by=ada)
    made.refresh_from_db()
    assert body(set_up)["conditions"]["baseline"] == "both"


def test_the_report_and_the_campaign_tell_the_same_seconds(cast: Cast) -> None:
    made = campaigns_cast.campaign(cast, n=3)
    for held, spent in zip(
        campaigns_cast.draw(made, cast.bob, 3), (1, 2, 9), strict=True
    ):
        answer = campaigns_cast.answer(seen=held.revision, active_ms=1000 * spent)
        answers.take(held.code, "save", answer, campaign=made.code, by=cast.bob)
    (row,) = progress.of(made).people
    of = ReportSource(cast.project, "campaign", made)
    report, _ = agreement.report(of, ReportSpec(Selection(), replicates=50))
    (judge,) = report["scales"][0]["judges"]
    assert judge["mean_s"] == row.seconds == 4


def test_a_new_guideline_is_marked_on_the_chart_of_drift(
    ada: Client, set_up: Judged
) -> None:
    assert "New guideline" not in ada.get(url(set_up)).content.decode()
    for person in set_up.participants:
        mine = list(person.judgments.order_by("saved_at", "pk"))
        for at, judgment in enumerate(mine):
            judgment.guideline = 1 if at < len(mine) / 2 else 2
            judgment.save(update_fields=["guideline"])
    judged_data._held.clear()
    agreement._bodies.clear()
    page = ada.get(url(set_up)).content.decode()
    assert ": guidelines version 2 from here on</title>" in page
    assert ">g2</text>" in page
    assert re.search(r"2 after \d+%", page)


def test_every_figure_leads_to_a_page_of_items(ada: Client, set_up: Judged) -> None:
    page = ada.get(url(set_up)).content.decode()
    figures = sorted({link for link in links(page) if "/cases/" in link})
    assert len(figures) > 60
    for link in figures:
        answer = ada.get(urljoin(url(set_up), link))
        assert answer.status_code == 200, link


def test_a_cell_of_the_confusion_counts_the_items_it_leads_to(
    ada: Client, set_up: Judged
) -> None:
    scale = body(set_up)["scales"][0]
    for i, row in enumerate(scale["confusion"]["counts"]):
        for j, n in enumerate(row):
            query = f"?scale=meaning&values={i + 1},{j + 1}"
            page = ada.get(url(set_up, "report_cases") + query).content.decode()
            assert f"<h1>{n} item" in page


def test_a_pair_leads_to_their_common_items(ada: Client, set_up: Judged) -> None:
    pair = body(set_up)["scales"][0]["pairs"][0]
    query = f"?scale=meaning&pair={pair['a']},{pair['b']}"
    page = ada.get(url(set_up, "report_cases") + query).content.decode()
    assert f"<h1>{pair['n']} item" in page
    assert "Pairs that agree" in page


def test_conditions_have_the_shape_of_table_six(set_up: Judged) -> None:
    table = body(set_up)["conditions"]
    assert [row["condition"] for row in table["rows"]] == ["baseline", "syntax", "both"]
    assert [row["covered"] for row in table["rows"]] == [8, 8, 8]
    assert table["rows"][0]["tests"] is None
    assert len(table["strip"]["rows"]) == 25
    syntax = table["rows"][1]
    assert syntax["cells"][0]["figure"]["value"] == 1.0
    assert syntax["tests"][0]["p_holm"] < 0.05


def test_the_table_of_conditions_says_which_ranks_it_counts(
    ada: Client, set_up: Judged
) -> None:
    page = ada.get(url(set_up)).text
    assert "Counts only the best paraphrase of each condition (rank 1)." in page
    assert 'href="?rank=0#conditions"' in page
    page = ada.get(url(set_up) + "?rank=0&checks=1").text
    assert "Counts every paraphrase of a condition, whatever its rank." in page
    assert 'href="?rank=1&amp;checks=1#conditions"' in page
    assert "up to rank 5" in ada.get(url(set_up) + "?rank=5").text


def test_thresholds_come_from_the_address(ada: Client, set_up: Judged) -> None:
    asked = ReportSpec(Selection(), (("meaning", 1.0), ("grammar", 1.0)), replicates=50)
    for row in body(set_up, asked)["conditions"]["rows"]:
        assert [cell["figure"]["value"] for cell in row["cells"]] == [1, 1, 1]
    page = ada.get(url(set_up) + "?threshold=meaning:1&threshold=grammar:1")
    assert "Meaning ≥ 1" in page.content.decode()


def test_filters_choose_judges_and_conditions(set_up: Judged) -> None:
    two = body(set_up, ReportSpec(Selection(annotators=("A1", "A2")), replicates=50))
    assert two["facts"]["annotators"] == 2
    assert len(two["scales"][0]["pairs"]) == 1
    one = body(set_up, ReportSpec(Selection(conditions=("syntax",)), replicates=50))
    assert one["facts"]["items"] == 8
    assert one["conditions"]["rows"][0]["judged"] == 0


@pytest.mark.parametrize(
    "query",
    [
        "annotator=A9",
        "condition=none",
        "threshold=meaning",
        "threshold=taste:3",
        "since=today",
        "baseline=none",
        "seed=-1",
        "measure=love",
        "show=taste",
        "participant__user=1",
    ],
)
def test_a_filter_that_fits_nothing_is_refused(
    ada: Client, set_up: Judged, query: str
) -> None:
    assert ada.get(url(set_up) + "?" + query).status_code == 400


@pytest.mark.parametrize(
    "query",
    ["scale=taste", "pair=A1", "values=9,1", "same=2", "by=A7", "page=0", "page=²"],
)
def test_a_case_that_fits_nothing_is_refused(
    ada: Client, set_up: Judged, query: str
) -> None:
    assert ada.get(url(set_up, "report_cases") + "?" + query).status_code == 400


def test_strangers_and_annotators_see_no_report(client: Client, set_up: Judged) -> None:
    for name in ("report", "report_cases"):
        client.force_login(set_up.cast.cyd)
        assert client.get(url(set_up, name)).status_code == 404
        client.force_login(set_up.cast.bob)
        assert client.get(url(set_up, name)).status_code == 403
    client.logout()
    assert client.get(url(set_up)).status_code == 302


def test_a_campaign_of_another_project_is_not_found(
    ada: Client, set_up: Judged
) -> None:
    other = Project.objects.create(name="Other", slug="other")
    Membership.objects.create(project=other, user=set_up.cast.ada, role="manager")
    code = set_up.campaign.code
    assert (
        ada.get(reverse("report", args=["other", "campaign", code])).status_code == 404
    )


def test_viewers_see_labels_and_never_names(client: Client, set_up: Judged) -> None:
    viewer = set_up.cast.cyd
    Membership.objects.create(project=set_up.cast.project, user=viewer, role="viewer")
    client.force_login(viewer)
    for name in ("report", "report_cases"):
        for query in ("", "?names=1"):
            page = client.get(url(set_up, name) + query).content.decode()
            assert "A1" in page
            assert "judge1" not in page
    exported = client.get(url(set_up, "report_export", "json")).content.decode()
    assert "judge1" not in exported


def test_managers_see_names_and_may_hide_them(ada: Client, set_up: Judged) -> None:
    assert "judge1" in ada.get(url(set_up)).content.decode()
    assert "judge1" not in ada.get(url(set_up) + "?names=0").content.decode()


def test_freezing_keeps_the_figures_and_their_hash(ada: Client, set_up: Judged) -> None:
    answer = ada.post(url(set_up, "report_freeze"), {"title": "First round"})
    kept = Report.objects.get()
    assert answer.url.endswith(f"/frozen/{kept.code}/")
    assert len(kept.digest) == 64
    before = json.dumps(kept.body, sort_keys=True)
    same = " ".join(ada.get(answer.url).content.decode().split())
    assert "their hash is the same" in same
    save_again(Judgment.objects.first(), meaning=1, grammar=1)
    page = ada.get(answer.url).content.decode()
    assert "1 judgment newer than this report" in page
    assert "their hash is the same" not in page
    kept.refresh_from_db()
    assert json.dumps(kept.body, sort_keys=True) == before
    again = body(set_up, ReportSpec(Selection()))
    assert again["facts"]["digest"] != kept.digest


def test_the_same_data_have_the_same_hash(set_up: Judged) -> None:
    first = body(set_up)["facts"]["digest"]
    agreement._bodies.clear()
    judged_data._held.clear()
    assert body(set_up)["facts"]["digest"] == first
    other = body(set_up, ReportSpec(Selection(), seed=3, replicates=50))
    assert other["facts"]["digest"] != first


def test_an_untitled_or_unentitled_freeze_is_refused(
    client: Client, set_up: Judged
) -> None:
    client.force_login(set_up.cast.ada)
    assert client.post(url(set_up, "report_freeze"), {"title": " "}).status_code == 400
    viewer = set_up.cast.cyd
    Membership.objects.create(project=set_up.cast.project, user=viewer, role="viewer")
    client.force_login(viewer)
    answer = client.post(url(set_up, "report_freeze"), {"title": "Mine"})
    assert answer.status_code == 403
    assert not Report.objects.exists()


def test_new_judgments_are_told_to_an_open_page(ada: Client, set_up: Judged) -> None:
    last = judged_data.last_event()
    fresh = url(set_up, "report_fresh") + f"?since={last}"
    assert ada.get(fresh).json() == {"newer": 0}
    save_again(Judgment.objects.first(), meaning=2)
    assert ada.get(fresh).json() == {"newer": 1}
    assert ada.get(url(set_up, "report_fresh") + "?since=x").status_code == 400


@pytest.mark.parametrize("form", ["json", "csv", "tex", "txt"])
def test_a_report_leaves_as_a_file(ada: Client, set_up: Judged, form: str) -> None:
    answer = ada.get(url(set_up, "report_export", form))
    text = answer.content.decode()
    assert "attachment" in answer["Content-Disposition"]
    assert {
        "json": '"digest"',
        "csv": "section,scale,name",
        "tex": r"\begin{tabular}",
        "txt": "K = ",
    }[form] in text
    assert "NaN" not in text
    assert ada.get(url(set_up, "report_export", "exe")).status_code == 404


def test_the_report_opens_with_pictures(ada: Client, set_up: Judged) -> None:
    text = ada.get(url(set_up)).content.decode()
    opening = text[text.index('class="opening"') : text.index("<h3>Meaning")]
    titles = re.findall(r"<figcaption><b>([^<]+)</b>", opening)
    assert titles == [
        "Agreement by scale: alpha and its 95 % interval",
        "Share of judgments that are correct, with 95 % intervals",
        "Items that cost most: alpha gained without each",
    ]
    assert opening.index('class="lead"') < opening.index("<figure")
    assert text.index("/export/json/") < text.index('class="opening"')
    drawn = len(re.findall(r'<svg class="chart"', text))
    assert drawn == text.count("<figcaption>") > 3  # each has a title


def test_the_figures_of_a_picture_are_those_of_the_report(
    ada: Client, set_up: Judged
) -> None:
    def rows(name: str) -> list[list[str]]:
        address = url(set_up) + f"chart/{name}.csv"
        lines = ada.get(address).content.decode().splitlines()
        return [line.split(",") for line in lines[1:]]

    report = body(set_up, ReportSpec(Selection()))
    alphas = [
        next(r["figure"] for r in s["headline"] if r["key"] == "alpha_ordinal")
        for s in report["scales"]
    ]
    assert rows("agreement") == [
        [title, *(str(f[k]) for k in ("value", "low", "high"))]
        for title, f in zip(("Meaning", "Grammar"), alphas, strict=True)
    ]
    shares = {
        (row["condition"], head): str(cell["figure"]["value"])
        for row in report["conditions"]["rows"]
        for head, cell in zip(
            ("Meaning ≥ 3", "Grammar ≥ 4", "both"), row["cells"], strict=True
        )
    }
    assert {(name, on): v for name, on, v, *_ in rows("conditions")} == shares
    costs = [float(row[-1]) for row in rows("items")]
    assert costs == sorted(costs, reverse=True)
    assert max(costs) == max(row["leverage"] for row in report["disagreements"])
    counts = [list(map(int, row[1:])) for row in rows("confusion-1")]
    assert counts == report["scales"][0]["confusion"]["counts"]


@pytest.mark.parametrize(
    ("form", "starts"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("csv", b"Annotator")]
)
def test_a_picture_leaves_as_a_file(ada: Client, set_up: Judged, form, starts) -> None:
    ada.post(url(set_up, "report_freeze"), {"title": "Then"})
    kept = Report.objects.get()
    then = reverse("frozen", args=["windows", kept.code])
    for place in (url(set_up), then):
        answer = ada.get(f"{place}chart/drift-2.{form}")
        assert answer.content.startswith(starts)
        assert answer["Content-Disposition"].startswith("attachment")
        assert ada.get(f"{place}chart/other.{form}").status_code == 404
        assert ada.get(f"{place}chart/drift-2.exe").status_code == 404


def test_a_picture_names_people_only_to_those_who_see_names(
    client: Client, ada: Client, set_up: Judged
) -> None:
    address = url(set_up) + "chart/drift-1.csv"
    assert "bob" in ada.get(address).content.decode()
    assert "bob" not in ada.get(address + "?names=0").content.decode()
    viewer = User.objects.create_user("vera")
    Membership.objects.create(project=set_up.cast.project, user=viewer, role="viewer")
    client.force_login(viewer)
    shown = client.get(address).content.decode()
    assert "A1" in shown
    assert "bob" not in shown
    client.force_login(set_up.cast.bob)
    assert client.get(address).status_code == 403


def test_two_judges_are_named_on_the_table_of_confusion(
    client: Client, cast: Cast
) -> None:
    two = judged(cast, people=2)
    client.force_login(cast.ada)
    text = " ".join(client.get(url(two)).content.decode().split())
    assert "pairs of judgments: bob in rows, judge1 in columns" in text
    assert "first judge" not in text


def test_one_judge_alone_is_told_so(client: Client, cast: Cast) -> None:
    page = ada_page(client, judged(cast, people=1, k=1))
    assert "0 of 16 items have two judges" in page


def ada_page(client: Client, of: Judged) -> str:
    client.force_login(of.cast.ada)
    return client.get(url(of)).content.decode()


def test_a_single_category_is_explained(client: Client, set_up: Judged) -> None:
    Judgment.objects.update(values={"meaning": 5, "grammar": 5})
    judged_data._held.clear()
    agreement._bodies.clear()
    page = ada_page(client, set_up)
    assert "every value is 5" in page
    assert "100.0 %" in page


def test_a_campaign_without_judgments_still_has_a_page(
    client: Client, set_up: Judged
) -> None:
    Judgment.objects.all().delete()
    judged_data._held.clear()
    page = ada_page(client, set_up)
    assert "No judgments yet." in page
    assert "No condition differs" not in page


def test_extra_judges_are_left_out_of_agreement(set_up: Judged) -> None:
    item = set_up.items[0]
    other = next(
        p for p in set_up.participants if not item.judgments.filter(participant=p)
    )
    template = item.judgments.first()
    Judgment.objects.create(
        item=item,
        participant=other,
        state="done",
        fills=True,
        lease_until=template.lease_until,
        saved_at=template.saved_at + timedelta(hours=1),
        values={"meaning": 1, "grammar": 1},
    )
    type(item).objects.filter(pk=item.pk).update(need=3, n_extra=1, n_taken=3, n_done=3)
    judged_data._held.clear()
    report = body(set_up)
    assert report["facts"]["extra"] == 1
    assert report["scales"][0]["ratings"] == 32


def test_a_large_campaign_is_left_to_a_worker(
    ada: Client, set_up: Judged, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agreement, "LIVE_AT_MOST", 10)
    page = ada.get(url(set_up)).content.decode()
    assert "About 32 judgments" in page
    assert "Summary" in ada.get(url(set_up) + "?wait=1").content.decode()
    answer = ada.post(url(set_up, "report_freeze"), {"title": "Big"})
    job = Job.objects.get(kind="report")
    assert answer.url.endswith(f"/jobs/{job.code}/")
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error or job.note
    assert Report.objects.get().code == job.result["report"]


def test_the_index_lists_what_there_is(ada: Client, set_up: Judged) -> None:
    page = ada.get(reverse("agreement", args=["windows"])).content.decode()
    assert "Substitutes" in page
    assert "None yet" in page


def n_queries(client: Client, path: str) -> int:
    judged_data._held.clear()
    agreement._bodies.clear()
    with CaptureQueriesContext(connection) as seen:
        assert client.get(path).status_code == 200
    return len(seen)


def test_pages_ask_as_often_for_few_items_as_for_many(
    client: Client, cast: Cast
) -> None:
    client.force_login(cast.ada)
    few = judged(cast)
    few.campaign.name = "Few"
    few.campaign.save()
    for user in User.objects.filter(username__startswith="judge"):
        user.username += "-few"
        user.save()
    many = judged(cast, copies=3)
    for name in ("report", "report_cases"):
        assert n_queries(client, url(few, name)) == n_queries(client, url(many, name))
    lists = [
        reverse("curation", args=["windows", of.campaign.code]) for of in (few, many)
    ]
    assert n_queries(client, lists[0]) == n_queries(client, lists[1])
