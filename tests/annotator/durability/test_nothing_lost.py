"""Whatever becomes of jobs, what people have made stays."""

import io
from contextlib import suppress
from typing import Any
from uuid import uuid4

import pytest
from django.db import OperationalError, transaction
from hypothesis import settings, strategies
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from annotator.errors import Refusal
from annotator.models import (
    AlignmentLayer,
    Corpus,
    Job,
    Judgment,
    JudgmentEvent,
    LinkEvent,
    Pair,
    Parse,
    Sentence,
    TreeDraft,
    TreeEvent,
)
from annotator.services import jobs
from annotator.services.alignments import layers, links
from annotator.services.alignments.operations import LayerStep
from annotator.services.corpora import batches, bundles, exports, imports, storing
from annotator.services.parses import drafts
from core.trees.editing import Relabel
from tests.annotator import campaigns_cast
from tests.cast import Cast

LETTERS = "abcdefghij"
NAMES = ("News", "Houses")


def table(*words: str) -> bytes:
    rows = [f"{w}\tThe {w} fell\tIt was {w} that fell\n" for w in words]
    return ("id\tsource\ttarget\n" + "".join(rows)).encode()


def bundle(cast: Cast) -> bytes:
    """One where Bob has worked: his layers and ledger come in with it."""
    corpus = Corpus.objects.create(project=cast.project, name="Made elsewhere")
    start(cast, table(*LETTERS[3:9]), "pairs", corpus.name)
    for job in Job.objects.all():
        jobs.run(job.pk)
    for pair in corpus.pairs.order_by("pk")[:3]:
        link(cast, layers.start(pair, by=cast.bob))
    (part,) = exports.parts(corpus, "gemel", by=None)
    text = "".join(part.lines)
    corpus.delete()
    return text.encode()


def start(cast: Cast, content: bytes, kind: str, corpus: str) -> Job:
    kept = storing.keep(cast.project, "a", io.BytesIO(content), by=cast.ada)
    return imports.start(
        cast.project, [kept], kind=kind, corpus=corpus, by=cast.ada, dry_run=False,
        enqueue=False,
    )  # fmt: skip


def link(cast: Cast, layer: AlignmentLayer) -> LinkEvent:
    layer.refresh_from_db()
    asked = LayerStep.read(
        {
            "uuid": uuid4(),
            "base_rev": layer.revision,
            "op": "link",
            "s": "w0",
            "t": "w1",
        }
    )
    return links.play(layer, asked, by=cast.bob)


class JobsComeAndGo(RuleBasedStateMachine):
    """Imports into two corpora, in whatever order and state; Bob works all the time."""

    def __init__(self) -> None:
        super().__init__()
        self.all = transaction.atomic()
        self.all.__enter__()

    @initialize()
    def begin(self) -> None:
        self.cast = Cast()
        self.files = [("pairs", table(*LETTERS[:6])), ("pairs", table(*LETTERS[4:]))]
        self.files.append(("gemel", bundle(self.cast)))
        self.at_work: list[tuple[Job, Any]] = []
        for name in NAMES:
            jobs.run(start(self.cast, self.files[0][1], "pairs", name).pk)
        self.made: set[tuple[Any, ...]] = set()
        for judgment in self._judged():
            self.made |= {(Judgment, judgment.pk, "code", judgment.code)}
            for event in JudgmentEvent.objects.filter(judgment=judgment):
                self.made |= {(JudgmentEvent, event.pk, "uuid", event.uuid)}

    def _judged(self) -> list[Judgment]:
        campaign = campaigns_cast.campaign(self.cast, n=2)
        drawn = campaigns_cast.draw(campaign, self.cast.bob, 2)
        for one in drawn:
            campaigns_cast.judge(one)
        return drawn

    def teardown(self) -> None:
        for job, steps in self.at_work:
            self._kill(job, steps)
        transaction.set_rollback(True)
        self.all.__exit__(None, None, None)

    @rule(which=strategies.integers(0, 2), name=strategies.sampled_from(NAMES))
    def start_import(self, which: int, name: str) -> None:
        kind, content = self.files[which]
        with suppress(Refusal):
            start(self.cast, content, kind, name)

    @rule(n=strategies.integers(3, 7))
    def work(self, n: int) -> None:
        self._claim()
        for job, steps in list(self.at_work):
            for _ in range(n):
                if not self._goes_on(job, steps):
                    break

    def _work_until_rows_are_written(self) -> None:
        self._claim()
        for job, steps in list(self.at_work):
            while not Pair.objects.filter(job=job).exists():
                if not self._goes_on(job, steps):
                    break

    def _goes_on(self, job: Job, steps: Any) -> bool:
        if next(steps, None) is not None:
            return True
        self.at_work.remove((job, steps))
        jobs._end(job, Job.State.DONE)
        return False

    def _claim(self) -> None:
        for pk in Job.objects.filter(state="queued").values_list("pk", flat=True):
            job = jobs._claim(pk)
            assert job is not None
            self.at_work.append((job, imports.run(job)))

    @rule(how=strategies.sampled_from(["cancel", "fail", "kill"]))
    def stop(self, how: str) -> None:
        if how == "cancel":
            for job in Job.objects.active():
                jobs.cancel(job, by=self.cast.ada)
        for job, steps in self.at_work:
            getattr(self, f"_{how}")(job, steps)
        self.at_work.clear()

    def _cancel(self, job: Job, steps: Any) -> None:
        steps.close()
        jobs._end(job, Job.State.CANCELLED)

    def _fail(self, job: Job, steps: Any) -> None:
        with suppress(RuntimeError):
            steps.throw(RuntimeError("a bug"))
        jobs._end(job, Job.State.FAILED)

    def _kill(self, job: Job, steps: Any) -> None:
        with suppress(OperationalError):
            steps.throw(OperationalError("gone"))  # nothing is cleaned up
        Job.objects.filter(pk=job.pk).update(state="queued", claim="")

    @rule(data=strategies.data())
    def make_links(self, data: strategies.DataObject) -> None:
        self._link(self._one_of(data, Pair.objects.order_by("pk")))

    @rule(
        which=strategies.integers(1, 2),
        name=strategies.sampled_from(NAMES),
        data=strategies.data(),
        how=strategies.sampled_from(["cancel", "fail", "kill"]),
    )
    def stop_an_import_while_bob_works_on_older_pairs(
        self, which: int, name: str, data: strategies.DataObject, how: str
    ) -> None:
        self.start_import(which, name)
        self._work_until_rows_are_written()
        if self._older_pairs().exists():
            self._link(self._one_of(data, self._older_pairs()))
        self.stop(how)

    def _older_pairs(self) -> Any:
        """Pairs beside those that imports are writing now, nobody at work on them."""
        at_work = [job.pk for job, _ in self.at_work]
        written_to = Corpus.objects.filter(pairs__job__in=at_work)
        older = Pair.objects.filter(corpus__in=written_to).exclude(job__in=at_work)
        return older.filter(layers=None).order_by("pk")

    def _link(self, pair: Pair) -> None:
        with suppress(Refusal):
            event = link(self.cast, layers.start(pair, by=self.cast.bob))
            self.made.add((AlignmentLayer, event.layer_id, "code", event.layer.code))
            self.made.add((LinkEvent, event.pk, "uuid", event.uuid))

    @rule(data=strategies.data())
    def paste_a_tree(self, data: strategies.DataObject) -> None:
        sentence = self._one_of(data, Sentence.objects.order_by("pk"))
        text = f"(S {' '.join(f'(X {form})' for form in sentence.forms)})"
        tree = Parse.objects.create(
            sentence=sentence, kind="constituency", origin="annotator", text=text,
            author=self.cast.bob, digest=uuid4().hex,
        )  # fmt: skip
        self.made.add((Parse, tree.pk, "digest", tree.digest))

    @rule(data=strategies.data())
    def edit_a_tree(self, data: strategies.DataObject) -> None:
        sentence = self._one_of(data, Sentence.objects.order_by("pk"))
        draft = drafts.start(sentence, by=self.cast.bob)
        rename = Relabel(0, data.draw(strategies.sampled_from("STX")))
        asked = drafts.DraftStep(uuid4(), draft.revision, "relabel", rename)
        with suppress(Refusal):
            event = drafts.play(draft, asked, by=self.cast.bob)
            self.made.add((TreeEvent, event.pk, "uuid", event.uuid))
        self.made.add((TreeDraft, draft.pk, "code", draft.code))

    def _one_of(self, data: strategies.DataObject, rows: Any) -> Any:
        return rows[data.draw(strategies.integers(0, rows.count() - 1))]

    @invariant()
    def what_people_made_is_there(self) -> None:
        for model, pk, name, value in self.made:
            values = model.objects.filter(pk=pk).values_list(name, flat=True)
            assert list(values) == [value], model

    @invariant()
    def counters_are_right(self) -> None:
        for corpus in Corpus.objects.filter(name__in=NAMES[:1]):
            now = corpus.pairs.count(), corpus.sentences.count()
            assert (corpus.n_pairs, corpus.n_sentences) == now


@pytest.mark.slow
def test_jobs_never_take_what_people_made(db, monkeypatch) -> None:
    for module in (batches, bundles):
        monkeypatch.setattr(module, "BATCH", 3)  # many steps of few rows
    n = settings.default.max_examples * 2 // 5  # 40 in CI
    run_state_machine_as_test(
        JobsComeAndGo, settings=settings(max_examples=n, stateful_step_count=20)
    )


def test_a_cancelled_import_leaves_work_on_older_pairs(cast, monkeypatch) -> None:
    monkeypatch.setattr(batches, "BATCH", 3)
    jobs.run(start(cast, table(*LETTERS[:3]), "pairs", "News").pk)
    old = Pair.objects.filter(corpus__name="News").first()
    job = jobs._claim(start(cast, table(*LETTERS), "pairs", "News").pk)
    steps = imports.run(job)
    while Pair.objects.filter(corpus__name="News").count() < 6:
        next(steps)
    event = link(cast, layers.start(old, by=cast.bob))
    jobs.cancel(job, by=cast.ada)
    steps.close()
    assert Pair.objects.filter(corpus__name="News").count() == 3
    assert LinkEvent.objects.filter(uuid=event.uuid, layer__pair=old).exists()
