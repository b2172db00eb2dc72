"""Nothing private is kept where others can read it: logs, and caches of browsers."""

import logging

import pytest
from django.conf import settings
from django.test import Client
from django.utils.log import configure_logging

from annotator.services.projects import invitations
from tests.cast import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def log(capsys):
    """What the configured handlers write."""
    configure_logging("logging.config.dictConfig", settings.LOGGING)
    yield lambda: "".join(capsys.readouterr())
    configure_logging("logging.config.dictConfig", settings.LOGGING)


def test_the_token_of_an_invitation_is_not_logged(cast: Cast, log) -> None:
    _, token = invitations.invite(cast.project, role="annotator", by=cast.ada)
    client = Client()
    client.get(f"/join/{token}")  # no slash: Django logs the way to the right address
    client.post(f"/join/{token}/", {"username": "x", "password": "short"})
    client.delete(f"/join/{token}/")
    client.get(f"/nothing/?next=/join/{token}/")
    client.get(f"/api/nothing/?next=%2Fjoin%2F{token}%2F")
    logging.getLogger("gunicorn.error").warning("GET %s", f"/join/{token}/")
    logging.getLogger("x").error({"path": f"/join/{token}/"})
    told = log()
    assert "/join/..." in told
    assert token not in told


@pytest.mark.parametrize(
    "page",
    ["/", "/account/", "/p/windows/", "/p/windows/people/", "/api/projects/",
     "/p/windows/jobs/", "/sign-in/", "/join/x/", "/p/nothing/"],
)  # fmt: skip
def test_pages_are_kept_by_nobody(cast: Cast, page: str) -> None:
    client = Client()
    client.force_login(cast.ada)
    for who in (client, Client()):
        answer = who.get(page)
        assert "no-store" in answer["Cache-Control"], (page, answer.status_code)


def test_what_is_everybodys_may_be_kept(db) -> None:
    answer = Client().get("/static/css/gemel.css")
    assert "no-store" not in answer.get("Cache-Control", "")
