"""Help: each page has its own, and the documents are safe, whole and linked."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import get_resolver

from annotator.pages.site import documents
from annotator.pages.site import help as pages_of_help
from annotator.pages.site.help import HELP_OF, NAMES, SECTIONS, help_page
from tests.annotator.site.walking import routes
from tests.cast import Cast

NO_PAGES = {  # files, parts of pages, answers to programs, and what leads elsewhere
    *("health", "ready", "metrics", "sign_out", "theme", "tour"),
    *("oidc_start", "oidc_back", "account_links"),
    *("language", "words", "judge_shell", "judge_worker"),
    *("backup_download", "bitext_sample", "release_download", "export_file"),
    *(
        "figure",
        "sentence_figure",
        "joint_figure",
        "biparse_figure",
        "pair_drawing",
        "pair_tree",
    ),
    *("project_query_export", "query_export", "ledger_export", "campaign_table"),
    *("project_query_groups", "query_groups"),
    *("campaign_decisions", "campaign_items_table", "campaign_items_sample"),
    *("campaign_timesheet", "campaign_participants"),
    *("frozen_export", "report_export", "frozen_chart", "report_chart", "layer_chart"),
    "campaign_machines_table",
    *("agreement_line", "measured_needs", "report_fresh"),
}
FOR_PROGRAMMERS = {"README", "house"}


def names_of_pages() -> set[str]:
    """The names of all routes that are no call of the API."""
    pages = {a: name for a, name in routes(get_resolver()) if not a.startswith("api/")}
    assert all(pages.values())
    return {*pages.values(), "api_docs"}


def test_every_page_has_its_help() -> None:
    assert names_of_pages() - NO_PAGES == set(HELP_OF)


@pytest.mark.parametrize("route", sorted(HELP_OF))
def test_the_help_of_a_page_is_there_with_its_anchor(route: str) -> None:
    name, _, anchor = HELP_OF[route].partition("#")
    assert not anchor or anchor in help_page(name).anchors


@pytest.mark.parametrize("url", ["/", "/account/", "/try/", "/p/new/", "/help/"])
def test_pages_outside_of_projects_lead_to_their_help(cast: Cast, url: str) -> None:
    client = Client()
    client.force_login(cast.ada)
    html = client.get(url).content.decode()
    assert len(re.findall(r'class="help" href="/help/[\w-]+/', html)) == 1


def test_help_is_there_before_signing_in(client: Client, db) -> None:
    html = client.get("/sign-in/").content.decode()
    assert 'class="help" href="/help/annotate/"' in html
    for name in NAMES:
        assert client.get(f"/help/{name}/").status_code == 200


@pytest.mark.parametrize("name", ["house", "nothing", "README", "../settings"])
def test_other_names_are_no_help(client: Client, name: str, db) -> None:
    assert client.get(f"/help/{name}/").status_code == 404


def test_every_document_is_help_or_for_programmers() -> None:
    written = {path.stem for path in documents.folder().glob("*.md")}
    assert written == NAMES | FOR_PROGRAMMERS
    assert sum(map(len, SECTIONS.values())) == len(NAMES)


def test_the_index_names_every_page_by_its_title(client: Client, db) -> None:
    html = client.get("/help/").content.decode()
    for name in NAMES:
        assert f'<a href="/help/{name}/">{documents.title(name)}</a>' in html


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_link_of_a_page_leads_somewhere(name: str) -> None:
    page = help_page(name)
    for href in re.findall(r'href="([^"]+)"', page.body):
        if href.startswith("https://"):
            continue
        place, _, anchor = href.partition("#")
        other = place.removeprefix("/help/").strip("/") or name
        assert other in NAMES, href
        assert not anchor or anchor in help_page(other).anchors, href
    for src in re.findall(r'src="([^"]+)"', page.body):
        assert finders.find(src.removeprefix(settings.STATIC_URL)), src
    assert len(set(page.anchors)) == len(page.anchors)
    for anchor in page.anchors:
        assert page.body.count(f' id="{anchor}"') == 1


HOSTILE = """# Title <script>alert(1)</script>

<img src=x onerror=alert(1)> and [a](javascript:alert(1)) and <b style="x">bold</b>

## Twice

[the other](other.md#part) [gone](gone.md) [up](../settings.py) ![p](img/p.png)

## Twice

| left | right |
|---|--:|
| a | 1 |
"""


@pytest.fixture
def hostile(settings, tmp_path: Path) -> documents.Document:
    settings.WEB_DIR = tmp_path
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "one.md").write_text(HOSTILE)
    return documents.document("one", lambda name: "/o/" if name == "other" else "")


def test_raw_html_stays_text(hostile: documents.Document) -> None:
    tags = set(re.findall(r"<(\w+)", hostile.body))
    assert tags == {
        *("h1", "h2", "p", "a", "img", "div"),
        *("table", "thead", "tbody", "tr", "th", "td"),
    }
    attributes = set(re.findall(r'<[^>]*? ([\w-]+)="', hostile.body))
    assert not {"style", "onerror", "onclick"} & attributes
    assert 'href="javascript' not in hostile.body


def test_links_lead_to_pages_or_become_text(hostile: documents.Document) -> None:
    assert re.findall(r'href="([^"]*)"', hostile.body) == ["/o/#part"]
    assert "gone up" in hostile.body
    assert 'src="/static/docs/p.png"' in hostile.body


def test_contents_and_anchors_tell_equal_headings_apart(
    hostile: documents.Document,
) -> None:
    assert [(one.tag, one.anchor) for one in hostile.contents] == [
        ("h2", "twice"),
        ("h2", "twice-1"),
    ]
    assert 'aria-label="Twice, table"' in hostile.body
    assert '<td class="num">1</td>' in hostile.body


def test_a_link_that_is_a_file_name_is_shown_by_its_title(cast: Cast) -> None:
    body = pages_of_help.help_page("annotate").body
    assert '<a href="/help/trees/">Build and correct a treebank</a>' in body
    assert ".md" not in body
