"""The contract of a parser back-end, as a check.

A back-end of your own is fine if ``violations(backend, sentences) == []``, with a few
sentences that it can parse, at least two, of different lengths.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from core.data.tokens import Sentence
from core.errors import GemelError, SentenceTooLong
from core.forests.kbest import forest_trees
from core.protocols import Analysis, Capability, ParserBackend

Answer = Analysis | Exception


def violations(backend: ParserBackend, sentences: Sequence[Sentence]) -> list[str]:
    """Return where ``backend`` violates the contract; empty if nowhere.

    Answers come first: if one is malformed, batches are not looked at.
    """
    malformed = [
        f"{' '.join(sentence.forms)}: {text}"
        for sentence in sentences
        for text in _of_answer(backend, sentence)
    ]
    if malformed:
        return [*_of_info(backend), *malformed]
    return [
        *_of_info(backend),
        *_of_order(backend, list(sentences)),
        *_of_long_sentences(backend, sentences[0]),
        *_of_wants(backend, sentences[0]),
    ]


def _everything(backend: ParserBackend) -> frozenset[Capability]:
    return backend.info.capabilities


def _of_info(backend: ParserBackend) -> Iterator[str]:
    info = backend.info
    for field in ("name", "version", "licence", "languages", "capabilities"):
        if not getattr(info, field):
            yield f"info.{field} is empty"
    if info.max_tokens < 1:
        yield "info.max_tokens is not positive"


def _of_order(backend: ParserBackend, sentences: list[Sentence]) -> Iterator[str]:
    want = _everything(backend)
    if backend.analyse([], want=want) != []:
        yield "no sentences do not give no analyses"
    together = backend.analyse(sentences, want=want)
    if len(together) != len(sentences):
        yield f"{len(sentences)} sentences give {len(together)} answers"
        return
    # Weights computed in batches may round otherwise alone: not asked for.
    again = backend.analyse(sentences, want=want)
    for sentence, one, other in zip(sentences, together, again, strict=True):
        if isinstance(one, Analysis) and one.sentence != sentence:
            yield "answers are not in the order of the sentences"
        if not _alike(one, other):
            yield f"{' '.join(sentence.forms)}: another answer the second time"


def _alike(a: Answer, b: Answer) -> bool:
    if not (isinstance(a, Analysis) and isinstance(b, Analysis)):
        return type(a) is type(b)
    same_tree = (a.deps and a.deps.tree) == (b.deps and b.deps.tree)
    return same_tree and a.xpos == b.xpos and _brackets(a) == _brackets(b)


def _brackets(analysis: Analysis) -> object:
    trees = forest_trees(analysis, 1)
    return trees[0][1] if trees else None


def _of_long_sentences(backend: ParserBackend, sentence: Sentence) -> Iterator[str]:
    limit = backend.info.max_tokens
    copies = limit // len(sentence) + 1
    long = Sentence(sentence.tokens * copies)
    answers = backend.analyse([long, sentence], want=_everything(backend))
    if len(answers) != 2 or not isinstance(answers[0], SentenceTooLong):
        yield f"{len(long)} tokens are not answered by SentenceTooLong"
    if len(answers) != 2 or not isinstance(answers[1], Analysis):
        yield "a sentence that is too long costs its neighbour"


def _of_wants(backend: ParserBackend, sentence: Sentence) -> Iterator[str]:
    (answer,) = backend.analyse([sentence], want=frozenset())
    if not isinstance(answer, Analysis):
        yield "wanting nothing is not answered by an Analysis"
    (full,) = backend.analyse([sentence], want=_everything(backend))
    if not isinstance(full, Analysis):
        return
    can = backend.info.capabilities
    answered: list[tuple[Capability, bool]] = [
        ("constituents", full.forest is not None),
        ("dependencies", full.deps is not None),
        ("tags", bool(full.xpos or full.upos)),
        ("vectors", full.vectors is not None),
    ]
    for capability, is_there in answered:
        if is_there != (capability in can):
            yield f"capability {capability!r} and what is answered differ"


def _of_answer(backend: ParserBackend, sentence: Sentence) -> Iterator[str]:
    (answer,) = backend.analyse([sentence], want=_everything(backend))
    if not isinstance(answer, Analysis):
        if not isinstance(answer, GemelError):
            yield f"answered by {answer!r}, which is no GemelError"
        return
    n = len(sentence)
    for field in ("upos", "xpos", "tag_logp", "vectors"):
        value = getattr(answer, field)
        if value is not None and len(value) not in (0, n):
            yield f"{field}: {len(value)} rows for {n} tokens"
    if answer.deps is not None and len(answer.deps.tree) != n:
        yield f"deps: {len(answer.deps.tree)} heads for {n} tokens"
    yield from _of_forest(answer, n)


def _of_forest(answer: Analysis, n: int) -> Iterator[str]:
    forest, weights = answer.forest, answer.edge_weights
    if forest is None:
        return
    if weights is None or weights.shape != (forest.n_edges,):
        yield "edge_weights: one per edge wanted"
    elif not (weights < np.inf).all():
        yield "edge_weights: hold NaN or +inf"
    elif forest.n_nodes:
        if (forest.starts[-1], forest.ends[-1]) != (0, n):
            yield "the root of the forest does not cover the sentence"
        ranked = forest_trees(answer, 3)
        if not ranked:
            yield "a forest with nodes but no tree"
        if any(tree.words != answer.sentence.forms for _, tree in ranked):
            yield "a tree of the forest has other words"
