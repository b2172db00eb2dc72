"""Which of several words fits one sentence best, as an encoder sees it.

Beyond the paper: its divergences are of word types. Here every candidate is put into
the sentence, and the one whose vector is most like that of the word it replaces wins.
"""

from collections.abc import Sequence

import numpy as np

from core.data.check import Floats
from core.data.tokens import Sentence, Token
from core.protocols import Analysis, ParserBackend
from core.substitution.candidates import Candidate

__all__ = ["in_context"]


def in_context(
    encoder: ParserBackend,
    places: Sequence[tuple[Sentence, int, Sequence[Candidate]]],
) -> list[tuple[Candidate, ...]]:
    """The candidates of each place (sentence, token), the most alike there first.

    Alike: the cosine of the token's two vectors, with the word and with the candidate
    in its place. Ties, and sentences without vectors: as they came. One sentence to
    encode for each candidate, and the sentence itself.
    """
    versions = [
        sentence if form is None else _with(sentence, at, form)
        for sentence, at, candidates in places
        for form in (None, *(c.form for c in candidates))
    ]
    answers = iter(encoder.analyse(versions, want=frozenset({"vectors"})))
    ranked = []
    for _, at, candidates in places:
        own, *others = (_vector(next(answers), at) for _ in range(len(candidates) + 1))
        gains = [_cosine(own, other) for other in others]
        order = sorted(range(len(candidates)), key=lambda k: -gains[k])
        ranked.append(tuple(candidates[k] for k in order))
    return ranked


def _with(sentence: Sentence, at: int, form: str) -> Sentence:
    tokens = [Token(token.form) for token in sentence.tokens]
    tokens[at] = Token(form)
    return Sentence(tuple(tokens))


def _vector(answer: Analysis | Exception, at: int) -> Floats | None:
    if not isinstance(answer, Analysis) or answer.vectors is None:
        return None
    vector: Floats = answer.vectors[at]
    return vector


def _cosine(a: Floats | None, b: Floats | None) -> float:
    if a is None or b is None:
        return 0.0
    lengths = float(np.linalg.norm(a)) * float(np.linalg.norm(b))
    return float(a @ b) / max(lengths, 1e-12)
