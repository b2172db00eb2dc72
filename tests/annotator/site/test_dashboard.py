"""The home page by role, and the overview of a project."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from annotator.models import (
    AlignmentLayer,
    Campaign,
    Corpus,
    Invitation,
    Job,
    Judgment,
    Pair,
    Participant,
    Queue,
)
from annotator.pages.site.dashboard import waiting
from annotator.pages.site.needs import needs
from annotator.services.campaigns import leases
from annotator.services.kept_counts import MANY
from annotator.services.projects import invitations, members
from tests import cast as people
from tests.annotator import campaigns_cast
from tests.cast import Cast


@pytest.fixture
def bob(cast: Cast, client: Client) -> Client:
    client.force_login(cast.bob)
    return client


@pytest.fixture
def ada(cast: Cast, client: Client) -> Client:
    client.force_login(cast.ada)
    return client


def main_of(client: Client, url: str) -> str:
    html = client.get(url).content.decode()
    return html[html.index("<main") : html.index("</main>")]


def test_an_annotator_continues_where_work_is_left(cast: Cast) -> None:
    made = campaigns_cast.campaign(cast, n=6)
    for held in campaigns_cast.draw(made, cast.bob, 2):
        campaigns_cast.judge(held)
    judging, links = waiting(cast.bob)
    assert (judging.text, judging.label) == ("4 of 6 items left", "Continue")
    assert judging.url == reverse("judge", args=["windows", made.code])
    assert (links.text, links.label) == ("1 pair started, not done", "Continue")
    assert links.url == reverse("pair", args=["windows", cast.pair.code])


def test_a_share_that_is_done_and_a_campaign_that_is_closed_are_no_work(
    cast: Cast,
) -> None:
    done = campaigns_cast.campaign(cast, n=2)
    for held in campaigns_cast.draw(done, cast.bob, 2):
        campaigns_cast.judge(held)
    campaigns_cast.campaign(cast, n=2, is_open=False)
    assert [task.kind for task in waiting(cast.bob)] == ["links"]


def test_own_batches_and_quotas_bound_the_share(cast: Cast) -> None:
    made = campaigns_cast.campaign(cast, n=6, quota=5)
    assert waiting(cast.bob)[0].text == "5 of 5 items left"
    Participant.objects.filter(campaign=made).update(has_own_batches=True)
    made.items.filter(number__lt=3).update(is_withdrawn=True)
    assert waiting(cast.bob)[0].text == "3 of 3 items left"
    Queue.objects.all().delete()
    assert [task.kind for task in waiting(cast.bob)] == ["links"]


def test_one_who_is_stopped_reads_it_and_has_no_button(cast: Cast) -> None:
    made = campaigns_cast.campaign(cast, n=3)
    made.participants.update(state=Participant.State.BLOCKED)
    task = waiting(cast.bob)[0]
    assert (task.text, task.url) == ("Stopped by failed checks.", "")


def test_what_an_aligner_proposed_waits_for_people(cast: Cast) -> None:
    Pair.objects.filter(pk=cast.pair.pk).update(state="proposed")
    AlignmentLayer.objects.all().delete()
    (task,) = waiting(cast.bob)
    assert task.url == reverse("next_unsure", args=["windows", cast.corpus.code])


def test_links_to_correct_lead_to_a_pair_also_where_no_aligner_was(
    cast: Cast, bob: Client
) -> None:
    there = reverse("next_unsure", args=["windows", cast.corpus.code])
    first = reverse("pair", args=["windows", cast.pair.code])
    assert bob.get(there).headers["Location"] == first
    Pair.objects.update(state=Pair.State.DONE)
    listed = reverse("alignments", args=["windows", cast.corpus.code])
    assert bob.get(there).headers["Location"] == listed


def test_a_corpus_says_how_far_it_is_and_what_comes_next(
    cast: Cast, client: Client
) -> None:
    client.force_login(cast.ada)
    page = client.get(f"/p/windows/corpus/{cast.corpus.code}/").content.decode()
    head = page[page.index('<div class="head">') : page.index("</h1>") + 200]
    assert '<a class="button"' in head
    assert 'class="path"' in page


def test_work_elsewhere_and_of_others_is_nobody_elses(cast: Cast) -> None:
    campaigns_cast.campaign(cast, n=3)
    Pair.objects.filter(pk=cast.pair.pk).update(state="proposed")
    assert waiting(cast.cyd) == needs(cast.cyd) == needs(cast.bob) == []
    other = members.create("Doors", by=cast.ada)
    assert waiting(cast.bob, other) == []
    cast.project.memberships.get(user=cast.bob).delete()
    assert waiting(cast.bob) == []


def test_a_manager_reads_what_needs_them_the_gravest_first(cast: Cast) -> None:
    made = campaigns_cast.campaign(cast, n=4, people=2)
    made.participants.filter(user=cast.bob).update(
        state="blocked", n_checks=5, n_checks_failed=3
    )
    Job.objects.create(
        project=cast.project, kind="parse", title="Parse Houses", state="failed"
    )
    campaigns_cast.campaign(
        cast, n=2, people=0, is_open=False
    ).participants.all().delete()
    judge = made.participants.exclude(user=cast.bob).get()
    held = campaigns_cast.draw(made, judge.user)[0]
    Judgment.objects.filter(pk=held.pk).update(flag="A word is missing")
    invitations.invite(cast.project, role="viewer", by=cast.ada)
    rows = needs(cast.ada)
    assert [need.chip for need in rows] == [
        "Stopped", "Failed", "Campaign", "Flags", "Invited",
    ]  # fmt: skip
    assert rows[0].text == f"bob failed 3 of 5 checks in {made} and is stopped."
    assert rows[3].text == f"1 flagged item in {made}."
    assert rows[4].text == "1 open invitation."


def test_items_that_are_kept_for_nobody_need_a_manager(cast: Cast) -> None:
    made = campaigns_cast.campaign(cast, n=4)
    held = campaigns_cast.draw(made, cast.bob, 3)
    mine = Judgment.objects.filter(pk__in=[one.pk for one in held])
    assert needs(cast.ada) == []
    mine.update(lease_until=timezone.now() - timedelta(minutes=5))
    assert needs(cast.ada) == []  # somebody may be at lunch
    mine.update(lease_until=timezone.now() - timedelta(hours=2))
    (need,) = needs(cast.ada)
    assert need.chip == "Overdue"
    assert need.text.startswith(f"3 items in {made} were assigned")
    leases.expire()
    assert needs(cast.ada) == []


def test_who_drifts_needs_a_manager(cast: Cast, client: Client) -> None:
    made = campaigns_cast.campaign(
        cast, n=20, people=2, overlap_share=1, prefetch=20, seconds_per_item=1
    )
    other = made.participants.exclude(user=cast.bob).get().user
    for at, held in enumerate(campaigns_cast.draw(made, cast.bob, 20)):
        campaigns_cast.judge(held, {"meaning": 1 + at // 5, "grammar": 3})
    for held in campaigns_cast.draw(made, other, 20):
        campaigns_cast.judge(held, {"meaning": 3, "grammar": 3})
    assert [need.chip for need in needs(cast.ada)] == []  # nothing is measured there
    client.force_login(cast.ada)
    assert 'hx-get="/needs/?project=windows"' in main_of(client, "/p/windows/")
    assert 'hx-get="/needs/"' in main_of(client, "/")
    told = client.get("/needs/?project=windows").content.decode()
    assert "bob rated meaning higher over time" in told
    assert "#judges" in told
    assert client.get("/needs/").content.decode().count("<li>") == told.count("<li>")
    client.force_login(cast.bob)
    assert client.get("/needs/").content.decode().strip() == ""
    assert client.get("/needs/?project=windows").status_code == 403


def test_what_is_settled_needs_nobody(cast: Cast) -> None:
    made = campaigns_cast.campaign(cast, n=4)
    held = campaigns_cast.draw(made, cast.bob)[0]
    Judgment.objects.filter(pk=held.pk).update(flag="Odd")
    held.item.is_withdrawn = True
    held.item.save()
    old = {"project": cast.project, "kind": "parse", "title": "Parse Houses"}
    Job.objects.create(**old, state="failed")
    Job.objects.create(**old, state="done")
    Job.objects.create(
        **old | {"title": "Old"},
        state="failed",
        created_at=timezone.now() - timedelta(days=8),
    )
    invitations.invite(cast.project, role="viewer", by=cast.ada)
    Invitation.objects.update(expires_at=timezone.now())
    assert needs(cast.ada) == []


def test_home_shows_each_role_its_part(cast: Cast, client: Client) -> None:
    campaigns_cast.campaign(cast, n=3)
    invitations.invite(cast.project, role="viewer", by=cast.ada)
    for user, there, lacking in (
        (cast.bob, "Your work", "Needs you"),
        (cast.ada, "Needs you", "Your work"),
    ):
        client.force_login(user)
        html = main_of(client, "/")
        assert there in html
        assert lacking not in html


def test_the_overview_is_blind_to_annotators(cast: Cast, bob: Client) -> None:
    made = campaigns_cast.campaign(cast, n=6, people=3)
    other = made.participants.exclude(user=cast.bob).first()
    for held in campaigns_cast.draw(made, other.user, 3):
        campaigns_cast.judge(held)
    html = main_of(bob, "/p/windows/")
    assert "3 of 3 items left" in html  # what waits for bob, not what others did
    for word in (
        "judge1",
        "judge2",
        "Active this week",
        "3 of 6",
        "agreement",
        "Reviewed",
    ):
        assert word not in html
    assert bob.get(f"/p/windows/campaign/{made.code}/agreement/").status_code == 403


def test_the_overview_tells_managers_how_far_things_are(
    cast: Cast, ada: Client
) -> None:
    made = campaigns_cast.campaign(cast, n=4, people=2, k=2)
    for user in (cast.bob, made.participants.exclude(user=cast.bob).get().user):
        for held in campaigns_cast.draw(made, user, 4):
            campaigns_cast.judge(held)
    running = {"project": cast.project, "kind": "parse", "state": "running"}
    Job.objects.create(**running, title="Parse Houses", total=10, done=4)
    html = " ".join(main_of(ada, "/p/windows/").split())
    assert re.search(r"<strong>8</strong> of \d+ judgments", html)
    listed = " ".join(main_of(ada, "/p/windows/campaigns/").split())
    assert re.search(r"8 of \d+ judgments, 4 items", listed)
    assert "4 of 10" in html
    assert "Active this week" in html
    assert "judge1" in html
    line = ada.get(f"/p/windows/campaign/{made.code}/agreement/").content.decode()
    assert "Meaning" in line
    assert "α" in line or "no agreement yet" in line


def many(cast: Cast, n: int) -> None:
    for i in range(n):
        corpus = people.corpus(cast.project, f"Corpus {i}")
        pair = people.pair(corpus, people.SOURCE, people.TARGET)
        people.layer(pair, author=cast.bob)
        campaigns_cast.campaign(cast, n=2)
        Job.objects.create(
            project=cast.project, kind="parse", title=f"Job {i}", state="failed"
        )


@pytest.mark.parametrize("name", ["ada", "bob"])
@pytest.mark.parametrize("url", ["/", "/p/windows/"])
def test_many_corpora_cost_no_more_queries(
    cast: Cast,
    client: Client,
    django_assert_max_num_queries: Any,
    name: str,
    url: str,
) -> None:
    many(cast, 12)
    client.force_login(getattr(cast, name))
    client.get(url)
    with django_assert_max_num_queries(28):
        client.get(url)


def test_what_is_large_is_counted_once_for_many_readers(
    cast: Cast, ada: Client
) -> None:
    made = campaigns_cast.campaign(cast, n=2)
    for held in campaigns_cast.draw(made, cast.bob, 2):
        campaigns_cast.judge(held)
    Campaign.objects.filter(pk=made.pk).update(n_items=MANY + 1)
    Corpus.objects.filter(pk=cast.corpus.pk).update(n_pairs=MANY + 1)
    cache.clear()
    url = reverse("project", args=["windows"])
    for is_first in (True, False):
        with CaptureQueriesContext(connection) as asked:
            html = " ".join(main_of(ada, url).split())
            assert "<strong>2</strong> of 2 judgments" in html
        counting = [row["sql"] for row in asked if "wanted" in row["sql"]]
        counting += [row["sql"] for row in asked if "reviewed" in row["sql"]]
        assert len(counting) == (2 if is_first else 0)
    cache.clear()


@pytest.mark.skipif(connection.vendor != "postgresql", reason="a plan of PostgreSQL")
def test_flags_are_found_by_an_index_of_their_own(cast: Cast) -> None:
    campaigns_cast.campaign(cast, n=2)
    with CaptureQueriesContext(connection) as asked:
        needs(cast.ada)
    (flagged,) = (
        row["sql"]
        for row in asked
        if "NOT EXISTS" in row["sql"] and "annotator_adjudication" in row["sql"]
    )
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("EXPLAIN " + flagged)
        assert "judgment_flags" in str(cursor.fetchall())


def station(html: str, key: str) -> str:
    """The words of a station of the loop."""
    part = re.search(rf'<li class="{key}">(.*?)</li>', html, re.DOTALL)
    assert part is not None
    return " ".join(re.sub(r"<[^>]+>", " ", part[1]).split())


def next_of(html: str) -> str:
    part = re.search(r'<div class="next">(.*?)</div>', html, re.DOTALL)
    return " ".join(re.sub(r"<[^>]+>", " ", part[1]).split()) if part else ""


def test_the_loop_begins_with_a_corpus(cast: Cast, ada: Client) -> None:
    doors = members.create("Doors", by=cast.ada)
    html = main_of(ada, "/p/doors/")
    assert next_of(html).endswith("Upload a corpus")
    assert html.count('class="button"') == 1
    assert station(html, "judge").endswith("0 of 0 judgments 0 campaigns rated pairs")
    people.corpus(doors, "Trees")
    nexts = "Trees Parse its sentences, or train a parser on its trees Parse"
    assert next_of(main_of(ada, "/p/doors/")) == f"Next {nexts}"


def test_the_loop_counts_what_is_there_and_names_the_next_step(
    cast: Cast, ada: Client
) -> None:
    made = campaigns_cast.campaign(cast, n=4)
    for held in campaigns_cast.draw(made, cast.bob, 3):
        campaigns_cast.judge(held)
    Pair.objects.update(state=Pair.State.DONE, has_parse=True)
    new = people.corpus(cast.project, "Letters")
    people.pair(new, people.SOURCE, people.TARGET)
    Pair.objects.filter(corpus=new).update(has_parse=False)
    html = main_of(ada, "/p/windows/")
    assert "3 of 4 judgments" in station(html, "judge")
    assert f"/campaign/{made.code}/agreement/" in html
    assert station(html, "align").startswith("Align phrases link equal meanings 1 of 2")
    assert "1 correction" in station(html, "learn")
    assert next_of(html) == "Next Letters 1 pair left Parse"
    job = {"project": cast.project, "kind": "parse", "state": "running"}
    Job.objects.create(**job, title="Parse Letters", params={"corpus": new.code})
    assert next_of(main_of(ada, "/p/windows/")) == ""


def test_the_loop_is_for_those_who_see_the_work_of_others(
    cast: Cast, bob: Client
) -> None:
    assert "The loop" not in main_of(bob, "/p/windows/")


def test_corpora_too_large_to_count_have_no_progress(
    cast: Cast, ada: Client, monkeypatch: Any
) -> None:
    monkeypatch.setattr("annotator.pages.site.dashboard.COUNTED", 0)
    html = main_of(ada, "/p/windows/")
    assert "1 pair 0 changes" in station(html, "parse")
    assert 'class="path"' not in html
    assert next_of(html) != "Parse"
