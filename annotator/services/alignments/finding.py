"""Paraphrases found among the sentences of one or two corpora, as a job.

Pairs that score high enough go into another corpus, with their scores. People judge a
sample, drawn evenly from five parts of the found pairs by score; it estimates how many
of all are paraphrases.
"""

import io
import sys
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import transaction
from django.db.models import Avg, Case, FloatField, Q, When
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.exchange import registry as formats
from annotator.exchange import rows
from annotator.exchange.items import MAX_PHRASE
from annotator.models import (
    Campaign,
    Corpus,
    Item,
    Job,
    Judgment,
    Pair,
    PairScore,
    Project,
)
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.alignments import scores
from annotator.services.campaigns import item_files, items
from annotator.services.corpora.batches import RecordLoader
from core.agreement.figures import Estimate, Stratum, stratified_share
from core.data.check import Floats, Ints
from core.data.tokens import Token
from core.formats.records import PairRecord, SentenceRecord
from core.itg.finding import BlockingSettings, FoundPair, SharedWords, scored
from core.itg.scores import SCORERS
from core.protocols import Step

KIND = "find_paraphrases"
SCORER = "paraphrase"
MOST = 200_000  # sentences: they take some 9 kB of memory each
SHORTEST = 4  # words
LEAST = 0.8  # score
SAMPLE, MOST_SAMPLED = 100, 2_000
PARTS = 5  # of the found pairs, by score
BATCH = 500  # candidates between two steps


@transaction.atomic
def start(
    source: Corpus,
    other: Corpus | None = None,
    *,
    name: str,
    by: Anybody,
    least: float = LEAST,
    sample: int = SAMPLE,
    seed: int = 2005,
    enqueue: bool = True,
) -> Job:
    """A job that finds paraphrases within a corpus, or between it and another.

    ``name``: of the corpus that gets them, which is created if needed; ``least``: the
    lowest score; ``sample``: pairs to judge in a draft campaign of that name, 0 for
    none. Raises NotAllowed (managers may); BadRequest on other languages, a name of the
    corpora themselves, too many sentences, or a number out of range; Conflict while the
    same is at work.
    """
    access.require(by, "manage", source.project)
    searched = [source, *([other] if other else [])]
    name = " ".join(name.split())[:120]
    _check(searched, name, least, sample)
    target, _is_new = Corpus.objects.get_or_create(
        project=source.project,
        name=name,
        defaults={
            "created_by_id": by.pk,
            "source_language": source.source_language,
            "target_language": source.source_language,
            "licence": " / ".join(dict.fromkeys(x.licence for x in searched))[:200],
            "provenance": f"Found in {' and '.join(x.name for x in searched)}",
        },
    )
    campaign = _campaign(source.project, name, by=by) if sample else None
    params = {
        "source": source.code,
        "other": other.code if other else "",
        "corpus": target.code,
        "campaign": campaign.code if campaign else "",
        "least": least,
        "sample": sample,
    }
    return jobs.start(
        source.project,
        KIND,
        title=f"Find paraphrases in {' and '.join(x.name for x in searched)}",
        by=by,
        params=params,
        seed=seed,
        enqueue=enqueue,
    )


def _campaign(project: Project, name: str, *, by: Anybody) -> Campaign:
    """A draft of this name, with a number if there is one already."""
    taken = set(project.campaigns.values_list("name", flat=True))
    names = [name, *(f"{name[:110]} ({n})" for n in range(2, len(taken) + 3))]
    free = next(one for one in names if one not in taken)
    return items.begin(project, free, "identification", by=by)


def _check(searched: Sequence[Corpus], name: str, least: float, sample: int) -> None:
    """Raises BadRequest."""
    languages = {
        language.split("-")[0]
        for one in searched
        for language in (one.source_language, one.target_language)
    }
    n = sum(one.n_sentences for one in searched)
    if not name or name in {one.name for one in searched}:
        problem, field = _("Enter the name of another corpus."), "name"
    elif len(searched) > len({one.pk for one in searched}):
        problem, field = _("Choose two different corpora."), "other"
    elif len(languages) > 1:
        problem, field = _("Paraphrases are in one language."), "other"
    elif not 2 <= n <= MOST:
        problem = _("%(n)s sentences; this needs 2 to %(most)s.")
        problem, field = problem % {"n": n, "most": MOST}, "other"
    elif not 0 <= least <= 1:
        problem, field = _("The lowest score is a number from 0 to 1."), "least"
    elif not 0 <= sample <= MOST_SAMPLED:
        problem, field = _("Sample: 0 to %(most)s.") % {"most": MOST_SAMPLED}, "sample"
    else:
        return
    raise BadRequest(problem, field=field)


@dataclass(frozen=True, slots=True)
class _Searched:
    """The sentences to search: keys, codes and texts of their rows, words, and which of
    the corpora each is of."""

    ids: list[int]
    codes: list[str]
    texts: list[str]
    forms: list[tuple[str, ...]]
    side: list[int]


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Find candidates, score them, store the pairs found, and draw the sample.

    What is stored stays if the job is cancelled. Run again, it begins again and adds
    only what is missing.
    """
    yield Step(note="Reading sentences")
    read = _read(job)
    yield Step(note=f"Comparing the words of {len(read.ids):,} sentences")
    pairs, overlap = _candidates(job, read)
    yield Step(total=len(pairs), note=f"Scoring {len(pairs):,} candidate pairs")
    store = _Store(job, read)
    n = 0
    for n, one in enumerate(scored(read.forms, pairs, overlap, scorer=SCORER), 1):
        store.take(one)
        if n % BATCH == 0:
            store.flush()
            yield Step(done=BATCH)
    store.flush()
    yield Step(done=n % BATCH)
    result = {
        "run": store.run.code,
        "sentences": len(read.ids),
        "candidates": len(pairs),
        "found": len(store.found),
    }
    return result | (yield from _sample(job, read, store.found))


def _read(job: Job) -> _Searched:
    """Of sentences with the same words, whatever their case, the first."""
    read, seen = _Searched([], [], [], [], []), set()
    for side, name in enumerate(("source", "other")):
        if not job.params[name]:
            continue
        corpus = job.project.corpora.get(code=job.params[name])
        sentences = corpus.sentences.filter(n_tokens__gte=SHORTEST).order_by("pk")
        listed = sentences.values_list("pk", "code", "text", "tokens")
        for pk, code, text, tokens in listed.iterator(chunk_size=2_000):
            key = hash(tokens.lower())
            if key not in seen:
                seen.add(key)
                read.ids.append(pk)
                read.codes.append(code)
                read.texts.append(text)
                read.forms.append(tuple(map(sys.intern, tokens.split("\n"))))
                read.side.append(side)
    return read


def _candidates(job: Job, read: _Searched) -> tuple[Ints, Floats]:
    """Without the pairs that these corpora have already."""
    sides = np.array(read.side, np.int32) if job.params["other"] else None
    pairs, overlap = SharedWords.of(read.forms).candidates(BlockingSettings(), sides)
    codes = [job.params["source"], job.params["other"]]
    known = Pair.objects.filter(corpus__project=job.project, corpus__code__in=codes)
    there = set(known.values_list("source_id", "target_id").iterator())
    ids = np.array(read.ids, np.int64)[pairs]
    new = [(a, b) not in there and (b, a) not in there for a, b in ids.tolist()]
    keep = np.flatnonzero(np.array(new, bool))
    return pairs[keep], overlap[keep]


class _Store:
    """Puts pairs into the corpus of the job, with their scores."""

    def __init__(self, job: Job, read: _Searched) -> None:
        self.found: list[FoundPair] = []
        self._job, self._read = job, read
        self._least = job.params["least"]
        self._corpus = job.project.corpora.get(code=job.params["corpus"])
        kind = formats.find("pairs")
        self._loader = RecordLoader(self._corpus, kind, [f"{job.code}.tsv"], job=job)
        files = [*self._corpus.meta.get("files", []), *self._loader.files]
        self._corpus.meta = self._corpus.meta | {"files": files}
        self._corpus.save(update_fields=["meta"])
        engine = scores.ScoreEngine(SCORERS[SCORER], context=False)
        self.run = scores.open_run(self._corpus, engine, job)
        self._keys = rows.Keys()
        self._held: dict[str, FoundPair] = {}

    def take(self, one: FoundPair) -> None:
        if one.score < self._least:
            return
        self.found.append(one)
        record = PairRecord(
            self._side(one.source), self._side(one.target), id=_ref(self._read, one)
        )
        for line in self._loader.take(0, record):
            jobs.report_issue(self._job, line.reason, remedy=line.remedy)
        sides = (self._keys.of_side(side) for side in (record.source, record.target))
        self._held[self._keys.of_pair(0, record, *sides)] = one

    def _side(self, at: int) -> SentenceRecord:
        tokens = tuple(map(Token, self._read.forms[at]))
        return SentenceRecord(tokens, self._read.texts[at], self._read.codes[at])

    def flush(self) -> None:
        for line in self._loader.flush():
            jobs.report_issue(self._job, line.reason, remedy=line.remedy)
        there = Pair.objects.filter(corpus=self._corpus, key__in=self._held)
        scores.store(
            self.run,
            [
                PairScore(
                    pair_id=pk,
                    value=self._held[key].score,
                    n_links=self._held[key].n_links,
                    n_inverted=self._held[key].n_inverted,
                )
                for key, pk in there.values_list("key", "pk")
            ],
        )
        self._held = {}


def _ref(read: _Searched, one: FoundPair) -> str:
    return f"{read.codes[one.source]}-{read.codes[one.target]}"


def _sample(
    job: Job, read: _Searched, found: Iterable[FoundPair]
) -> Generator[Step, None, dict[str, Any]]:
    """Fill the campaign with pairs drawn evenly from parts of equal size by score."""
    if not job.params["campaign"]:
        return {}
    campaign = job.project.campaigns.get(code=job.params["campaign"])
    short = [one for one in found if len(read.texts[one.target]) <= MAX_PHRASE]
    short.sort(key=lambda one: (-one.score, one.source, one.target))
    rng = np.random.default_rng(job.seed)
    parts = [part for part in np.array_split(np.arange(len(short)), PARTS) if len(part)]
    drawn, strata = [], []
    for number, part in enumerate(parts, 1):
        low, high = short[part[-1]].score, short[part[0]].score
        name = f"{number}: {low:.3f} to {high:.3f}"
        strata.append({"name": name, "size": len(part), "low": low, "high": high})
        size = min(len(part), -(-job.params["sample"] // len(parts)))
        drawn += [(short[k], name) for k in rng.permutation(part)[:size]]
    if drawn:
        yield Step(note="Drawing the sample")
        table = io.BytesIO(_as_table(read, drawn))
        assert job.by is not None  # a job of this kind is started by someone
        upload = item_files.keep(campaign, "found.tsv", table, by=job.by)
        for _step in items.load(campaign, upload, by=job.by):
            yield Step()
    return {"campaign": campaign.code, "sampled": len(drawn), "strata": strata}


def _as_table(read: _Searched, drawn: Sequence[tuple[FoundPair, str]]) -> bytes:
    """As a campaign reads it; tabs and quotes of a sentence become spaces and stay."""
    table: list[tuple[str, ...]] = [
        ("id", "sentence", "paraphrase", "condition", "score")
    ]
    for one, name in drawn:
        texts = (" ".join(read.texts[at].split()) for at in (one.source, one.target))
        table.append((_ref(read, one), *texts, name, f"{one.score:.4f}"))
    return item_files.plain_table(table)


@dataclass(frozen=True, slots=True)
class FoundPart:
    """Found pairs of scores ``low`` to ``high``."""

    low: float
    high: float
    stratum: Stratum


@dataclass(frozen=True, slots=True)
class Find:
    """One search for paraphrases. ``corpus``, ``campaign``: None if deleted or none;
    ``parts``: of what it found, by score, the highest first; ``precision``: None while
    a part has no judgment."""

    job: Job
    corpus: Corpus | None
    campaign: Campaign | None
    parts: list[FoundPart]
    precision: Estimate | None

    @property
    def n_judged(self) -> int:
        return sum(part.stratum.judged for part in self.parts)


def finds_of(corpus: Corpus) -> list[Find]:
    """The searches of a corpus that are waiting, running or done, newest first."""
    given_up = [Job.State.FAILED, Job.State.CANCELLED]
    mine = Q(params__source=corpus.code) | Q(params__other=corpus.code)
    listed = corpus.project.jobs.filter(mine, kind=KIND).exclude(state__in=given_up)
    corpora = {one.code: one for one in corpus.project.corpora.all()}
    campaigns = {one.code: one for one in corpus.project.campaigns.all()}
    return [
        _find(
            job,
            corpora.get(job.params["corpus"]),
            campaigns.get(job.params["campaign"]),
        )
        for job in listed.order_by("-pk")
    ]


def _find(job: Job, corpus: Corpus | None, campaign: Campaign | None) -> Find:
    judged = _judged(campaign) if campaign else {}
    parts = []
    for row in job.result.get("strata", []):
        right = judged.get(row["name"], [])
        stratum = Stratum(row["size"], len(right), sum(right))
        parts.append(FoundPart(row["low"], row["high"], stratum))
    precision = stratified_share([part.stratum for part in parts])
    return Find(job, corpus, campaign, parts, precision)


def _judged(campaign: Campaign) -> dict[str, list[bool]]:
    """By part: of each judged pair, whether most judgments call it a paraphrase."""
    is_same = Case(
        When(values__same="yes", then=1.0), default=0.0, output_field=FloatField()
    )
    answers = Judgment.objects.of(campaign).counted()
    answers = answers.filter(values__has_key="same", item__kind=Item.Kind.MAIN)
    answers = answers.filter(item__is_withdrawn=False).order_by()
    by_part: dict[str, list[bool]] = {}
    grouped = answers.values("item", "item__credits__condition__name")
    for row in grouped.annotate(share=Avg(is_same)):
        name = row["item__credits__condition__name"]
        by_part.setdefault(name, []).append(row["share"] > 0.5)
    return by_part
