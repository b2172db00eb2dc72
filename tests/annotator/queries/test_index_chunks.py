"""The index of many trees is made in chunks that many workers take."""

from datetime import timedelta
from threading import Event, Thread

import pytest
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotator.jobkinds import INDEX_PARTS
from annotator.models import AlignmentLayer, Job, JobChunk
from annotator.services import chunks, jobs
from annotator.services.queries import in_chunks, index, running, saved
from core.data.alignment import Alignment, Link
from tests import cast as people
from tests.annotator.corpora.test_importing import BRACKETS, bring_in, sent, start
from tests.cast import Cast

LINKED = Alignment((Link("n0", "n0"),))
N_PAIRS = 6
TABLES = {
    "search_tree": "parse, corpus, sentence, kind, chosen",
    "search_node": "tree, pre, last, parent, depth, ord, rord, kids, uend, lo, hi,"
    " kind, node, (SELECT text FROM search_label WHERE id = label)",
    "search_token": "tree, pre, (SELECT text FROM search_label WHERE id = form)",
    "search_layer": "layer, kind, side, corpus, pair, tree, other",
    "search_link": "layer, kind, side, pre, state, to_pre",
}


@pytest.fixture(autouse=True)
def two_rows_a_chunk(monkeypatch) -> None:
    monkeypatch.setattr(chunks, "SIZE", 2)
    monkeypatch.setattr(chunks, "PAUSE_S", 0.0)
    monkeypatch.setattr(in_chunks, "FEW", 1)
    monkeypatch.setattr(in_chunks, "PAUSE_S", 0.0)
    monkeypatch.setattr(index, "PORTION", 1)
    monkeypatch.setattr(jobs, "FLUSH_S", 0.0)
    monkeypatch.setattr(jobs, "_wake", lambda kind: None)
    monkeypatch.setattr(chunks, "ask_for_help", lambda workers=1: None)


@pytest.fixture
def many(cast: Cast) -> Cast:
    """Trees and layers that nobody has indexed yet, and nothing that a test before left
    behind: who truncates the trees' tables leaves the index's."""
    index.rebuild()
    for n in range(N_PAIRS):
        pair = people.pair(
            cast.corpus, f"(S (NP (NN door{n})))", f"(S (NP (NN gate{n})))"
        )
        layer = people.layer(pair, author=cast.bob)
        AlignmentLayer.objects.filter(pk=layer.pk).update(links=LINKED.to_json())
    return cast


def begun(cast: Cast) -> Job:
    return saved.index_now(cast.project, by=cast.ada)


def rows() -> dict[str, list[str]]:
    """All that the index says, without the numbers of labels."""
    tables = {}
    with connection.cursor() as cursor:
        for table, columns in TABLES.items():
            cursor.execute(f"SELECT {columns} FROM {table}")
            tables[table] = sorted(map(repr, cursor.fetchall()))
    return tables


def made_at_once() -> dict[str, list[str]]:
    index.rebuild()
    index.catch_up()
    return rows()


def ended(job: Job) -> tuple[str, int]:
    job.refresh_from_db()
    return job.state, index.waiting()


def made_whole_by(job: Job) -> None:
    jobs.run(job.pk)
    assert ended(job) == (Job.State.DONE, 0)
    assert rows() == made_at_once()


def test_workers_together_make_the_index_that_one_makes(many: Cast) -> None:
    job, helped = begun(many), 0

    def help_out(seen: Job) -> None:
        nonlocal helped
        if seen.chunks.filter(state=JobChunk.State.WAITING).exists():
            helped += chunks.help_out()

    jobs.run(job.pk, on_step=help_out)
    assert ended(job) == (Job.State.DONE, 0)
    assert helped > 3, "trees, sentences and layers"
    assert job.done == job.total, "each counted once"
    tables = rows()
    assert all(tables[table] for table in ("search_tree", "search_node", "search_link"))
    assert tables == made_at_once()


def test_the_chunk_of_a_worker_that_died_is_taken_over(many: Cast) -> None:
    job, killed = begun(many), []

    def die(seen: Job) -> None:
        waiting = seen.chunks.filter(state=JobChunk.State.WAITING)
        if waiting.count() > 1 and len(killed) < 3:
            chunk = chunks._claim(waiting, "dead")
            assert chunk is not None
            steps = chunks.jobkinds.chunk_runner(job.kind, chunk.part)(job, chunk)
            next(steps)  # one row of two is there
            killed.append(steps)  # nobody closes it
            long_ago = timezone.now() - timedelta(hours=1)
            seen.chunks.filter(pk=chunk.pk).update(heartbeat_at=long_ago)

    jobs.run(job.pk, on_step=die)
    assert len(killed) == 3
    assert ended(job) == (Job.State.DONE, 0)
    assert job.done == job.total
    assert rows() == made_at_once()


def test_it_is_cancelled_half_way_and_goes_on(many: Cast) -> None:
    job = begun(many)
    there = index.waiting()

    def stop(seen: Job) -> None:
        if seen.done > 2:
            jobs.cancel(seen, by=many.ada)

    jobs.run(job.pk, on_step=stop)
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED
    assert not JobChunk.objects.exists()
    assert chunks.help_out() == 0
    assert 0 < len(index.noted(index.PARSE)) < there
    made_whole_by(begun(many))


def test_a_search_meanwhile_finds_a_part_and_nothing_twice(
    many: Cast, monkeypatch
) -> None:
    monkeypatch.setattr(running, "AT_ONCE", 1)
    job, seen = begun(many), []

    def search(_: Job) -> None:
        page = running.search("NN", [many.corpus], many.ada).page()
        seen.append([match.key for match in page.matches])

    jobs.run(job.pk, on_step=search)
    assert ended(job) == (Job.State.DONE, 0)
    index.rebuild()
    index.catch_up()
    after = running.search("NN", [many.corpus], many.ada).page()
    whole = [match.key for match in after.matches]
    assert len({len(one) for one in seen}) > 2
    assert seen[-1] == whole
    for keys in seen:
        assert keys == [key for key in whole if key in keys]


def test_what_another_job_brought_is_indexed_in_chunks_and_not_counted(
    cast: Cast,
) -> None:
    index.catch_up()
    parts = set()
    note = chunks.note

    def noted(chunk: JobChunk, **counts: int) -> None:
        parts.add(chunk.part)
        note(chunk, **counts)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunks, "note", noted)
        job = bring_in(cast, BRACKETS * 3, kind="ptb", name="doc.ptb")
    assert parts >= {"index trees", "index sentences"}
    assert ended(job) == (Job.State.DONE, 0)
    assert job.done == job.total == 2 * job.result["sentences"] == 18


def imported(cast: Cast) -> Job:
    """A job whose work brings nine trees; nothing else is, or is to be, indexed."""
    index.rebuild()
    index.catch_up()
    return start(cast, sent(cast, BRACKETS * 3, name="doc.ptb"), kind="ptb")


def cancel_the_index(seen: Job) -> None:
    if seen.chunks.filter(part=INDEX_PARTS[0]).exists():
        jobs.cancel(seen, by=seen.by)


def test_who_cancels_the_index_of_a_job_cancels_no_work_that_is_done(
    cast: Cast,
) -> None:
    job = imported(cast)
    jobs.run(job.pk, on_step=cancel_the_index)
    state, waiting = ended(job)
    assert (state, job.result["sentences"]) == (Job.State.DONE, 9)
    assert job.done == job.total == 18
    assert "what it made stays" in job.note
    assert waiting > 0
    assert not JobChunk.objects.exists()
    assert len(running.search("NN", [cast.corpus], cast.ada).page().matches) > 0
    made_whole_by(begun(cast))


def test_one_that_gives_others_their_turn_in_its_index_is_not_cancelled_either(
    cast: Cast, monkeypatch
) -> None:
    monkeypatch.setattr(chunks, "TURN_S", -1.0)
    monkeypatch.setattr(jobs, "in_turn", lambda project=None: 7)
    job = imported(cast)
    jobs.run(job.pk)
    assert ended(job)[0] == Job.State.QUEUED
    assert jobs.cancel(job, by=cast.ada).state == Job.State.QUEUED
    jobs.run(job.pk)
    assert ended(job)[0] == Job.State.DONE
    assert job.result["sentences"] == 9


def test_the_page_of_such_a_job_offers_to_make_the_index(
    cast: Cast, client: Client
) -> None:
    job = imported(cast)
    jobs.run(job.pk, on_step=cancel_the_index)
    client.force_login(cast.ada)
    url = reverse("job", args=[cast.project.slug, job.code])
    page = " ".join(client.get(url).content.decode().split())
    assert "indexing was cancelled" in page
    assert "Cancelled</span>" not in page
    client.post(reverse("project_query", args=[cast.project.slug]), {"do": "index"})
    jobs.run(Job.objects.get(kind="index").pk)
    assert "indexing was cancelled" not in client.get(url).content.decode()


def test_work_that_is_done_is_not_done_anew_for_the_index(
    cast: Cast, monkeypatch
) -> None:
    """The worker dies, or gives another project its turn, while it indexes."""
    index.catch_up()
    monkeypatch.setattr(jobs, "MAX_ATTEMPTS", 9)
    monkeypatch.setattr(chunks, "TURN_S", -1.0)
    turns = iter([7, 7, None, None, None, None, None, None, None, None])
    monkeypatch.setattr(jobs, "in_turn", lambda project=None: next(turns, None))
    job = bring_in(cast, BRACKETS * 3, kind="ptb", name="doc.ptb")
    assert job.state == Job.State.QUEUED
    there, done, result = cast.project.corpora.count(), job.done, job.result
    assert done == job.total == 2 * result["sentences"] == 18
    while job.state == Job.State.QUEUED:
        jobs.run(job.pk)
        job.refresh_from_db()
    assert ended(job) == (Job.State.DONE, 0)
    assert (cast.project.corpora.count(), job.done, job.result) == (there, done, result)


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has one writer at a time"
)
@pytest.mark.django_db(transaction=True)
def test_a_tree_that_is_deleted_while_it_is_indexed_leaves_nothing(cast: Cast) -> None:
    parse = people.parse(people.sentence(cast.corpus, "Indeed"), "(FRAG (RB Indeed))")
    key, is_indexed = parse.pk, Event()

    def make() -> None:
        with transaction.atomic():
            assert index.portion(index.PARSE, [key]) == 1
            is_indexed.set()
            Event().wait(1)  # deleted meanwhile
        connection.close()

    thread = Thread(target=make)
    thread.start()
    assert is_indexed.wait(600)
    parse.delete()
    thread.join()
    assert not [row for row in rows()["search_node"] if row.startswith(f"({key},")]


@pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite has one writer at a time"
)
@pytest.mark.django_db(transaction=True)
def test_two_index_at_once_what_is_apart(many: Cast) -> None:
    """The first has not ended when the second begins and ends."""
    keys, is_at_work, ended = index.noted(index.PARSE), Event(), []
    index._read(keys)  # labels are numbered before, in a transaction of their own

    def make() -> None:
        with transaction.atomic():
            index.portion(index.PARSE, keys[::2], together=True)
            is_at_work.set()
            Event().wait(2)
            ended.append("other")
        connection.close()

    thread = Thread(target=make)
    thread.start()
    assert is_at_work.wait(600)
    parses = [keys[k] for k in range(1, len(keys), 2)]
    assert index.portion(index.PARSE, parses, together=True) == len(parses)
    ended.append("mine")
    thread.join()
    assert ended == ["mine", "other"]
    index.catch_up()
    assert rows() == made_at_once()
