"""One exception handler, one shape: ``{"error": {code, message, facts}}``."""

import logging
import math
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotator.errors import Refusal
from annotator.faults import refusal_of
from core.errors import GemelError

log = logging.getLogger(__name__)


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """The response to an exception; None lets a bug be a bug."""
    if isinstance(error, Refusal):
        return _shape(error.status, error.code, str(error), error.facts)
    if isinstance(error, GemelError):
        return _shape(400, "invalid", str(error), {})
    if refusal := refusal_of(error):
        log.error("%s: %s", type(error).__name__, error)
        return _shape(refusal.status, refusal.code, str(refusal), refusal.facts)
    if isinstance(error, RequestDataTooBig):
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE // 2**20
        facts = {"limit_mb": limit}
        return _shape(413, "too_large", f"A body has at most {limit} MB.", facts)
    plain = exception_handler(error, context)
    if plain is None:
        return None
    response = _shape(plain.status_code, _code(error), _message(error), _facts(error))
    for name in ("WWW-Authenticate", "Retry-After"):
        if name in plain.headers:
            response[name] = plain.headers[name]
    return response


def _shape(status: int, code: str, message: str, facts: dict[str, Any]) -> Response:
    body = {"error": {"code": code, "message": message, "facts": facts}}
    return Response(body, status=status)


def _code(error: Exception) -> str:
    if isinstance(error, Http404):
        return "not_found"
    if isinstance(error, PermissionDenied):
        return "not_allowed"
    return str(getattr(error, "default_code", "refused"))


def _message(error: Exception) -> str:
    if isinstance(error, exceptions.ValidationError):
        return "Some values are not right."
    if isinstance(error, exceptions.Throttled):
        rate, wait_s = settings.API_RATE, _facts(error)["wait_s"]
        return f"More than {rate} calls a minute: go on in {wait_s} seconds."
    return str(getattr(error, "detail", "")) or "There is nothing here for you."


def _facts(error: Exception) -> dict[str, Any]:
    if isinstance(error, exceptions.ValidationError):
        return {"fields": error.detail}
    if isinstance(error, exceptions.Throttled):
        return {"wait_s": math.ceil(getattr(error, "wait", None) or 1)}
    return {}
