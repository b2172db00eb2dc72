"""Parsing the pairs of a corpus jointly, as a job; and the runs there are."""

import hashlib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.query import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotator import access
from annotator.errors import BadRequest, Conflict
from annotator.models import Corpus, Job, JointPair, JointRun, Pair, Project
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.parses import (
    accuracy,
    joint_gold,
    joint_rows,
    offered,
    parsers,
)
from annotator.services.parses.joint_rows import JointAnswer
from core.errors import GemelError, InvalidValue
from core.joint_parsing import gate
from core.joint_parsing.in_view import View, views_of
from core.joint_parsing.parser import (
    ENGINE,
    METHODS,
    VERSION,
    WANT,
    JointParser,
    JointSettings,
)
from core.parsing import registry
from core.protocols import Analysis, BackendInfo, Capability, ParserBackend, Step
from core.word_alignment import aligner as word_aligner
from core.word_alignment.aligner import TrainedWordAligner

BATCH = 32  # pairs: also what is lost, and how long a cancelled job goes on
NAMES = {
    "bp": gettext_noop("Belief propagation"),
    "mbr": gettext_noop("Minimum Bayes risk"),
    "soft": gettext_noop("Soft dual decomposition"),
    "hard": gettext_noop("Hard dual decomposition"),
    "pairs": gettext_noop("Pairs of n-best trees"),
    "spans": gettext_noop("Agreement of phrases"),
}

SWITCHES = {
    ("gate", True): "with the gate",
    ("gate", False): "without the gate",
    ("projective", True): "no crossing arcs",
    ("projective", False): "crossing arcs allowed",
    ("in_view", True): "with the pair read as one",
    ("in_view", False): "each sentence read alone",
}


def methods() -> dict[str, str]:
    """The methods there are: name and what people call it."""
    return {name: NAMES.get(name, name) for name in METHODS}


def settings_of(sent: Mapping[str, Any]) -> JointSettings:
    """Settings from plain values by name; what is not there is the engine's own.

    Raises BadRequest on an unknown name or a number out of range.
    """
    known = {one.name for one in fields(JointSettings)}
    if unknown := sorted(set(sent) - known):
        raise BadRequest(
            _("There is no setting %(name)s.") % {"name": repr(unknown[0])},
            field=unknown[0],
        )
    try:
        return JointSettings(**sent)
    except (InvalidValue, TypeError) as error:
        raise BadRequest(str(error), field="settings") from error


def start(
    corpus: Corpus,
    settings: JointSettings,
    *,
    parser: str = registry.DEFAULT,
    by: Anybody,
    enqueue: bool = True,
) -> Job:
    """A job that parses jointly the pairs that this run has not parsed yet.

    Raises NotAllowed; BadRequest on a parser that there is not, or that gives no arcs;
    Conflict while the same is at work on this corpus.
    """
    access.require(by, "run", corpus.project)
    offered.require(corpus.project, parser, field="parser")
    if "dependencies" not in _info(parser, corpus.project).capabilities:
        raise BadRequest(
            _(
                "%(parser)s gives no dependency arcs, which joint parsing needs: "
                "choose another parser."
            )
            % {"parser": parser},
            field="parser",
        )
    params = {"corpus": corpus.code, "parser": parser, "settings": asdict(settings)}
    with jobs.one_after_the_other(corpus.project):
        active = Job.objects.active().filter(project=corpus.project, kind="joint")
        if any(job.params == params for job in active):
            raise Conflict(
                _("This corpus is being parsed so already; wait for its end.")
            )
        return jobs.create(
            corpus.project,
            "joint",
            title=f"Parse {corpus.name} jointly: {_label(settings)}",
            by=by,
            params=params,
            engine=f"{ENGINE} {VERSION}",
            enqueue=enqueue,
        )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Parse what lacks it, a batch at a time; a batch is stored whole or not at all.

    The parsers work outside of any transaction. A pair that cannot be parsed becomes
    an Issue; the others go on.
    """
    corpus = Corpus.objects.get(project=job.project, code=job.params["corpus"])
    settings = JointSettings(**job.params["settings"])
    backend = offered.load(job.params["parser"], job.project)
    joint = JointParser.load()
    joint_run = _open_run(corpus, settings, _made_with(joint, backend.info), job)
    pairs = _pairs(corpus, backend.info)
    left = _lacking(pairs, joint_run)
    total, n_left = pairs.count(), left.count()
    yield Step(
        total=total, done=total - n_left, note=f"{backend.info.name}, {joint_run}"
    )
    joint_gold.refresh(joint_run)
    last, n_done, n_failed = 0, 0, 0
    while batch := list(left.filter(pk__gt=last)[:BATCH]):
        last = batch[-1].pk
        made = []
        for pair, answer in _parse(joint, backend, batch, settings):
            if isinstance(answer, JointAnswer):
                made.append(answer)
            else:
                _complain(job, pair, answer)
        joint_rows.store(joint_run, made, backend.info)
        n_done, n_failed = n_done + len(made), n_failed + len(batch) - len(made)
        yield Step(done=len(made), failed=len(batch) - len(made))
    parsers.mark_parsed(corpus)
    joint_run.refresh_from_db()
    result: dict[str, Any] = {"engine": joint_run.engine, "version": joint_run.version}
    result |= {"run": joint_run.code, "parsed": n_done, "failed": n_failed}
    result |= {"changes": joint_run.n_changes}
    return result | accuracy.of_corpus(corpus, joint_run.engine, joint_run.version)


def runs_of(corpus: Corpus) -> list[JointRun]:
    """The runs over a corpus, newest first, with ``n_judged``, ``n_fixed`` and
    ``n_broken``: changes with a verdict, and what gold says. One query."""
    judged = Count("changes", filter=~Q(changes__verdict=""))
    fixed = Count("changes", filter=Q(changes__gold="fixed"))
    broken = Count("changes", filter=Q(changes__gold="broken"))
    rows = corpus.joint_runs.annotate(n_judged=judged, n_fixed=fixed, n_broken=broken)
    return list(rows.order_by("-created_at", "-pk"))


def _info(parser: str, project: Project) -> BackendInfo:
    try:
        return offered.load(parser, project).info
    except GemelError as error:
        raise BadRequest(str(error), field="parser") from error


def _label(settings: JointSettings) -> str:
    """The method, and what differs from its usual settings."""
    usual = JointSettings(method=settings.method)
    parts = [methods()[settings.method]]
    for one in fields(JointSettings):
        value = getattr(settings, one.name)
        if one.name == "in_view" and settings.method != "bp":
            continue
        if value != getattr(usual, one.name):
            name = one.name.replace("_", " ")
            parts.append(SWITCHES.get((one.name, value), f"{name} {value}"))
    return ", ".join(parts)


def _made_with(joint: JointParser, info: BackendInfo) -> dict[str, Any]:
    """All that decides what comes out, beside the settings."""
    learned = hashlib.blake2b(digest_size=6)
    for path in (gate.WEIGHTS, word_aligner.WEIGHTS):
        learned.update(path.read_bytes())
    return {
        "parser": info.name,
        "parser_version": info.version,
        "weights": learned.hexdigest(),
        "thesaurus": getattr(joint.aligner, "thesaurus", None) is not None,
        "vectors": "vectors" in _want(joint, info),
    }


def _want(joint: JointParser, info: BackendInfo) -> frozenset[Capability]:
    """What to ask of the parser: its vectors only if the word aligner knows them."""
    aligner = joint.aligner
    is_known = isinstance(aligner, TrainedWordAligner) and aligner.knows(info)
    return (WANT if is_known else WANT - {"vectors"}) & info.capabilities


def _open_run(
    corpus: Corpus, settings: JointSettings, made_with: Mapping[str, Any], job: Job
) -> JointRun:
    return joint_rows.open_run(
        corpus,
        engine=ENGINE,
        version=VERSION,
        method=settings.method,
        label=_label(settings),
        parameters=asdict(settings) | dict(made_with),
        by_id=job.by_id,
    )


def _pairs(corpus: Corpus, info: BackendInfo) -> QuerySet[Pair]:
    """The pairs whose two languages the parser speaks."""
    both = parsers.spoken(info, "source__language")
    both &= parsers.spoken(info, "target__language")
    return Pair.objects.filter(both, corpus=corpus)


def _lacking(pairs: QuerySet[Pair], joint_run: JointRun) -> QuerySet[Pair]:
    there = JointPair.objects.filter(run=joint_run, pair=OuterRef("pk"))
    rows = pairs.filter(~Exists(there)).select_related("source", "target")
    return rows.order_by("pk")


def _parse(
    joint: JointParser,
    backend: ParserBackend,
    batch: Sequence[Pair],
    settings: JointSettings,
) -> Generator[tuple[Pair, JointAnswer | GemelError], None, None]:
    """What each pair gives, or the reason why nothing; a sentence is parsed once."""
    sides = {one.pk: one for pair in batch for one in (pair.source, pair.target)}
    wanted = [one.to_core() for one in sides.values()]
    answers = backend.analyse(wanted, want=_want(joint, backend.info))
    of = dict(zip(sides, answers, strict=True))
    views = _views(backend, batch, settings)
    for pair, view in zip(batch, views, strict=True):
        try:
            both = _analysis(of[pair.source_id]), _analysis(of[pair.target_id])
            yield (
                pair,
                JointAnswer(pair, both, joint.parse(*both, settings, views=view)),
            )
        except GemelError as error:
            yield pair, error


def _views(
    backend: ParserBackend, batch: Sequence[Pair], settings: JointSettings
) -> list[tuple[View, View] | None]:
    if settings.method != "bp" or not settings.in_view:
        return [None] * len(batch)
    both = [(pair.source.to_core(), pair.target.to_core()) for pair in batch]
    return views_of(backend, both)


def _analysis(answer: Analysis | Exception) -> Analysis:
    if isinstance(answer, Exception):
        raise answer
    return answer


def _complain(job: Job, pair: Pair, error: GemelError) -> None:
    jobs.report_issue(
        job,
        f"{pair.ref or pair.code}: {error}",
        remedy="split the sentence, or take the pair out",
        excerpt=pair.source_text,
    )
