"""The sample pairs as Gemel's own bundle, the form that an import takes."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from annotator.sample.source import SamplePair, SampleSide, read_pairs
from core.data.alignment import Alignment
from core.data.tokens import Token
from core.formats import conllu, gemel, ptb

CORPUS = "Sample pairs"
LICENCE = "CC0 1.0"
PROVENANCE = (
    "Written for Gemel, with trees and dependencies. The links are by three invented "
    "annotators who disagree where people would; Ana's also stand as gold."
)
MOST_CAREFUL = "ana"


def lines() -> Iterator[str]:
    """The bundle of all sample pairs, line by line."""
    return gemel.write(_items(read_pairs()))


def username(annotator: str) -> str:
    """The account of a sample annotator, marked as one."""
    return f"sample-{annotator}"


def _items(pairs: Iterable[SamplePair]) -> Iterator[gemel.GemelItem]:
    yield gemel.GemelItem(
        "corpus", {"name": CORPUS, "licence": LICENCE, "provenance": PROVENANCE}
    )
    for pair in pairs:
        yield from _side(f"{pair.id}-source", pair.source)
        yield from _side(f"{pair.id}-target", pair.target)
        yield from _pair(pair)


def _side(name: str, side: SampleSide) -> Iterator[gemel.GemelItem]:
    tokens = _spaced(side)
    columns = {"upos": list(side.upos), "xpos": list(side.tree.tags)}
    yield gemel.GemelItem(
        "sentence",
        {
            "id": name,
            "ref": name,
            "tokens": list(side.tree.words),
            "text": side.text,
            "columns": columns,
        },
    )
    texts = {
        "constituency": ptb.bracket(side.tree),
        "dependency": conllu.lines_of(tokens, side.deps),
    }
    for kind, text in texts.items():
        row = {"id": f"{name}-{kind}", "sentence": name, "kind": kind, "text": text}
        yield gemel.GemelItem("parse", row)


def _spaced(side: SampleSide) -> tuple[Token, ...]:
    """The tokens, those with no space after them marked as CoNLL-U does."""
    tokens, rest = [], side.text
    for token in side.tokens:
        rest = rest.removeprefix(token.form)
        is_joined = bool(rest) and not rest.startswith(" ")
        rest = rest.lstrip(" ")
        tokens.append(replace(token, misc="SpaceAfter=No") if is_joined else token)
    return tuple(tokens)


def _pair(pair: SamplePair) -> Iterator[gemel.GemelItem]:
    source, target = f"{pair.id}-source", f"{pair.id}-target"
    meta = {"domain": pair.domain, "operations": " ".join(pair.operations)}
    state = "started" if pair.unfinished else "done"
    row: dict[str, Any] = {"id": pair.id, "ref": pair.id, "label": "paraphrase"}
    row |= {"source": source, "target": target, "meta": meta, "state": state}
    yield gemel.GemelItem("pair", row)
    for name, layer in pair.layers.items():
        who = {"origin": "annotator", "author": username(name)}
        is_open = name in pair.unfinished
        yield _layer(pair, name, layer, who, state="open" if is_open else "done")
    if not pair.unfinished:  # open, so that a visitor has links to correct at once
        yield _layer(pair, "gold", pair.layers[MOST_CAREFUL], {"origin": "gold"})


def _layer(
    pair: SamplePair,
    name: str,
    layer: Alignment,
    who: dict[str, str],
    *,
    state: str = "open",
) -> gemel.GemelItem:
    row = {
        "id": f"{pair.id}-{name}",
        "pair": pair.id,
        "source_parse": f"{pair.id}-source-constituency",
        "target_parse": f"{pair.id}-target-constituency",
        "links": layer.to_json(),
        "state": state,
    }
    return gemel.GemelItem("layer", row | who)
