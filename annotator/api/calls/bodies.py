"""What a request's body may be."""

from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from annotator.errors import TooLarge
from annotator.forms import refuse_unknown

__all__ = ["JsonParser", "validated"]


class JsonParser(JSONParser):
    """JSON that can be walked and stored: no bottomless nesting, and no half of a
    surrogate pair, which no UTF-8 answer could repeat. Raises ParseError."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        raw = stream.read(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
        if len(raw) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20
            raise TooLarge(f"A body of JSON has at most {limit} MB.", limit_mb=limit)
        try:
            body = super().parse(BytesIO(raw), media_type, dict(parser_context or {}))
            if b"\\ud" in raw.lower():
                _refuse_halves(body)
        except RecursionError:
            raise ParseError("The body is nested too deeply.") from None
        return body


def validated(kind: type[Serializer[Any]], request: Request) -> dict[str, Any]:
    """The body as ``kind`` has it; raises ValidationError, and BadRequest at a name
    that it does not know: a typo must not leave a default standing."""
    sent = kind(data=request.data)
    sent.is_valid(raise_exception=True)
    refuse_unknown(sent.initial_data, set(sent.fields))
    data: dict[str, Any] = sent.validated_data
    return data


def _refuse_halves(value: Any) -> None:
    """Raise ParseError at a string that UTF-8 cannot write."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError as error:
            message = (
                "The body holds half of a surrogate pair: \\uD83D without \\uDE00."
            )
            raise ParseError(message) from error
    elif isinstance(value, dict):
        _refuse_halves(list(value.items()))
    elif isinstance(value, list | tuple):
        for one in value:
            _refuse_halves(one)
