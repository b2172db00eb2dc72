"""Rows to records, streamed, for exports."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from django.db.models import (
    Case,
    Exists,
    IntegerField,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Value,
    When,
)

from annotator.exchange import rows
from annotator.models import AlignmentLayer, Corpus, Origin, Pair, Parse, Sentence
from annotator.models.authorship import author_of
from core.data.alignment import Alignment
from core.data.tokens import Token
from core.formats import conllu
from core.formats.records import (
    Format,
    LayerRecord,
    PairRecord,
    ParseRecord,
    SentenceRecord,
)

CHUNK = 500
_OWN = {rows.RAW, rows.FILE, rows.LINKS}
_COLUMNS = ("lemma", "upos", "xpos", "feats")


def sentences(
    corpus: Corpus, kind: Format, files: set[int], only: set[int] | None = None
) -> Iterator[tuple[int, SentenceRecord]]:
    """File (-1: none of this format) and record of each sentence, in their order.
    ``only``: those of these files.

    First the gold parses as they came, then sentences that have none: with the best
    parse of an annotator or engine, or, for CoNLL-U, with their tokens alone. Lines of
    text are all sentences without any parse.
    """
    with_others = only is None or -1 in only
    if kind.name == "lines":
        if not with_others:
            return
        for sentence in corpus.sentences.order_by("pk").iterator(chunk_size=CHUNK):
            yield -1, _sentence(sentence, None, raw=False)
        return
    wanted = Parse.Kind.DEPENDENCY if kind.name == "conllu" else Parse.Kind.CONSTITUENCY
    parses = Parse.objects.filter(kind=wanted).select_related("sentence")
    gold = parses.filter(sentence__corpus=corpus, origin=Origin.GOLD).order_by(
        "sentence_id", "pk"
    )
    for parse in _of(gold, files, only).iterator(chunk_size=CHUNK):
        file = int(parse.meta.get(rows.FILE, -1))
        mine = file in files
        yield (file if mine else -1), _sentence(parse.sentence, parse, raw=mine)
    if not with_others:
        return
    same = Parse.objects.filter(sentence=OuterRef("pk"), kind=wanted)
    rest = Sentence.objects.filter(~Exists(same.filter(origin=Origin.GOLD)))
    rest = rest.filter(corpus=corpus).order_by("pk")
    if kind.name != "conllu":
        rest = rest.filter(Exists(same))
    best = parses.order_by("origin", "rank", "-pk")
    rest = rest.prefetch_related(Prefetch("parses", queryset=best, to_attr="best"))
    for sentence in rest.iterator(chunk_size=CHUNK):
        ranked: list[Parse] = sentence.best
        yield -1, _sentence(sentence, ranked[0] if ranked else None, raw=False)


def _of(found: QuerySet[Any], files: set[int], only: set[int] | None) -> QuerySet[Any]:
    """Return the rows of the files ``only``; with -1, those of none of ``files``."""
    if only is None:
        return found
    chosen = Q(**{f"meta__{rows.FILE}__in": sorted(only - {-1})})
    if -1 in only:
        chosen |= ~Q(**{f"meta__{rows.FILE}__in": sorted(files)})
        chosen |= ~Q(meta__has_key=rows.FILE)
    return found.filter(chosen)


def pairs(
    corpus: Corpus,
    kind: Format,
    files: set[int],
    *,
    author: str = "",
    only: set[int] | None = None,
) -> Iterator[tuple[int, PairRecord]]:
    """File (-1: none of this format) and record of each pair, in their order.
    ``only``: those of these files.

    Layers: gold first, then people's, then engines'; or only those of ``author``.
    """
    query = Pair.objects.filter(corpus=corpus).select_related("source", "target")
    query = query.order_by("pk").prefetch_related(
        Prefetch("layers", queryset=_layers(author), to_attr="shown")
    )
    if kind.name == "treealigner":
        trees = Parse.objects.filter(kind=Parse.Kind.CONSTITUENCY).order_by("pk")
        for side in ("source", "target"):
            query = query.prefetch_related(
                Prefetch(f"{side}__parses", queryset=trees, to_attr="trees")
            )
    for pair in _of(query, files, only).iterator(chunk_size=CHUNK):
        file = int(pair.meta.get(rows.FILE, -1))
        mine = file in files
        yield (file if mine else -1), _pair(pair, raw=mine)


def _layers(author: str) -> QuerySet[AlignmentLayer]:
    layers = AlignmentLayer.objects.select_related(
        "author", "source_parse", "target_parse"
    )
    if author:
        return layers.made_by(author).order_by("pk")
    order = {Origin.GOLD: 0, Origin.ANNOTATOR: 1, Origin.ENGINE: 2}
    return layers.order_by(_rank(order), "pk")


def _rank(order: dict[Origin, int]) -> Any:
    cases = [When(origin=origin, then=Value(n)) for origin, n in order.items()]
    return Case(*cases, output_field=IntegerField())


def _pair(pair: Pair, *, raw: bool) -> PairRecord:
    shown: list[AlignmentLayer] = pair.shown  # type: ignore[attr-defined]
    layers = tuple(
        LayerRecord(_in_treebanks(one, pair), author_of(one), one.name) for one in shown
    )
    first = shown[0] if shown else None
    unchanged = raw and rows.links_digest(layers) == pair.meta.get(rows.LINKS)
    sides = []
    for name in ("source", "target"):
        sentence: Sentence = getattr(pair, name)
        parse = getattr(first, f"{name}_parse") if first else None
        trees = getattr(sentence, "trees", [])
        sides.append(_sentence(sentence, parse or next(iter(trees), None), raw=False))
    return PairRecord(
        sides[0],
        sides[1],
        pair.ref,
        pair.label,
        layers,
        {name: value for name, value in pair.meta.items() if name not in _OWN},
        raw=str(pair.meta.get(rows.RAW, "")) if unchanged else "",
    )


def _in_treebanks(layer: AlignmentLayer, pair: Pair) -> Alignment:
    """The links, where gold trees go into files of their own: a finished layer is on
    the tree before, of which the gold tree may lack a phrase."""
    alignment = layer.to_core()
    gone: dict[str, set[str]] = {}
    for name in ("source", "target"):
        standing = getattr(layer, f"{name}_parse")
        trees: list[Parse] = getattr(getattr(pair, name), "trees", [])
        gold = next((one for one in trees if one.origin == Origin.GOLD), None)
        if standing and gold and standing.pk != gold.pk:
            kept = set(gold.meta.get("ids", ()))
            ids = standing.meta.get("ids", ()) if kept else ()
            gone[name] = {f"n{v}" for v, one in enumerate(ids) if one not in kept}
    if not any(gone.values()):
        return alignment
    links = (
        one
        for one in alignment.links
        if one.source not in gone.get("source", ())
        and one.target not in gone.get("target", ())
    )
    return replace(alignment, links=tuple(links))


def _sentence(sentence: Sentence, parse: Parse | None, *, raw: bool) -> SentenceRecord:
    columns = dict(sentence.columns)
    forms = sentence.forms
    values = [columns.get(name) or [""] * len(forms) for name in _COLUMNS]
    tokens = tuple(
        Token(form, *map(str, rest)) for form, *rest in zip(forms, *values, strict=True)
    )
    record = SentenceRecord(tokens, sentence.text, sentence.ref)
    if parse is None and "conllu" in columns:
        meta = {"comments": columns.get("comments", [])}
        made: ParseRecord | None = ParseRecord(lines=columns["conllu"], meta=meta)
    else:
        made = _parse(parse) if parse else None
    text = str(parse.meta.get(rows.RAW, "")) if parse and raw else ""
    return SentenceRecord(record.tokens, record.text, record.id, made, text)


def _parse(parse: Parse) -> ParseRecord:
    meta = {name: value for name, value in parse.meta.items() if name not in _OWN}
    if parse.kind == Parse.Kind.CONSTITUENCY:
        return ParseRecord(tree=parse.to_tree(), meta=meta)
    return ParseRecord(deps=conllu.deps_of(parse.text), lines=parse.text, meta=meta)
