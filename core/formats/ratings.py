"""Ratings that were collected elsewhere: tables with a header, cells split by tabs.

    long       item, annotator, scale, value, in any order; optional condition (names
               split by " | ") and source (or source_sentence, source sentence): what
               the item was made from. One value a row. Rows whose scale_kind is
               text or spans are no ratings and are skipped.
    sulem      sentence, system, source, output, A1_Qa ... A3_Qd: a row is an item
               (Sulem, Abend & Rappoport 2018); Qa, Qb 1 to 5; Qc, Qd -2 to 2
    parabank   worker_id_anon, ref_id, ref_len, sys_id, candidate, NLL, human_score,
               gm: human_score 0 to 100, gm 0 to 2, either may be empty (Hu et al.
               2019). An item is a candidate of a reference, whatever systems made it
    rte1-crowd worker, rte1_test_pair_id, response, gold: 0 or 1 (Snow et al. 2008);
               the gold label is the annotator "gold", left out of agreement

A cell is read literally: quotes are text. A byte order mark and rows without text are
skipped. A row of the wrong width, a missing cell or a value off its scale is a BadLine.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from core.data.ratings import RatingRecord, Scale
from core.errors import FormatError, InvalidValue
from core.formats.records import BadLine, bad, clean

GOLD = "gold"
OPEN = frozenset({"text", "spans"})  # kinds of scales whose answers are no ratings
_JUDGE = re.compile(r"(A\d+)_(Q\w+)")
Row = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Layout:
    """How one kind of table is read: its file in a folder, its required columns, the
    scales that it declares, and the records of a row."""

    name: str
    file: str
    columns: tuple[str, ...]
    records: Callable[[Row, int], Iterator[RatingRecord]]
    scales: Mapping[str, Scale]
    may_lack: frozenset[str] = frozenset()


def read(lines: Iterable[str], layout: Layout) -> Iterator[RatingRecord | BadLine]:
    """The ratings in order; a line that cannot be read is a BadLine instead.

    A header without a required column gives one BadLine and ends the reading.
    """
    names: list[str] | None = None
    for number, line in enumerate(lines, 1):
        cells = line.lstrip("\ufeff").rstrip("\r\n").split("\t")
        if not any(cell.strip() for cell in cells):
            continue
        if names is None:
            names = [cell.strip() for cell in cells]
            wrong = _header(names, layout, number)
            if wrong:
                yield wrong
                return
        elif (control := _control(line, number)) is not None:
            yield control
        elif len(cells) != len(names):
            reason = f"{len(cells)} cells, the header has {len(names)}"
            remedy = "split cells by one tab, and take tabs out of the text"
            yield BadLine(number, 1, reason, remedy, line[:80])
        else:
            yield from _row(dict(zip(names, cells, strict=True)), layout, number)
    if names is None:
        yield BadLine(0, 0, "the file holds no line", "start it with a header line")


def _control(line: str, number: int) -> BadLine | None:
    try:
        clean(line.rstrip("\r\n"), line=number)
    except FormatError as error:
        return bad(error, line=number, excerpt=line)
    return None


def _header(names: list[str], layout: Layout, number: int) -> BadLine | None:
    if layout.name == "long":
        names[:] = [_long_name(name) for name in names]
    lacking = [name for name in layout.columns if name not in names]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        return BadLine(number, 1, f"column {twice[0]!r} is there twice")
    if lacking:
        return BadLine(
            number,
            1,
            f"no column {', '.join(lacking)} in the header",
            f"format {layout.name} needs: {', '.join(layout.columns)}",
        )
    return None


def _long_name(name: str) -> str:
    plain = name.lower().replace(" ", "_")
    return "source" if plain in ("source_sentence", "sentence") else plain


def _row(row: Row, layout: Layout, number: int) -> Iterator[RatingRecord | BadLine]:
    if row.get("scale_kind") in OPEN:
        return
    empty = [
        name
        for name in layout.columns
        if not (row[name].strip() or name in layout.may_lack)
    ]
    if empty:
        yield BadLine(
            number, 1, f"column {empty[0]} is empty", "fill it, or drop the row"
        )
        return
    for record in layout.records(row, number):
        scale = layout.scales.get(record.scale)
        try:
            if scale:
                scale.code(record.value)
        except InvalidValue as error:
            yield BadLine(number, 1, str(error), "correct the value")
        else:
            yield record


def _long(row: Row, number: int) -> Iterator[RatingRecord]:
    conditions = [c.strip() for c in row.get("condition", "").split(" | ")]
    yield RatingRecord(
        row["item"].strip(),
        row["annotator"].strip(),
        row["scale"].strip(),
        row["value"].strip(),
        tuple(c for c in conditions if c),
        row.get("source", "").strip(),
        number,
    )


def _sulem(row: Row, number: int) -> Iterator[RatingRecord]:
    item = f"{row['sentence']}/{row['system']}"
    for name, text in row.items():
        match = _JUDGE.fullmatch(name)
        if match and text.strip():
            yield RatingRecord(
                item,
                match[1],
                match[2],
                text.strip(),
                (row["system"],),
                row["sentence"],
                number,
            )


def _parabank(row: Row, number: int) -> Iterator[RatingRecord]:
    item = f"{row['ref_id']}/{row['candidate']}"
    systems = tuple(row["sys_id"].split())
    who, source = row["worker_id_anon"], row["ref_id"]
    for scale in ("human_score", "gm"):
        if value := row[scale].strip():
            yield RatingRecord(item, who, scale, value, systems, source, number)


def _rte1_crowd(row: Row, number: int) -> Iterator[RatingRecord]:
    item = row["rte1_test_pair_id"]
    yield RatingRecord(item, row["worker"], "entailment", row["response"], line=number)
    yield RatingRecord(item, GOLD, "entailment", row["gold"], line=number)


def _scales(*scales: Scale) -> dict[str, Scale]:
    return {scale.name: scale for scale in scales}


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("long", "*.tsv", ("item", "annotator", "scale", "value"), _long, {}),
        Layout(
            "sulem",
            "ratings.tsv",
            ("sentence", "system"),
            _sulem,
            _scales(
                Scale.span("Qa", 1, 5),
                Scale.span("Qb", 1, 5),
                Scale.span("Qc", -2, 2),
                Scale.span("Qd", -2, 2),
            ),
        ),
        Layout(
            "parabank",
            "candidates.tsv",
            ("worker_id_anon", "ref_id", "sys_id", "candidate", "human_score", "gm"),
            _parabank,
            _scales(Scale.span("human_score", 0, 100), Scale.span("gm", 0, 2)),
            frozenset({"human_score", "gm"}),
        ),
        Layout(
            "rte1-crowd",
            "rte1_crowd_labels.tsv",
            ("worker", "rte1_test_pair_id", "response", "gold"),
            _rte1_crowd,
            _scales(Scale.span("entailment", 0, 1)),
        ),
    )
}
