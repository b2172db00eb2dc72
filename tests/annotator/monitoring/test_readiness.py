"""Alive and ready: for programs, without an account, and true in both states."""

import pytest
from celery import Celery
from django.db import OperationalError, connection
from django.test import Client

from annotator import celery, disk
from annotator.monitoring import readiness

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "FRESH_S", -1.0)


def _checks(client: Client, status: int) -> dict[str, str]:
    answer = client.get("/ready")
    assert answer.status_code == status
    assert answer["Cache-Control"] == "no-store"
    assert answer.json()["state"] == ("ready" if status == 200 else "not ready")
    checks: dict[str, str] = answer.json()["checks"]
    assert list(checks) == ["database", "migrations", "broker", "disk"]
    return checks


def test_a_server_that_has_all_it_needs_is_ready(client: Client) -> None:
    assert set(_checks(client, 200).values()) == {"good"}


@pytest.mark.django_db(databases=[])
def test_a_process_is_alive_whatever_it_stands_on(client: Client) -> None:
    answer = client.get("/health")  # any query would fail this test
    assert answer.json() == {"state": "alive"}
    assert client.post("/health").status_code == 405


def test_without_a_database_it_is_not_ready(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone() -> None:
        raise OperationalError("connection to 10.1.2.3 failed: password of gemel")

    monkeypatch.setattr(connection, "cursor", gone)
    checks = _checks(client, 503)
    assert checks["database"] == "does not answer (OperationalError)"
    assert "away" in checks["migrations"]


def test_lacking_and_newer_tables_are_told_apart(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM django_migrations WHERE app = 'annotator' "
            "AND name LIKE '0002%%'"
        )
        assert "1 lacking, from 0002" in _checks(client, 503)["migrations"]
        cursor.execute(
            "UPDATE django_migrations SET name = '0002_of_tomorrow' "
            "WHERE app = 'annotator' AND name LIKE '0003%%'"
        )
        assert "2 lacking" in _checks(client, 503)["migrations"]


def test_tables_of_a_newer_version_are_named(client: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) "
            "VALUES ('annotator', '9999_of_tomorrow', '2026-01-01 00:00:00+00')"
        )
    told = _checks(client, 503)["migrations"]
    assert told == "9999_of_tomorrow is of a newer Gemel than this one"


def test_a_broker_that_is_away_and_a_full_disk_are_named(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk, "is_low", lambda: True)
    away = readiness._Remembered(lambda: "does not answer (ConnectionError)")
    monkeypatch.setattr(readiness, "_of_broker", away)
    checks = _checks(client, 503)
    assert checks["broker"] == "does not answer (ConnectionError)"
    assert checks["disk"].endswith("MB left")


def test_a_broker_that_refuses_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    assert celery.broker_fault() == ""
    monkeypatch.delenv("CELERY_BROKER_URL", raising=False)  # it goes before ``broker``
    away = Celery("away", broker="redis://127.0.0.1:1/0")
    monkeypatch.setattr(celery, "app", away)
    assert "does not answer" in celery.broker_fault()


def test_an_answer_of_the_broker_counts_for_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(readiness, "FRESH_S", 60.0)
    answers = iter(["", "does not answer"])
    remembered = readiness._Remembered(lambda: next(answers))
    assert [remembered(), remembered()] == ["", ""]


def test_programs_on_the_server_are_not_sent_to_https(client: Client, settings) -> None:
    settings.SECURE_SSL_REDIRECT = True
    assert Client().get("/health").status_code == 200
    assert Client().get("/ready").status_code == 200
    assert Client().get("/sign-in/").status_code == 301
