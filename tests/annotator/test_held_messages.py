"""A message that waits behind a long job is acknowledged before RabbitMQ minds."""

from unittest.mock import Mock

import pytest
from celery.worker import state
from celery.worker.request import Request

from annotator import celery, tasks
from annotator.celery import app


@pytest.fixture
def received(monkeypatch):
    """A request of a worker, as it holds it before one of its processes is free."""
    acknowledged = []
    monkeypatch.setattr(state, "reserved_requests", set())
    monkeypatch.setattr(state, "active_requests", set())

    def receive(name: str) -> Request:
        message = Mock(
            headers={"id": name, "task": celery.REAP}, delivery_info={}, properties={}
        )
        request = Request(
            message,
            app=app,
            on_ack=lambda *_: acknowledged.append(name),
            body=([], {}, {}),
            decoded=True,
        )
        state.reserved_requests.add(request)
        return request

    receive.acknowledged = acknowledged
    return receive


def test_what_waits_for_long_is_let_go_once(received, monkeypatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(celery.time, "monotonic", lambda: now[0])
    assert tasks.reap_stale_jobs.name == celery.REAP
    old, working = received("old"), received("working")
    assert celery.let_go() == 0
    state.active_requests.add(working)
    now[0] += celery.HELD_S - 1
    new = received("new")
    assert celery.let_go() == 0
    now[0] += 1
    assert celery.let_go() == 1
    assert received.acknowledged == ["old"]
    assert celery.let_go() == 0
    assert (old.acknowledged, new.acknowledged) == (True, False)


def test_the_worker_s_consumer_looks_after_it() -> None:
    assert celery.LettingGo in app.steps["consumer"]
    assert celery.HELD_S * 1.1 < 1800 / 2, "RabbitMQ's own limit, in seconds"
