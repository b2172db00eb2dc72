"""Query parameters of calls: only those that the call reads are accepted."""

from collections.abc import Mapping
from typing import IO, Any

from django import forms
from django.conf import settings
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from annotator.errors import TooLarge
from annotator.forms import refuse_unknown
from annotator.pages.campaigns import plan
from core.errors import FormatError
from core.formats import json_text

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
    """The description of a query that a form reads. Raises StopIteration at an unknown
    kind of field."""
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


class JsonParser(JSONParser):
    """JSON that can be walked and stored (``core.formats.json_text``)."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value of the body. Raises ParseError with the place, TooLarge."""
        raw = stream.read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
        if len(raw) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20
            raise TooLarge(f"A JSON body can have at most {limit} MB.", limit_mb=limit)
        try:
            return json_text.loads(raw.decode())
        except UnicodeDecodeError as error:
            raise ParseError(f"The body is not UTF-8: {error.reason}.") from error
        except FormatError as error:
            raise ParseError(f"The body cannot be read: {error}.") from error


def validated(kind: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The body as ``kind`` has it; raises ValidationError, and BadRequest at a name
    that it does not know: a typo must not leave a default standing."""
    sent = kind(data=request.data)
    sent.is_valid(raise_exception=True)
    refuse_unknown(sent.initial_data, set(sent.fields))
    data: dict[str, Any] = sent.validated_data
    return data
