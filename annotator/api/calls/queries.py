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
from core.errors import FormatError
from core.formats import json_text

UNDESCRIBED = {"SpectacularAPIView": ("format", "lang")}
"""What views of drf-spectacular read without saying so."""

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
    """Raises BadRequest at a name that the call does not read, by its description: a
    typo must not filter nothing."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if request.query_params:
            refuse_unknown(request.query_params, _described(request, view))
        return True


def _described(request: Request, view: Any) -> set[str]:
    """The names of a query in the description of a call."""
    names = set(UNDESCRIBED.get(type(view).__name__, ()))
    handler = getattr(view, str(request.method).lower(), None)
    about = getattr(handler, "kwargs", None) or getattr(type(view), "kwargs", {})
    if kind := about.get("schema"):
        schema = kind()
        schema.view, schema.method = view, request.method
        for one in schema.get_override_parameters():
            is_one = isinstance(one, OpenApiParameter)
            names |= {one.name} if is_one else set(one().fields)
    if getattr(view, "action", "list") == "list" and hasattr(view, "list"):
        pages = view.paginator.get_schema_operation_parameters(view)
        names |= {one["name"] for one in pages}
    return names


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
    """The body, or the query of a GET, as ``kind`` has it; raises ValidationError, and
    BadRequest at an unknown name: a typo must not leave a default standing."""
    is_query = request.method == "GET"
    sent = kind(data=request.query_params if is_query else request.data)
    sent.is_valid(raise_exception=True)
    refuse_unknown(sent.initial_data, set(sent.fields))
    data: dict[str, Any] = sent.validated_data
    return data
