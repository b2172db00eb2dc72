"""An import is taken back in the very moment in which a person begins on its rows."""

import time
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import pytest
from django.db import connection, transaction
from django.db.models import Model

from annotator.errors import Conflict
from annotator.models import AlignmentLayer, Job, Pair, Parse, Sentence, TreeDraft
from annotator.services import jobs
from annotator.services.alignments import layers
from annotator.services.corpora import imports, trees
from annotator.services.parses import drafts
from tests.annotator.durability.test_nothing_lost import start, table
from tests.cast import Cast

ON_POSTGRES = pytest.mark.skipif(
    connection.vendor != "postgresql",
    reason="on SQLite transactions that write come one after another",
)


def layer(pair: Pair, cast: Cast) -> AlignmentLayer:
    return layers.start(pair, by=cast.bob)


def draft(pair: Pair, cast: Cast) -> TreeDraft:
    return drafts.start(pair.source, by=cast.bob)


def pasted(pair: Pair, cast: Cast) -> Parse:
    words = " ".join(f"(X {form})" for form in pair.source.forms)
    return trees.paste(pair, "s", f"(S {words})", by=cast.bob)


Begins = Callable[[Pair, Cast], Model]
WAYS = [layer, draft, pasted]


def imported(cast: Cast) -> tuple[Job, Pair]:
    job = start(cast, table("a"), "pairs", "News")
    jobs.run(job.pk)
    pair = Pair.objects.select_related("corpus__project", "source__corpus__project")
    return job, pair.get(job=job)


@pytest.mark.parametrize("begins", WAYS)
def test_who_comes_after_is_told_that_it_is_gone(cast, begins: Begins) -> None:
    job, pair = imported(cast)
    imports.take_back(job)
    with pytest.raises(Conflict, match="undone"):
        begins(pair, cast)


@pytest.mark.service
@ON_POSTGRES
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("begins", WAYS)
def test_what_somebody_is_just_beginning_stays(cast, begins: Begins) -> None:
    job, pair = imported(cast)
    begun, may_commit, made = Event(), Event(), []

    def person() -> None:
        with transaction.atomic():
            made.append(begins(pair, cast))
            begun.set()
            may_commit.wait(600)

    one, other = Working(person), Working(lambda: imports.take_back(job))
    one.start()
    assert begun.wait(600)
    other.start()
    wait_for_a_lock(other)
    may_commit.set()
    one.join(600)
    other.join(600)
    assert [one.faults, other.faults] == [[], []]
    assert type(made[0]).objects.filter(pk=made[0].pk).exists()
    assert Sentence.objects.filter(pk=pair.source_id).exists()
    assert Pair.objects.filter(pk=pair.pk).exists() is (begins is layer)


@pytest.mark.service
@ON_POSTGRES
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("begins", WAYS)
def test_who_begins_while_it_is_taken_back_is_told(cast, begins: Begins) -> None:
    job, pair = imported(cast)
    gone, may_commit = Event(), Event()

    def job_ends() -> None:
        with transaction.atomic():
            imports.take_back(job)
            gone.set()
            may_commit.wait(600)

    one, other = Working(job_ends), Working(lambda: begins(pair, cast))
    one.start()
    assert gone.wait(600)
    other.start()
    wait_for_a_lock(other)
    may_commit.set()
    one.join(600)
    other.join(600)
    assert one.faults == []
    assert [type(fault) for fault in other.faults] == [Conflict]


class Working(Thread):
    """A thread with a connection of its own, and what it died of."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.work, self.faults = work, list[Exception]()

    def run(self) -> None:
        try:
            self.work()
        except Exception as error:  # noqa: BLE001 - whatever it is, the test is told
            self.faults.append(error)
        finally:
            connection.close()


def wait_for_a_lock(working: Working) -> None:
    """Until it waits for the other's transaction, or has come to its end."""
    limit = time.monotonic() + 600
    while working.is_alive() and time.monotonic() < limit:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT 1 FROM pg_stat_activity"
                " WHERE datname = current_database() AND wait_event_type = 'Lock'"
            )
            if cursor.fetchone():
                return
        time.sleep(0.01)
