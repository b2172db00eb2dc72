"""Items of a judgment campaign, as a table (TSV) or as JSON Lines.

    sentence     the sentence with the original phrase in it            (needed)
    phrase       the original phrase                                    (needed)
    start, end   where it stands: characters from 0, end exclusive; may be left out
                 where the phrase stands only once in the sentence
    paraphrase   what is put in its place                               (needed)
    condition    the system that made it; several split by " | "; "" = none
    rank         its place among the condition's paraphrases, 1 if left out
    score        the number the condition gave it
    id           a name of your own for the row
    batch        the part of the campaign it belongs to
    kind         main, gold, attention or training; gold if a gold value stands there
    gold_<scale> the expected value on that scale: gold_meaning, gold_grammar …
    why          the explanation shown after a training item

A header names the columns, in any order; others are not read. JSONL: an object a line
with the same keys. A row that cannot be read is a BadLine and the rest goes on.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.errors import FormatError
from core.formats.records import BadLine, bad, clean, numbered

__all__ = ["COLUMNS", "FORMATS", "ItemRecord", "read", "sniff"]

COLUMNS = (
    "id",
    "sentence",
    "start",
    "end",
    "phrase",
    "paraphrase",
    "condition",
    "rank",
    "score",
    "batch",
    "kind",
    "why",
)
NEEDED = ("sentence", "phrase", "paraphrase")
KINDS = ("main", "gold", "attention", "training")
FORMATS = ("tsv", "jsonl")
MAX_SENTENCE, MAX_PHRASE, MAX_NAME = 4000, 400, 120
_WORD = re.compile(r"\w")


@dataclass(frozen=True, slots=True)
class ItemRecord:
    """One row: one paraphrase by one or several conditions.

    ``sentence[start:end]`` is ``phrase``. ``gold``: scale name -> value as written.
    """

    sentence: str
    start: int
    end: int
    phrase: str
    paraphrase: str
    conditions: tuple[str, ...] = ()
    rank: int = 1
    score: float | None = None
    id: str = ""
    batch: str = ""
    kind: str = "main"
    gold: Mapping[str, str] = field(default_factory=dict)
    why: str = ""
    line: int = 0


def sniff(name: str, head: str) -> str:
    """``"jsonl"`` or ``"tsv"``, by the file's name or its first sign."""
    if name.lower().endswith((".jsonl", ".ndjson", ".json")):
        return "jsonl"
    return "jsonl" if head.lstrip("\ufeff \r\n").startswith("{") else "tsv"


def read(lines: Iterable[str], form: str = "tsv") -> Iterator[ItemRecord | BadLine]:
    """The rows in order; a header that lacks a column gives one BadLine and ends."""
    rows = _json_rows(lines) if form == "jsonl" else _table_rows(lines)
    for number, row, line in rows:
        if isinstance(row, BadLine):
            yield row
            continue
        try:
            yield _record(row, number)
        except FormatError as error:
            yield bad(error, line=number, excerpt=line)


Rows = Iterator[tuple[int, dict[str, str] | BadLine, str]]


def _table_rows(lines: Iterable[str]) -> Rows:
    names: list[str] | None = None
    for number, line, _ in numbered(lines):
        text = line.lstrip("\ufeff") if number == 1 else line
        if not text.strip():
            continue
        if names is None:
            names = [name.strip().lower() for name in text.split("\t")]
            wrong = _header(names, number)
            if wrong:
                yield number, wrong, text
                return
            continue
        cells = text.split("\t")
        if len(cells) != len(names):
            reason = f"{len(cells)} cells where the header has {len(names)}"
            remedy = "split cells by one tab, and take tabs out of the text"
            yield number, BadLine(number, 1, reason, remedy, text[:120]), text
        else:
            yield number, dict(zip(names, cells, strict=True)), text
    if names is None:
        yield 0, BadLine(0, 0, "the file is empty", "begin it with a header line"), ""


def _header(names: list[str], number: int) -> BadLine | None:
    lacking = [name for name in NEEDED if name not in names]
    twice = sorted({name for name in names if name and names.count(name) > 1})
    if lacking:
        reason = f"the header has no column {', '.join(lacking)}"
        remedy = "begin with a header, tabs between: " + ", ".join(NEEDED) + " …"
        return BadLine(number, 1, reason, remedy, "\t".join(names)[:120])
    if twice:
        reason = f"column {twice[0]!r} is there twice"
        return BadLine(number, 1, reason, "rename one of them")
    return None


def _json_rows(lines: Iterable[str]) -> Rows:
    for number, line, _ in numbered(lines):
        text = line.lstrip("\ufeff") if number == 1 else line
        if not text.strip():
            continue
        try:
            yield number, _flat(json.loads(text), number), text
        except json.JSONDecodeError as error:
            error_here = FormatError(
                f"not JSON: {error.msg}",
                line=number,
                column=error.colno,
                remedy="write one object a line",
            )
            yield number, bad(error_here, excerpt=text), text
        except (FormatError, RecursionError) as error:
            shown = FormatError(str(error) or "nested too deeply", line=number)
            yield number, bad(shown, excerpt=text), text


def _flat(value: Any, number: int) -> dict[str, str]:
    """The object's keys as cells; ``"gold": {…}`` and lists of conditions, too."""
    if not isinstance(value, dict):
        raise FormatError("an object is wanted: {…}", line=number)
    row: dict[str, str] = {}
    for key, cell in value.items():
        name = str(key).strip().lower()
        if name == "gold" and isinstance(cell, dict):
            row |= {f"gold_{k}": str(v) for k, v in cell.items() if v is not None}
        elif name == "condition" and isinstance(cell, list):
            row[name] = " | ".join(str(part) for part in cell)
        elif isinstance(cell, dict | list):
            raise FormatError(f"{name}: a text or a number is wanted", line=number)
        else:
            row[name] = "" if cell is None else str(cell)
    return row


def _record(row: dict[str, str], number: int) -> ItemRecord:
    cells = {name: clean(text, line=number).strip() for name, text in row.items()}
    for name in NEEDED:
        if not cells.get(name):
            raise FormatError(
                f"{name} is empty", line=number, remedy="fill it, or drop the row"
            )
    # offsets count from the sentence as written, so that is not stripped
    sentence = row["sentence"]
    _short(sentence, "sentence", MAX_SENTENCE, number)
    _short(cells["phrase"], "phrase", MAX_PHRASE, number)
    _short(cells["paraphrase"], "paraphrase", MAX_PHRASE, number)
    start, end = _span(cells, sentence, number)
    gold = {
        name[5:]: value
        for name, value in cells.items()
        if name.startswith("gold_") and value
    }
    return ItemRecord(
        sentence,
        start,
        end,
        cells["phrase"],
        cells["paraphrase"],
        _conditions(cells, number),
        _number(cells, "rank", number, low=1, high=10_000) or 1,
        _score(cells, number),
        cells.get("id", "")[:MAX_NAME],
        cells.get("batch", "")[:80],
        _kind(cells, gold, number),
        gold,
        cells.get("why", ""),
        number,
    )


def _short(text: str, name: str, most: int, number: int) -> None:
    if len(text) > most:
        raise FormatError(
            f"{name} has {len(text)} characters; at most {most} are taken", line=number
        )


def _conditions(cells: Mapping[str, str], number: int) -> tuple[str, ...]:
    names = [name.strip() for name in cells.get("condition", "").split("|")]
    kept = tuple(dict.fromkeys(name for name in names if name))
    for name in kept:
        _short(name, "condition", MAX_NAME, number)
    return kept


def _span(cells: Mapping[str, str], sentence: str, number: int) -> tuple[int, int]:
    phrase = cells["phrase"]
    start = _number(cells, "start", number)
    end = _number(cells, "end", number)
    if start is None and end is None:
        return _find(sentence, phrase, number)
    if start is None:
        start = (end or 0) - len(phrase)
    end = start + len(phrase) if end is None else end
    if start < 0 or sentence[start:end] != phrase:
        there = sentence[max(start, 0) : max(end, 0)]
        raise FormatError(
            f"characters {start} to {end} are {there!r}, not {phrase!r}",
            line=number,
            remedy="count characters from 0, end exclusive; or leave both empty",
        )
    return start, end


def _find(sentence: str, phrase: str, number: int) -> tuple[int, int]:
    """The only place where the phrase stands as whole words."""
    left = r"\b" if _WORD.match(phrase[0]) else ""
    right = r"\b" if _WORD.match(phrase[-1]) else ""
    found = list(re.finditer(left + re.escape(phrase) + right, sentence))
    if len(found) == 1:
        return found[0].span()
    if not found:
        raise FormatError(
            f"{phrase!r} is not in the sentence",
            line=number,
            remedy="write the phrase exactly as it stands there",
        )
    raise FormatError(
        f"{phrase!r} stands {len(found)} times in the sentence",
        line=number,
        remedy="say which by start and end (characters from 0)",
    )


def _number(
    cells: Mapping[str, str], name: str, number: int, *, low: int = 0, high: int = 10**6
) -> int | None:
    text = cells.get(name, "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and low <= int(text[:9]) <= high):
        raise FormatError(
            f"{name} {text[:20]!r} is not a whole number from {low}", line=number
        )
    return int(text)


def _score(cells: Mapping[str, str], number: int) -> float | None:
    text = cells.get("score", "")
    try:
        value = float(text) if text else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise FormatError(f"score {text[:20]!r} is not a number", line=number)
    return value


def _kind(cells: Mapping[str, str], gold: Mapping[str, str], number: int) -> str:
    kind = cells.get("kind", "").lower() or ("gold" if gold else "main")
    if kind not in KINDS:
        raise FormatError(
            f"kind {kind[:20]!r} is not one of {', '.join(KINDS)}", line=number
        )
    if kind != "main" and not gold:
        raise FormatError(
            f"a {kind} item needs an expected value",
            line=number,
            remedy="fill gold_<scale>, as gold_meaning",
        )
    return kind
