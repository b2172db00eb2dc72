"""Paraphrases are found from the page of a corpus, judged, and their precision read."""

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from annotator.models import Campaign, Item, Job, Judgment, Participant
from annotator.services import jobs
from tests import cast as people
from tests.browser.pictures import keep_picture
from tests.cast import Cast

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
WORDS = ("old baker", "grey heron", "tall miller", "young printer", "blind tailor")


def filled(cast: Cast) -> None:
    """A sentence and its reordering for each of five people."""
    for word in WORDS:
        people.sentence(cast.corpus, f"the {word} left his small oven near {word[:3]}")
        people.sentence(cast.corpus, f"near {word[:3]} the {word} left his small oven")
    cast.corpus.n_sentences = cast.corpus.sentences.count()
    cast.corpus.save()


@pytest.mark.parametrize("width", [1280, 390])
def test_paraphrases_are_found_judged_and_their_precision_read(
    cast: Cast, open_page, check_axe, width
) -> None:
    filled(cast)
    page = open_page(cast.ada, width=width)
    page.goto(f"/p/{cast.project.slug}/corpus/{cast.corpus.code}/")
    page.get_by_role("link", name="Find paraphrases").click()
    check_axe(page)
    page.get_by_label("Lowest score").fill("0.1")
    page.get_by_label("Pairs to judge").fill("5")
    page.get_by_label("Pairs to judge").press("Enter")
    page.wait_for_url("**/jobs/*/")
    (job,) = Job.objects.active()
    jobs.run(job.pk)
    expect(page.locator("#status .chip")).to_have_text("Done")
    page.get_by_role("link", name="View found pairs").click()
    expect(page.locator("main")).to_contain_text("5 pairs found among 5 candidates.")
    expect(page.locator("main")).to_contain_text("0 of 5 sampled pairs judged")
    judge(cast)
    page.reload()
    expect(page.locator("main")).to_contain_text("Precision: 80 % (95 % CI")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    check_axe(page)
    keep_picture(page, f"find-paraphrases-{width}")
    page.get_by_role("link", name="Paraphrases found in Houses").click()
    expect(page.get_by_role("heading", name="Paraphrases found")).to_be_visible()


def judge(cast: Cast) -> None:
    """Bob calls all but one a paraphrase."""
    campaign = Campaign.objects.get()
    bob = Participant.objects.create(campaign=campaign, user=cast.bob, label="A1")
    for at, item in enumerate(campaign.items.filter(kind=Item.Kind.MAIN)):
        Judgment.objects.create(
            item=item,
            participant=bob,
            state=Judgment.State.DONE,
            fills=True,
            values={"same": "yes" if at else "no"},
            lease_until=timezone.now(),
        )
