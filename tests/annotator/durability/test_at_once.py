"""One thing asked for many times at once, as by a double click, happens once."""

from collections.abc import Callable
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import Error, connection

from annotator.errors import Conflict
from annotator.models import Job, Membership, Project, Upload
from annotator.services import jobs
from annotator.services.alignments import phrases
from annotator.services.corpora import imports
from annotator.services.projects import members
from core.parsing.registry import DEFAULT
from tests.annotator.corpora.test_importing import TSV, sent

pytestmark = [pytest.mark.service, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def together(transactional_db) -> Callable[[list[Callable[[], Any]]], list[Any]]:
    """Run each in a thread of its own, all at once; what they return or raise."""

    def run(acts: list[Callable[[], Any]]) -> list[Any]:
        gate, answers = Barrier(len(acts)), []

        def one(act: Callable[[], Any]) -> None:
            gate.wait()
            try:
                answers.append(act())
            except (Conflict, Error) as error:
                answers.append(error)
            finally:
                connection.close()

        threads = [Thread(target=one, args=(act,)) for act in acts]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    return run


def test_projects_of_one_name_made_at_once_each_get_an_address(cast, together) -> None:
    made = together([lambda: members.create("One Name", by=cast.ada)] * 11)
    assert [type(one) for one in made] == [Project] * 11, made
    slugs = set(Project.objects.filter(name="One Name").values_list("slug", flat=True))
    assert slugs == {"one-name", *(f"one-name-{n}" for n in range(2, 12))}
    assert Membership.objects.filter(project__name="One Name").count() == 11


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_file_sent_eight_times_at_once_is_one_job(
    cast, together, monkeypatch, dry_run
) -> None:
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    uploads: list[Upload] = [sent(cast, TSV) for _ in range(8)]

    def start(upload: Upload) -> str:
        about = {"kind": "pairs", "corpus": "News", "dry_run": dry_run}
        return imports.start(cast.project, [upload], by=cast.ada, **about).code

    acts = [lambda upload=one: start(upload) for one in uploads]
    codes = together(acts)
    assert Job.objects.filter(kind="import").count() == 1
    assert codes == [Job.objects.get(kind="import").code] * 8


def test_a_corpus_is_aligned_by_one_job_however_often_it_is_asked_for(
    cast, together, monkeypatch
) -> None:
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    corpus = cast.pair.corpus
    made = together([lambda: phrases.start(corpus, DEFAULT, by=cast.ada)] * 4)
    assert sorted(type(one).__name__ for one in made) == ["Conflict"] * 3 + ["Job"]


def test_a_dry_run_that_has_just_ended_is_not_run_again(cast, monkeypatch) -> None:
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)

    def start() -> Job:
        about = {"kind": "pairs", "corpus": "News", "dry_run": True}
        return imports.start(cast.project, [sent(cast, TSV)], by=cast.ada, **about)

    first = start()
    jobs.run(first.pk)
    assert start() == first
    monkeypatch.setattr(imports, "DOUBLE_CLICK_S", 0)
    assert start() != first
