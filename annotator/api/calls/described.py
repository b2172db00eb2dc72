"""The part of the API description common to all calls: possible refusals."""

from typing import Any

REFUSALS = {
    "400": "the values sent make no sense",
    "401": "nobody is signed in, or the token is none",
    "403": "the person, or the token, may not do this",
    "404": "there is no such thing for this person",
    "405": "not in this way",
    "406": "an answer of a type that there is not",
    "409": "the state of things does not allow this now",
    "413": "too large",
    "415": "a body of another type",
    "429": "more calls than the limit; Retry-After says when to go on",
    "503": "the machine cannot do this now; nothing was stored, send it again",
    "507": "the disk is full; nothing was stored, keep it and send it again",
}
ERROR = {
    "type": "object",
    "description": "Why a call was refused: a stable code, words, and facts.",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "facts": {"type": "object", "additionalProperties": {}},
            },
            "required": ["code", "message", "facts"],
        }
    },
    "required": ["error"],
}
_CONTENT = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}


def refusals(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The description with every refusal at every call, all of one shape."""
    result["components"].setdefault("schemas", {})["Error"] = ERROR
    for calls in result["paths"].values():
        for call in calls.values():
            for status, meaning in REFUSALS.items():
                response = {"description": meaning, "content": _CONTENT}
                call["responses"].setdefault(status, response)
    return result
