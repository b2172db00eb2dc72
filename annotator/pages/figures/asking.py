"""The form in which one says what a figure is to show."""

from collections.abc import Callable, Mapping
from typing import Any

from django.http import QueryDict
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotator.pages.figures.material import (
    CHOICES,
    OF_PAIRS,
    FigureOptions,
    Material,
    chosen,
    view_of,
)
from annotator.pages.figures.writing import formats_of

Maker = Callable[[str], Material]
"""Of a side (both, source or target) what is drawn."""

NAMES = {
    "view": _("View"),
    "side": _("Sentences"),
    "links": _("Links"),
    "marks": _("Marks of the editor"),
    "colour": _("Ink"),
    "font": _("Font"),
}
VALUES = {
    "constituency": _("Trees"),
    "dependency": _("Arcs"),
    "both": _("Both"),
    "source": _("Source"),
    "target": _("Target"),
    "all": pgettext_lazy("links", "All"),
    "phrases": pgettext_lazy("links of phrases", "Phrases"),
    "words": pgettext_lazy("links of words", "Words"),
    "none": pgettext_lazy("links", "None"),
    "yes": pgettext_lazy("wanted", "Yes"),
    "no": pgettext_lazy("not wanted", "No"),
    "colour": _("Colours"),
    "grey": _("Greyscale"),
    "sans": _("Sans serif"),
    "serif": _("Serif"),
}


def figure(
    shown: Material, options: FigureOptions, query: Mapping[str, str]
) -> dict[str, Any]:
    """The form as it was sent, and where the files are. Raises BadRequest at nodes that
    there are not."""
    chosen(shown, options)
    view = view_of(shown, options)
    is_pair = "pair" in shown.about
    return {
        "fields": _fields({**query, "view": view}, is_pair=is_pair),
        "formats": formats_of(shown),
        "query": _kept(query),
        "sent": query,
    }


def refused(shown: Material, query: Mapping[str, str]) -> dict[str, Any]:
    """The form after a refusal: as it was sent, and no figure."""
    return {"fields": _fields(query, is_pair="pair" in shown.about), "sent": query}


def _kept(query: Mapping[str, str]) -> str:
    filled = QueryDict(mutable=True)
    for name, value in query.items():
        if value:
            filled[name] = value
    return filled.urlencode()


def _fields(query: Mapping[str, str], *, is_pair: bool) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "label": NAMES[name],
            "value": query.get(name, ""),
            "choices": [(value, VALUES[value]) for value in values],
        }
        for name, values in CHOICES.items()
        if is_pair or name not in OF_PAIRS
    ]
