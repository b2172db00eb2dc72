"""Pairs as JSON Lines: one object a line.

    {"source": "text", "target": "text"}                            is enough
    {"source": ["a", "token", "list"], "target": "text",
     "id": "7", "label": "paraphrase", "links": "0-0 1?2",
     "source_id": "s7", "target_id": "t7", "anything": "else"}

With ``links`` (Pharaoh) a side that is a string is split at spaces. Further members are
kept as they are. A number is taken as an id or label too. Empty lines are skipped.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from core.data.alignment import Alignment
from core.data.tokens import Token
from core.errors import FormatError, InvalidValue
from core.formats import json_text
from core.formats.alignments import pharaoh
from core.formats.records import (
    BadLine,
    Format,
    LayerRecord,
    PairRecord,
    Record,
    SentenceRecord,
    Tail,
    bad,
    clean,
    numbered,
    with_raw,
    words,
)

LOSSES = (
    "Parses are left out.",
    "Of several layers the first is written; phrase links and nulls are left out.",
    "Authors, and what a format said of single links, are left out.",
    "Token columns beyond the form are left out.",
)
KNOWN = {"id", "source", "target", "label", "links", "source_id", "target_id"}
MAX_NESTING = 20


def read(lines: Iterable[str]) -> Iterator[Record | BadLine]:
    """A PairRecord for each object."""
    for number, line, raw in numbered(lines):
        if not line.strip():
            continue
        try:
            record = _pair(load_object(line, number), number)
            yield with_raw(record, raw, number)
        except FormatError as error:
            yield bad(error, line=number, excerpt=line)


def write(records: Iterable[Record]) -> Iterator[str]:
    """One object a line, members in a fixed order."""
    for record in records:
        if isinstance(record, PairRecord):
            yield record.raw or json.dumps(_object(record), ensure_ascii=False) + "\n"
        elif isinstance(record, Tail):
            yield record.text


def load_object(line: str, number: int) -> dict[str, Any]:
    """The object on this line; raises FormatError with the column of the fault."""
    clean(line, line=number)
    value = json_text.loads(line, line=number)
    if not isinstance(value, dict):
        raise FormatError(
            "a JSON value that is not an object",
            line=number,
            column=1,
            remedy='write {"source": "…", "target": "…"}',
        )
    _check(value, number)
    return value


def _check(value: Any, number: int, depth: int = 0) -> None:
    """Refuse escapes that smuggle in a NUL or half a surrogate pair, and abysses."""
    if depth > MAX_NESTING:
        raise FormatError("JSON nested too deeply", line=number, column=1)
    if isinstance(value, str):
        clean(value, line=number)
    elif isinstance(value, dict):
        for name, inner in value.items():
            clean(name, line=number)
            _check(inner, number, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check(inner, number, depth + 1)


def _pair(row: Mapping[str, Any], number: int) -> PairRecord:
    links = row.get("links", "")
    source = _side(row, "source", number, split=bool(links))
    target = _side(row, "target", number, split=bool(links))
    layers: tuple[LayerRecord, ...] = ()
    if links:
        if not isinstance(links, str) or not source.tokens or not target.tokens:
            raise FormatError(
                "links must be a string like 0-0 1?2, over tokens",
                line=number,
                column=1,
            )
        sizes = len(source.tokens), len(target.tokens)
        layers = (LayerRecord(pharaoh.parse(links, *sizes, line=number)),)
    meta = {name: value for name, value in row.items() if name not in KNOWN}
    named = (_word(row, "id", number), _word(row, "label", number))
    return PairRecord(source, target, *named, layers, meta)


def _side(
    row: Mapping[str, Any], name: str, number: int, *, split: bool
) -> SentenceRecord:
    value = row.get(name)
    if isinstance(value, list) and value and all(isinstance(w, str) for w in value):
        forms, text = value, " ".join(value)
    elif isinstance(value, str) and value.strip():
        forms, text = (words(value) if split else []), value
    else:
        raise FormatError(
            f"{name!r} is missing, empty, or neither text nor a list of tokens",
            line=number,
            column=1,
            remedy='write {"source": "…", "target": "…"}',
        )
    try:
        tokens = tuple(Token(form) for form in forms)
    except InvalidValue as error:
        raise FormatError(str(error), line=number, column=1) from error
    return SentenceRecord(tokens, text, _word(row, f"{name}_id", number))


def _word(row: Mapping[str, Any], name: str, number: int) -> str:
    value = row.get(name, "")
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        return str(value)
    raise FormatError(f"{name!r} must be a string or a number", line=number, column=1)


def _object(record: PairRecord) -> dict[str, Any]:
    layer = record.layers[0].alignment if record.layers else Alignment()
    links = pharaoh.dumps(layer)
    row: dict[str, Any] = {
        "id": record.id,
        "source": _value(record.source, tokens=bool(links)),
        "target": _value(record.target, tokens=bool(links)),
        "label": record.label,
        "links": links,
        "source_id": record.source.id,
        "target_id": record.target.id,
    }
    kept = {name: value for name, value in row.items() if value}
    return kept | {n: v for n, v in record.meta.items() if n not in KNOWN}


def _value(sentence: SentenceRecord, *, tokens: bool) -> str | list[str]:
    forms = list(sentence.forms)
    if forms and (tokens or not sentence.text) and forms != words(sentence.text):
        return forms
    return sentence.text or " ".join(forms)


FORMAT = Format(
    "jsonl",
    "Pairs, JSON Lines",
    holds="pairs",
    suffixes=(".jsonl", ".ndjson"),
    strictness=3,
    read=read,
    write=write,
    losses=LOSSES,
    example={
        "pairs.jsonl": '{"id": "1", "source": "The boat left at noon.", '
        '"target": "At noon the boat left.", "label": "same"}\n'
    },
    suffix_decides=True,
)
