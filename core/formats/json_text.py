"""JSON from untrusted sources as values; anything that cannot be stored is refused.

Beyond the grammar (RFC 8259) these are refused, since databases, other programs or
UTF-8 cannot hold them: NaN and infinities, also as ``1e999``; integers of more than 100
digits; NUL and half a surrogate pair; nesting beyond Python's stack; more values than
fit into memory, each of which takes some 20 times its text; and, if asked, a name that
occurs twice in one object, since readers differ on which to keep.
"""

import json
import re
from typing import Any

from core.errors import FormatError

MAX_DIGITS = 100  # Python itself refuses more than 4,300
MAX_VALUES = 5_000_000  # about 500 MB
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_UNSTORED = re.compile("[\0\ud800-\udfff]")


class _BadNumber(ValueError):
    pass


class _Twice(ValueError):
    pass


def loads(text: str, *, line: int = 0, unique: bool = False) -> Any:
    """Return the value of ``text``.

    ``line``: the number of the line that ``text`` is, 0 if it is a whole file;
    ``unique``: refuse an object that has a name twice.

    Raises FormatError with line, column and remedy. Linear in the text.
    """
    _check_size(text, line)
    try:
        value = json.loads(
            text,
            parse_int=_integer,
            parse_float=_number,
            parse_constant=_constant,
            object_pairs_hook=_object if unique else None,
        )
    except json.JSONDecodeError as error:
        raise FormatError(
            f"not JSON: {error.msg}",
            line=line or error.lineno,
            column=error.colno,
            remedy="write one complete value, such as an object in braces",
        ) from error
    except _BadNumber as error:
        raise _at(
            text, str(error), line, "is not a number that can be stored"
        ) from error
    except _Twice as error:
        raise _at(text, f'"{error}"', line, "occurs twice in an object") from error
    except RecursionError as error:
        raise FormatError(
            "JSON nested too deeply", line=line, column=1, remedy="flatten it"
        ) from error
    if "\\u" in text and (escape := _unstored(value)):
        is_nul = escape == r"\u0000"
        reason = (
            "(NUL, U+0000) is no character of text"
            if is_nul
            else "is half of a surrogate pair"
        )
        raise _at(text, escape, line, reason)
    return value


def _check_size(text: str, line: int) -> None:
    """Raises FormatError if the text has more values than ``MAX_VALUES``."""
    if len(text) <= 2 * MAX_VALUES:  # the shortest with its comma, as in "1,"
        return
    plain = _STRING.sub("", text)  # brackets and commas in strings are only text
    if sum(map(plain.count, "[{,")) > MAX_VALUES:
        raise FormatError(
            f"more than {MAX_VALUES:,} values",
            line=line or 1,
            column=1,
            remedy="send it in parts",
        )


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise _BadNumber(digits)
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits)
    if value in (float("inf"), float("-inf")):
        raise _BadNumber(digits)
    return value


def _constant(name: str) -> Any:
    raise _BadNumber(name)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))
    return made


def _unstored(value: Any) -> str:
    """Return the escape of a character in ``value`` that cannot be stored, or ""."""
    rest = [value]
    while rest:
        one = rest.pop()
        if isinstance(one, str):
            if match := _UNSTORED.search(one):
                return f"\\u{ord(match.group()):04x}"
        elif isinstance(one, dict):
            rest += [*one.keys(), *one.values()]
        elif isinstance(one, list):
            rest += one
    return ""


def _at(text: str, what: str, line: int, reason: str) -> FormatError:
    """Make the error for ``what``, at the place where it first occurs."""
    at = max(0, text.lower().find(what.lower()))
    before = text[:at]
    shown = what if len(what) <= 20 else f"{what[:16]} … ({len(what):,} characters)"
    return FormatError(
        f"{shown} {reason}",
        line=line or before.count("\n") + 1,
        column=at - (before.rfind("\n") + 1) + 1,
        remedy="correct it, or leave it out",
    )
