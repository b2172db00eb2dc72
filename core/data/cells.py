"""Cells of tables that people open in a spreadsheet.

A spreadsheet runs a cell that begins like a formula, anyone who wrote it, and a formula
can send the rest of the sheet elsewhere. Everything a person wrote goes through here on
its way into a table of tabs or commas (OWASP, "CSV Injection").
"""

import re
from typing import Any

# Spaces and quotation marks may be taken away before the first sign is looked at.
_FORMULA = re.compile(r"""[\t\r\n]|[\s"\ufeff]*[=+\-@＝＋－＠].""", re.DOTALL)
_CELL = re.compile(r"[^\t\r\n]+")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d+)*|\.\d+)([eE][+-]?\d+)?%?\Z", re.ASCII)


def plain_cell(value: Any) -> Any:
    """The value; a text that a spreadsheet would run gets an apostrophe before it.

    Numbers are numbers, also where they are written as text: "-0.5" stays.
    """
    if not isinstance(value, str) or not _FORMULA.match(value) or _NUMBER.match(value):
        return value
    return "'" + value


def plain_rows(text: str) -> str:
    """Lines of cells between tabs, each cell as ``plain_cell`` gives it.

    A carriage return alone ends a line, too, as it does for spreadsheets.
    """
    return _CELL.sub(lambda cell: str(plain_cell(cell[0])), text)
