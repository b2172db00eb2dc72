"""``evaluate contamination``: whether two sets share sentences."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.errors import InvalidValue
from core.parsing.registry import Say
from lab.evaluation.shared_sentences import (
    READERS,
    SetRow,
    SharedSentence,
    compare,
    read_set,
)

HELP = "whether two sets share sentences, such as what was trained and tested on"
SHOWN = 20  # places, unless all are asked for


def add_arguments(parser: ArgumentParser) -> None:
    add = parser.add_argument
    # fmt: off
    add("--first", type=Path, nargs="+", required=True, metavar="FILE",
        help="of one set, such as what weights were fitted on")
    add("--second", type=Path, nargs="+", required=True, metavar="FILE",
        help="of the other, such as what is measured on")
    for name in ("first", "second"):
        add(f"--{name}-format", choices=sorted(READERS), default="",
            help="by default by each file's name and beginning")
    add("--least", type=int, default=1, metavar="N",
        help="leave sentences of fewer words out, which are alike by chance")
    add("--all", action="store_true", help=f"every place, not the first {SHOWN}")
    add("--texts", action="store_true", help="also print the shared sentences")
    # fmt: on


def run(options: dict[str, Any], say: Say) -> dict[str, Any]:
    """Return counts of rows and sentences, and the places; sentences on request.

    ``shared``, by exact and by normalised: rows of either set with a sentence that the
    other set has too, and how many different sentences these are.
    """
    if options["least"] < 1:
        raise InvalidValue("--least: a sentence has a word at least")
    (first, bad_first), (second, bad_second) = (
        read_set(options[name], options[f"{name}_format"])
        for name in ("first", "second")
    )
    say(f"{len(first)} and {len(second)} rows read")
    there = compare(first, second, least=options["least"])
    back = compare(second, first, least=options["least"])
    exact = [[one for one in side if one.exact] for side in (back, there)]
    shown = None if options["all"] else SHOWN
    return {
        "first": _size(first),
        "second": _size(second),
        "least": options["least"],
        "shared": {
            "exact": _shared(*exact),
            "normalised": _shared(back, there),
        },
        "places": [_place(one, texts=options["texts"]) for one in there[:shown]],
        "matches": len(there),
        "unreadable": bad_first + bad_second,
    }


def _size(rows: Sequence[SetRow]) -> dict[str, int]:
    return {"rows": len(rows), "sentences": sum(len(row.texts) for row in rows)}


def _shared(
    back: Sequence[SharedSentence], there: Sequence[SharedSentence]
) -> dict[str, int]:
    """Matches know the looked-up set as ``first``, the set gone through as second."""
    return {
        "first_rows": len({one.second for one in back}),
        "second_rows": len({one.second for one in there}),
        "sentences": len({one.text for one in there}),
    }


def _place(one: SharedSentence, *, texts: bool) -> dict[str, Any]:
    place = {"first": one.first, "second": one.second, "exact": one.exact}
    return place | ({"text": one.text} if texts else {})


def lines(results: dict[str, Any]) -> Iterator[str]:
    """Yield both counts and the places of the first matches, as text."""
    for name in ("first", "second"):
        size = results[name]
        yield f"{name:8}{size['rows']:8} rows {size['sentences']:8} sentences"
    for name, row in results["shared"].items():
        yield (
            f"shared, {name + ':':12} {row['sentences']} sentences, in "
            f"{row['first_rows']} rows of the first, {row['second_rows']} of the second"
        )
    for one in results["places"]:
        kind = "exact" if one["exact"] else "normalised"
        text = f"  {one['text']}" if "text" in one else ""
        yield f"  {one['first']}  {one['second']}  {kind}{text}"
    left = results["matches"] - len(results["places"])
    if left:
        yield f"  and {left} more (--all)"
    yield from (f"unreadable: {line}" for line in results.get("unreadable", ()))
