"""The forms that ask for a table, for a test set and for weights, as they are shown."""

from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet

from annotator import access
from annotator.models import (
    Campaign,
    Judgment,
    ParaphraseTable,
    ParaphraseWeights,
    Project,
)
from annotator.models.projects import Anybody
from annotator.services.paraphrases import tables as service
from annotator.services.paraphrases import test_sets


def tables(project: Project, *, by: Anybody) -> dict[str, Any]:
    """The tables of a project, and what one more can be made of."""
    return {
        "project": project,
        "tables": project.tables.select_related("job"),
        "bitexts": project.bitexts.all(),
        "lengths": service.LENGTHS,
        "may_run": access.may(by, "run", project),
    }


def test_set(table: ParaphraseTable) -> dict[str, Any]:
    """What a campaign of substitutions can be made of."""
    project = table.project
    return {
        "project": project,
        "table": table,
        "corpora": project.corpora.all(),
        "bitexts": project.bitexts.exclude(parser=""),
        "fitted": table.weights.first(),
        "most": test_sets.MOST,
    }


def fitting(table: ParaphraseTable, *, by: Anybody) -> dict[str, Any]:
    """The versions of the ninth condition, and on which campaigns one more can be
    fitted by someone who may."""
    may_manage = access.may(by, "manage", table.project)
    return {
        "project": table.project,
        "table": table,
        "versions": versions(table),
        "campaigns": judged_campaigns(table.project) if may_manage else (),
        "may_manage": may_manage,
    }


@dataclass(frozen=True, slots=True)
class Version:
    """Fitted weights, as they are shown; ``rows``: each component, its weight and its
    own rho; ``is_older``: the table has been rebuilt since."""

    row: ParaphraseWeights
    facts: dict[str, Any]
    rows: tuple[tuple[str, float, float | None], ...]
    is_older: bool


def versions(table: ParaphraseTable) -> list[Version]:
    """The weights of a table, newest first."""
    listed = []
    for row in table.weights.select_related("campaign"):
        facts, fitted = row.model["facts"], row.model["placed"]
        single = facts["components"]
        rows = tuple(
            (name, weight, single.get(name))
            for name, weight in zip(fitted["names"], fitted["weights"], strict=True)
        )
        older = table.made_at is not None and row.at < table.made_at
        listed.append(Version(row, facts, rows, older))
    return listed


def judged_campaigns(project: Project) -> QuerySet[Campaign]:
    """Those in which someone has judged."""
    answered = Judgment.objects.counted().values("participant__campaign")
    return project.campaigns.filter(pk__in=answered).order_by("name")
