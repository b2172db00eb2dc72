"""Records to unsaved rows, with the keys that identify equal content."""

import json
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings
from django.utils import timezone

from annotator.models import AlignmentLayer, Corpus, Origin, Pair, Parse, Sentence
from core.errors import FormatError
from core.formats import conllu, treetext
from core.formats.records import (
    LayerRecord,
    PairRecord,
    ParseRecord,
    Record,
    RecordHeader,
    SentenceRecord,
    Tail,
)
from core.text.tokenize import MAX_WORD, long_word, spans_of

# In ``meta``: the text it came as, in which file, and which links that text has.
RAW, FILE, LINKS = "_raw", "_file", "_links"
_LIMITS = {"id": 200, "label": 60}
WORD_CHARACTERS = 20  # that a word has on average, at most
_COLUMNS = ("lemma", "upos", "xpos", "feats")


class Seen:
    """Digests met so far: hexadecimal strings, of which 64 bits are kept.

    Open addressing with linear probing; about 20 bytes per digest. Two different ones
    collide once in 2^64 / n^2.
    """

    def __init__(self) -> None:
        self._table = array("Q", bytes(8 * 1024))
        self._n = 0

    def add(self, digest: str) -> bool:
        """Whether it is new; it is not the next time."""
        if self._n > FILLED * len(self._table):
            self._grow()
        short = int(digest[:16], 16) or 1  # 0 marks a free place
        place = self._place(short)
        if self._table[place] == short:
            return False
        self._table[place] = short
        self._n += 1
        return True

    def __len__(self) -> int:
        return self._n

    def _place(self, short: int) -> int:
        table, size = self._table, len(self._table)
        place = short % size
        while table[place] and table[place] != short:
            place = (place + 1) % size
        return place

    def _grow(self) -> None:
        old = self._table
        self._table = array("Q", bytes(16 * len(old)))
        for short in old:
            if short:
                self._table[self._place(short)] = short


@dataclass
class Keys:
    """The keys of one import. Equal content gets equal keys, run after run.

    A sentence of a treebank is known by its document, its words and the how-manieth
    such sentence of the document it is: so its constituents and its dependencies meet.
    A sentence of a pair is known by its own id and text. An id of a pair is used once
    in a file.
    """

    _seen: Seen = field(default_factory=Seen)
    _again: dict[str, int] = field(default_factory=dict)  # only what came twice
    _fixed: dict[tuple[int, str], str] = field(default_factory=dict)

    def of_treebank(self, record: SentenceRecord, document: str) -> str:
        bank = record.parse.meta.get("bank") if record.parse else None
        if bank is not None and (bank, record.id) in self._fixed:
            return self._fixed[bank, record.id]
        words = "\n".join(record.forms) or record.text
        nth = self._count("s", document, words)
        key = Sentence.key_of("s", document, words, str(nth))
        if bank is not None:
            self._fixed[bank, record.id] = key
        return key

    def of_side(self, record: SentenceRecord) -> str:
        words = "\n".join(record.forms) or record.text
        return Sentence.key_of("p", record.id, words)

    def of_pair(self, file: int, record: PairRecord, source: str, target: str) -> str:
        """Raises FormatError if the id was used before in this file."""
        if record.id and self._count("id", str(file), record.id):
            raise FormatError(
                f"id {record.id[:80]!r} is used twice",
                line=record.line,
                column=1,
                remedy="give each pair its own id",
            )
        nth = 0 if record.id else self._count("pair", source, target)
        return Sentence.key_of("pair", record.id, source, target, str(nth))

    def _count(self, *parts: str) -> int:
        """How often these were asked for before."""
        key = Sentence.key_of(*parts)
        if self._seen.add(key):
            return 0
        self._again[key] = self._again.get(key, 0) + 1
        return self._again[key]


def check(record: SentenceRecord | PairRecord) -> None:
    """Raises FormatError at an id or label that the tables have no room for, and at
    more words than a screen can show."""
    _check_length("id", record.id, record.line)
    if isinstance(record, PairRecord):
        _check_words(record.source, record.line)
        _check_words(record.target, record.line)
    else:
        _check_words(record, record.line)
    if isinstance(record, PairRecord):
        _check_length("label", record.label, record.line)
        _check_length("id", record.source.id, record.line)
        _check_length("id", record.target.id, record.line)


def _check_words(one: SentenceRecord, line: int) -> None:
    check_words(len(one.tokens) or one.text.count(" ") + 1, line)
    if len(one.text) > (limit := WORD_CHARACTERS * settings.MAX_WORDS):
        raise FormatError(
            f"a sentence of {len(one.text):,} characters",
            line=line,
            column=1,
            remedy=f"at most {limit:,}: split it",
        )
    if long := long_word(one.text):
        raise FormatError(
            f"a word of {long.end - long.start:,} characters",
            line=line,
            column=long.start + 1,
            remedy=f"at most {MAX_WORD:,}: split it, or leave it out",
        )


def check_words(n: int, line: int) -> None:
    """Raises FormatError if a sentence of this many words is too long to import."""
    limit = settings.MAX_WORDS
    if n > limit:
        raise FormatError(
            f"a sentence of {n} words",
            line=line,
            column=1,
            remedy=f"at most {limit} (GEMEL_MAX_WORDS): split it",
        )


def sentence_row(
    corpus: Corpus, record: SentenceRecord, key: str, *, language: str
) -> Sentence:
    """The sentence, tokenised if its tokens are not given."""
    forms = list(record.forms) or _tokenized(record.text)
    columns: dict[str, Any] = {}
    for name in _COLUMNS if record.tokens else ():
        values = [getattr(token, name) for token in record.tokens]
        if any(values):
            columns[name] = values
    return Sentence(
        corpus_id=corpus.pk,
        ref=record.id,
        text=record.text or " ".join(forms),
        tokens=Sentence.join(forms),
        n_tokens=len(forms),
        language=language,
        columns=columns,
        key=key,
    )


def _tokenized(text: str) -> list[str]:
    return [text[start:end] for start, end in spans_of(text)] or text.split()


def parse_row(
    sentence: Sentence | None, parse: ParseRecord, extra: Mapping[str, Any]
) -> Parse | None:
    """The parse; None if there are neither constituents nor heads."""
    meta = {k: v for k, v in parse.meta.items() if k != "bank"} | dict(extra)
    if parse.tree is not None:
        text, notes = treetext.dump(parse.tree)
        kind = Parse.Kind.CONSTITUENCY
        meta |= notes
    elif parse.deps is not None:
        text, kind = parse.lines, Parse.Kind.DEPENDENCY
    else:
        return None
    return Parse(
        sentence=sentence,
        kind=kind,
        origin=Origin.GOLD,
        text=text,
        digest=Sentence.key_of(*treetext.parts(text, meta)),
        meta=meta,
    )


def pair_row(
    corpus: Corpus,
    record: PairRecord,
    sides: tuple[Sentence, Sentence],
    *,
    key: str,
    extra: Mapping[str, Any],
) -> Pair:
    """The pair of two sentences, saved or not."""
    source, target = sides
    texts = (" ".join(side.text.split()) for side in sides)
    done = any(layer.alignment.links for layer in record.layers)
    return Pair(
        corpus_id=corpus.pk,
        ref=record.id,
        source=source,
        target=target,
        text="\n".join(texts),
        label=record.label,
        meta=dict(record.meta) | dict(extra),
        n_source=source.n_tokens,
        n_target=target.n_tokens,
        state=Pair.State.DONE if done else Pair.State.NONE,
        has_parse=bool(record.source.parse and record.target.parse),
        key=key,
    )


def layer_row(
    pair: Pair, layer: LayerRecord, parses: tuple[Parse | None, Parse | None]
) -> AlignmentLayer:
    """The gold layer; its author, if the file names one, is kept in ``meta``."""
    meta = dict(layer.meta) | ({"author": layer.author} if layer.author else {})
    now = timezone.now()
    return AlignmentLayer(
        pair=pair,
        origin=Origin.GOLD,
        name=layer.name,
        slot=AlignmentLayer.slot_of(Origin.GOLD, name=layer.name),
        source_parse=parses[0],
        target_parse=parses[1],
        links=layer.alignment.to_json(),
        n_links=len(layer.alignment.links),
        state=AlignmentLayer.State.DONE,
        meta=meta,
        created_at=now,
        updated_at=now,
    )


def links_digest(layers: Iterable[LayerRecord]) -> str:
    """A digest that shows whether the first layer has changed; "" for none."""
    first = next(iter(layers), None)
    if first is None:
        return ""
    return Sentence.key_of(json.dumps(first.alignment.to_json(), sort_keys=True))


def raw_of(
    write: Callable[[Iterable[Record]], Iterator[str]],
    record: SentenceRecord | PairRecord,
    head: RecordHeader | None,
) -> str:
    """The text it came as, or "" where writing it again gives the same."""
    if not record.raw:
        return ""
    frame = RecordHeader("", head.meta if head else {})
    try:
        anew = "".join(write([frame, replace(record, raw=""), Tail("")]))
    except FormatError:
        return record.raw
    return "" if anew == record.raw else record.raw


def lines_only(record: SentenceRecord) -> str:
    """CoNLL-U lines of a sentence without heads: they are kept with the sentence."""
    parse = record.parse
    if parse is None or parse.tree is not None or parse.deps is not None:
        return ""
    return parse.lines or conllu.lines_of(record.tokens, None)


def _check_length(name: str, value: str, line: int) -> None:
    limit = _LIMITS[name]
    if len(value) > limit:
        raise FormatError(
            f"{name} of {len(value)} characters",
            line=line,
            column=1,
            remedy=f"at most {limit}",
        )


FILLED = 0.6  # of the table, before it doubles
