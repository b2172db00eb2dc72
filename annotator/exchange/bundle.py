"""Gemel bundles: rows to items, and what rows refuse of items.

See core/formats/gemel.py for the grammar.
"""

import base64
import binascii
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import models
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from annotator.exchange.files import is_codec
from annotator.exchange.rows import FILE, LINKS, RAW, check_words
from annotator.models import (
    AlignmentLayer,
    Corpus,
    LinkEvent,
    PackedForest,
    Pair,
    Parse,
    Sentence,
)
from annotator.models.authorship import AUTHOR, IMPORTED
from core.errors import FormatError
from core.formats.gemel import GemelItem

CHUNK = 500
FIRST_YEAR, LAST_YEAR = 1900, 2200  # at the ends of the calendar UTC has no such time
_LIMITS = {
    "ref": 200, "label": 60, "name": 60, "engine": 60, "version": 60, "language": 35,
    "op": 24, "licence": 200, "source_language": 35, "target_language": 35,
    "author": 120, "by": 120,
}  # fmt: skip


def items(corpus: Corpus) -> Iterator[GemelItem]:
    """The whole corpus, streamed in the order the grammar wants."""
    names = ("name", "licence", "provenance", "source_language", "target_language",
             "meta")  # fmt: skip
    yield GemelItem("corpus", {name: getattr(corpus, name) for name in names})
    named = _BundleIds()
    sentences = Sentence.objects.filter(corpus=corpus)
    parses = Parse.objects.filter(sentence__corpus=corpus).select_related("author")
    forests = PackedForest.objects.filter(sentence__corpus=corpus)
    pairs = Pair.objects.filter(corpus=corpus)
    layers = AlignmentLayer.objects.filter(pair__corpus=corpus)
    yield from _each(sentences, named, _sentence)
    yield from _each(parses, named, _parse)
    yield from _each(forests, named, _forest)
    yield from _each(pairs, named, _pair)
    yield from _each(layers.select_related("author"), named, _layer)
    events = LinkEvent.objects.filter(layer__pair__corpus=corpus)
    order = events.select_related("by", "undoes").order_by("layer_id", "revision")
    for event in order.iterator(chunk_size=CHUNK):
        yield _event(event, named)


class _BundleIds:
    """The ids of rows within the bundle: s1, s2, …, given in their order."""

    def __init__(self) -> None:
        self._known: dict[str, dict[int, str]] = {}

    def __call__(self, letter: str, pk: int) -> str:
        known = self._known.setdefault(letter, {})
        return known.setdefault(pk, f"{letter}{len(known) + 1}")


def _each(
    query: Any, named: _BundleIds, item: Callable[[Any, _BundleIds], GemelItem]
) -> Iterator[GemelItem]:
    for row in query.order_by("pk").iterator(chunk_size=CHUNK):
        yield item(row, named)


def _sentence(s: Sentence, named: _BundleIds) -> GemelItem:
    text = "" if s.text == s.tokens.replace("\n", " ") else s.text
    row = {"id": named("s", s.pk), "tokens": s.forms, "text": text}
    return GemelItem("sentence", row | _fields(s, "ref", "language", "columns", "key"))


def _parse(p: Parse, named: _BundleIds) -> GemelItem:
    plain = _fields(p, "kind", "origin", "engine", "version", "rank", "score", "text",
                  "meta", "created_at")  # fmt: skip
    row = {"id": named("t", p.pk), "sentence": named("s", p.sentence_id)}
    meta = dict(p.meta)
    author = _author(meta, p.author)
    return GemelItem("parse", row | plain | {"author": author, "meta": meta})


def _forest(f: PackedForest, named: _BundleIds) -> GemelItem:
    data = base64.b64encode(bytes(f.data)).decode("ascii")
    row = {"sentence": named("s", f.sentence_id), "data": data}
    return GemelItem("forest", row | _fields(f, "engine", "version"))


def _pair(p: Pair, named: _BundleIds) -> GemelItem:
    sides = {"source": named("s", p.source_id), "target": named("s", p.target_id)}
    plain = _fields(p, "ref", "label", "meta", "state", "key")
    return GemelItem("pair", {"id": named("p", p.pk), **sides, **plain})


def _layer(a: AlignmentLayer, named: _BundleIds) -> GemelItem:
    row = _fields(a, "origin", "engine", "version", "name", "options", "links",
                "parked", "revision", "state", "created_at", "updated_at")  # fmt: skip
    if not any(row["links"].values()):
        row["links"] = {}
    meta = dict(a.meta)
    row |= {"id": named("a", a.pk), "pair": named("p", a.pair_id), "meta": meta}
    row["author"] = _author(meta, a.author)
    for side in ("source_parse", "target_parse"):
        pk = getattr(a, f"{side}_id")
        row[side] = named("t", pk) if pk else ""
    return GemelItem("layer", row)


def _event(e: LinkEvent, named: _BundleIds) -> GemelItem:
    row = {
        "layer": named("a", e.layer_id),
        "uuid": str(e.uuid),
        "by": _name(e.by) or e.imported_by,
        "undoes": e.undoes.revision if e.undoes else None,
    }
    plain = _fields(e, "revision", "op", "at", "before", "after")
    return GemelItem("event", row | plain)


def _fields(one: models.Model, *names: str) -> dict[str, Any]:
    row = {name: getattr(one, name) for name in names}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in row.items()
    }


def _author(meta: dict[str, Any], user: Any) -> str:
    """The author's name; what an import noted of it is taken out of ``meta``."""
    meta.pop(IMPORTED, None)
    return str(meta.pop(AUTHOR, "")) or _name(user)


def _name(user: Any) -> str:
    return str(user.username) if user else ""


def check(item: GemelItem) -> None:
    """Check the database's constraints; raises FormatError."""
    row = item.row
    for name, limit in _LIMITS.items():
        if len(row.get(name) or "") > limit:
            raise FormatError(
                f"{name} of a {item.type} is longer than {limit}",
                line=item.line, column=1, remedy=f"at most {limit} characters",
            )  # fmt: skip
    check_note(item.type, row, item.line)
    if item.type == "sentence":
        check_words(len(row.get("tokens") or ()), item.line)
    states: dict[str, list[str]] = {
        "pair": Pair.State.values, "layer": AlignmentLayer.State.values,
    }  # fmt: skip
    if item.type in states and row["state"] not in states[item.type]:
        raise FormatError(
            f"state {row['state']!r} of a {item.type}", line=item.line, column=1,
            remedy="one of " + ", ".join(states[item.type]),
        )  # fmt: skip
    try:
        for name in ("created_at", "updated_at", "at"):
            moment = parse_datetime(row[name]) if row.get(name) else timezone.now()
            if moment is None or moment.tzinfo is None:
                raise ValueError(f"{name}: expected a time with its zone")
            if not FIRST_YEAR <= moment.year <= LAST_YEAR:
                raise ValueError(f"{name}: the year {moment.year} cannot be right")
        if item.type == "event":
            UUID(row["uuid"])
        if item.type == "forest":
            base64.b64decode(row["data"], validate=True)
    except (ValueError, binascii.Error) as error:
        raise FormatError(str(error), line=item.line, column=1) from error


Shape = Callable[[Any], bool]
MOST = 10**6  # of a number that counts files, words or trees


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _truth(value: Any) -> bool:
    return isinstance(value, bool)


def _number(value: Any) -> bool:
    return type(value) is int and -1 <= value <= MOST


def _share(value: Any) -> bool:
    try:
        return 0 <= float(value) <= 1
    except (TypeError, ValueError):
        return False


def _place(value: Any) -> bool:
    return str(value).isdecimal() and len(str(value)) < 13


def _encoding(value: Any) -> bool:
    return value == "" or (_text(value) and is_codec(value))


def _list(one: Shape) -> Shape:
    return lambda value: isinstance(value, list) and all(map(one, value))


def _row(*shapes: Shape) -> Shape:
    return lambda value: (
        isinstance(value, list)
        and len(value) == len(shapes)
        and all(fits(one) for fits, one in zip(shapes, value, strict=True))
    )


def _either(*shapes: Shape) -> Shape:
    return lambda value: any(fits(value) for fits in shapes)


def _object(known: Mapping[str, Shape], *needed: str) -> Shape:
    """An object whose known names have these shapes; it may have others."""
    return lambda value: (
        isinstance(value, dict)
        and all(name in value for name in needed)
        and all(fits(value[name]) for name, fits in known.items() if name in value)
    )


def _texts_by_name(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_text, value.values()))


_TREEBANK = _object(
    dict.fromkeys(("id", "filename", "language"), _text), "id", "filename"
)
_HEAD = _object(
    {
        "columns": _list(_text),
        "treebanks": _row(_TREEBANK, _TREEBANK),
        "items": _list(_row(_number, _text)),
    }
)
_ENTRY = _object(
    {
        **dict.fromkeys(("format", "name", "head", "tail", "sha256"), _text),
        "encoding": _encoding,
        "bom": _truth,
        "meta": _HEAD,
    },
    "format",
    "name",
)
_END = _either(_text, _list(_either(_number, _text, _list(_number))))
_PARKED = _object({"s": _END, "t": _END, "kind": _text, "crossing": _truth})
_ATTRS = _object({"prob": _share, "at": _place, "raw": _text, "sign": _text})
NOTES: dict[str, dict[str, dict[str, Shape]]] = {
    "corpus": {"meta": {"files": _list(_ENTRY)}},
    "sentence": {
        "columns": {
            **dict.fromkeys(("lemma", "upos", "xpos", "feats"), _list(_text)),
            "conllu": _text,
            "comments": _list(_text),
        }
    },
    "parse": {
        "meta": {
            FILE: _number,
            RAW: _text,
            "bank": _number,
            "ids": _list(_text),
            "secondary": _list(_row(_number, _number, _text)),
            "comments": _list(_text),
            "retyped": _list(_row(_number, _text, _text)),
            "cut_from": _list(_list(_text)),
            "began_on": _list(_text),
            "nbest": _number,
            "advice": _list(_object({"token": _number}, "token")),
            "unhelped": _text,
        }
    },
    "pair": {"meta": {FILE: _number, RAW: _text, LINKS: _text}},
    "layer": {
        "meta": {
            "editor": _object(
                dict.fromkeys(("ignored", "rejected", "brackets"), _texts_by_name)
            ),
            "gains": _text,
        }
    },
}


def _link(value: Any) -> bool:
    """Whether it is a list, as links are written, and what may come last is right."""
    return isinstance(value, list) and (len(value) < 5 or _ATTRS(value[4]))


def check_note(kind: str, row: Mapping[str, Any], line: int) -> None:
    """Raises FormatError at a note of ours that has another shape."""
    for field, known in NOTES.get(kind, {}).items():
        for name, fits in known.items():
            if name in row[field] and not fits(row[field][name]):
                _refuse(f"{field} of the {kind}: {name!r}", line)
    if kind == "layer":
        if not _list(_PARKED)(row["parked"]):
            _refuse("what is parked in the layer", line)
        if not _list(_link)(row["links"].get("links", [])):
            _refuse("what a link says of itself", line)


def _refuse(what: str, line: int) -> None:
    raise FormatError(
        f"{what} is not in Gemel's format",
        line=line,
        column=1,
        remedy="leave it out, or export the bundle again",
    )
