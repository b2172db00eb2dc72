"""A search for paraphrases, and why one of them is there."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator import access
from annotator.errors import BadRequest
from annotator.models import (
    Campaign,
    Judgment,
    ParaphraseTable,
    ParaphraseWeights,
    Project,
)
from annotator.models.projects import Anybody
from annotator.services.paraphrases import own_pairs, test_sets, weights
from annotator.services.paraphrases import tables as service
from core.errors import GemelError

if TYPE_CHECKING:
    from core.pivoting.table import Example, LabelTable, Paraphrase, Pivot, Table

CONDITIONS = (
    ("baseline", gettext_lazy("Any label (baseline)")),
    ("extraction", gettext_lazy("Under any label")),
    ("constituents", gettext_lazy("Under any label of a constituent")),
)
WEIGHTED = ("weighted", gettext_lazy("Weighted by people's judgments"))
SHOWN = 20
PIVOTS = 30


@dataclass(frozen=True, slots=True)
class Row:
    """A paraphrase; ``width``: of its bar, in percent of the likeliest one's."""

    place: int
    text: str
    label: str
    p: float
    pivots: int
    proven: bool
    width: float
    why: str  # address


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer to a search. ``labels``: under which the phrase has paraphrases."""

    phrase: str
    rows: tuple[Row, ...] = ()
    labels: tuple[str, ...] = ()
    examples: "tuple[Example, ...]" = ()
    corpora: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Why:
    """The foreign phrases behind a paraphrase, with their share of it in percent."""

    phrase: str
    paraphrase: str
    pivots: "tuple[tuple[Pivot, float], ...]"
    left_out: int


def conditions(table: ParaphraseTable) -> list[tuple[str, str]]:
    """The conditions that a search can rank by; the ninth where weights have been
    fitted."""
    names = (*CONDITIONS, WEIGHTED) if table.weights.exists() else CONDITIONS
    return [(name, str(title)) for name, title in names]


def shown(
    table: ParaphraseTable, phrase: str, *, label: str, condition: str, corpus: str
) -> dict[str, Any]:
    """The page of a search; without a phrase, its form alone. Raises BadRequest on a
    condition that there is not."""
    known = conditions(table)
    if condition not in dict(known):
        raise BadRequest(_("There is no such condition."), field="condition")
    how = {"label": label, "condition": condition, "corpus": corpus}
    is_score = condition == WEIGHTED[0] and not label
    context: dict[str, Any] = {
        "phrase": phrase,
        **how,
        "conditions": known,
        "is_score": is_score,
        "measure": _("Score") if is_score else _("Probability"),
    }
    if not (phrase.strip() and table.made_at):
        return context
    try:
        found = search(table, phrase, **how)
    except GemelError as error:
        return context | {"problem": str(error)}
    if len(found.corpora) > 1 and not (corpus or is_score):
        context["measure"] = _("Sum of probabilities")  # of each text: may pass 1
    return context | {"found": found}


def search(
    table: ParaphraseTable, phrase: str, *, label: str, condition: str, corpus: str = ""
) -> SearchResult:
    """The likeliest paraphrases, under one label or, without, by the condition.

    ``corpus``: only those that its text knows, with what it adds to each probability.
    Raises Conflict, Unavailable, and InvalidValue on a phrase of no word.
    """
    with service.opened(table) as files:
        opened = files.table
        matches = paraphrases_of(table, opened, phrase, label, condition, SHOWN)
        texts = tuple(table.facts.get("bitexts") or opened.corpora)
        if corpus and corpus not in texts:
            raise BadRequest(_("There is no such text in this table."), field="corpus")
        if corpus:
            matches = _within(opened, phrase, matches, corpus)
        return SearchResult(
            opened.key(phrase),
            _rows(table, opened.key(phrase), matches),
            tuple(opened.labels(phrase)),
            tuple(opened.examples(phrase)),
            texts,
        )


def paraphrases_of(
    row: ParaphraseTable,
    opened: "Table",
    phrase: str,
    label: str,
    condition: str,
    k: int,
) -> "list[Paraphrase]":
    """The best under a label or, without, by a condition. Raises BadRequest on the
    ninth where no weights have been fitted."""
    from core.pivoting.weighting import look_up

    if label:
        return opened.lookup(phrase, label, k=k)
    if condition != WEIGHTED[0]:
        return opened.lookup(phrase, condition=condition, k=k)  # type: ignore[arg-type]
    fitted = weights.current(row)
    if fitted is None:
        raise BadRequest(_("No weights have been fitted for it."), field="condition")
    return look_up(opened, phrase, fitted[1], k=k)


def _within(
    opened: "Table", phrase: str, matches: "Sequence[Paraphrase]", corpus: str
) -> "list[Paraphrase]":
    """What one corpus has to say of these paraphrases, likeliest first; none of the
    ranks is proven."""
    kept = []
    for one in matches:
        pivots = opened.why(phrase, one.text, label=one.label)
        mine = [pivot.p for pivot in pivots if pivot.corpus == corpus]
        if mine:
            kept.append(replace(one, p=sum(mine), pivots=len(mine), proven=False))
    return sorted(kept, key=lambda one: (-one.p, one.text))


def _rows(
    table: ParaphraseTable, phrase: str, matches: "Sequence[Paraphrase]"
) -> tuple[Row, ...]:
    most = max((one.p for one in matches), default=1.0) or 1.0
    place = reverse("paraphrase_why", args=[table.project.slug, table.code])
    return tuple(
        Row(
            rank,
            one.text,
            one.label,
            one.p,
            one.pivots,
            one.proven,
            round(100 * one.p / most, 1),
            f"{place}?{_why_query(phrase, one)}",
        )
        for rank, one in enumerate(matches, 1)
    )


def _why_query(phrase: str, one: "Paraphrase") -> str:
    return urlencode({"phrase": phrase, "paraphrase": one.text, "label": one.label})


def tables_of(table: ParaphraseTable, phrase: str) -> "list[LabelTable]":
    """Tables 1 to 4 of the paper for a phrase; raises as ``search`` does."""
    from core.pivoting.table import phrase_tables

    with service.opened(table) as files:
        return phrase_tables(files.table, phrase)


def why(table: ParaphraseTable, phrase: str, paraphrase: str, *, label: str) -> Why:
    """The weightiest pivots of one paraphrase."""
    with service.opened(table) as files:
        opened = files.table
        pivots = opened.why(phrase, paraphrase, label=label)
        keys = opened.key(phrase), opened.key(paraphrase)
    whole = sum(one.p for one in pivots) or 1.0
    shown = tuple((one, 100 * one.p / whole) for one in pivots[:PIVOTS])
    return Why(*keys, shown, max(0, len(pivots) - PIVOTS))


def tables(project: Project, *, by: Anybody) -> dict[str, Any]:
    """The tables of a project, and the sources for another."""
    return {
        "project": project,
        "tables": project.tables.select_related("job"),
        "bitexts": project.bitexts.all(),
        "linked": own_pairs.linked_corpora(project),
        "lengths": service.LENGTHS,
        "may_run": access.may(by, "run", project),
    }


def test_set(table: ParaphraseTable) -> dict[str, Any]:
    """The sources for a campaign of substitutions."""
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
    """Campaigns with judgments."""
    answered = Judgment.objects.counted().values("participant__campaign")
    return project.campaigns.filter(pk__in=answered).order_by("name")
