"""Calls that wake no worker and are never too many."""

import logging
from collections.abc import Iterator

import pytest
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from annotator.services import jobs


@pytest.fixture
def calm(monkeypatch, settings) -> Iterator[None]:
    """As Django's own test client, a call keeps the connection: what is in the
    database is a transaction of ours, which PostgreSQL would end with it."""
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    settings.API_RATE = 10**9
    logging.getLogger("django.request").setLevel(logging.ERROR)
    signals = (request_started, request_finished)
    for signal in signals:
        signal.disconnect(close_old_connections)
    yield
    for signal in signals:
        signal.connect(close_old_connections)
