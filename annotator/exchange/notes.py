"""What rows of a bundle may say in ``meta``, ``columns`` and ``parked``.

Anyone may put anything there, and it is kept. What Gemel itself reads has to have the
shape in which Gemel writes it, else pages and exports would fail on it later.
"""

from collections.abc import Callable, Mapping
from typing import Any

from annotator.exchange.files import is_codec
from annotator.exchange.rows import FILE, LINKS, RAW
from core.errors import FormatError

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


def check(kind: str, row: Mapping[str, Any], line: int) -> None:
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
