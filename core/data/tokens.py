"""Tokens and sentences."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from core.errors import InvalidValue


class Span(NamedTuple):
    """Tokens ``start`` to ``end - 1``: half-open, 0-based."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Token:
    """One syntactic word. Fields a source does not give are empty strings."""

    form: str
    lemma: str = ""
    upos: str = ""
    xpos: str = ""
    feats: str = ""
    misc: str = ""

    def __post_init__(self) -> None:
        if not self.form or any(c in self.form for c in "\n\r\t\0"):
            raise InvalidValue(
                f"token form {self.form!r}: empty, or a control character"
            )


@dataclass(frozen=True, slots=True)
class Sentence:
    """A tokenised sentence; ``text`` is the raw string it came from, if known."""

    tokens: tuple[Token, ...]
    text: str = ""
    offsets: tuple[Span, ...] = field(default=())  # characters of text, per token

    def __post_init__(self) -> None:
        if not self.tokens:
            raise InvalidValue("a sentence needs at least one token")
        if self.offsets and len(self.offsets) != len(self.tokens):
            raise InvalidValue("offsets: expected one span per token")

    @classmethod
    def of(cls, forms: str | Iterable[str]) -> "Sentence":
        """The sentence of these forms; a string is split at white space."""
        words = forms.split() if isinstance(forms, str) else forms
        return cls(tuple(Token(form) for form in words))

    @property
    def forms(self) -> tuple[str, ...]:
        return tuple(token.form for token in self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)
