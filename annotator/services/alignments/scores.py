"""Scoring the pairs of a corpus, as a job; and the scores as they are shown."""

import hashlib
import json
import os
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, FilteredRelation, OuterRef, Q
from django.db.models.query import QuerySet
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.models import Corpus, Job, Pair, PairScore, ScoreRun
from annotator.models.corpora import PairQuerySet
from annotator.models.projects import Anybody
from annotator.services import jobs
from core.data.check import Floats
from core.data.tokens import Sentence
from core.errors import GemelError, SentenceTooLong, Unavailable
from core.itg import scores as core_score
from core.itg.scores import SCORERS, Scorer
from core.parsing import registry
from core.protocols import ParserBackend, Step
from core.text.wordnet import Thesaurus, find_thesaurus

BATCH = 100  # also the work lost at a crash, and the delay of a cancellation


def start(corpus: Corpus, scorer: str, *, by: Anybody, enqueue: bool = True) -> Job:
    """A job that scores every pair of the corpus which this run has not scored yet.

    Raises NotAllowed; BadRequest on a scorer that there is not; Conflict while one of
    the same kind runs over the corpus.
    """
    access.require(by, "run", corpus.project)
    if scorer not in SCORERS:
        reason = _("Scorers: %(names)s.") % {"names": ", ".join(SCORERS)}
        raise BadRequest(reason, field="scorer")
    return jobs.start(
        corpus.project,
        "score",
        title=f"Score {corpus.name}: {SCORERS[scorer].label}",
        by=by,
        params={"corpus": corpus.code, "scorer": scorer},
        engine=f"itg {core_score.VERSION}",
        enqueue=enqueue,
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Score what has no score yet, a batch at a time; what is stored stays."""
    corpus = Corpus.objects.get(project=job.project, code=job.params["corpus"])
    engine = ScoreEngine(SCORERS[job.params["scorer"]])
    score_run = open_run(corpus, engine, job)
    left = _unscored(corpus, score_run)
    n_left = left.count()
    for note in engine.notes:
        jobs.report_issue(job, note)
    yield Step(
        done=corpus.n_pairs - n_left, total=corpus.n_pairs, note=engine.scorer.label
    )

    def work(batch: list[Pair]) -> int:
        scores, failures = engine.score(batch)
        for ref, reason in failures:
            jobs.report_issue(job, f"{ref}: {reason}", remedy="score it in parts")
        store(score_run, scores)
        return len(scores)

    _done, failed = yield from jobs.by_batches(left, BATCH, work)
    result = {"run": score_run.code, "scored": score_run.n_scored, "failed": failed}
    return result | ({"lacking": engine.notes} if engine.notes else {})


_Scores = list[PairScore]
_Failures = list[tuple[str, str]]


class ScoreEngine:
    """A scorer with its thesaurus and, for ``context``, its encoder, as far as they are
    installed."""

    def __init__(self, scorer: Scorer, *, context: bool = True) -> None:
        self.scorer = scorer
        self.notes: list[str] = []
        self.thesaurus: Thesaurus | None = None
        self.parser: ParserBackend | None = None
        if scorer.needs_thesaurus:
            self.thesaurus, missing = find_thesaurus()
            self.notes += [missing] if missing else []
        if scorer.wants_vectors and context:
            try:
                self.parser = registry.load(registry.DEFAULT, settings.MODELS_DIR)
            except Unavailable as error:
                self.notes.append(f"Scored without context: {error}")

    def settings(self) -> dict[str, Any]:
        """The settings that determine a score."""
        info = self.parser.info if self.parser else None
        settings: dict[str, Any] = {
            "scorer": asdict(self.scorer),
            "thesaurus": self.thesaurus is not None,
            "vectors": f"{info.name} {info.version}" if info else "",
        }
        if self.scorer.tuned:
            model = core_score.trained(self.scorer.tuned, context=info is not None)
            settings["weights"] = model.to_json()
        return settings

    def score(self, rows: Sequence[Pair]) -> tuple[_Scores, _Failures]:
        """Scores of a batch, on all cores; the loops leave Python's lock alone."""
        sides = [(row.source.forms, row.target.forms) for row in rows]
        vectors = self._vectors([side for pair in sides for side in pair])
        tasks = zip(rows, sides, vectors[::2], vectors[1::2], strict=True)
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            results = list(pool.map(lambda task: self._one(*task), tasks))
        scores = [one for one in results if isinstance(one, PairScore)]
        failures = [
            (row.ref, str(one))
            for row, one in zip(rows, results, strict=True)
            if isinstance(one, GemelError)
        ]
        return scores, failures

    def _one(
        self,
        row: Pair,
        sides: tuple[list[str], list[str]],
        source: Floats | None,
        target: Floats | None,
    ) -> PairScore | GemelError:
        known = source is not None and target is not None
        vectors = (source, target) if known else None
        try:
            view = self.scorer.view(*sides, self.thesaurus, vectors)  # type: ignore[arg-type]
            scored = self.scorer.score(view)
        except GemelError as error:
            return error
        return PairScore(
            pair_id=row.pk,
            value=scored.value,
            n_links=len(scored.biparse.links),
            n_inverted=scored.biparse.n_inverted,
        )

    def _vectors(self, sentences: Sequence[list[str]]) -> list[Floats | None]:
        if self.parser is None:
            return [None] * len(sentences)
        wanted = [Sentence.of(forms) for forms in sentences]
        analyses = self.parser.analyse(wanted, want=frozenset({"vectors"}))
        return [getattr(one, "vectors", None) for one in analyses]


def open_run(corpus: Corpus, engine: ScoreEngine, job: Job) -> ScoreRun:
    """The scores of this corpus under these settings, new if there are none."""
    parameters = engine.settings()
    text = json.dumps([core_score.VERSION, parameters], sort_keys=True)
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    score_run, _made = ScoreRun.objects.get_or_create(
        corpus=corpus,
        digest=digest,
        defaults={
            "scorer": engine.scorer.name,
            "label": engine.scorer.label,
            "version": core_score.VERSION,
            "parameters": parameters,
            "by_id": job.by_id,
        },
    )
    return score_run


def _unscored(corpus: Corpus, score_run: ScoreRun) -> QuerySet[Pair]:
    scores = PairScore.objects.filter(run=score_run, pair=OuterRef("pk"))
    rows = Pair.objects.filter(~Exists(scores), corpus=corpus)
    sides = rows.select_related("source", "target")
    return sides.only("ref", "source__tokens", "target__tokens")


@transaction.atomic
def store(score_run: ScoreRun, scores: _Scores) -> None:
    """Add scores to a run; a pair that has one keeps it."""
    for score in scores:
        score.run = score_run
    PairScore.objects.bulk_create(scores, ignore_conflicts=True)
    score_run.n_scored = PairScore.objects.filter(run=score_run).count()
    score_run.save(update_fields=["n_scored"])


def run_of(corpus: Corpus, code: str) -> ScoreRun | None:
    """The run of this code, by default the newest with scores; None if there is none.

    Raises BadRequest on a code that the corpus does not have.
    """
    runs = ScoreRun.objects.filter(corpus=corpus)
    if not code:
        return runs.filter(n_scored__gt=0).first()
    chosen = runs.filter(code=code).first()
    if chosen is None:
        raise BadRequest(_("There are no such scores here."), field="scores")
    return chosen


def with_scores(
    pairs: PairQuerySet,
    corpus: Corpus,
    *,
    code: str = "",
    sort: str = "",
    at_least: float | None = None,
    at_most: float | None = None,
    after: str = "",
) -> tuple[PairQuerySet, ScoreRun | None]:
    """The pairs with ``score`` and ``n_inverted`` of a run, None where it has none.

    ``sort``: ``score`` lowest first, ``-score`` highest first; then, and with a limit,
    only pairs that have a score. ``after``: the pairs after the one with this code.
    Without a run that has scores, all pairs. Raises BadRequest.
    """
    score_run = run_of(corpus, code)
    if score_run is None:
        return pairs.after(corpus, after), None
    only = Q(scores__run=score_run)
    rows = pairs.annotate(of_run=FilteredRelation("scores", condition=only))
    rows = rows.annotate(score=F("of_run__value"), n_inverted=F("of_run__n_inverted"))
    if sort or at_least is not None or at_most is not None:
        rows = rows.filter(of_run__isnull=False)
    if at_least is not None:
        rows = rows.filter(of_run__value__gte=at_least)
    if at_most is not None:
        rows = rows.filter(of_run__value__lte=at_most)
    if not sort:
        return rows.after(corpus, after), score_run
    rows = rows.order_by(f"{sort.removesuffix('score')}of_run__value", "pk")
    return _after_score(rows, score_run, sort, after), score_run


def _after_score(
    rows: PairQuerySet, score_run: ScoreRun, sort: str, code: str
) -> PairQuerySet:
    last = PairScore.objects.filter(run=score_run, pair__code=code).first()
    if last is None:
        return rows
    beyond = "lt" if sort == "-score" else "gt"
    tied = Q(of_run__value=last.value, pk__gt=last.pair_id)
    return rows.filter(Q(**{f"of_run__value__{beyond}": last.value}) | tied)


def score_one(
    pair: Pair, scorer: str
) -> tuple[core_score.ItgScore, tuple[tuple[int, int], ...], list[str]]:
    """One pair under one scorer, which links are matches, and what was missing.

    Among equally good biparses, the one with the most probable links. Nothing is
    stored. Context is left out: a web process loads no encoder. Raises GemelError.
    """
    chosen = SCORERS[scorer]
    thesaurus, missing = find_thesaurus() if chosen.needs_thesaurus else (None, "")
    view = chosen.view(pair.source.forms, pair.target.forms, thesaurus)
    notes = [missing] if missing else []
    if chosen.wants_vectors:
        notes.append(_("Shown without context; a job scores with it."))
    scored = chosen.score(view)
    try:
        scored = replace(scored, biparse=chosen.likeliest(view))
    except SentenceTooLong:
        notes.append(
            _(
                "One of several equally good biparses is drawn: this pair is "
                "too long to find the most probable one."
            )
        )
    return scored, chosen.matches(view, scored.biparse.links), notes


def scorers() -> Iterator[tuple[str, str]]:
    """Name and label of every scorer, in the reader's language."""
    yield from ((name, _(scorer.label)) for name, scorer in SCORERS.items())
