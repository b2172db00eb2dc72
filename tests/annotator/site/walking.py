"""Walking all pages of a project in which something of everything is."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import URLPattern, get_resolver, reverse

from annotator import models
from tests.annotator.fuzzed import world

PROJECT = "p/<slug:slug>/"
CODES = {  # by first part of the path below the project, what "code" names
    "corpus": models.Corpus,
    "pair": models.Pair,
    "sentence": models.Sentence,
    "ledger": models.JointRun,
    "upload": models.Job,
    "bitexts": models.Job,
    "bitext": models.Bitext,
    "paraphrases": models.ParaphraseTable,
    "campaign": models.Campaign,
    "judge": models.Campaign,
    "jobs": models.Job,
}


def routes(inside: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """Every address below, with the name of its route."""
    for one in inside.url_patterns:
        address = before + str(one.pattern)
        if isinstance(one, URLPattern):
            yield address, one.name or ""
        else:
            yield from routes(one, address)


def project_routes() -> list[tuple[str, str]]:
    return [one for one in routes(get_resolver()) if one[0].startswith(PROJECT)]


def first_part(address: str) -> str:
    return address.removeprefix(PROJECT).split("/")[0]


class Page(HTMLParser):
    """The navigation, the crumbs and the help of a page: texts, and what is current."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.current = {"Project": [], "You are here": []}
        self.crumbs: list[str] = []
        self._nav, self._in_crumb = "", False
        self.n_navigations = 0
        self.help: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list) -> None:
        attributes = dict(attrs)
        if tag == "nav":
            self._nav = attributes.get("aria-label", "")
            self.n_navigations += self._nav == "Project"
        if self._nav in self.current and "aria-current" in attributes:
            self.current[self._nav].append(attributes["aria-current"])
        if tag == "a" and attributes.get("class") == "help":
            self.help.append(attributes["href"])
        if tag == "li" and self._nav == "You are here":
            self._in_crumb = True
            self.crumbs.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "nav":
            self._nav = ""
        self._in_crumb = self._in_crumb and tag != "li"

    def handle_data(self, data: str) -> None:
        if self._in_crumb:
            self.crumbs[-1] = f"{self.crumbs[-1]} {data.strip()}".strip()


def filled() -> User:
    """Ada, whose project holds something of everything."""
    world.filled()
    user = User.objects.get(username="ada")
    models.Job.objects.filter(kind="import").update(
        params={"corpus": "Houses", "uploads": [], "dry_run": True, "format": "pairs"}
    )
    campaign = models.Campaign.objects.get(state="open")
    models.Participant.objects.create(campaign=campaign, user=user, label="A9")
    return user


def addresses(route: str, name: str) -> Iterator[str]:
    """The page of this route for each row that its code may name."""
    names, part = re.findall(r"<\w+:(\w+)>", route), first_part(route)
    if set(names) == {"slug"}:
        yield reverse(name, args=["windows"])
    elif names == ["slug", "code"] and part in CODES:
        for code in CODES[part].objects.values_list("code", flat=True):
            yield reverse(name, args=["windows", code])


def special() -> Iterator[tuple[str, str]]:
    """Pages whose address names more than one row."""
    campaign = models.Campaign.objects.filter(state="open").get()
    ratings = models.RatingSet.objects.get()
    item = campaign.items.first()
    frozen = models.Report.objects.first()
    corpus = models.Corpus.objects.first()
    yield "report", reverse("report", args=["windows", "campaign", campaign.code])
    yield "report", reverse("report", args=["windows", "ratings", ratings.code])
    address = ["windows", "ratings", ratings.code]
    yield "report_cases", reverse("report_cases", args=address)
    yield "layer_report", reverse("layer_report", args=["windows", corpus.code])
    person = campaign.participants.first()
    yield (
        "campaign_annotator",
        reverse("campaign_annotator", args=["windows", campaign.code, person.code]),
    )
    yield (
        "layer_frozen",
        reverse("layer_frozen", args=["windows", corpus.code, frozen.code]),
    )
    yield (
        "curate_item",
        reverse("curate_item", args=["windows", campaign.code, item.code]),
    )


def pages(client: Client) -> Iterator[tuple[str, str, Page]]:
    named = [
        (name, url)
        for route, name in project_routes()
        for url in addresses(route, name)
    ]
    for name, url in [*named, *special()]:
        if name == "judge_shell":  # it is shown in place of "judge", without network
            continue
        answer = client.get(url)
        kind = answer.headers.get("Content-Type", "")
        if answer.status_code == 200 and kind.startswith("text/html"):
            html = answer.content.decode()
            if "<html" in html:
                yield name, url, Page(html)
