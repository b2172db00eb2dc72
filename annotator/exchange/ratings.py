"""Ratings collected elsewhere: a file, or a folder that holds one, to columns."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from core.agreement.alignments.layers import LinkSets
from core.data.check import Ints
from core.data.ratings import RatingRecord, Ratings, Scale
from core.errors import FormatError, InvalidValue
from core.formats.alignments import msr_rte2
from core.formats.ratings import GOLD, LAYOUTS, Layout, read
from core.formats.records import BadLine

FORMATS = (*LAYOUTS, "msr-rte2")
SHOWN = 20
CELL = ("none", "possible", "sure")


class BadRatings(InvalidValue):
    """A file of ratings cannot be read; ``lines`` holds every bad line."""

    def __init__(self, file: str, lines: list[BadLine]) -> None:
        self.file, self.lines = file, lines
        shown = [_message(file, line) for line in lines[:SHOWN]]
        if len(lines) > SHOWN:
            shown.append(f"... and {len(lines) - SHOWN} more")
        super().__init__("\n".join(shown))


@dataclass(frozen=True, slots=True)
class RatingFile:
    """The content of a file: a table for each scale, and the items' data.

    ``n_items, n_annotators, n_ratings``: over all scales; an aligned pair counts as one
    item and each annotator's alignment of it as one rating. ``gold``: codes by scale,
    -1 where an item has none. ``sure, linked``: each annotator's links, by pair.
    ``times``: when and for how long, of each look of an annotator at an item, in the
    order of the file (``RatingRecord``).
    """

    tables: dict[str, Ratings]
    n_items: int
    n_annotators: int
    n_ratings: int
    gold: dict[str, Ints] = field(default_factory=dict)
    credits: dict[str, tuple[str, ...]] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    sure: dict[str, LinkSets] = field(default_factory=dict)
    linked: dict[str, LinkSets] = field(default_factory=dict)
    times: dict[tuple[str, str], list[tuple[float, float]]] = field(
        default_factory=dict
    )


def load(
    path: Path,
    format_name: str,
    *,
    scales: dict[str, Scale] | None = None,
    name: str = "",
) -> RatingFile:
    """The ratings of a file or folder. ``scales``: declared ones, over those seen;
    ``name``: what errors call the file, if not as it is stored.

    Raises BadRatings with every bad line, or InvalidValue if no file is there.
    """
    if format_name == "msr-rte2":
        return _load_msr(path)
    layout = LAYOUTS[format_name]
    file = _only_file(path, layout.file)
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            return parse(lines, layout, name=name or file.name, scales=scales)
    except UnicodeDecodeError as error:
        raise InvalidValue(
            f"{name or file}: not UTF-8 at byte {error.start}; save the file as UTF-8"
        ) from error


def parse(
    lines: Iterable[str],
    layout: Layout,
    *,
    name: str,
    scales: dict[str, Scale] | None = None,
) -> RatingFile:
    """The ratings in the lines of one file; raises BadRatings."""
    declared = dict(layout.scales) | (scales or {})
    return gathered(read(lines, layout), declared, name=name)


def gathered(
    rows: Iterable[RatingRecord | BadLine], declared: dict[str, Scale], *, name: str
) -> RatingFile:
    """The ratings of rows that are read already; raises BadRatings."""
    records: list[RatingRecord] = []
    bad: list[BadLine] = []
    for row in rows:
        if isinstance(row, BadLine):
            bad.append(row)
        else:
            records.append(row)
    for scale in declared.values():
        bad += _off_scale(records, scale)
    if bad:
        raise BadRatings(name, sorted(bad, key=lambda line: line.line))
    return _file_of(records, declared)


def _off_scale(records: list[RatingRecord], scale: Scale) -> list[BadLine]:
    places: dict[str, str] = {}
    for value in {record.value for record in records if record.scale == scale.name}:
        try:
            scale.code(value)
        except InvalidValue as error:
            places[value] = str(error)
    return [
        BadLine(record.line, 1, places[record.value], "correct the value")
        for record in records
        if places and record.scale == scale.name and record.value in places
    ]


def _file_of(records: list[RatingRecord], declared: dict[str, Scale]) -> RatingFile:
    judged = [record for record in records if record.annotator != GOLD]
    names = list(dict.fromkeys(record.scale for record in judged))
    sources = {r.item: r.source for r in judged if r.source}
    made: dict[str, dict[str, None]] = {}
    for record in judged:
        made.setdefault(record.item, {}).update(dict.fromkeys(record.conditions))
    tables: dict[str, Ratings] = {}
    gold: dict[str, Ints] = {}
    for name in names:
        rows = [(r.item, r.annotator, r.value) for r in judged if r.scale == name]
        table = Ratings.of(rows, scale=declared.get(name), name=name, clusters=sources)
        tables[name] = table
        known = {r.item: r.value for r in records if r.annotator == GOLD}
        if known and name in {r.scale for r in records if r.annotator == GOLD}:
            codes = [
                table.scale.code(known[item]) if item in known else -1
                for item in table.items
            ]
            gold[name] = np.array(codes, np.int32)
    return RatingFile(
        tables,
        len({record.item for record in judged}),
        len({record.annotator for record in judged}),
        len(judged),
        gold,
        {item: tuple(conditions) for item, conditions in made.items()},
        sources,
        times=_times(judged),
    )


def _times(
    records: list[RatingRecord],
) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """Ratings of several scales at the same time are one look."""
    seen: dict[tuple[str, str], dict[tuple[float, float], None]] = {}
    for record in records:
        if record.at or record.seconds:
            place = seen.setdefault((record.item, record.annotator), {})
            place[record.at, record.seconds] = None
    return {key: list(times) for key, times in seen.items()}


def _only_file(path: Path, pattern: str) -> Path:
    if path.is_file():
        return path
    files = sorted(path.glob(pattern)) if path.is_dir() else []
    if len(files) != 1:
        there = ", ".join(file.name for file in files) or "none"
        raise InvalidValue(
            f"{path}: expected one file {pattern}, found {there}; name the file itself"
        )
    return files[0]


def _load_msr(path: Path) -> RatingFile:
    """Annotators from the file names ``…_A.align.txt``; the majority M is left out."""
    files = sorted(path.glob("*_?.align.txt")) if path.is_dir() else [path]
    people = {file.name.split(".")[0][-1]: file for file in files}
    people.pop("M", None)
    if not people:
        raise InvalidValue(f"{path}: no file like RTE2_dev_A.align.txt in it")
    layers: dict[str, list[msr_rte2.Rte2Pair]] = {}
    for name, file in people.items():
        try:
            with file.open(encoding="utf-8") as lines:
                layers[name] = list(msr_rte2.read(lines))
        except FormatError as error:
            raise BadRatings(
                file.name,
                [BadLine(error.line, error.column, error.reason, error.remedy)],
            ) from error
    return _msr_tables(layers)


def _msr_tables(layers: dict[str, list[msr_rte2.Rte2Pair]]) -> RatingFile:
    by_number = {
        who: {pair.number: pair for pair in pairs} for who, pairs in layers.items()
    }
    everywhere = sorted(set.intersection(*(set(pairs) for pairs in by_number.values())))
    cells: list[str] = []
    clusters: list[int] = []
    codes: dict[str, list[Ints]] = {who: [] for who in layers}
    for place, number in enumerate(everywhere):
        mine = [by_number[who][number] for who in layers]
        n_words = min(len(pair.hypothesis) for pair in mine)
        n_text = min(len(pair.text) for pair in mine)
        cells += [f"{number}:{h}-{t}" for h in range(n_words) for t in range(n_text)]
        clusters += [place] * (n_words * n_text)
        for who, pair in zip(layers, mine, strict=True):
            codes[who].append(_grid(pair, n_words, n_text))
    kind = _cell_ratings(
        cells, clusters, {w: np.concatenate(c) for w, c in codes.items()}
    )
    link = Scale("link", ("none", "link"), (0.0, 1.0))
    cut = kind.value == CELL.index("sure")
    linked = Ratings(
        link,
        kind.items,
        kind.annotators,
        kind.item,
        kind.annotator,
        cut.astype(np.int32),
        kind.cluster,
    )
    pairs = {w: [by_number[w][n] for n in everywhere] for w in layers}
    return RatingFile(
        {"link": linked, "kind": kind},
        len(everywhere),
        len(layers),
        len(everywhere) * len(layers),
        sure={w: [p.sure for p in of] for w, of in pairs.items()},
        linked={w: [p.sure | p.possible for p in of] for w, of in pairs.items()},
    )


def _grid(pair: msr_rte2.Rte2Pair, n_words: int, n_text: int) -> Ints:
    """A code of ``CELL`` for every cell that all annotators have."""
    grid = np.zeros((n_words, n_text), np.int32)
    for code, links in ((1, pair.possible), (2, pair.sure)):
        for h, t in links:
            if h < n_words and t < n_text:
                grid[h, t] = code
    return np.asarray(grid.ravel())


def _cell_ratings(
    cells: list[str], clusters: list[int], codes: dict[str, Ints]
) -> Ratings:
    n = len(cells)
    return Ratings.from_codes(
        Scale("kind", CELL),
        cells,
        list(codes),
        np.tile(np.arange(n, dtype=np.int32), len(codes)),
        np.repeat(np.arange(len(codes), dtype=np.int32), n),
        np.concatenate(list(codes.values())),
        np.array(clusters, np.int32),
    )


def _message(file: str, line: BadLine) -> str:
    where = f"{file}:{line.line}:{line.column}" if line.line else file
    remedy = f" ({line.remedy})" if line.remedy else ""
    return f"{where}: {line.reason}{remedy}"
