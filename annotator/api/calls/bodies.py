"""What a request's body may be."""

from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from annotator.errors import TooLarge
from annotator.forms import refuse_unknown
from core.errors import FormatError
from core.formats import json_text


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
