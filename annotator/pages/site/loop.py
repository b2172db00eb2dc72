"""The loop of a project: six stations, how far each is, and what to do next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import (
    Aggregate,
    Count,
    Exists,
    IntegerField,
    OuterRef,
    QuerySet,
    Subquery,
    Sum,
)
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from annotator import access
from annotator.models import (
    Bitext,
    Campaign,
    Job,
    JointRun,
    Origin,
    ParaphraseTable,
    ParaphraseWeights,
    Parse,
    Project,
    Role,
    ScoreRun,
)
from annotator.pages.site.learning import n_ready
from annotator.services.campaigns import progress
from annotator.services.kept_counts import kept
from annotator.services.parses import offered

if TYPE_CHECKING:
    from annotator.pages.site.dashboard import CorpusRow, Task

_ICONS = {  # paths in a square of 16
    "make": "M2 4h7M2 8h4M10 8h4M7 12h7",
    "judge": "M2 4h7M2 8h4M7.5 11l2.2 2.2L14 8.5",
    "parse": "M8 2v4M3 10V6h10v4M3 13v.1M13 13v.1M8 6v4M8 13v.1",
    "align": "M3 2v2.5l10 7V14M13 2v2.5l-10 7V14",
    "recognise": "M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3 14 14",
    "learn": "M2 13l4-4 3 2 5-6M10 5h4v4",
}
COUNTED = 200_000  # pairs or sentences of a project; above, counting costs too much
_JOBS = {"parses": "parse", "alignments": "align"}  # that do a page's step
_OF_TASKS = {"judge": "judge", "links": "align"}  # all others are trees


@dataclass(frozen=True, slots=True)
class Station:
    """``count``: such as 3, and ``of``: "of 8 pairs"; ``figure``: what they show.

    ``share``: how much is done, 0 to 1, None without a target. ``gives``: what the
    next station gets. ``campaign``: the code of the one whose agreement is shown.
    """

    key: str
    title: str
    what: str
    url: str
    count: int
    of: str
    figure: str
    gives: str
    share: float | None = None
    campaign: str = ""

    @property
    def icon(self) -> str:
        return _ICONS[self.key]


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do now. ``station``: the key of the one that it belongs to; ``is_posted``
    as of a task."""

    station: str
    title: str
    text: str
    url: str
    label: str
    is_posted: bool = False


@dataclass(frozen=True, slots=True)
class Loop:
    stations: Sequence[Station]
    next: NextStep | None


def loop_of(
    project: Project,
    corpora: "Sequence[CorpusRow]",
    tasks: "Sequence[Task]",
    running: Sequence[Job],
    role: Role | None,
) -> Loop:
    """Of people who may see others' work. ``tasks``: their own."""
    listed = project.campaigns.filter(is_simulated=False, archived_at=None)
    campaigns = list(listed.order_by("-pk"))
    known = _facts(project)
    stations = [
        _made(project, known),
        _judged(project, campaigns),
        _parsed(project, corpora, known),
        _aligned(project, corpora),
        _recognised(project, corpora, known, role),
        _learnt(project, corpora, known),
    ]
    steps = _steps(project, corpora, tasks, running, role)
    return Loop(stations, next(steps, None) or _first(project, corpora, stations, role))


def _steps(
    project: Project,
    corpora: "Sequence[CorpusRow]",
    tasks: "Sequence[Task]",
    running: Sequence[Job],
    role: Role | None,
) -> Iterator[NextStep]:
    """What a machine can do, then what waits for this person."""
    busy = {(job.kind, job.params.get("corpus")) for job in running}
    for row in corpora:
        label, page = row.next
        code, n = row.corpus.code, row.corpus.n_pairs
        is_runnable = page in _JOBS and role in access.VERBS["run"]
        if is_runnable and (_JOBS[page], code) not in busy:
            left = n - (row.parsed if page == "parses" else row.linked)
            text = ngettext("%(n)s pair left", "%(n)s pairs left", left) % {"n": left}
            url = reverse(page, args=[project.slug, code])
            yield NextStep(_JOBS[page], row.corpus.name, text, url, label)
    for task in tasks:
        if task.url:
            at = _OF_TASKS.get(task.kind, "learn")
            what = task.title, task.text, task.url, task.label
            yield NextStep(at, *what, is_posted=task.is_posted)


def _first(
    project: Project,
    corpora: "Sequence[CorpusRow]",
    stations: Sequence[Station],
    role: Role | None,
) -> NextStep | None:
    """What a manager can begin."""
    if role not in access.VERBS["manage"]:
        return None
    if not corpora:
        text = _("Pairs of sentences, or a treebank")
        url = reverse("upload", args=[project.slug])
        title = _("Start with your sentences")
        return NextStep("parse", title, text, url, _("Upload a corpus"))
    if stations[1].share is not None:
        return None
    if not any(row.corpus.n_pairs for row in corpora):
        newest = corpora[0].corpus
        text = _("Parse its sentences, or train a parser on its trees")
        url = reverse("parses", args=[project.slug, newest.code])
        return NextStep("parse", newest.name, text, url, _("Parse"))
    text = _("People rate them in their sentences")
    url = reverse("campaign_new", args=[project.slug])
    return NextStep("judge", _("Have them judged"), text, url, _("New campaign"))


_LATER = ScoreRun.objects.filter(corpus=OuterRef("corpus"), pk__gt=OuterRef("pk"))
_COUNTED: dict[str, tuple[QuerySet[Any], str, Aggregate]] = {  # rows, their project
    "n_tables": (ParaphraseTable.objects.ready(), "project", Count("pk")),
    "n_bitexts": (Bitext.objects.all(), "project", Sum("n_pairs")),
    "n_changes": (JointRun.objects.all(), "corpus__project", Sum("n_changes")),
    "n_scored": (
        ScoreRun.objects.filter(~Exists(_LATER)),
        "corpus__project",
        Sum("n_scored"),
    ),
    "n_weights": (ParaphraseWeights.objects.all(), "table__project", Count("pk")),
}


def _facts(project: Project) -> dict[str, int]:
    """All that is counted of a project, by one query."""
    counts = {}
    for name, (rows, to, how) in _COUNTED.items():
        here = rows.filter(**{to: OuterRef("pk")}).order_by().values(to)
        n = Subquery(here.annotate(n=how).values("n"), output_field=IntegerField())
        counts[name] = Coalesce(n, 0)
    return Project.objects.filter(pk=project.pk).annotate(**counts).values(*counts)[0]


def _made(project: Project, known: dict[str, int]) -> Station:
    tables, n = known["n_tables"], known["n_bitexts"]
    text = ngettext("%(n)s translated sentence", "%(n)s translated sentences", n)
    return Station(
        "make",
        _("Make paraphrases"),
        _("from translations"),
        reverse("paraphrases", args=[project.slug]),
        tables,
        ngettext("paraphrase table", "paraphrase tables", tables),
        text % {"n": n},
        _("candidates"),
    )


def _judged(project: Project, campaigns: list[Campaign]) -> Station:
    counts = progress.done_and_needed(campaigns)
    done, needed = (sum(one[at] for one in counts.values()) for at in (0, 1))
    begun = [one.code for one in campaigns if counts.get(one.pk, (0, 0))[0]]
    n = len(campaigns)
    return Station(
        "judge",
        pgettext("to judge", "Judge"),
        _("people rate them"),
        reverse("campaigns", args=[project.slug]),
        done,
        ngettext("of %(n)s judgment", "of %(n)s judgments", needed) % {"n": needed},
        ngettext("%(n)s campaign", "%(n)s campaigns", n) % {"n": n},
        _("rated pairs"),
        min(done / needed, 1.0) if needed else None,
        begun[0] if begun else "",
    )


def _parsed(
    project: Project, corpora: "Sequence[CorpusRow]", known: dict[str, int]
) -> Station:
    n = known["n_changes"]
    text = ngettext(
        "%(n)s change by joint parsing", "%(n)s changes by joint parsing", n
    )
    return Station(
        "parse",
        _("Parse together"),
        _("pairs help each other"),
        _page(project, corpora, "parses"),
        *_of_pairs(corpora, "parsed"),
        text % {"n": n},
        _("trees"),
        _share(corpora, "parsed"),
    )


def _aligned(project: Project, corpora: "Sequence[CorpusRow]") -> Station:
    n = sum(row.reviewed for row in corpora)
    return Station(
        "align",
        _("Align phrases"),
        _("link equal meanings"),
        _page(project, corpora, "alignments"),
        *_of_pairs(corpora, "linked"),
        ngettext("%(n)s reviewed", "%(n)s reviewed", n) % {"n": n},
        _("links"),
        _share(corpora, "linked"),
    )


def _recognised(
    project: Project,
    corpora: "Sequence[CorpusRow]",
    known: dict[str, int],
    role: Role | None,
) -> Station:
    scored = known["n_scored"]
    page = "find_paraphrases" if role in access.VERBS["run"] else "corpus"
    return Station(
        "recognise",
        _("Recognise"),
        _("find paraphrases"),
        _page(project, corpora, page),
        scored,
        ngettext("pair scored", "pairs scored", scored),
        "",
        _("new pairs"),
    )


def _learnt(
    project: Project, corpora: "Sequence[CorpusRow]", known: dict[str, int]
) -> Station:
    n = _trees(project, corpora) + sum(row.reviewed for row in corpora)
    own = sum(bool(one.owner) for one in offered.of_project(project))
    models = known["n_weights"] + own
    ready = n_ready(project) if models else 0
    figure = ngettext("%(n)s own model", "%(n)s own models", models) % {"n": models}
    if ready:
        text = ngettext("%(n)s model to adopt", "%(n)s models to adopt", ready)
        figure = text % {"n": ready}
    return Station(
        "learn",
        _("Learn"),
        _("retrain on corrections"),
        reverse("learn", args=[project.slug]),
        n,
        ngettext("correction", "corrections", n),
        figure,
        _("better models"),
    )


def _trees(project: Project, corpora: "Sequence[CorpusRow]") -> int:
    """Sentences whose tree or arcs a person made; 0 where they are too many to count,
    in large projects as of a minute ago."""
    n_sentences = sum(row.corpus.n_sentences for row in corpora)
    rows = Parse.objects.filter(
        author__gt=0,  # an index has these
        origin__in=[Origin.GOLD, Origin.ANNOTATOR],
        sentence__corpus__project=project,
    )
    counted = rows.values("sentence").distinct()
    if n_sentences > COUNTED:
        return 0
    return kept(f"corrected-{project.pk}", n_sentences, counted.count)


def _page(project: Project, corpora: "Sequence[CorpusRow]", page: str) -> str:
    """That of the only corpus; of several, all of them."""
    if len(corpora) == 1:
        return reverse(page, args=[project.slug, corpora[0].corpus.code])
    return reverse("corpora", args=[project.slug])


def _of_pairs(corpora: "Sequence[CorpusRow]", name: str) -> tuple[int, str]:
    """Such as 3, "of 8 pairs"; where they are too many to count, all of them."""
    n = sum(row.corpus.n_pairs for row in corpora)
    if not all(row.is_counted for row in corpora):
        return n, ngettext("pair", "pairs", n)
    done = sum(getattr(row, name) for row in corpora)
    return done, ngettext("of %(n)s pair", "of %(n)s pairs", n) % {"n": n}


def _share(corpora: "Sequence[CorpusRow]", name: str) -> float | None:
    n = sum(row.corpus.n_pairs for row in corpora)
    if not n or not all(row.is_counted for row in corpora):
        return None
    done: int = sum(getattr(row, name) for row in corpora)
    return done / n
