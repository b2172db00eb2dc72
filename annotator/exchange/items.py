"""Items of a judgment campaign, from a table's rows.

    sentence     the sentence with the original phrase in it            (needed)
    phrase       the original phrase; without such a column the whole sentence
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

Columns may have other names: their fields are guessed, or given. Other columns are not
read. A row that cannot be read is a BadLine, and reading continues.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from annotator.exchange.tables import Row
from core.errors import FormatError
from core.formats.records import BadLine, bad, clean

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
NEEDED = ("sentence", "paraphrase")
KINDS = ("main", "gold", "attention", "training")
SYNONYMS = {
    "sentence": ("text", "context", "source", "original", "original_sentence", "sent"),
    "phrase": ("original_phrase", "target", "target_phrase", "word", "source_phrase"),
    "paraphrase": (
        *("substitute", "replacement", "substitution", "candidate", "output"),
        *("suggestion", "hypothesis"),
    ),
    "condition": ("conditions", "system", "systems", "model", "method"),
    "start": ("begin", "from", "start_char", "char_start"),
    "end": ("stop", "to", "end_char", "char_end"),
    "rank": ("position",),
    "score": ("probability", "prob", "weight"),
    "id": ("item", "item_id", "ref", "name", "no", "task"),
    "batch": ("part", "group"),
    "kind": ("type",),
    "why": ("explanation", "reason"),
}
MAX_SENTENCE, MAX_PHRASE, MAX_NAME = 4000, 600, 120
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


def guess(columns: Iterable[str], scales: Iterable[str] = ()) -> dict[str, str]:
    """Which column holds which field, by its name; a field without one is left out."""
    known = {_plain(column): column for column in reversed(list(columns))}
    fields: dict[str, str] = {}
    for name in (*COLUMNS, *(f"gold_{scale}" for scale in scales)):
        for word in (name, *SYNONYMS.get(name, ())):
            if word in known and known[word] not in fields.values():
                fields[name] = known[word]
                break
    return fields


def _plain(column: str) -> str:
    return re.sub(r"[\s_.-]+", "_", column.strip().casefold())


def lacking(fields: Mapping[str, str]) -> list[str]:
    """The fields that no row can be without and no column holds."""
    return [name for name in NEEDED if not fields.get(name)]


def read(
    rows: Iterable[Row], fields: Mapping[str, str] | None = None
) -> Iterator[ItemRecord | BadLine]:
    """The rows in order; if a required column is missing, one BadLine and the end.

    ``fields``: the column that holds each field; None: by the first row's.
    """
    for number, row, text in rows:
        if isinstance(row, BadLine):
            yield row
            continue
        if fields is None:
            fields = guess(row, _scales_in(row))
        if missing := lacking(fields):
            yield _no_column(missing, number, row)
            return
        cells = {name: row.get(column, "") for name, column in fields.items()}
        try:
            yield _record(cells, number)
        except FormatError as error:
            yield bad(error, line=number, excerpt=text)


def _scales_in(row: Mapping[str, str]) -> list[str]:
    names = (_plain(column) for column in row)
    return [name.removeprefix("gold_") for name in names if name.startswith("gold_")]


def _no_column(missing: list[str], number: int, row: Mapping[str, str]) -> BadLine:
    reason = f"the header has no column {', '.join(missing)}"
    remedy = "say which column holds it, or begin the file with: " + ", ".join(NEEDED)
    return BadLine(max(number - 1, 1), 1, reason, remedy, ", ".join(row)[:120])


def _record(row: dict[str, str], number: int) -> ItemRecord:
    cells = {name: clean(text, line=number).strip() for name, text in row.items()}
    is_whole = "phrase" not in cells
    for name in NEEDED if is_whole else (*NEEDED, "phrase"):
        if not cells.get(name):
            raise FormatError(
                f"{name} is empty", line=number, remedy="fill it, or drop the row"
            )
    # offsets count from the sentence as written, so that is not stripped
    sentence = cells["sentence"] if is_whole else row["sentence"]
    _short(sentence, "sentence", MAX_SENTENCE, number)
    if is_whole:
        cells |= {"phrase": sentence, "start": "0", "end": str(len(sentence))}
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
            f"{name} has {len(text)} characters; the limit is {most}", line=number
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
    """The only place where the phrase occurs as whole words."""
    left = r"\b" if _WORD.match(phrase[0]) else ""
    right = r"\b" if _WORD.match(phrase[-1]) else ""
    matches = list(re.finditer(left + re.escape(phrase) + right, sentence))
    if len(matches) == 1:
        return matches[0].span()
    if not matches:
        raise FormatError(
            f"{phrase!r} is not in the sentence",
            line=number,
            remedy="write the phrase exactly as it stands there",
        )
    raise FormatError(
        f"{phrase!r} occurs {len(matches)} times in the sentence",
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
        article = "an" if kind == "attention" else "a"
        raise FormatError(
            f"{article} {kind} item needs an expected value",
            line=number,
            remedy="fill gold_<scale>, as gold_meaning",
        )
    return kind
