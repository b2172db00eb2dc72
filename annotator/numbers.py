"""Numbers and times as the reader's language writes them."""

from django.utils.formats import get_format
from django.utils.translation import ngettext


def local(text: str) -> str:
    """A number that was formatted as "-1,234.50", in the reader's language.

    The minus is a real one. Exports and attributes keep the plain form.
    """
    comma, point = get_format("THOUSAND_SEPARATOR"), get_format("DECIMAL_SEPARATOR")
    return text.translate(str.maketrans({",": comma, ".": point, "-": "−"}))


def as_number(value: float) -> str:
    """Two decimals."""
    return local(f"{round(value, 2) + 0.0:.2f}")


def as_percent(value: float) -> str:
    """0.4784 as "47.8 %"."""
    return local(f"{100 * value:.1f} %")


def work_time(hours: float) -> str:
    """Hours of people's work as they would say it: "4 minutes", "2.5 hours"."""
    if hours < 1:
        n = max(1, round(60 * hours)) if hours > 0 else 0
        return ngettext("%(n)s minute", "%(n)s minutes", n) % {"n": n}
    text = f"{hours:.1f}".removesuffix(".0")
    n = 1 if text == "1" else 2
    return ngettext("%(n)s hour", "%(n)s hours", n) % {"n": local(text)}
