"""Agreement reports: computed live, frozen with a hash, and the cases behind them."""

import hashlib
import json
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

from django.db import transaction
from django.db.models import Sum
from django.http import QueryDict
from django.utils.translation import gettext as _

from annotator import __version__, access
from annotator.errors import BadRequest
from annotator.models import (
    Campaign,
    Job,
    JudgmentEvent,
    Project,
    RatingSet,
    Report,
    Tally,
)
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.kept_counts import LastAnswers
from annotator.services.reports import judged_data, machine_figures
from annotator.services.reports.judged_data import Read
from core.agreement.judgments.dataset import Dataset, Selection
from core.agreement.judgments.report import ReportOptions, build
from core.protocols import Step

KINDS = ("campaign", "ratings")
_bodies: LastAnswers[dict[str, Any]] = LastAnswers(16)


@dataclass(frozen=True, slots=True)
class ReportSource:
    """The source of a report: a campaign, or a set of imported ratings."""

    project: Project
    kind: str
    row: Campaign | RatingSet

    @property
    def code(self) -> str:
        return str(self.row.code)

    @property
    def title(self) -> str:
        return self.row.name

    def read(self) -> Read:
        if isinstance(self.row, Campaign):
            return judged_data.read_campaign(self.row)
        return judged_data.read_set(self.row)


@dataclass(frozen=True, slots=True)
class ReportSpec:
    """What to read of a source, and how; all from the address.

    ``thresholds`` by scale. ``baseline``: a condition by name, "" = the campaign's.
    ``machines``: count machine annotators among people. What is not in the ``repr``
    does not change the digest of data.
    """

    selection: Selection
    thresholds: tuple[tuple[str, float], ...] = ()
    baseline: str = ""
    adjudicated: bool = False
    seed: int = 0
    replicates: int = 1000
    machines: bool = field(default=False, repr=False)

    def all_of(self, read: Read) -> Dataset:
        """The part of what was read that is asked for; machines only if they are."""
        return self.with_machines(read) if self.machines else self.of(read.data)

    def with_machines(self, read: Read) -> Dataset:
        """The same with all machines, whichever annotators are asked for."""
        chosen = self.selection
        if chosen.annotators:
            both = (*chosen.annotators, *read.machines)
            chosen = replace(chosen, annotators=both)
        return replace(self, selection=chosen).of(read.with_machines or read.data)

    def of(self, data: Dataset) -> Dataset:
        """The part of the data that is asked for."""
        return data.with_thresholds(dict(self.thresholds)).select(self.selection)

    def options(self, data: Dataset) -> ReportOptions:
        """Raises BadRequest if there is no such baseline."""
        baseline = data.baseline
        if self.baseline:
            if self.baseline not in data.conditions:
                text = _("There is no condition %(name)s.")
                raise BadRequest(text % {"name": repr(self.baseline)}, field="baseline")
            baseline = data.conditions.index(self.baseline)
        return ReportOptions(self.replicates, self.seed, baseline, self.adjudicated)


def source(project: Project, kind: str, code: str) -> ReportSource | None:
    """The data source of this kind and code in the project, or None."""
    rows: Any = project.campaigns if kind == "campaign" else project.rating_sets
    row = rows.filter(code=code).first()
    return ReportSource(project, kind, row) if row else None


def report(of: ReportSource, spec: ReportSpec) -> tuple[dict[str, Any], Read]:
    """Every figure, and what was read."""
    read = of.read()
    return body_of(of, read, spec), read


def body_of(of: ReportSource, read: Read, spec: ReportSpec) -> dict[str, Any]:
    """Every figure of what was read. The same question twice is computed once."""

    def compute() -> dict[str, Any]:
        data = spec.all_of(read)
        body = build(data, spec.options(data))
        if isinstance(of.row, Campaign) and read.with_machines is not None:
            body["machines"] = machine_figures.of(of.row, spec.with_machines(read))
        body["facts"] |= {
            "last_event": judged_data.last_event() if of.kind == "campaign" else 0,
            "simulated": sorted(read.simulated),
            "machines": read.machines if spec.machines else {},
            "version": __version__,
            "digest": digest(data, spec),
        }
        return body

    return _bodies.of(repr((read.stamp, spec, spec.machines)), compute)


def digest(data: Dataset, spec: ReportSpec) -> str:
    """SHA-256 of what was read and how it was asked."""
    return hashlib.sha256((data.digest() + repr(spec)).encode()).hexdigest()


@transaction.atomic
def freeze(
    of: ReportSource, spec: ReportSpec, *, query: str, title: str, by: Anybody
) -> Report:
    """Keep the report as it is now. Raises NotAllowed, BadRequest without a title."""
    access.require(by, "curate", of.project)
    title = title.strip()
    if not title:
        raise BadRequest(_("Enter a title for the report."), field="title")
    body, read = report(of, spec)
    return Report.objects.create(
        project=of.project,
        campaign=of.row if isinstance(of.row, Campaign) else None,
        rating_set=of.row if isinstance(of.row, RatingSet) else None,
        title=title[:160],
        query=query,
        body=json.loads(json.dumps(body, allow_nan=False)),
        names=read.names,
        digest=body["facts"]["digest"],
        version=__version__,
        created_by_id=by.pk,
    )


def newer(of: ReportSource, since: int) -> int:
    """Judgments saved in the campaign after that entry of the ledger; a file of
    ratings never changes."""
    if not isinstance(of.row, Campaign):
        return 0
    rows = JudgmentEvent.objects.filter(pk__gt=since, verb=JudgmentEvent.Verb.SAVE)
    return rows.filter(judgment__participant__campaign=of.row).count()


def source_of(kept: Report) -> ReportSource:
    """The source of a frozen report."""
    if kept.campaign is not None:
        return ReportSource(kept.project, "campaign", kept.campaign)
    assert kept.rating_set is not None, "a report has a source"
    return ReportSource(kept.project, "ratings", kept.rating_set)


FILTERS = (
    "annotator",
    "condition",
    "since",
    "until",
    "guideline",
    "checks",
    "rank",
    "threshold",
    "baseline",
    "adjudicated",
    "machines",
    "seed",
)
VIEW = ("show", "measure", "sort", "names", "wait")  # how it is shown, not what
MAX_SEED = 2**31
T = TypeVar("T")


def parse(query: QueryDict) -> ReportSpec:
    """The requested report. Raises BadRequest naming the field."""
    selection = Selection(
        annotators=tuple(query.getlist("annotator")),
        conditions=tuple(query.getlist("condition")),
        since=_one(query, "since", _day),
        until=_one(query, "until", lambda text: _day(text) + 86_400),
        guideline=_one(query, "guideline", int),
        with_checks=query.get("checks") == "1",
        max_rank=_one(query, "rank", int) if query.get("rank") else 1,
    )
    seed = _one(query, "seed", int) or 0
    if not 0 <= seed < MAX_SEED:
        raise BadRequest(_("The seed must be a whole number, 0 or more."), field="seed")
    return ReportSpec(
        selection,
        tuple(_threshold(text) for text in query.getlist("threshold") if text),
        query.get("baseline", ""),
        query.get("adjudicated") == "1",
        seed,
        machines=query.get("machines") == "1",
    )


def check(spec: ReportSpec, data: Dataset) -> None:
    """Raise BadRequest on a name that this data does not hold."""
    for kind, names, known in (
        ("annotator", spec.selection.annotators, data.annotators),
        ("condition", spec.selection.conditions, data.conditions),
        (
            "threshold",
            [name for name, _at in spec.thresholds],
            [q.scale.name for q in data.questions if q.scale.is_ordered],
        ),
    ):
        unknown = sorted(set(names) - set(known))
        if unknown:
            text = _("There is no %(field)s %(name)s here.")
            values = {"field": kind, "name": repr(unknown[0])}
            raise BadRequest(text % values, field=kind)
    spec.options(data)


def reads_the_same(kept: Report, source: ReportSource) -> bool:
    """Whether the data of a frozen report, under its filters, are as they were."""
    spec = parse(QueryDict(kept.query))
    return digest(spec.all_of(source.read()), spec) == kept.digest


def filters_of(query: QueryDict) -> str:
    """The filters alone, in the form of an address; "" if there are none."""
    kept = query.copy()
    for name in list(kept):
        if name not in FILTERS or not any(kept.getlist(name)):
            del kept[name]
    return str(kept.urlencode())


def _one(query: Mapping[str, Any], name: str, read: Callable[[str], T]) -> Any:
    text = query.get(name)
    if not text:
        return None
    try:
        return read(text)
    except (ValueError, OverflowError) as error:
        values = {"text": repr(text), "field": name}
        raise BadRequest(
            _("%(text)s is not a %(field)s.") % values, field=name
        ) from error


def _day(text: str) -> float:
    return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp()


def _threshold(text: str) -> tuple[str, float]:
    name, colon, value = text.rpartition(":")
    try:
        number = float(value)
    except ValueError:
        colon = ""
    if not colon or number != number:
        problem = _("%(text)s is not a threshold. Write name:value.")
        raise BadRequest(problem % {"text": repr(text)}, field="threshold")
    return name, number


LIVE_AT_MOST = 30_000  # judgments; about two seconds of reading and computing


def n_judgments(of: ReportSource) -> int:
    """About how many judgments there are to read: what the tallies say."""
    if not isinstance(of.row, Campaign):
        return of.row.n_ratings
    rows = Tally.objects.filter(participant__campaign=of.row)
    return rows.aggregate(n=Sum("n_done"))["n"] or 0


def is_large(of: ReportSource) -> bool:
    """Whether the report is better computed by a worker than while someone waits."""
    return n_judgments(of) > LIVE_AT_MOST


def start(of: ReportSource, *, query: str, title: str, by: Anybody) -> Job:
    """A job that computes the report and freezes it. Raises NotAllowed, BadRequest."""
    access.require(by, "curate", of.project)
    if not title.strip():
        raise BadRequest(_("Enter a title for the report."), field="title")
    params = {"kind": of.kind, "code": of.code, "query": query, "title": title}
    return jobs.create(
        of.project, "report", title=f"Report: {title}", by=by, params=params
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Compute and freeze the report that the job asks for."""
    yield Step(total=1, note="reading the judgments")
    of = source(job.project, job.params["kind"], job.params["code"])
    if of is None or job.by is None:
        raise BadRequest("The campaign or ratings of this report were deleted.")
    spec = parse(QueryDict(job.params["query"]))
    check(spec, of.read().data)
    query, title = job.params["query"], job.params["title"]
    kept = freeze(of, spec, query=query, title=title, by=job.by)
    yield Step(done=1, note="frozen: see the list of frozen reports")
    return {"report": kept.code}
