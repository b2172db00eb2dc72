"""The parsers to choose from: everyone's, and those that a project trained.

A project's own models are in the models folder, under ``projects/<its code>/``: they
contain words of its treebank, so other projects cannot see them.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import Project
from annotator.models.projects import Anybody
from annotator.numbers import local
from annotator.services.projects import adopting
from core.errors import GemelError
from core.parsing import registry
from core.protocols import ParserBackend

TRAINED_ON = "trained_on.txt"  # of a model folder: a key a line
WHAT = "parsers"  # that a project adopts


@dataclass(frozen=True, slots=True)
class Offer:
    """A parser to choose.

    ``value``: what is sent to choose it. ``owner``: the project that trained it, "" if
    it is everyone's. ``f1``: in percent, cross-validated on its own treebank, None
    where that was not measured. ``models``: the folder that ``registry.load`` wants.
    """

    value: str
    name: str
    models: Path
    owner: str = ""
    f1: float | None = None

    @property
    def label(self) -> str:
        """For example "houses-1 (trained in Houses, F1 81.2 cross-validated)"."""
        parts = []
        if self.owner:
            parts.append(_("trained in %(name)s") % {"name": self.owner})
        if self.f1 is not None:
            parts.append(
                _("F1 %(f1)s cross-validated") % {"f1": local(f"{self.f1:.1f}")}
            )
        return f"{self.name} ({', '.join(parts)})" if parts else self.name

    @property
    def gives_arcs(self) -> bool:
        """Whether it has dependencies, which joint parsing needs."""
        try:
            info = registry.load(self.name, self.models).info
        except GemelError:
            return False
        return "dependencies" in info.capabilities


def folder_of(project: Project) -> Path:
    """The folder of the project's own models; it may not exist."""
    folder: Path = settings.MODELS_DIR / "projects" / str(project.code)
    return folder


@contextmanager
def appearing(path: Path) -> Iterator[Path]:
    """A folder to be filled, which is at this path once it is whole; nothing is left of
    one that cannot be."""
    making = path.with_name(f".{path.name}")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    try:
        yield making
        making.rename(path)
    except BaseException:
        shutil.rmtree(making, ignore_errors=True)
        raise


def trained_on(project: Project, parser: str) -> frozenset[str]:
    """The keys (``Sentence.key_of`` of the words) of the sentences that a parser of the
    project was trained on; empty if it does not say."""
    try:
        text = (folder_of(project) / parser / TRAINED_ON).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return frozenset()
    return frozenset(text.split())


def names_of(project: Project) -> tuple[str, ...]:
    """The names of the parsers that this project may use."""
    return tuple(offer.name for offer in of_project(project))


def of_project(project: Project) -> list[Offer]:
    """Everyone's parsers and the project's own, by name."""
    return sorted([*_everybodys(), *_own(project, "")], key=lambda one: one.name)


def default_of(project: Project) -> str:
    """The parser that the project adopted last, else everyone's default."""
    known = names_of(project)
    adopted = [name for name in adopting.names(project, WHAT) if name in known]
    return adopted[-1] if adopted else registry.DEFAULT


def adopt(project: Project, name: str, *, by: Anybody) -> None:
    """Make one of the project's own parsers the one that is proposed everywhere.

    Raises NotAllowed; BadRequest on a parser that is not its own, or adopted already.
    """
    own = [offer.name for offer in of_project(project) if offer.owner]
    if name not in own or name == default_of(project):
        raise BadRequest(_("Choose another parser of this project."), field="parser")
    adopting.adopt(project, WHAT, name, by=by, kind="parser")


def undo_adoption(project: Project, *, by: Anybody) -> str:
    """Return to the parser before the one adopted last; its name.

    Raises NotAllowed; BadRequest if none is adopted.
    """
    if (last := default_of(project)) == registry.DEFAULT:
        raise BadRequest(_("No parser is adopted."), field="parser")

    adopting.undo(project, WHAT, last, by=by, kind="parser")
    return default_of(project)


def of_person(user: Anybody) -> list[Offer]:
    """Everyone's parsers, then the own ones of the projects that the person is in."""
    offers = sorted(_everybodys(), key=lambda one: one.name)
    for project in Project.objects.visible_to(user).order_by("name"):
        offers += _own(project, f"{project.slug}/")
    return offers


def require(project: Project, name: str, *, field: str) -> None:
    """Raise BadRequest, with what there is, unless the project may use ``name``."""
    known = names_of(project)
    if name not in known:
        gone = f"{name} {registry.GONE[name]}. " if name in registry.GONE else ""
        problem = _("Parsers: %(known)s.") % {"known": ", ".join(known)}
        raise BadRequest(f"{gone}{problem}", field=field)


def load(name: str, project: Project) -> ParserBackend:
    """One of ``names_of``; raises Unavailable if there is none of that name."""
    everybodys = registry.names(settings.MODELS_DIR)
    models = settings.MODELS_DIR if name in everybodys else folder_of(project)
    return registry.load(name, models)


def chosen(project: Project, name: str, *, field: str) -> ParserBackend:
    """The parser that someone chose; raises BadRequest, with what there is, if the
    project may not use it, or it cannot be made."""
    require(project, name, field=field)
    try:
        return load(name, project)
    except GemelError as error:
        raise BadRequest(str(error), field=field) from error


def load_for(user: Anybody, value: str) -> ParserBackend:
    """The parser of an offer to this person.

    Raises BadRequest if there is none of that value, Unavailable if it cannot be made.
    """
    offers = {offer.value: offer for offer in of_person(user)}
    if value not in offers:
        problem = _("Parsers: %(known)s.") % {"known": ", ".join(offers)}
        raise BadRequest(problem, field="engine")
    return registry.load(offers[value].name, offers[value].models)


def _everybodys() -> Iterator[Offer]:
    models = settings.MODELS_DIR
    for name in registry.names(models):
        yield Offer(name, name, models, f1=_f1(models / name))


def _own(project: Project, prefix: str) -> Iterator[Offer]:
    folder, shadowed = folder_of(project), registry.names(settings.MODELS_DIR)
    for name in registry.names(folder):
        if name not in shadowed:
            f1 = _f1(folder / name)
            yield Offer(f"{prefix}{name}", name, folder, project.name, f1)


def _f1(folder: Path) -> float | None:
    scores = registry.facts_of(folder).get("scores")
    held_out = scores.get("cross_validated") if isinstance(scores, dict) else None
    f1 = held_out.get("f1") if isinstance(held_out, dict) else None
    return float(f1) if isinstance(f1, int | float) else None
