"""How long work takes, as people would say it."""

from django.utils.translation import ngettext


def work_time(hours: float) -> str:
    """Hours of people's work as they would say it: "4 minutes", "2.5 hours"."""
    if hours < 1:
        n = max(1, round(60 * hours)) if hours > 0 else 0
        return ngettext("%(n)s minute", "%(n)s minutes", n) % {"n": n}
    text = f"{hours:.1f}".removesuffix(".0")
    n = 1 if text == "1" else 2
    return ngettext("%(n)s hour", "%(n)s hours", n) % {"n": text}
