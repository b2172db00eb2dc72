"""On every page of a project: navigation, crumbs that say where one is, and help."""

import re

import pytest
from django.db import transaction
from django.test import Client, override_settings

from annotator import models
from annotator.pages.site.help import HELP_OF, link
from annotator.pages.site.navigation import SECTION_OF, SECTIONS
from tests.annotator.site.walking import Page, filled, first_part, pages, project_routes
from tests.cast import Cast

FULL_SCREEN = {  # they need the whole window; their crumbs lead back
    "judge",
    "pair",
    "pair_table",
    "tree_edit",
    "arcs_edit",
    "biparse",
}


@pytest.fixture(scope="module")
def walked(
    django_db_setup, django_db_blocker, tmp_path_factory
) -> list[tuple[str, str, Page]]:
    """Every page, with its route and address, as a manager sees it."""
    media = override_settings(MEDIA_ROOT=tmp_path_factory.mktemp("media"))
    with django_db_blocker.unblock(), transaction.atomic(), media:
        client = Client()
        client.force_login(filled())
        found = list(pages(client))
        transaction.set_rollback(True)
    return found


def test_every_page_of_a_project_has_a_section() -> None:
    assert {first_part(route) for route, _ in project_routes()} == set(SECTION_OF)


def test_every_page_has_one_navigation_with_one_current_entry(
    walked: list[tuple[str, str, Page]],
) -> None:
    wrong, seen = [], set()
    for name, url, page in walked:
        seen.add(name)
        wanted = (0, 0) if name in FULL_SCREEN else (1, 1)
        if (page.n_navigations, len(page.current["Project"])) != wanted:
            wrong.append((name, url, page.n_navigations, page.current))
    assert wrong == []
    assert len(seen) > 50, sorted(seen)
    assert seen >= FULL_SCREEN


def title_of(url: str) -> str:
    """The second crumb: the section, which the overview lacks."""
    key = SECTION_OF[url.removeprefix("/p/windows/").split("/")[0]]
    return next(one.title for one in SECTIONS if one.key == key)


def test_crumbs_begin_with_project_and_section_and_end_with_this_page(
    walked: list[tuple[str, str, Page]],
) -> None:
    wrong = [
        (url, page.crumbs, page.current["You are here"])
        for _, url, page in walked
        if page.crumbs[:2] != ["Windows", title_of(url)][: len(page.crumbs)]
        or page.current["You are here"] != ["page"]
        or not all(page.crumbs)
    ]
    assert wrong == []


def test_every_page_leads_to_its_help(walked: list[tuple[str, str, Page]]) -> None:
    wrong = [
        (name, url, page.help)
        for name, url, page in walked
        if page.help != [link(HELP_OF[name])]
    ]
    assert wrong == []


def test_annotators_see_no_reports_and_only_their_campaigns(
    cast: Cast, client: Client
) -> None:
    models.Campaign.objects.create(project=cast.project, name="Not hers")
    client.force_login(cast.bob)
    html = client.get("/p/windows/").content.decode()
    side = html[html.index('<nav class="side"') :].split("</nav>")[0]
    texts = [" ".join(t.split()) for t in re.findall(r"<a [^>]*>(.*?)</a>", side, re.S)]
    plain = [re.sub("<[^>]+>", "", text) for text in texts]
    assert [text.rstrip(" 0123456789") for text in plain] == [
        "Overview", "Corpora", "Search trees", "Paraphrases", "Campaigns",
        "People", "Jobs",
    ]  # fmt: skip
    assert "Campaigns" in plain  # without a number: the one campaign is not his


def test_strangers_and_other_pages_have_no_navigation(
    cast: Cast, client: Client
) -> None:
    client.force_login(cast.cyd)
    for url in ("/", "/account/", "/p/windows/"):
        assert 'aria-label="Project"' not in client.get(url).content.decode()


def test_the_navigation_costs_one_query(cast: Cast, django_assert_num_queries) -> None:
    from django.test import RequestFactory
    from django.urls import resolve

    from annotator.pages.site.navigation import Navigation

    request = RequestFactory().get("/p/windows/people/")
    request.user, request.resolver_match = cast.ada, resolve(request.path)
    navigation = Navigation(request)
    with django_assert_num_queries(0):
        assert navigation.section is not None
    with django_assert_num_queries(1):
        counts = {one.title: one.count for one in navigation.entries}
        assert navigation.project == cast.project
    assert (counts["Corpora"], counts["People"], counts["Jobs"]) == (1, 2, 0)
