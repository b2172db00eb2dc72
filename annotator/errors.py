"""Refusals of services, with HTTP status and a stable code as class attributes."""

from typing import Any


class Refusal(Exception):
    """The root: ``code`` is stable, ``str`` is for people, ``facts`` for programs."""

    status = 400
    code = "refused"

    def __init__(self, message: str, **facts: Any) -> None:
        self.facts = facts
        super().__init__(message)


class BadRequest(Refusal):
    """The values sent make no sense; ``facts`` may name the field."""

    code = "invalid"


class NotAllowed(Refusal):
    """This person may not do this here."""

    status = 403
    code = "not_allowed"


class Conflict(Refusal):
    """The state of things does not allow this now."""

    status = 409
    code = "conflict"


class StaleEdit(Conflict):
    """Someone else got there first; ``facts`` hold the current revision and value."""

    code = "stale_edit"


class Frozen(Conflict):
    """The thing is closed for edits (done, archived, paused)."""

    code = "frozen"


class NotReady(Refusal):
    """The request cannot be served now; nothing else depends on it."""

    status = 503
    code = "not_ready"


class NoSpace(Refusal):
    """The disk is full, or nearly; nothing was stored."""

    status = 507
    code = "no_space"


class TooLarge(Refusal):
    """An upload or a request over its limit."""

    status = 413
    code = "too_large"
