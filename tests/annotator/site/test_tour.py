"""The guided tour: real pages of the sample, no way lost, left at any step."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client, TestCase

from annotator.models import (
    Corpus,
    JointPair,
    JointRun,
    Membership,
    Pair,
    ParaphraseTable,
    Project,
)
from annotator.pages.site import tour
from annotator.services.corpora import sample
from tests.cast import Cast


class SampleTest(TestCase):
    """Loaded once for all tests of the class: it takes seconds."""

    owner: User
    project: Project

    @classmethod
    def setUpTestData(cls) -> None:
        cls.owner = User.objects.create_superuser("owner")
        cls.project = sample.load(cls.owner)

    def setUp(self) -> None:
        self.client.force_login(self.owner)

    def begin(self) -> str:
        return self.client.post("/tour/", {"do": "begin"}).url

    def step(self, url: str) -> tuple[str, list[str], str]:
        """Title of the step on this page, addresses of all steps, that of "Next"."""
        answer = self.client.get(url)
        assert answer.status_code == 200, url
        aside = re.search(
            r'<aside class="tour".*?</aside>', answer.content.decode(), re.S
        )
        html = aside.group() if aside else ""
        title = re.search(r'id="tour-head">(.*?)</h2>', html, re.S)
        onward = re.search(r'<a class="button" href="([^"]*)">Next', html)
        links = re.findall(r'<li><a href="([^"]*)"', html)
        return (
            " ".join(title[1].split()) if title else "",
            links,
            onward[1] if onward else "",
        )

    def test_next_leads_through_every_page_to_the_end(self) -> None:
        url, titles = self.begin(), []
        while url:
            title, links, url = self.step(url)
            titles.append(title)
        n = len(tour.TEXTS)
        assert titles == [
            f"Step {i} of {n}: {text[0]}"
            for i, text in enumerate(tour.TEXTS.values(), 1)
        ]
        assert len(links) == n

    def test_the_tour_is_left_at_any_step(self) -> None:
        self.begin()
        stops = tour.stops(self.project, by=self.owner)
        for stop in stops:
            assert self.step(stop.url)[0].startswith(f"Step {stop.number} ")
            answer = self.client.post("/tour/", {"next": stop.url})
            assert answer.url == stop.url
            assert self.step(stop.url) == ("", [], "")
            self.begin()

    def test_beside_its_way_the_tour_leads_back(self) -> None:
        self.begin()
        title, links, onward = self.step("/p/sample/jobs/")
        assert title == "You are on the tour"
        assert onward == links[0] == "/p/sample/"

    def test_nobody_who_did_not_begin_sees_it(self) -> None:
        assert self.step("/p/sample/") == ("", [], "")

    def test_home_and_sample_offer_it_and_no_other_project(self) -> None:
        other = Project.objects.create(name="Mine", slug="mine")
        Membership.objects.create(project=other, user=self.owner, role="manager")
        for url, n in (("/", 1), ("/p/sample/", 1), ("/p/mine/", 0)):
            html = self.client.get(url).content.decode()
            assert html.count('name="do" value="begin"') == n, url

    def test_annotators_are_led_to_what_they_may_open(self) -> None:
        bob = User.objects.create_user("bob")
        Membership.objects.create(project=self.project, user=bob, role="annotator")
        stops = tour.stops(self.project, by=bob)
        assert len(stops) == len(tour.TEXTS) - 2  # no campaign, no report
        assert [one.number for one in stops] == list(range(1, len(stops) + 1))
        self.client.force_login(bob)
        self.begin()
        for stop in stops:
            assert self.step(stop.url)[0].startswith(f"Step {stop.number} ")

    def test_what_was_made_meanwhile_is_shown(self) -> None:
        pair = Pair.objects.filter(corpus__project=self.project).last()
        run = JointRun.objects.create(
            corpus=pair.corpus, engine="joint", version="1", digest="d", label="x"
        )
        JointPair.objects.create(run=run, pair=pair)
        table = ParaphraseTable.objects.create(project=self.project, name="T")
        type(table).objects.filter(pk=table.pk).update(made_at=run.created_at)
        urls = [one.url for one in tour.stops(self.project, by=self.owner)]
        assert f"/p/sample/pair/{pair.code}/joint/" in urls
        assert f"/p/sample/paraphrases/{table.code}/" in urls

    def test_a_sample_without_pairs_or_campaigns_is_no_fault(self) -> None:
        self.project.campaigns.update(state="draft")
        Corpus.objects.filter(project=self.project).update(n_pairs=0)
        titles = [one.title for one in tour.stops(self.project, by=self.owner)]
        kept = ("overview", "paraphrases", "search")
        assert titles == [tour.TEXTS[key][0] for key in kept]

    def test_when_the_sample_is_gone_the_tour_is_over(self) -> None:
        self.begin()
        Membership.objects.filter(user=self.owner).delete()
        assert self.step("/")[0] == ""


def test_strangers_to_the_sample_have_no_tour(cast: Cast, client: Client) -> None:
    assert "/sign-in/" in client.post("/tour/", {"do": "begin"}).url
    client.force_login(cast.ada)
    assert client.post("/tour/", {"do": "begin"}).status_code == 404
    assert client.get("/tour/").status_code == 405


@pytest.mark.parametrize("where", ["https://evil.example/", "//evil.example/", ""])
def test_leaving_never_leads_to_another_site(
    cast: Cast, client: Client, where: str
) -> None:
    client.force_login(cast.ada)
    assert client.post("/tour/", {"next": where}).url == "/"


def test_a_page_without_the_tour_asks_for_nothing(
    cast: Cast, rf, django_assert_num_queries
) -> None:
    request = rf.get("/")
    request.user, request.session = cast.ada, {}
    with django_assert_num_queries(0):
        assert tour.Tour(request).stops == []
