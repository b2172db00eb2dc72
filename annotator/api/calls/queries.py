"""What may stand in the query of a call: what the call reads, and nothing else."""

from collections.abc import Mapping
from typing import Any

from django import forms
from drf_spectacular.utils import OpenApiParameter
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from annotator.forms import refuse_unknown
from annotator.pages.campaigns import plan

PAGES = frozenset({"cursor", "page_size"})
READ: dict[str, frozenset[str]] = {
    "api/schema/": frozenset({"format", "lang"}),
    "api/corpora/<code:code>/alignments/": frozenset({"state"}),
    "api/corpora/<code:code>/export/<slug:kind>/": frozenset(
        {"author", "exact", "split"}
    ),
    "api/corpora/<code:code>/query/": frozenset({"q", "after", "page_size"}),
    "api/projects/<slug:slug>/query/": frozenset({"q", "after", "page_size"}),
    "api/corpora/<code:code>/query/groups/": frozenset({"q", "by"}),
    "api/projects/<slug:slug>/query/groups/": frozenset({"q", "by"}),
    "api/corpora/<code:code>/problems/": frozenset({"after"}),
    "api/campaigns/<code:code>/plan/": frozenset(plan.READ),
    "api/jobs/<code:code>/issues/": PAGES,
    "api/sentences/<code:code>/likenesses/": frozenset({"kind"}),
    "api/layers/<code:code>/compare/": frozenset({"with"}),
    "api/tables/<code:code>/lookup/": frozenset({"phrase", "label", "condition", "k"}),
    "api/tables/<code:code>/why/": frozenset({"phrase", "paraphrase", "label"}),
    "api/tables/<code:code>/substitute/": frozenset({"sentence", "phrase"}),
}
"""Calls not named here, or automatically below, read nothing of a query."""
OWN = ("list", "destroy")
"""Actions of views that check their queries themselves."""
_CHECK_THEMSELVES = frozenset(
    {
        "api/joint-runs/<code:code>/",
        "api/joint-runs/<code:code>/changes/",
        "api/campaigns/<code:code>/agreement/",
        "api/ratings/<code:code>/agreement/",
        "api/corpora/<code:code>/agreement/",
        "api/pairs/<code:code>/figure/",
        "api/sentences/<code:code>/figure/",
    }
)


_TYPES: list[tuple[type[forms.Field], type]] = [
    (forms.NullBooleanField, bool),
    (forms.FloatField, float),
    (forms.DecimalField, float),
    (forms.CharField, str),
]


def of_form(fields: Mapping[str, forms.Field]) -> list[OpenApiParameter]:
    """What the description says of a query that a form reads. StopIteration at a kind
    of field that is not known here."""
    parameters = []
    for name, field in fields.items():
        more: dict[str, Any] = {"type": str}
        if isinstance(field, forms.ChoiceField):
            choices: Any = field.choices
            more["enum"] = [value for value, _ in choices if value]
        else:
            more["type"] = next(kind for one, kind in _TYPES if isinstance(field, one))
        parameters.append(OpenApiParameter(name, description=str(field.label), **more))
    return parameters


class KnownQuery(BasePermission):
    """Raises BadRequest at a name that the call does not read: a typo must not filter
    nothing. Lists know their filters and check them themselves."""

    def has_permission(self, request: Request, view: Any) -> bool:
        match = request.resolver_match
        route = match.route if match is not None else ""
        is_own = route in _CHECK_THEMSELVES or getattr(view, "action", "") in OWN
        if request.query_params and not is_own:
            refuse_unknown(request.query_params, set(READ.get(route, ())))
        return True
