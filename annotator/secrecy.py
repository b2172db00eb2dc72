"""What a log must not hold: the secret part of a link that lets someone in."""

import logging
import re

_LINK = re.compile(r"(?i)(join)(?:[/\\]|%(?:25)*(?:2f|5c))[^\s\"']*")
# Tokens have 43 characters; mangled addresses may cut or lengthen them. Digests (64)
# and codes of rows (16, 36) are none.
_TOKEN = re.compile(r"(?<![\w-])(?=[\w-]*[A-Z])[\w-]{38,60}(?![\w-])")


class Secrets(logging.Filter):
    """Takes the tokens of links out of whatever is logged, however the address is
    mangled."""

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        clean = _TOKEN.sub("...", _LINK.sub(r"\1/...", text))
        if clean != text:
            record.msg, record.args = clean, None
        return True
