"""Saved searches of a project."""

from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, NotAllowed
from annotator.models import Job, Project, SavedQuery
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.queries.running import read

MOST = 200  # of a project


def keep(project: Project, name: str, text: str, *, by: Anybody) -> SavedQuery:
    """The query by this name, which means another one from now on if it was there.

    Raises NotAllowed if it belongs to someone else and this person is not a manager;
    BadRequest on a query that cannot be read, or without a name.
    """
    access.require(by, "annotate", project)
    read(text)
    name = " ".join(name.split())
    if not name or len(name) > 80:
        raise BadRequest(_("The name must have 1 to 80 characters."), field="name")
    former = project.queries.filter(name=name).first()
    if former is not None:
        _require_own(former, by)
    elif project.queries.count() >= MOST:
        problem = _("You can save at most %(n)s searches.") % {"n": MOST}
        raise BadRequest(problem, field="name")
    made, _is_new = SavedQuery.objects.update_or_create(
        project=project, name=name, defaults={"text": text, "by_id": by.pk}
    )
    return made


def forget(project: Project, code: str, *, by: Anybody) -> None:
    """Take a saved query away: one's own, or anyone's for managers. Raises
    NotAllowed; nothing happens if it is gone already."""
    access.require(by, "annotate", project)
    saved = project.queries.filter(code=code).first()
    if saved is None:
        return
    _require_own(saved, by)
    saved.delete()


def index_now(project: Project, *, by: Anybody) -> Job:
    """A job that indexes new trees and layers of this project. Raises NotAllowed."""
    access.require(by, "run", project)
    return jobs.create(project, "index", title="Index trees for searches", by=by)


def _require_own(saved: SavedQuery, by: Anybody) -> None:
    if saved.by_id != by.pk and not access.may(by, "manage", saved.project):
        raise NotAllowed(
            _("Someone else has saved a search as %(name)s. Choose another name.")
            % {"name": repr(saved.name)}
        )
