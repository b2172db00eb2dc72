"""What the pages about paraphrases show: a search, and why a paraphrase is there."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator.errors import BadRequest
from annotator.models import (
    Campaign,
    Judgment,
    ParaphraseTable,
    ParaphraseWeights,
    Project,
)
from annotator.services.paraphrases import reading, weights
from annotator.services.parses import parsers
from core.forests.kbest import trees_of
from core.parsing import registry
from core.pivoting.labels import ccg_labels, constituent_labels
from core.text.tokenize import tokenize

if TYPE_CHECKING:
    from core.pivoting.phrase_tables import LabelTable
    from core.pivoting.substitution import Substitute
    from core.pivoting.table import Example, Paraphrase, Pivot, Table

__all__ = [
    "CONDITIONS",
    "WEIGHTED",
    "Choice",
    "Column",
    "Row",
    "SearchResult",
    "Substitution",
    "Version",
    "Why",
    "choices",
    "conditions",
    "judged_campaigns",
    "paraphrases_of",
    "search",
    "substitution",
    "tables_of",
    "versions",
    "why",
]

CONDITIONS = (
    ("baseline", gettext_lazy("Whatever the label (baseline)")),
    ("extraction", gettext_lazy("Under any label")),
    ("constituents", gettext_lazy("Under any label of a constituent")),
)
NAMES = {
    "baseline": gettext_lazy("Baseline"),
    "extraction": gettext_lazy("Label, when extracted"),
    "substitution": gettext_lazy("Label, when substituted"),
    "averaged": gettext_lazy("Labels averaged"),
    "weighted": gettext_lazy("Weighted by judgments"),
}
WEIGHTED = ("weighted", gettext_lazy("Weighted by people's judgments"))
LM = "+lm"  # ends the names of conditions that ask a language model
SHOWN = 20
LONGEST_CHOICE = 10  # words of a phrase that is offered
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
class Choice:
    """A word or a constituent of a sentence that a reader may take; ``label``: of it,
    several of one span with a space between."""

    phrase: str
    label: str


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
    """What a search can rank by; the ninth where weights have been fitted."""
    names = (*CONDITIONS, WEIGHTED) if table.weights.exists() else CONDITIONS
    return [(name, str(title)) for name, title in names]


def search(
    table: ParaphraseTable, phrase: str, *, label: str, condition: str, corpus: str = ""
) -> SearchResult:
    """The likeliest paraphrases, under one label or, without, by the condition.

    ``corpus``: only those that its text knows, with what it adds to each probability.
    Raises Conflict, Unavailable, and InvalidValue on a phrase of no word.
    """
    with reading.opened(table) as files:
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
    fitted = weights.newest(row)
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


def choices(sentence: str) -> tuple[Choice, ...]:
    """The words and the constituents of a sentence, which is parsed at once, by where
    they begin, short ones first; none if no tree is found."""
    analysis = parsers.try_out(sentence, registry.load(registry.DEFAULT))
    tree = next((tree for _logp, tree in trees_of(analysis, 1)), None)
    if tree is None:
        return tuple(Choice(word, "") for word in analysis.sentence.forms)
    words = tree.words
    spans = [
        (start, end)
        for start in range(len(words))
        for end in range(start + 1, min(start + LONGEST_CHOICE, len(words)) + 1)
    ]
    return tuple(
        Choice(" ".join(words[start:end]), " ".join(labels))
        for start, end in spans
        if any(c.isalnum() for word in words[start:end] for c in word)
        and (labels := constituent_labels(tree, start, end))
    )


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
    from core.pivoting.phrase_tables import phrase_tables  # DuckDB

    with reading.opened(table) as files:
        return phrase_tables(files.table, phrase)


def why(table: ParaphraseTable, phrase: str, paraphrase: str, *, label: str) -> Why:
    """The weightiest pivots of one paraphrase."""
    with reading.opened(table) as files:
        opened = files.table
        pivots = opened.why(phrase, paraphrase, label=label)
        keys = opened.key(phrase), opened.key(paraphrase)
    whole = sum(one.p for one in pivots) or 1.0
    shown = tuple((one, 100 * one.p / whole) for one in pivots[:PIVOTS])
    return Why(*keys, shown, max(0, len(pivots) - PIVOTS))


@dataclass(frozen=True, slots=True)
class Version:
    """Fitted weights, as they are shown; ``rows``: each component, its weight and its
    own rho; ``is_older``: the table has been made anew since."""

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
    """Those in which somebody has judged."""
    answered = Judgment.objects.counted().values("participant__campaign")
    return project.campaigns.filter(pk__in=answered).order_by("name")


@dataclass(frozen=True, slots=True)
class Column:
    """What one condition would put there, best first."""

    name: str
    with_model: bool
    rows: "tuple[Substitute, ...]"


@dataclass(frozen=True, slots=True)
class Substitution:
    """A sentence, a phrase of it, its labels there, and the conditions side by side."""

    before: str
    phrase: str
    after: str
    labels: tuple[str, ...]
    columns: tuple[Column, ...]
    has_model: bool


def substitution(table: ParaphraseTable, sentence: str, phrase: str) -> Substitution:
    """The best paraphrases of a phrase in its sentence, which is parsed at once.

    Raises BadRequest if the phrase is not in the sentence as whole words; Conflict and
    Unavailable as ``search`` does.
    """
    from core.pivoting.substitution import ALL_CONDITIONS, substitutes, weighted

    backend = registry.load(registry.DEFAULT)
    analysis = parsers.try_out(sentence, backend)
    words = analysis.sentence.forms
    start, end = _place(words, tokenize(phrase).forms)
    tree = next((tree for _logp, tree in trees_of(analysis, 1)), None)
    with reading.opened(table, model=True) as files:
        place_of = files.table, tree or words, (start, end)
        ranked = substitutes(*place_of, model=files.model)
        if fitted := weights.newest(table):
            ranked += weighted(*place_of, fitted[1], model=files.model, backend=backend)
    columns = [
        Column(
            str(NAMES[name.removesuffix(LM)]),
            name.endswith(LM),
            tuple(one for one in ranked if one.condition == name),
        )
        for name in (*ALL_CONDITIONS, *([WEIGHTED[0]] if fitted else []))
        if files.model or not name.endswith(LM)
    ]
    return Substitution(
        " ".join(words[:start]),
        " ".join(words[start:end]),
        " ".join(words[end:]),
        ccg_labels(tree, start, end) if tree else (),
        tuple(columns),
        files.model is not None,
    )


def _place(words: Sequence[str], phrase: Sequence[str]) -> tuple[int, int]:
    """Where the phrase stands first, whatever the letter case."""
    lower, wanted = [w.lower() for w in words], [w.lower() for w in phrase]
    for start in range(len(lower) - len(wanted) + 1):
        if wanted and lower[start : start + len(wanted)] == wanted:
            return start, start + len(wanted)
    raise BadRequest(_("The phrase is not in the sentence."), field="phrase")
