"""Agreement reports: computed live, frozen with a hash, and the cases behind them."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from annotator import __version__, access
from annotator.errors import BadRequest
from annotator.models import (
    Campaign,
    JudgmentEvent,
    Project,
    RatingSet,
    Report,
)
from annotator.models.projects import Anybody
from annotator.services.kept_counts import LastAnswers
from annotator.services.reports import judged_data
from annotator.services.reports.judged_data import Read
from core.agreement.judgments.dataset import Dataset, Selection
from core.agreement.judgments.report import ReportOptions, build

KINDS = ("campaign", "ratings")
_bodies: LastAnswers[dict[str, Any]] = LastAnswers(16)


@dataclass(frozen=True, slots=True)
class ReportSource:
    """What a report is about: a campaign, or a set of outside ratings."""

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
    """

    selection: Selection
    thresholds: tuple[tuple[str, float], ...] = ()
    baseline: str = ""
    adjudicated: bool = False
    seed: int = 0
    replicates: int = 1000

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
    """The source of this kind and code in the project, or None."""
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
        data = spec.of(read.data)
        body = build(data, spec.options(data))
        body["facts"] |= {
            "last_event": judged_data.last_event() if of.kind == "campaign" else 0,
            "simulated": sorted(read.simulated),
            "version": __version__,
            "digest": digest(data, spec),
        }
        return body

    return _bodies.of(repr((read.stamp, spec)), compute)


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
    """What a frozen report was about."""
    if kept.campaign is not None:
        return ReportSource(kept.project, "campaign", kept.campaign)
    assert kept.rating_set is not None, "a report has a source"
    return ReportSource(kept.project, "ratings", kept.rating_set)
