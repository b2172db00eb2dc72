"""A sentence, a phrase of it, and what each condition would put there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator.errors import BadRequest, Refusal
from annotator.models import ParaphraseTable
from annotator.pages.paraphrases.search import WEIGHTED
from annotator.services.paraphrases import tables, weights
from annotator.services.parses import parsers
from core.errors import GemelError
from core.forests.kbest import trees_of
from core.parsing import registry
from core.pivoting.labels import ccg_labels, constituent_labels
from core.text.tokenize import tokenize

if TYPE_CHECKING:
    from core.pivoting.substitution import Substitute

NAMES = {
    "baseline": gettext_lazy("Baseline"),
    "extraction": gettext_lazy("Label, when extracted"),
    "substitution": gettext_lazy("Label, when substituted"),
    "averaged": gettext_lazy("Labels averaged"),
    "weighted": gettext_lazy("Weighted by judgments"),
}
LM = "+lm"  # ends the names of conditions that ask a language model
LONGEST_CHOICE = 10  # words of a phrase that is offered


@dataclass(frozen=True, slots=True)
class Choice:
    """A word or a constituent of a sentence that a reader may take; ``label``: of it,
    several of one span with a space between."""

    phrase: str
    label: str


def shown(table: ParaphraseTable, sentence: str, phrase: str) -> dict[str, Any]:
    """The page: the conditions side by side, or the phrases to choose from, or what
    is wrong with the sentence."""
    context: dict[str, Any] = {"sentence": sentence, "phrase": phrase}
    if not sentence.strip():
        return context
    try:
        if phrase.strip():
            return context | {"found": substitution(table, sentence, phrase)}
        return context | {"choices": choices(sentence)}
    except (GemelError, Refusal) as error:
        return context | {"problem": str(error)}


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


@dataclass(frozen=True, slots=True)
class Column:
    """The substitutes of one condition, best first."""

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

    analysis = parsers.try_out(sentence, registry.load(registry.DEFAULT))
    words = analysis.sentence.forms
    start, end = _place(words, tokenize(phrase).forms)
    tree = next((tree for _logp, tree in trees_of(analysis, 1)), None)
    with tables.opened(table, model=True) as files:
        place_of = files.table, tree or words, (start, end)
        ranked = substitutes(*place_of, model=files.model)
        if fitted := weights.current(table):
            backend = registry.load(fitted[1].parser)
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
    """The first position of the phrase, ignoring letter case."""
    lower, wanted = [w.lower() for w in words], [w.lower() for w in phrase]
    for start in range(len(lower) - len(wanted) + 1):
        if wanted and lower[start : start + len(wanted)] == wanted:
            return start, start + len(wanted)
    raise BadRequest(_("The phrase is not in the sentence."), field="phrase")
