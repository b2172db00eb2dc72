"""Batches of records into the database: what is there already is left as it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from django.db import transaction
from django.db.models import F

from annotator.exchange import rows
from annotator.exchange.files import stem
from annotator.exchange.rows import Seen
from annotator.models import AlignmentLayer, Corpus, Job, Origin, Pair, Parse, Sentence
from annotator.throughput import inserting
from core.errors import FormatError
from core.formats.records import (
    BadLine,
    Format,
    LayerRecord,
    PairRecord,
    Record,
    RecordHeader,
    SentenceRecord,
    Tail,
    bad,
)

BATCH = 500
_SIDES = ("source", "target")
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*")


@dataclass
class UploadCounts:
    """The content of a file, and how much of it is new to the corpus."""

    sentences: int = 0
    pairs: int = 0
    parses: int = 0
    layers: int = 0
    links: int = 0
    new: dict[str, int] = field(default_factory=dict)

    def add_new(self, name: str, n: int) -> None:
        self.new[name] = self.new.get(name, 0) + n

    def as_dict(self) -> dict[str, Any]:
        names = ("sentences", "pairs", "parses", "layers", "links")
        counts: dict[str, Any] = {name: getattr(self, name) for name in names}
        return counts | {"new": {name: self.new.get(name, 0) for name in names}}


def languages_of(corpus: Corpus, head: RecordHeader | None) -> dict[str, str]:
    """The language of each side: as the file's treebanks say, else as the corpus."""
    banks = head.meta.get("treebanks", ()) if head else ()
    declared = [str(bank.get("language", "")).replace("_", "-") for bank in banks]
    defaults = [getattr(corpus, f"{side}_language") for side in _SIDES]
    languages = (
        a if _LANGUAGE.fullmatch(a) else b
        for a, b in zip(declared, defaults, strict=True)
    )
    return dict(zip(_SIDES, languages if banks else defaults, strict=True))


class Loader(Protocol):
    """Takes what a codec yields; ``flush`` writes a batch, or only counts it."""

    counts: UploadCounts

    def take(self, index: int, record: Any) -> Iterator[BadLine]: ...

    @property
    def is_full(self) -> bool: ...

    def flush(self) -> Iterator[BadLine]: ...


@dataclass
class _Planned:
    """A record with its keys: one for a sentence, three for a pair."""

    record: SentenceRecord | PairRecord
    index: int
    keys: tuple[str, ...]


class RecordLoader:
    """Sentences, parses, pairs and gold layers, in batches of 500 records."""

    def __init__(
        self, corpus: Corpus, kind: Format, names: list[str], *, job: Job | None
    ) -> None:
        self.counts = UploadCounts()
        self.files: list[dict[str, Any]] = [
            {"format": kind.name, "name": name} for name in names
        ]
        self._corpus, self._kind, self._job = corpus, kind, job
        self._base = len(corpus.meta.get("files", []))
        self._keys = rows.Keys()
        self._heads: dict[int, RecordHeader] = {}
        self._known, self._drafted = Seen(), Seen()
        self._plan: list[_Planned] = []

    @property
    def is_full(self) -> bool:
        return len(self._plan) >= BATCH

    def take(self, index: int, record: Record) -> Iterator[BadLine]:
        if isinstance(record, RecordHeader):
            self._heads[index] = record
            self.files[index] |= {"head": record.text, "meta": dict(record.meta)}
            if "treebanks" in record.meta:
                self.files = _with_treebanks(self.files[index])
        elif isinstance(record, Tail):
            self.files[index]["tail"] = record.text
        else:
            try:
                self._plan.append(self._planned(index, record))
            except FormatError as error:
                yield bad(error, line=record.line, excerpt=record.raw)

    def _planned(self, index: int, record: SentenceRecord | PairRecord) -> _Planned:
        if isinstance(record, SentenceRecord):
            return _Planned(record, index, (self._side_key(index, record),))
        source = self._side_key(index, record.source)
        target = self._side_key(index, record.target)
        key = self._keys.of_pair(index, record, source, target)
        return _Planned(record, index, (source, target, key))

    def _side_key(self, index: int, record: SentenceRecord) -> str:
        if self._kind.holds == "pairs" and not record.parse:
            return self._keys.of_side(record)
        return self._keys.of_treebank(record, self._document(index, record))

    def _document(self, index: int, record: SentenceRecord) -> str:
        """A treebank that an alignment names is a separate document."""
        bank = record.parse.meta.get("bank") if record.parse else None
        if bank is None:
            return stem(self.files[index]["name"])
        return stem(str(self._heads_banks(index)[bank]["filename"]))

    def _heads_banks(self, index: int) -> list[dict[str, str]]:
        banks: list[dict[str, str]] = list(self._heads[index].meta["treebanks"])
        return banks

    def flush(self) -> Iterator[BadLine]:
        plan, self._plan = self._plan, []
        made: _Batch | _Draft = _Draft(self._corpus, self._drafted)
        if self._job is not None:
            made = _Batch(self._corpus, self._kind, self._job)
        for one in plan:
            try:
                made.add(one, self._heads.get(one.index), self._base)
            except FormatError as error:
                line = bad(error, line=one.record.line, excerpt=one.record.raw)
                yield replace(line, file=line.file or self.files[one.index]["name"])
                continue
            if self._job is None:  # the numbers are those of the check
                self._count(one)
        with transaction.atomic():
            made.save(self.counts)

    def _count(self, one: _Planned) -> None:
        record = one.record
        if isinstance(record, SentenceRecord):
            self._count_sentence(record, one.keys[0])
            return
        self._count_sentence(record.source, one.keys[0])
        self._count_sentence(record.target, one.keys[1])
        self.counts.pairs += 1
        self.counts.layers += len(record.layers)
        for layer in record.layers:
            self.counts.links += len(layer.alignment.links)

    def _count_sentence(self, record: SentenceRecord, key: str) -> None:
        if self._known.add(key):
            parse = record.parse
            self.counts.sentences += 1
            self.counts.parses += bool(parse and (parse.tree or parse.deps))


def _with_treebanks(entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The alignment, then its treebanks as files of their own, in their order."""
    meta = dict(entry["meta"])
    banks = [dict(bank) for bank in meta["treebanks"]]
    frames = [
        {"format": "tigerxml", "name": bank["filename"],
         "head": bank.pop("head", ""), "tail": bank.pop("tail", "")}
        for bank in banks
    ]  # fmt: skip
    return [entry | {"meta": meta | {"treebanks": banks}}, *frames]


class _Draft:
    """What a batch would add: its keys alone, no rows.

    ``seen``: what earlier batches would add, which counts once.
    """

    def __init__(self, corpus: Corpus, seen: Seen) -> None:
        self._corpus, self._seen = corpus, seen
        self._sentences: set[str] = set()
        self._pairs: dict[str, tuple[int, int]] = {}  # layers, links
        self._parses: set[tuple[str, str, str]] = set()

    def add(self, one: _Planned, head: RecordHeader | None, base: int) -> None:
        """Raises FormatError where making the rows would."""
        record = one.record
        rows.check(record)
        sides = [record]
        if isinstance(record, PairRecord):
            sides = [record.source, record.target]
            self._add_pair(one.keys[2], record)
        for side, key in zip(sides, one.keys, strict=False):
            if self._seen.add(key):
                self._sentences.add(key)
            if isinstance(side, SentenceRecord) and side.parse:
                parse = rows.parse_row(None, side.parse, {})
                if parse is not None:
                    self._add_parse(key, parse)

    def _add_pair(self, key: str, record: PairRecord) -> None:
        if self._seen.add(key):
            n_links = sum(len(layer.alignment.links) for layer in record.layers)
            self._pairs[key] = len(record.layers), n_links

    def _add_parse(self, key: str, parse: Parse) -> None:
        place = key, str(parse.kind), parse.digest
        if self._seen.add(Sentence.key_of("parse", *place)):
            self._parses.add(place)

    def save(self, counts: UploadCounts) -> None:
        """Count what would be new; nothing is written."""
        n_sentences, n_parses = len(self._sentences), len(self._parses)
        if self._corpus.pk is not None:
            there = _there(self._corpus, [*self._sentences, *self._parsed()])
            pairs = Pair.objects.filter(corpus=self._corpus, key__in=self._pairs)
            for key in pairs.values_list("key", flat=True):
                del self._pairs[key]
            known = _known_parses(there) if self._parses else {}
            n_sentences -= len(self._sentences & there.keys())
            n_parses -= sum(place in known for place in self._parses)
        counts.add_new("sentences", n_sentences)
        counts.add_new("parses", n_parses)
        counts.add_new("pairs", len(self._pairs))
        counts.add_new("layers", sum(layers for layers, _links in self._pairs.values()))
        counts.add_new("links", sum(links for _layers, links in self._pairs.values()))

    def _parsed(self) -> set[str]:
        """The sentences with a parse here that an earlier batch had already."""
        return {key for key, *_rest in self._parses} - self._sentences


class _Batch:
    """The rows of one batch, by key, before they are saved."""

    def __init__(self, corpus: Corpus, kind: Format, job: Job) -> None:
        self._corpus, self._kind, self._job = corpus, kind, job
        self._languages = languages_of(corpus, None)
        self._sentences: dict[str, Sentence] = {}
        self._parses: dict[tuple[str, str, str], Parse] = {}
        self._pairs: dict[str, tuple[Pair, str, str]] = {}
        self._layers: list[tuple[str, LayerRecord, list[Any]]] = []

    def add(self, one: _Planned, head: RecordHeader | None, base: int) -> None:
        """Raises FormatError if the record makes no rows; then it makes none."""
        record = one.record
        rows.check(record)
        self._languages = languages_of(self._corpus, head)
        extra: dict[str, Any] = {rows.FILE: base + one.index}
        raw = rows.raw_of(self._kind.write, record, head)
        if raw:
            extra[rows.RAW] = raw
        if isinstance(record, SentenceRecord):
            bank = record.parse.meta.get("bank", 0) if record.parse else 0
            self._add_sentence(record, one.keys[0], extra, side=_SIDES[bank])
            return
        source, target, key = one.keys
        extra[rows.LINKS] = rows.links_digest(record.layers)
        sides = [self._add_sentence(s, k, {rows.FILE: base + one.index}, side=name)
                 for s, k, name in ((record.source, source, "source"),
                                    (record.target, target, "target"))]  # fmt: skip
        pair = rows.pair_row(
            self._corpus, record, (sides[0][0], sides[1][0]), key=key, extra=extra
        )
        self._pairs[key] = pair, source, target
        self._layers += [(key, layer, [s[1] for s in sides]) for layer in record.layers]

    def _add_sentence(
        self, record: SentenceRecord, key: str, extra: dict[str, Any], *, side: str
    ) -> tuple[Sentence, tuple[str, str, str] | None]:
        """The row, and the key of its parse if it has one."""
        if key not in self._sentences:
            self._sentences[key] = rows.sentence_row(
                self._corpus, record, key, language=self._languages[side]
            )
        row = self._sentences[key]
        if record.parse is None:
            return row, None
        if lines := rows.lines_only(record):
            row.columns |= {"conllu": lines, "comments": record.parse.meta["comments"]}
        bank = record.parse.meta.get("bank")
        if bank is not None:  # its file is the treebank, not the alignment
            extra = {rows.FILE: extra[rows.FILE] + 1 + bank}
            if record.raw:
                extra[rows.RAW] = record.raw
        parse = rows.parse_row(None, record.parse, extra)
        if parse is None:
            return row, None
        place = key, str(parse.kind), parse.digest
        self._parses.setdefault(place, parse)
        return row, place

    def save(self, counts: UploadCounts) -> None:
        """Add what is missing; the caller holds the transaction."""
        there = _there(self._corpus, list(self._sentences))
        new = [row for key, row in self._sentences.items() if key not in there]
        self._create(Sentence, new)
        self._enrich(there)
        ids = {key: row.pk for key, row in there.items()}
        ids |= {row.key: row.pk for row in new}
        n_parses = self._save_parses(there, ids)
        fresh = self._save_pairs(ids)
        n_layers = self._save_layers(fresh)
        for name, n in (("sentences", len(new)), ("pairs", len(fresh)),
                        ("parses", n_parses), ("layers", n_layers)):  # fmt: skip
            counts.add_new(name, n)
        if new or fresh:
            Corpus.objects.filter(pk=self._corpus.pk).update(
                n_sentences=F("n_sentences") + len(new),
                n_pairs=F("n_pairs") + len(fresh),
            )

    def _enrich(self, there: dict[str, Sentence]) -> None:
        """Give known sentences what only this file says: id, raw text, columns."""
        changed = []
        for key, old in there.items():
            new = self._sentences[key]
            ref, columns = old.ref or new.ref, {**new.columns, **old.columns}
            spaced = old.text == old.tokens.replace("\n", " ")
            same = old.tokens == new.tokens  # else words were edited since
            text = new.text if spaced and same else old.text
            if (ref, text, columns) != (old.ref, old.text, old.columns):
                old.ref, old.text, old.columns = ref, text, columns
                changed.append(old)
        Sentence.objects.bulk_update(changed, ["ref", "text", "columns"])

    def _save_parses(self, there: dict[str, Sentence], ids: dict[str, int]) -> int:
        known = _known_parses(there) if there and self._parses else {}
        new = []
        for place, parse in self._parses.items():
            if place not in known:
                parse.sentence_id = ids[place[0]]
                new.append(parse)
        self._create(Parse, new)
        self._parses |= known
        return len(new)

    def _save_pairs(self, ids: dict[str, int]) -> dict[str, Pair]:
        keys = list(self._pairs)
        known = Pair.objects.filter(corpus=self._corpus, key__in=keys)
        there = set(known.values_list("key", flat=True))
        new = []
        for key, (pair, source, target) in self._pairs.items():
            if key not in there:
                pair.source_id, pair.target_id = ids[source], ids[target]
                new.append(pair)
        self._create(Pair, new)
        return {pair.key: pair for pair in new}

    def _save_layers(self, fresh: dict[str, Pair]) -> int:
        """Layers of new pairs; those of known pairs may have been worked on."""
        new = []
        for key, layer, places in self._layers:
            if key in fresh:
                parses = [self._parses.get(place) for place in places]
                new.append(rows.layer_row(fresh[key], layer, (parses[0], parses[1])))
        self._create(AlignmentLayer, new)
        return len(new)

    def _create(self, model: Any, rows: list[Any]) -> None:
        for row in rows:
            row.job_id = self._job.pk
        inserting.insert_keyed(model, rows)


def _there(corpus: Corpus, keys: list[str]) -> dict[str, Sentence]:
    rows = Sentence.objects.filter(corpus=corpus, key__in=keys)
    return {row.key: row for row in rows}


def _known_parses(
    there: dict[str, Sentence],
) -> dict[tuple[str, str, str], Parse]:
    """The gold parses of these sentences, by key, kind and digest; also those that
    people have put others in place of, which the file may bring again."""
    rows = Parse.objects.filter(
        sentence__in=list(there.values()), origin__in=(Origin.GOLD, Origin.FORMER)
    ).select_related("sentence")
    return {
        (one.sentence.key, str(one.kind), one.digest): one
        for one in rows.order_by("origin").defer("text")  # "gold" last
    }
