"""Template tags and filters."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils import translation
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from annotator.numbers import as_number, work_time
from annotator.pages.site import glossary
from annotator.pages.site.help import link

register = template.Library()
register.filter(work_time)
ROLES = {
    "manager": _("manager"),
    "curator": _("curator"),
    "annotator": _("annotator"),
    "viewer": _("viewer"),
}


@register.filter
def active_time(ms: int | None) -> str:
    """Milliseconds of work as people would say it."""
    return work_time((ms or 0) / 3_600_000)


@register.filter
def percent(share: float | None) -> str:
    """0.478 as "48 %"; nothing for None."""
    return "" if share is None else f"{100 * share:.0f} %"


@register.filter
def alpha(value: float) -> str:
    """0.4712 as "0.47"."""
    return as_number(value)


@register.filter
def midsentence(label: str) -> str:
    """A label within a sentence: English writes it small, other languages as it is."""
    return label.lower() if translation.get_language() == "en" else label


@register.filter
def role_word(role: str) -> str | Promise:
    """A role within a sentence, in the reader's language."""
    return ROLES.get(role, role)


@register.filter
def point_line(point: Mapping[str, Any]) -> str:
    """A point of a scale as people write it: "value | anchor", with a label between
    if it is another than the value."""
    value, label = str(point["value"]), str(point["label"])
    named = [value] if label == value else [value, label]
    return " | ".join([*named, str(point["anchor"])])


@register.simple_tag
def term(name: str, word: str = "") -> SafeString:
    """A word that leads to its line in the glossary, which is its description, in the
    reader's language where ``tools.messages`` found the name in a template.

    ``word``: the shown text, by default the name. Raises KeyError if the glossary does
    not have the name.
    """
    one = glossary.term(name)
    return format_html(
        '<a class="term" href="{}" title="{}">{}</a>',
        link(f"{glossary.GLOSSARY}#{one.anchor}"),
        translation.gettext(one.meaning),
        word or name,
    )
