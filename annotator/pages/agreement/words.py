"""What the engine says of figures, in the reader's language.

Reports keep the engine's English: names of measures, and why a figure has no value. A
text that is not known here is shown as it stands.
"""

import re

from django.utils.translation import gettext, gettext_noop, pgettext_lazy

NAMES = (
    gettext_noop("Same value"),
    gettext_noop("K, uniform chance"),
    gettext_noop("Cohen's kappa"),
    gettext_noop("Weighted kappa, linear"),
    gettext_noop("Weighted kappa, quadratic"),
    gettext_noop("Scott's pi"),
    gettext_noop("Fleiss' kappa"),
    gettext_noop("Alpha, nominal"),
    gettext_noop("Alpha, ordinal"),
    gettext_noop("Alpha, interval"),
    gettext_noop("Gwet's AC1"),
    gettext_noop("Gwet's AC2, quadratic"),
    gettext_noop("Same value, all pairs of judgments"),
    # formulas
    gettext_noop(
        "share of common items with the same value, mean over pairs of judges"
    ),
    gettext_noop("(p − 1/k) / (1 − 1/k) with k points on the scale"),
    gettext_noop("(p − e) / (1 − e), e = Σ a(c) b(c) from the two judges' own shares"),
    gettext_noop("1 − mean |x − y| / the same by chance"),
    gettext_noop("1 − mean (x − y)² / the same by chance"),
    gettext_noop("(p − e) / (1 − e), e from the shares of both together"),
    gettext_noop("(p − e) / (1 − e) over all judges at once"),
    gettext_noop("1 − observed / expected disagreement"),
    gettext_noop("1 − observed / expected squared difference of ranks"),
    gettext_noop("1 − observed / expected squared difference of points"),
    gettext_noop("AC1 with quadratic weights"),
    gettext_noop("mean over items of the share of its pairs of judgments that agree"),
)
"""Names and formulas of ``core.agreement.words`` that say something in words."""

REASONS = (
    gettext_noop("no item was judged by both"),
    gettext_noop("scale %(scale)s is not declared, so its number of points is unknown"),
    gettext_noop("scale %(scale)s has a single point: chance agreement is 100 %%"),
    gettext_noop("scale %(scale)s has a single point"),
    gettext_noop("the labels of scale %(scale)s have no order"),
    gettext_noop("every value is %(value)s: chance agreement is 100 %%"),
    gettext_noop("every value is %(value)s: nothing can differ"),
    gettext_noop("raw agreement is 100 %%"),
    gettext_noop("nothing was judged"),
    gettext_noop("one annotator only"),
    gettext_noop("0 of %(n)s items have two judges"),
    gettext_noop("no bootstrap was asked for"),
    gettext_noop("a single cluster: nothing to resample"),
    gettext_noop("defined in only %(share)s of the bootstrap replicates"),
    gettext_noop("resampling is biased here"),
    gettext_noop("the interval was centred on the estimate"),
    gettext_noop("undefined for %(n)s of %(all)s pairs of annotators"),
    gettext_noop("shares no items with others"),
    gettext_noop("a single item"),
    gettext_noop("judged no item twice"),
    gettext_noop("judged no gold item"),
    gettext_noop("no item of %(condition)s was judged"),
    gettext_noop("no instance was judged under both conditions"),
    gettext_noop("needs the links of two annotators"),
    gettext_noop("leaving one out needs three annotators, there are %(n)s"),
    gettext_noop("no two annotators share a link"),
    gettext_noop("no one made a link"),
    gettext_noop("neither has a link"),
    gettext_noop("no person has aligned a pair"),
    gettext_noop("no sentence has both trees"),
)
"""Why a figure is undefined or has no interval; several are joined by "; "."""

BAND_WORDS = {
    "almost perfect": pgettext_lazy("agreement", "almost perfect"),
    "substantial": pgettext_lazy("agreement", "substantial"),
    "moderate": pgettext_lazy("agreement", "moderate"),
    "fair": pgettext_lazy("agreement", "fair"),
    "slight": pgettext_lazy("agreement", "slight"),
    "worse than chance": pgettext_lazy("agreement", "worse than chance"),
}
"""Bands of Landis & Koch 1977, as ``core.agreement.judgments.verdicts`` has them."""


KINDS = (
    gettext_noop("1 word"),
    gettext_noop("2 to 3 words"),
    gettext_noop("4 to 7 words"),
    gettext_noop("8 words or more"),
    gettext_noop("not in the tree"),
)
"""Kinds of phrases by length, as ``core.agreement.alignments.report`` has them."""

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
    """A kind of phrases: a length, or a label of a tree as it stands."""
    return gettext(text) if text in KINDS else text


def of_measure(text: str) -> str:
    """A name or a formula of a measure; a name may end in its chance, "1/5"."""
    if parts := re.fullmatch(r"(.+) (1/\d+)", text):
        return f"{of_measure(parts[1])} {parts[2]}"
    return gettext(text) if text in NAMES else text


def in_words(reason: str) -> str:
    """Why there is no value or no interval, said by the engine."""
    return "; ".join(_one(part) for part in reason.split("; "))


def _one(reason: str) -> str:
    for pattern, known in _PATTERNS:
        if match := known.fullmatch(reason):
            return gettext(pattern) % match.groupdict()
    return reason


def _compiled(pattern: str) -> re.Pattern[str]:
    parts = re.split(r"%\((\w+)\)s", pattern % _Kept())
    return re.compile(
        "".join(
            f"(?P<{part}>.+)" if at % 2 else re.escape(part)
            for at, part in enumerate(parts)
        )
    )


class _Kept(dict[str, str]):
    """Puts every place in again as it stood."""

    def __missing__(self, name: str) -> str:
        return f"%({name})s"


_PATTERNS = [(pattern, _compiled(pattern)) for pattern in REASONS]
