"""Treebanks as training examples, each with whatever it annotates."""

import gzip
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from core.data.tree import Tree
from core.errors import FormatError
from core.formats import conllu, ptb
from core.formats.records import BadLine, SentenceRecord
from core.text.subwords import plain_form

ROOTS = frozenset({"", "ROOT", "S1", "TOP", "SU"})
WRAPPERS = frozenset({"CAPTION", "CIT", "HEADING", "TITLE"})  # layout, not syntax
NOT_SPOKEN = frozenset({"CODE"})  # speaker turns and other mark-up of transcripts
TREE_FILES = (".mrg", ".ptb", ".tree", ".trees", ".mrg.gz", ".ptb.gz", ".tree.gz")
CONLLU_FILES = (".conllu", ".conllu.gz")
LabelledSpan = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class TrainingSentence:
    """One sentence of one treebank; layers that it lacks are None.

    ``heads``: 0 is the root, tokens count from 1. ``spans``: constituents as (start,
    end, label), half-open, unary chains joined by "+" from the top.
    """

    treebank: str
    words: tuple[str, ...]
    upos: tuple[str, ...] | None = None
    xpos: tuple[str, ...] | None = None
    heads: tuple[int, ...] | None = None
    labels: tuple[str, ...] | None = None
    spans: tuple[LabelledSpan, ...] | None = None


@dataclass(frozen=True, slots=True)
class TreebankSource:
    """``name=path``: a file or a folder of files of the treebank ``name``."""

    name: str
    path: Path

    def files(self, *suffixes: str) -> list[Path]:
        """Return the files meant, in order of name."""
        if self.path.is_file():
            return [self.path]
        files = [p for p in self.path.rglob("*") if p.name.endswith(suffixes)]
        if not files:
            raise FormatError(f"{self.path}: no file ending in {' or '.join(suffixes)}")
        return sorted(files)


def read_ptb(
    source: TreebankSource, *, skip: re.Pattern[str] | None = None
) -> list[TrainingSentence]:
    """Return the trees of ``source``, without traces, function tags and empty roots.

    Files whose name ``skip`` matches are left out. Raises FormatError with the file.
    """
    records = _records(source.files(*TREE_FILES), ptb.read, skip)
    examples = (_of_tree(source.name, r.parse.tree) for r in records if r.parse)
    return [example for example in examples if example is not None]


def read_conllu(
    source: TreebankSource, *, skip: re.Pattern[str] | None = None
) -> list[TrainingSentence]:
    """Return the sentences of ``source``; otherwise like ``read_ptb``."""
    records = _records(source.files(*CONLLU_FILES), conllu.read, skip)
    return [_of_record(source.name, record) for record in records]


def merge(examples: Iterable[TrainingSentence]) -> list[TrainingSentence]:
    """Return an example per sentence: trees and dependencies joined by words.

    Sentences that a treebank repeats stay repeated, paired in order.
    """
    waiting: dict[tuple[str, tuple[str, ...]], list[TrainingSentence]] = {}
    done: list[TrainingSentence] = []
    for example in examples:
        key = example.treebank, tuple(map(plain_form, example.words))
        partners = waiting.setdefault(key, [])
        fits = [p for p in partners if _complement(p, example)]
        if fits:
            partners.remove(fits[0])
            done.append(_joined(fits[0], example))
        else:
            partners.append(example)
    return done + [example for rest in waiting.values() for example in rest]


def spans_of(tree: Tree, keep: list[int]) -> tuple[LabelledSpan, ...]:
    """Return the constituents over the tokens ``keep``, in preorder."""
    place = [0] * (tree.n_tokens + 1)
    for token in keep:
        place[token + 1] = 1
    for k in range(tree.n_tokens):
        place[k + 1] += place[k]
    chains: dict[tuple[int, int], list[str]] = {}
    for v, label in enumerate(tree.labels):
        start, end = (place[k] for k in tree.spans[v])
        if tree.children[v] and start < end and label not in ROOTS | WRAPPERS:
            chains.setdefault((start, end), []).append(_bare(label))
    return tuple((*span, "+".join(chain)) for span, chain in chains.items())


def derivation(spans: Iterable[LabelledSpan], n: int) -> Iterator[LabelledSpan]:
    """Yield the derivation of a tree: constituents, bare words and open rests.

    Rests and words that are no constituent automatically have the label "".
    """
    labels = {(start, end): label for start, end, label in spans}
    for i in range(n):
        labels.setdefault((i, i + 1), "")
    labels.setdefault((0, n), "")
    yield from ((*span, label) for span, label in labels.items())
    stack: list[tuple[int, int]] = []
    children: dict[tuple[int, int], list[int]] = {}
    for start, end in sorted(labels, key=lambda s: (s[0], -s[1])):
        while stack and stack[-1][1] <= start:
            stack.pop()
        if stack:
            children.setdefault(stack[-1], []).append(start)
        stack.append((start, end))
    for (_, end), begins in children.items():
        yield from ((begin, end, "") for begin in begins[1:-1])


def _bare(label: str) -> str:
    return re.split(r"(?<=.)[-=|]", label, maxsplit=1)[0]


def _of_tree(name: str, tree: Tree | None) -> TrainingSentence | None:
    if tree is None:
        return None
    keep = [i for i, tag in enumerate(tree.tags) if tag not in NOT_SPOKEN]
    if not keep:
        return None
    words, tags = tree.words, tree.tags
    return TrainingSentence(
        name,
        tuple(words[i] for i in keep),
        xpos=tuple(tags[i] for i in keep),
        spans=spans_of(tree, keep),
    )


def _records(
    paths: Iterable[Path],
    read: Callable[[Iterable[str]], Iterator[object]],
    skip: re.Pattern[str] | None,
) -> Iterator[SentenceRecord]:
    for path in paths:
        if skip is not None and skip.search(path.name):
            continue
        opener = gzip.open if path.suffix == ".gz" else open
        with opener(path, "rt", encoding="utf-8") as file:
            for record in read(file):
                if isinstance(record, BadLine):
                    raise FormatError(
                        f"{path}: {record.reason}",
                        line=record.line,
                        column=record.column,
                        remedy=record.remedy,
                    )
                if isinstance(record, SentenceRecord):
                    yield record


def _of_record(name: str, record: SentenceRecord) -> TrainingSentence:
    upos = tuple(token.upos for token in record.tokens)
    xpos = tuple(token.xpos for token in record.tokens)
    deps = record.parse.deps if record.parse else None
    return TrainingSentence(
        name,
        record.forms,
        upos=upos if any(upos) else None,
        xpos=xpos if any(xpos) else None,
        heads=tuple(head + 1 for head in deps.heads) if deps else None,
        labels=deps.labels if deps else None,
    )


def _complement(a: TrainingSentence, b: TrainingSentence) -> bool:
    return (a.heads is None or b.heads is None) and (a.spans is None or b.spans is None)


def _joined(a: TrainingSentence, b: TrainingSentence) -> TrainingSentence:
    deps, trees = (a, b) if a.heads is not None else (b, a)
    return replace(deps, spans=trees.spans, xpos=deps.xpos or trees.xpos)
