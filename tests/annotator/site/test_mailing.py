"""Notices by mail: only what is new, once a day at most, to whoever wants them."""

import smtplib
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator import env
from annotator.models import Job, MailNotices
from annotator.pages.site import mailing
from annotator.services import accounts
from tests.annotator.campaigns_cast import campaign, draw, judge

NOW = timezone.now()
HOURS = timedelta(hours=1)


@pytest.fixture(autouse=True)
def server(settings) -> None:
    settings.EMAIL_HOST = "mail.example"
    settings.SITE_URL = "https://gemel.example"


@pytest.fixture
def ada(cast):
    accounts.set_notices(cast.ada, "ada@people.example", is_wanted=True)
    return cast.ada


def fail(cast, title: str) -> Job:
    return Job.objects.create(
        project=cast.project, kind="parse", title=title, state=Job.State.FAILED
    )


def test_what_is_new_is_written_once(cast, ada, mailoutbox) -> None:
    job = fail(cast, "Parse Letters")
    assert mailing.send_due(NOW) == 1
    (mail,) = mailoutbox
    assert mail.to == ["ada@people.example"]
    assert "Parse Letters did not finish." in mail.body
    assert f"https://gemel.example/p/windows/jobs/{job.code}/" in mail.body
    assert "https://gemel.example/account/" in mail.body
    assert mailing.send_due(NOW + 25 * HOURS) == 0


def test_once_a_day_at_most_and_then_what_came_since(cast, ada, mailoutbox) -> None:
    fail(cast, "Parse Letters")
    mailing.send_due(NOW)
    fail(cast, "Parse News")
    assert mailing.send_due(NOW + 23 * HOURS) == 0
    assert mailing.send_due(NOW + 25 * HOURS) == 1
    assert "Parse News" in mailoutbox[1].body
    assert "Parse Letters" not in mailoutbox[1].body
    assert "1 new thing to" in mailoutbox[1].subject


def test_a_first_thing_does_not_wait_for_a_day(cast, ada, mailoutbox) -> None:
    assert mailing.send_due(NOW) == 0
    fail(cast, "Parse News")
    assert mailing.send_due(NOW + HOURS) == 1


def test_what_could_not_be_sent_is_sent_the_next_time(
    cast, ada, mailoutbox, monkeypatch
) -> None:
    fail(cast, "Parse News")

    def refuse(*_) -> None:
        raise smtplib.SMTPServerDisconnected("gone")

    with monkeypatch.context() as patch:
        patch.setattr(mailing, "send_mail", refuse)
        assert mailing.send_due(NOW) == 0
    assert mailing.send_due(NOW + HOURS) == 1


def test_nobody_else_is_written_to(cast, mailoutbox, settings) -> None:
    fail(cast, "Parse News")
    assert mailing.send_due(NOW) == 0  # nobody asked for it
    accounts.set_notices(cast.bob, "bob@people.example", is_wanted=True)
    assert mailing.send_due(NOW) == 0  # an annotator manages nothing
    accounts.set_notices(cast.ada, "ada@people.example", is_wanted=True)
    accounts.set_notices(cast.ada, "ada@people.example", is_wanted=False)
    assert mailing.send_due(NOW) == 0
    accounts.set_notices(cast.ada, "ada@people.example", is_wanted=True)
    settings.EMAIL_HOST = ""
    assert mailing.send_due(NOW) == 0
    assert mailoutbox == []


def test_low_agreement_is_a_thing_to_look_at(cast, ada, mailoutbox) -> None:
    made = campaign(cast, n=10, people=2, overlap_share=1, prefetch=20)
    users = [cast.bob, User.objects.get(username="judge1")]
    for user, points in zip(users, ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]), strict=True):
        for judgment in sorted(draw(made, user, 10), key=lambda one: one.item_id):
            meaning = points[judgment.item_id % 5]
            judge(judgment, {"meaning": meaning, "grammar": 3})
    assert mailing.send_due(NOW) == 1
    assert "Agreement on Meaning in" in mailoutbox[0].body
    assert "Agreement on Grammar" not in mailoutbox[0].body
    client = Client()
    client.force_login(ada)
    address = reverse("agreement_line", args=[cast.project.slug, made.code])
    line = " ".join(client.get(address).content.decode().split())
    assert line.index("Meaning") < line.index(">low<") < line.index("Grammar")
    assert line.count(">low<") == 1


def test_the_account_page_keeps_the_wish(client, cast, settings) -> None:
    client.force_login(cast.ada)
    sent = {"what": "notices", "email": "ada@people.example", "is_wanted": "on"}
    assert client.post("/account/", sent | {"email": ""}).status_code == 400
    assert client.post("/account/", sent | {"email": "no address"}).status_code == 400
    assert not MailNotices.objects.exists()
    assert client.post("/account/", sent).status_code == 302
    cast.ada.refresh_from_db()
    assert (cast.ada.email, MailNotices.objects.get().user) == (
        "ada@people.example",
        cast.ada,
    )
    assert "checked" in client.get("/account/").content.decode()
    client.post("/account/", {"what": "notices", "email": "ada@people.example"})
    assert not MailNotices.objects.exists()
    settings.EMAIL_HOST = ""
    assert "E-mail notifications" not in client.get("/account/").content.decode()


@pytest.mark.parametrize(
    ("url", "port", "tls", "ssl"),
    [
        ("smtp://m.example", 587, True, False),
        ("smtps://u:p%40x@m.example", 465, False, True),
        ("smtp+plain://m.example:2525", 2525, False, False),
    ],
)
def test_a_server_is_one_address(url, port, tls, ssl) -> None:
    read = env.mail(url)
    assert (read["EMAIL_HOST"], read["EMAIL_PORT"]) == ("m.example", port)
    assert (read["EMAIL_USE_TLS"], read["EMAIL_USE_SSL"]) == (tls, ssl)
    if "@" in url:
        assert (read["EMAIL_HOST_USER"], read["EMAIL_HOST_PASSWORD"]) == ("u", "p@x")


@pytest.mark.parametrize("url", ["m.example:25", "http://m.example", "smtp://"])
def test_what_is_no_mail_server_is_refused_at_the_start(url) -> None:
    with pytest.raises(env.ImproperlyConfigured, match="smtp://user:password@host"):
        env.mail(url)
    assert env.mail("") == {}
