"""How grammatical sentences stay when paraphrases are put in, as machines see it.

Two views, neither of them a person's: the log-probability that the parser gives its
tree of the new sentence, and the perplexity of a language model.
"""

import gzip
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from core.agreement.figures import resample
from core.data.check import Floats
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.forests.kbest import trees_of
from core.formats import ptb
from core.pivoting.items import Item
from core.pivoting.language_model import SentenceModel
from core.pivoting.substitution import ALL_CONDITIONS
from core.protocols import Analysis, Capability, ParserBackend
from core.text.tokenize import tokenize

_REPLICATES = 1000
_WANT: frozenset[Capability] = frozenset({"constituents", "tags"})


def parse_texts(path: Path, backend: ParserBackend, *, limit: int) -> list[Tree]:
    """Trees of the first ``limit`` lines of a text, gzipped or not; blank ones and
    those without a tree are left out."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as lines:
        texts = [line.strip() for line in lines if line.strip()][:limit]
    trees = trees_of_tokens([tokenize(text) for text in texts], backend)
    return [tree for tree in trees if tree is not None]


def trees_of_tokens(
    sentences: Sequence[Sentence], backend: ParserBackend
) -> list[Tree | None]:
    """Return the best tree of each sentence, or None."""
    answers = backend.analyse(list(sentences), want=_WANT)
    return [_best(answer) for answer in answers]


def _best(answer: Analysis | Exception) -> Tree | None:
    if isinstance(answer, Exception):
        return None
    words = [ptb.escape(form) for form in answer.sentence.forms]
    return next((tree for _, tree in trees_of(answer, 1, words=words)), None)


@dataclass(frozen=True, slots=True)
class Grammar:
    """Means over places, with 95 % intervals from resampling phrases.

    ``tree``: nats a word, of the best tree of the sentence; ``perplexity``: of a word
    under the model; ``change`` of either: next to the sentence as it was.
    """

    n: int
    tree: tuple[float, float, float]
    tree_change: tuple[float, float, float]
    perplexity: tuple[float, float, float]
    perplexity_ratio: tuple[float, float, float]


def grammar(
    items: Sequence[Item],
    originals: Sequence[Tree],
    backend: ParserBackend,
    model: SentenceModel,
    *,
    seed: int = 0,
) -> dict[str, Grammar]:
    """Return figures by condition over its first-ranked items; "original": before."""
    texts: dict[tuple[str, ...], int] = {}
    first: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
    for item in items:
        new = texts.setdefault(item.tokens, len(texts))
        old = texts.setdefault(originals[item.place.sentence].words, len(texts))
        for name, rank in item.credits:
            if rank == 1:
                first[name].append((new, old, item.place.phrase))
    tree, lm = _scores(list(texts), backend, model)
    every = {old: phrase for rows in first.values() for _, old, phrase in rows}
    first["original"] = [(old, old, phrase) for old, phrase in every.items()]
    rng = np.random.default_rng(seed)
    return {
        name: _grammar(first[name], tree, lm, rng)
        for name in ("original", *ALL_CONDITIONS)
        if first[name]
    }


def _scores(
    texts: list[tuple[str, ...]], backend: ParserBackend, model: SentenceModel
) -> tuple[Floats, Floats]:
    """Return nats per word of each best tree, NaN without one, and of its words."""
    lengths = np.array([len(words) for words in texts], dtype=float)
    sentences = [Sentence.of(" ".join(words)) for words in texts]
    answers = backend.analyse(sentences, want=_WANT)
    trees = np.array(
        [
            a.best[0] if not isinstance(a, Exception) and a.best else np.nan
            for a in answers
        ]
    )
    lower = [[word.lower() for word in words] for words in texts]
    logs = model.scores(lower)[0] * np.log(10)
    return trees / lengths, logs / (lengths + 1)


def _grammar(
    rows: Sequence[tuple[int, int, str]],
    tree: Floats,
    lm: Floats,
    rng: np.random.Generator,
) -> Grammar:
    new, old = (np.array([row[k] for row in rows]) for k in (0, 1))
    known = {phrase: at for at, phrase in enumerate(dict.fromkeys(r[2] for r in rows))}
    cluster = np.array([known[row[2]] for row in rows])
    drawn = resample(len(known), _REPLICATES, rng)

    def mean(values: Floats, shown: Any = lambda x: x) -> tuple[float, float, float]:
        real = np.isfinite(values)
        sums = np.bincount(cluster[real], values[real], len(known))
        many = np.bincount(cluster[real], minlength=len(known))
        means = shown(drawn @ sums / np.maximum(drawn @ many, 1))
        low, high = np.quantile(means[1:], [0.025, 0.975])
        return float(means[0]), float(low), float(high)

    return Grammar(
        len(rows),
        mean(tree[new]),
        mean(tree[new] - tree[old]),
        mean(-lm[new], np.exp),
        mean(lm[old] - lm[new], np.exp),
    )
