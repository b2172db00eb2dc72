"""Giving corpora back: streamed, file by file as they came in where that is known."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.exchange import bundle, reading, registry
from annotator.exchange.download import Part
from annotator.exchange.files import safe_name
from annotator.models import AlignmentLayer, Corpus, Parse
from annotator.models.authorship import AUTHOR, MARK
from annotator.models.projects import Anybody
from core.formats import gemel
from core.formats.alignments import pharaoh
from core.formats.records import (
    Format,
    PairRecord,
    Record,
    RecordHeader,
    SentenceRecord,
    Tail,
)

Row = tuple[int, Record]


def parts(
    corpus: Corpus,
    kind: str,
    *,
    by: Anybody | None,
    author: str = "",
    split: bool = False,
    exact: bool = False,
) -> list[Part]:
    """The files of this corpus in this format.

    ``split``: one for each file that came in. ``author``: whose links; by default the
    gold ones, else the first there are. ``exact``: tables for programs, whose cells a
    spreadsheet might run. Raises NotAllowed, BadRequest.
    """
    if by is not None:
        access.require(by, "export", corpus.project)
    format_ = registry.find(kind)
    _require_content(corpus, format_)
    if format_.name == "gemel":
        name = f"{safe_name(corpus.name)}.gemel"
        return [Part(name, gemel.write(bundle.items(corpus)))]
    files = _files(corpus, format_)
    if format_.holds == "sentences":
        return _treebanks(corpus, format_, files, split=split or len(files) == 1)
    layers = AlignmentLayer.objects.filter(pair__corpus=corpus)
    if author and not layers.made_by(author).exists():
        problem = _("No one called %(name)s has links here.") % {"name": author}
        raise BadRequest(problem, field="author")
    made = _pair_files(corpus, format_, files, author=author, split=split)
    if format_.suffixes[0] == ".tsv" and not exact:
        made = [replace(part, is_table=True) for part in made]
    if format_.name == "pharaoh":
        made += [_side_texts(corpus, format_, side) for side in ("source", "target")]
    if format_.name == "treealigner":
        made += _tigers(corpus, made[0].name)
    return made


def offered(corpus: Corpus) -> list[Format]:
    """Return the formats that can hold something of this corpus, in order."""
    brackets = Parse.objects.filter(kind=Parse.Kind.CONSTITUENCY)
    has_trees = brackets.filter(sentence__corpus=corpus).exists()
    has_pairs = corpus.pairs.exists()
    return [
        one
        for one in registry.FORMATS.values()
        if (has_trees or not one.needs_trees) and (has_pairs or one.holds != "pairs")
    ]


def _require_content(corpus: Corpus, kind: Format) -> None:
    """Raises BadRequest, naming the formats that work, if the file would be empty."""
    known = offered(corpus)
    if kind in known:
        return
    names = {
        "format": kind.title,
        "corpus": corpus.name,
        "known": ", ".join(one.name for one in known),
    }
    if kind.holds == "pairs" and not corpus.pairs.exists():
        problem = _(
            "%(format)s holds pairs, and %(corpus)s has none. Formats that work: "
            "%(known)s."
        )
    else:
        problem = _(
            "%(format)s holds constituency trees, and %(corpus)s has none. Formats "
            "that work: %(known)s."
        )
    raise BadRequest(problem % names, field="format")


def authors(corpus: Corpus) -> list[str]:
    """The authors of links in this corpus, by user name or by the name in a file."""
    layers = AlignmentLayer.objects.filter(pair__corpus=corpus).order_by()
    names = set(layers.values_list("author__username", flat=True).distinct())
    imported = layers.filter(author=None, meta__has_key=AUTHOR)
    importers = set(imported.values_list(f"meta__{AUTHOR}", flat=True).distinct())
    return sorted(names - {None}) + sorted(f"{name}{MARK}" for name in importers)


def _files(corpus: Corpus, kind: Format) -> dict[int, dict[str, Any]]:
    """Facts about the files of this format, by their number."""
    entries = enumerate(corpus.meta.get("files", []))
    return {n: entry for n, entry in entries if entry["format"] == kind.name}


def _treebanks(
    corpus: Corpus, kind: Format, files: dict[int, dict[str, Any]], *, split: bool
) -> list[Part]:
    if not split or not files:
        rows = reading.sentences(corpus, kind, set(files))
        return [_part(kind, _default(corpus, kind), rows, list(files.values()))]
    made = []
    for n, entry in files.items():
        wanted = {n, -1} if n == max(files) else {n}
        rows = reading.sentences(corpus, kind, set(files), wanted)
        made.append(_part(kind, entry["name"], rows, [entry]))
    return made


def _pair_files(
    corpus: Corpus,
    kind: Format,
    files: dict[int, dict[str, Any]],
    *,
    author: str,
    split: bool,
) -> list[Part]:
    groups: list[dict[int, dict[str, Any]]] = [files]
    if split and len(files) > 1 and kind.name not in ("pharaoh", "treealigner"):
        groups = [{n: entry} for n, entry in files.items()]
    made = []
    for group in groups:
        only = None
        if len(groups) > 1:
            only = {*group, *([-1] if max(files) in group else [])}
        rows = reading.pairs(corpus, kind, set(files), author=author, only=only)
        one = len(group) == 1 or kind.name in ("pharaoh", "treealigner")
        entry = next(iter(group.values()), None)
        name = str(entry["name"]) if entry and one else _default(corpus, kind)
        made.append(_part(kind, name, rows, list(group.values())))
    return made


def _part(
    kind: Format, name: str, rows: Iterator[Row], entries: list[dict[str, Any]]
) -> Part:
    """Head of the first file, records, tail of the last."""
    first, last = (entries[0], entries[-1]) if entries else ({}, {})

    def records() -> Iterator[Record]:
        if "head" in first:
            yield RecordHeader(first["head"], first.get("meta", {}))
        for _name, record in rows:
            yield record
        if "tail" in last:
            yield Tail(last["tail"])

    lines = kind.write(records())
    encoding, bom = first.get("encoding", "utf-8"), bool(first.get("bom"))
    return Part(safe_name(name), lines, encoding, bom)


def _side_texts(corpus: Corpus, kind: Format, side: str) -> Part:
    """The text of one side, a line a pair."""
    rows = reading.pairs(corpus, kind, set())
    lines = (
        pharaoh.write_texts(getattr(record, side))
        for _name, record in rows
        if isinstance(record, PairRecord)
    )
    return Part(f"{safe_name(corpus.name)}.{side}.txt", lines)


def _tigers(corpus: Corpus, main: str) -> list[Part]:
    """The treebanks that an alignment file names."""
    tiger = registry.find("tigerxml")
    files = _files(corpus, tiger)
    if files:
        return _treebanks(corpus, tiger, files, split=True)
    made = []
    for side in ("source", "target"):
        rows = _side_trees(corpus, side)
        made.append(_part(tiger, f"{side}.xml", rows, []))
    return made


def _side_trees(corpus: Corpus, side: str) -> Iterator[Row]:
    """Each sentence of one side once, named as the alignment names it."""
    kind, seen = registry.find("treealigner"), set()
    for n, (_name, record) in enumerate(reading.pairs(corpus, kind, set()), 1):
        sentence: SentenceRecord = getattr(record, side)
        name = sentence.id or f"s{n}"
        if name not in seen:
            seen.add(name)
            yield (
                -1,
                SentenceRecord(sentence.tokens, sentence.text, name, sentence.parse),
            )


def _default(corpus: Corpus, kind: Format) -> str:
    return f"{safe_name(corpus.name)}{kind.suffixes[0]}"
