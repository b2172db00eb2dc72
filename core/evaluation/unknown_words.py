"""How a parser does on sentences by how many of their words it has never seen."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.agreement.trees.parseval import Parseval
from core.protocols import ParserBackend, TrainingCounts

__all__ = ["ENDS", "Rates", "knower"]

ENDS = (0.0, 0.05, 0.1, 0.2, 0.4, 1.0)
"""A class of sentences ends with each of these shares; the first: no unknown word."""


@dataclass(slots=True)
class _Class:
    sentences: int = 0
    tokens: int = 0
    unknown: int = 0
    brackets: Parseval = field(default_factory=Parseval)


@dataclass(slots=True)
class Rates:
    """Sums by class of sentences, in the order of ``ENDS``."""

    classes: tuple[_Class, ...] = field(
        default_factory=lambda: tuple(_Class() for _ in ENDS)
    )

    def add(
        self, forms: Sequence[str], is_known: Callable[[str], bool],
        brackets: Parseval | None,
    ) -> None:  # fmt: skip
        """Count a sentence. ``brackets``: its own against gold, None without gold.

        Words are tokens with a letter: signs and numbers are known to every parser.
        The first word may be known without its capital.
        """
        words = [form for form in forms if any(map(str.isalpha, form))]
        n = sum(not is_known(form) for form in words)
        first = forms[0] if forms else ""
        if first in words[:1] and not is_known(first):
            n -= is_known(first[:1].lower() + first[1:])
        share = n / len(words) if words else 0.0
        rate = next(
            c for c, end in zip(self.classes, ENDS, strict=True) if share <= end
        )
        rate.sentences += 1
        rate.tokens += len(words)
        rate.unknown += n
        if brackets is not None:
            rate.brackets += brackets

    def to_json(self) -> list[dict[str, Any]]:
        """A row a class: ``most`` (share), counts, ``scored`` sentences, ``f1`` in
        percent (None without gold)."""
        return [
            {
                "most": end,
                "sentences": one.sentences,
                "words": one.tokens,
                "unknown": one.unknown,
                "scored": one.brackets.sentences,
                "f1": round(100 * one.brackets.f1, 2)
                if one.brackets.sentences
                else None,
            }
            for end, one in zip(ENDS, self.classes, strict=True)
        ]


def knower(backend: ParserBackend) -> Callable[[str], bool] | None:
    """Whether a parser has seen a word in training; None if it does not tell.

    Of a parser that helps another one: whether that one has.
    """
    inner = getattr(backend, "parser", backend)
    if not isinstance(inner, TrainingCounts):
        return None
    lexicon, entry_of = inner.lexicon(), inner.entry_of
    return lambda form: entry_of(form) in lexicon
