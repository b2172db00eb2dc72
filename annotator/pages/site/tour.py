"""The guided tour: pages of the sample project, each with what there is to see.

Only whether someone is on the tour is kept, in their session. Where they are on it,
the address of the page says.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from annotator import access
from annotator.models import Corpus, JointPair, ParaphraseTable, Project
from annotator.models.projects import Anybody, id_of

KEY = "tour"  # of the session
QUERY = "NP ~ PP"

TEXTS = {
    "overview": (
        _("The overview of a project"),
        _(
            "Your open work, the progress of each corpus and campaign, and recent "
            "activity. Use the sections at the side, or above the page on a phone, to "
            "go anywhere; “?” opens the help for the page you are on."
        ),
    ),
    "corpus": (
        _("A corpus"),
        _(
            "Pairs of sentences that mean the same. Filter and open them, "
            "or parse, align, assign and export them."
        ),
    ),
    "pair": (
        _("Two trees and the links between their phrases"),
        _(
            "Choose a phrase in each tree, then press Enter to link them. "
            "Press “u” to undo. Your work is saved as you go."
        ),
    ),
    "joint": (
        _("Joint parsing"),
        _(
            "Parses a sentence and its paraphrase together. A run over a corpus keeps"
            " the separate and the joint trees of each pair, and a ledger of every arc"
            " that changed."
        ),
    ),
    "judge": (
        _("Judging"),
        _(
            "Does the sentence still mean the same with the paraphrase in it, and is "
            "it good English? Two keys and Enter per item. The first items are "
            "training, and show the expected answer afterwards."
        ),
    ),
    "report": (
        _("The report of a campaign"),
        _(
            "Three simulated judges have finished this one. The report "
            "opens in plain sentences; each leads to its figures, and each "
            "figure to the items behind it."
        ),
    ),
    "paraphrases": (
        _("Paraphrases from parallel text"),
        _(
            "A worker builds a table from the sample’s parallel text. Then search it "
            "for a phrase, such as “film”: each paraphrase shows its pivot phrases."
        ),
    ),
    "search": (
        _("Searching trees and links"),
        _(
            "Example: noun phrases that are linked to prepositional "
            "phrases. One language finds constituents, arcs and links; its "
            "operators are explained below the query."
        ),
    ),
}
"""Key of a stop -> its title, and what to see there; in the order of the tour."""


@dataclass(frozen=True, slots=True)
class Stop:
    """One page of the tour."""

    number: int
    title: str
    text: str
    url: str

    @property
    def path(self) -> str:
        return self.url.partition("?")[0]


class Tour:
    """The tour as this page shows it; off for people who did not start it."""

    def __init__(self, request: HttpRequest) -> None:
        self._user = getattr(request, "user", None)
        self._is_begun = bool(getattr(request, "session", {}).get(KEY))
        self._path = request.path

    @cached_property
    def stops(self) -> list[Stop]:
        """All stops; none while the tour is off, or if the sample is gone."""
        if not self._is_begun or self._user is None:
            return []
        project = sample_of(self._user)
        return stops(project, by=self._user) if project else []

    @property
    def here(self) -> Stop | None:
        return next((one for one in self.stops if one.path == self._path), None)

    @property
    def before(self) -> Stop | None:
        return next((a for a, b in pairwise(self.stops) if b == self.here), None)

    @property
    def after(self) -> Stop | None:
        """The next stop; the first one where the page is none."""
        if self.here is None:
            return next(iter(self.stops), None)
        return next((b for a, b in pairwise(self.stops) if a == self.here), None)


def sample_of(user: Anybody) -> Project | None:
    """The sample project, if this person is in it."""
    if not user.is_authenticated:
        return None
    return Project.objects.visible_to(user).filter(is_sample=True).first()


def stops(project: Project, *, by: Anybody) -> list[Stop]:
    """The stops that this person's role may open and the sample has pages for."""
    places = enumerate(_places(project, by), 1)
    made = []
    for n, (key, url) in places:
        title, text = TEXTS[key]
        made.append(Stop(n, str(title), str(text), url))
    return made


def _places(project: Project, by: Anybody) -> Iterator[tuple[str, str]]:
    """Key and address of each stop."""
    slug = project.slug
    yield "overview", reverse("project", args=[slug])
    corpus = project.corpora.filter(n_pairs__gt=0).order_by("pk").first()
    if corpus is not None:
        pair = corpus.pairs.order_by("pk")[0]
        yield "corpus", reverse("corpus", args=[slug, corpus.code])
        yield "pair", reverse("pair", args=[slug, pair.code])
        yield "joint", _joint(corpus)
    yield from _campaigns(project, by)
    table = ParaphraseTable.objects.ready().filter(project=project).first()
    if table is None:
        yield "paraphrases", reverse("paraphrases", args=[slug])
    else:
        yield "paraphrases", reverse("paraphrase_search", args=[slug, table.code])
    url = reverse("project_query", query={"q": QUERY}, args=[slug])
    yield "search", url


def _joint(corpus: Corpus) -> str:
    """A pair that was parsed jointly, else where that is begun."""
    slug = corpus.project.slug
    result = JointPair.objects.filter(run__corpus=corpus).select_related("pair").first()
    if result is None:
        return reverse("joint", args=[slug, corpus.code])
    return reverse("pair_joint", args=[slug, result.pair.code])


def _campaigns(project: Project, by: Anybody) -> Iterator[tuple[str, str]]:
    """An open campaign that this person judges in, and one that is finished."""
    mine = project.campaigns.filter(state="open", participants__user_id=id_of(by))
    for campaign in mine[:1]:
        yield "judge", reverse("judge", args=[project.slug, campaign.code])
    if not access.may(by, "report", project):
        return
    for campaign in project.campaigns.filter(state="closed", is_simulated=True)[:1]:
        place = [project.slug, "campaign", campaign.code]
        yield "report", reverse("report", args=place)


def site(request: HttpRequest) -> dict[str, object]:
    """For every template: ``tour``."""
    return {"tour": Tour(request)}
