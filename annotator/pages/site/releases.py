"""The page of a project's releases."""

from typing import Any

from django.db.models import Count

from annotator import access
from annotator.models import Adjudication, Judgment, Project
from annotator.models.projects import Anybody
from annotator.services.releases import kept, making


def releases(project: Project, *, by: Anybody) -> dict[str, Any]:
    """Releases, what another would hold, and warnings of licences against it."""
    of = making.parts_of(project)
    return {
        "project": project,
        "corpora": of.corpora,
        "campaigns": _counted(project),
        "chosen": [one.code for one in of.corpora] + [one.code for one in of.campaigns],
        "warnings": making.ReleaseParts(of.corpora, []).warnings(),
        "kept": kept.kept(project, by=by),
        "may_make": access.may(by, "manage", project),
    }


def _counted(project: Project) -> list[dict[str, Any]]:
    """Each campaign with what a release of it holds."""
    answers = Judgment.objects.answered().filter(item__campaign__project=project)
    decided = Adjudication.objects.filter(item__campaign__project=project)
    n_answers, n_decided = (
        dict(rows.order_by().values_list("item__campaign").annotate(n=Count("pk")))
        for rows in (answers, decided)
    )
    rows = project.campaigns.filter(is_simulated=False).order_by("name")
    return [
        {
            "row": one,
            "items": one.n,
            "judgments": n_answers.get(one.pk, 0),
            "decisions": n_decided.get(one.pk, 0),
        }
        for one in rows.annotate(n=Count("items"))
    ]
