"""What a log must not hold: the secret part of a link that lets somebody in."""

import logging
import re

__all__ = ["Secrets"]

_LINK = re.compile(r"((?:/|%2[Ff])join(?:/|%2[Ff]))[\w-]+")


class Secrets(logging.Filter):
    """Takes the tokens of invitations out of whatever is logged."""

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        if "join" in text:
            record.msg, record.args = _LINK.sub(r"\1...", text), None
        return True
