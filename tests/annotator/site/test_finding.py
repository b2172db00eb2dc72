"""The search over everything finds what one may see, and nothing else."""

import pytest
from django.test import Client

from annotator.models import Membership
from annotator.pages.site.finding import find
from annotator.services.projects import removals
from tests.annotator.campaigns_cast import campaign


def kinds(text: str, by) -> dict[str, list[str]]:
    return {
        kind: [hit.title for hit in hits]
        for kind, hits in find(text, by=by)
        if kind != "Help"
    }


def test_names_are_found_in_any_case_and_pairs_by_their_words(cast) -> None:
    assert kinds("windOWS", cast.ada) == {"Projects": ["Windows"]}
    assert kinds("hous", cast.ada) == {"Corpora": ["Houses"]}
    first = cast.pair.source.text
    assert kinds("nurse opened", cast.ada) == {"Pairs": [first]}
    assert kinds("opened nobody", cast.ada) == {}
    assert kinds("  ", cast.ada) == {}


def test_annotators_find_what_they_judge_not_how_it_is_set_up(cast) -> None:
    made = campaign(cast)
    assert kinds(made.name, cast.ada) == {"Campaigns": [made.name]}
    assert kinds(made.name, cast.bob) == {"Judging": [made.name]}


@pytest.mark.parametrize("text", ["windows", "houses", "nurse"])
def test_strangers_find_nothing_but_help(cast, text: str) -> None:
    campaign(cast)
    assert kinds(text, cast.cyd) == {}
    Membership.objects.create(project=cast.project, user=cast.cyd, role="viewer")
    assert kinds(text, cast.cyd)


def test_what_is_deleted_is_not_found(cast) -> None:
    removals.remove(cast.corpus, by=cast.ada)
    assert kinds("houses", cast.ada) == {}
    assert kinds("nurse", cast.ada) == {}


def test_every_hit_leads_somewhere(cast) -> None:
    made = campaign(cast)
    client = Client()
    client.force_login(cast.ada)
    for text in ("windows", "houses", "nurse", made.name, "kappa", "jobs"):
        hits = [hit for _, hits in find(text, by=cast.ada) for hit in hits]
        assert hits, text
        assert {client.get(hit.url).status_code for hit in hits} == {200}


def test_the_page_shows_text_as_text(cast, client: Client) -> None:
    assert client.get("/find/?q=x").status_code == 302
    client.force_login(cast.ada)
    page = client.get("/find/", {"q": "<b>nurse"}).text
    assert "<b>nurse" not in page
    assert "&lt;b&gt;nurse" in page
    assert client.get("/find/?query=x").status_code == 400
