"""One exception handler, one shape: ``{"error": {code, message, facts}}``."""

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from annotator.errors import Refusal
from core.errors import GemelError

__all__ = ["answer"]


def answer(error: Exception, context: dict[str, Any]) -> Response | None:
    """The response to an exception; None lets a bug be a bug."""
    if isinstance(error, Refusal):
        return _shape(error.status, error.code, str(error), error.facts)
    if isinstance(error, GemelError):
        return _shape(400, "invalid", str(error), {})
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
    return str(getattr(error, "detail", "")) or "There is nothing here for you."


def _facts(error: Exception) -> dict[str, Any]:
    if isinstance(error, exceptions.ValidationError):
        return {"fields": error.detail}
    return {}
