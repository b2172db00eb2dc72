"""A whole study: three judges, sixty items, checks. A careless judge is found and
replaced; then curation, and a release that verifies."""

from collections.abc import Iterator
from uuid import uuid4
from zlib import crc32

import numpy as np
import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, expect

from annotator.models import Campaign, Judgment
from annotator.services import jobs
from annotator.services.releases import kept
from core.releases.verifying import verify
from tests.annotator.campaigns_cast import HEADER, campaign, judges, rows
from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = pytest.mark.browser
ITEMS, CHECKS = 60, 6


@pytest.fixture
def people(live) -> Cast:
    return Cast()


def judge_all(made: Campaign, user: User, *, seconds: float, careful: bool) -> int:
    """Everything that the desk gives, through the API; how many answers."""
    client, n = Client(), 0
    client.force_login(user)
    desk = reverse("api_desk", args=[made.code])
    held = client.get(desk).json()["next"]
    for one in _cards(client, made, held):
        of_item = np.random.default_rng(crc32(one["card"]["paraphrase"].encode()))
        truth = 4 if "gold" in one["card"]["paraphrase"] else of_item.integers(2, 6)
        own = np.random.default_rng([user.pk, n]).integers(-1, 1)
        value = int(np.clip(truth + own, 1, 5)) if careful else 3
        one["values"] = {"meaning": value, "grammar": value}
        one["active_ms"] = int(1000 * seconds)
        n += 1
    return n


def _cards(client: Client, made: Campaign, held: list) -> Iterator[dict]:
    """Each card to be answered by who asks: ``values`` and ``active_ms`` are sent."""
    url = reverse("api_answers", args=[made.code])
    while held:
        card = held.pop(0)
        one = {"card": card}
        yield one
        codes = [other["code"] for other in held]
        message = {"uuid": str(uuid4()), "judgment": card["code"], "want": 4}
        message |= {"seen": card["revision"], "held": codes, "verb": "save"}
        message |= {name: one[name] for name in ("values", "active_ms")}
        answer = client.post(url, message, content_type="application/json")
        assert answer.status_code == 200, answer.text
        known = {card["code"], *codes}
        held += [new for new in answer.json()["next"] if new["code"] not in known]


def replace_the_careless(page: Page, slug: str, made: Campaign) -> None:
    """What the manager does about the flag."""
    page.goto(reverse("campaign_people", args=[slug, made.code]))
    care = page.get_by_role("region", name="Quality rules")
    row = care.get_by_role("row").filter(has_text="judge2")
    expect(row).to_contain_text("under 2 s")
    expect(row.locator(".chip.warn")).to_have_count(2)  # and the same answer each time
    for name in ("bob", "judge1"):
        other = care.get_by_role("row").filter(has_text=name)
        expect(other.locator(".chip.warn")).to_have_count(0)
    row.get_by_role("link", name="judge2").click()
    keep_picture(page, "study-annotator")
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Set all answers aside").click()
    page.get_by_role("button", name="and reassign the items").click()
    expect(
        page.get_by_text("were set aside. Other people get the items.")
    ).to_be_visible()
    page.goto(reverse("campaign_people", args=[slug, made.code]))
    page.get_by_label("judge3").check()
    page.get_by_role("button", name="Add them").click()
    expect(page.get_by_text("1 annotator added.")).to_be_visible()


def test_a_study_from_its_judges_to_its_release(
    open_page, people, settings, tmp_path, monkeypatch
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    text = HEADER + rows(ITEMS) + rows(CHECKS, kind="gold", gold="4")
    made = campaign(people, text=text, people=3, k=2, check_every=10)
    bob, judge1, judge2, judge3 = judges(people, 4)
    careless = judge_all(made, judge2, seconds=0.3, careful=False)
    assert careless == ITEMS + CHECKS
    for one in (bob, judge1):
        judge_all(made, one, seconds=6, careful=True)
    page, slug = open_page(people.ada), people.project.slug
    replace_the_careless(page, slug, made)
    counted = Judgment.objects.of(made).counted()
    before = counted.count()
    assert not counted.filter(participant__user=judge2).exists()
    assert judge_all(made, judge3, seconds=7, careful=True) >= 2 * ITEMS - before
    assert counted.count() == 2 * ITEMS
    assert set(made.items.main().values_list("n_done", flat=True)) == {2}

    page.goto(reverse("campaign", args=[slug, made.code]))
    expect(page.get_by_text(f"{2 * ITEMS} of {2 * ITEMS} judgments")).to_be_visible()
    page.goto(reverse("curation", args=[slug, made.code]))
    page.get_by_role("button", name="Accept majority").click()
    expect(page.get_by_text("The judgments stay as they are.")).to_be_visible()

    page.goto(reverse("releases", args=[slug]))
    page.get_by_label("Licence of the campaigns' items").fill("CC BY 4.0")
    if page.locator(".warn [name=accepts]").count():
        page.locator("[name=accepts]").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Create release").click()
    (job,) = people.project.jobs.filter(kind="release")
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == "done", job.error
    assert verify(kept.path_of(job)).faults == ()
