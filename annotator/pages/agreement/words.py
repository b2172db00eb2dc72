"""The engine's texts on figures, in the reader's language.

Reports store the engine's English: names of measures, and why a figure has no value. An
unknown text is shown unchanged.
"""

import re
from collections.abc import Iterator

from django.utils.translation import gettext, pgettext_lazy

from core.agreement.alignments.report import LENGTHS, LONGER, NO_NODE
from core.agreement.measures import MEASURES
from core.agreement.words import Reason

_TEXTS = (text for one in MEASURES.values() for text in (one.name, one.formula))
NAMES = {text for text in _TEXTS if re.search("[A-Za-z]{2}", text)}
KINDS = {*(name for _n, name in LENGTHS), LONGER, NO_NODE}


def engine_words() -> Iterator[str]:
    """Yield all that the engine says on screens: ``tools.messages`` collects it."""
    yield from sorted({*NAMES, *KINDS, *Reason})
    yield from (one.meaning for one in MEASURES.values())  # descriptions of terms


BAND_WORDS = {
    "almost perfect": pgettext_lazy("agreement", "almost perfect"),
    "substantial": pgettext_lazy("agreement", "substantial"),
    "moderate": pgettext_lazy("agreement", "moderate"),
    "fair": pgettext_lazy("agreement", "fair"),
    "slight": pgettext_lazy("agreement", "slight"),
    "worse than chance": pgettext_lazy("agreement", "worse than chance"),
}
"""Bands of Landis & Koch 1977, as ``core.agreement.judgments.verdicts`` has them."""

CASE_WORDS = {
    "scale": pgettext_lazy("what a figure counts", "scale"),
    "pair": pgettext_lazy("what a figure counts", "pair"),
    "values": pgettext_lazy("what a figure counts", "values"),
    "same": pgettext_lazy("what a figure counts", "same"),
    "by": pgettext_lazy("what a figure counts", "by"),
    "value": pgettext_lazy("what a figure counts", "value"),
    "made": pgettext_lazy("what a figure counts", "made"),
    "correct": pgettext_lazy("what a figure counts", "correct"),
    "together": pgettext_lazy("what a figure counts", "together"),
    "shared": pgettext_lazy("what a figure counts", "shared"),
    "again": pgettext_lazy("what a figure counts", "again"),
    "gold": pgettext_lazy("what a figure counts", "gold"),
}
"""Fields of a case, in ``annotator.services.reports.cases``, as they are shown."""


def of_kind(text: str) -> str:
    """A kind of phrases: a length, or a label of a tree unchanged."""
    return gettext(text) if text in KINDS else text


def of_measure(text: str) -> str:
    """A name or a formula of a measure; a name may end in its chance, "1/5"."""
    if parts := re.fullmatch(r"(.+) (1/\d+)", text):
        return f"{of_measure(parts[1])} {parts[2]}"
    return gettext(text) if text in NAMES else text


def term_of(key: str) -> str:
    """Return the glossary's name of a measure, or "": old reports lack the key."""
    return MEASURES[key].terms[0] if key in MEASURES else ""


def in_words(reason: str) -> str:
    """The engine's reason why there is no value or no interval, translated."""
    return "; ".join(_one(part) for part in reason.split("; "))


def _one(reason: str) -> str:
    for pattern, known in _PATTERNS:
        if match := known.fullmatch(reason):
            return gettext(pattern) % match.groupdict()
    return reason


def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"%\((\w+)\)s", pattern)
    return re.compile(
        "".join(
            f"(?P<{part}>.+)" if at % 2 else re.escape(part.replace("%%", "%"))
            for at, part in enumerate(parts)
        )
    )


_PATTERNS = [(pattern, _compiled(pattern)) for pattern in Reason]
