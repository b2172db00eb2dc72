"""Log lines: each with the request it belongs to; for programs, as JSON."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

current: ContextVar[str] = ContextVar("request", default="")  # its id; "": none

FACTS = ("request_id", "route", "method", "status", "ms", "user")


@contextmanager
def within(request_id: str) -> Iterator[None]:
    """Lines logged here belong to this request."""
    mark = current.set(request_id)
    try:
        yield
    finally:
        current.reset(mark)


class Numbered(logging.Filter):
    """Gives every record the id of the request that is being answered."""

    def filter(self, record: logging.LogRecord) -> bool:
        given = current.get()
        record.__dict__["request_id"] = given
        record.__dict__["of_request"] = f" [{given}]" if given else ""
        return True


class JsonLines(logging.Formatter):
    """``at`` (UTC), ``level``, ``logger``, ``message``; what is known of the request;
    ``error``: the traceback. Line breaks in a message are escaped."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        facts = ((name, getattr(record, name, None)) for name in FACTS)
        line |= {name: value for name, value in facts if value not in (None, "")}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)
