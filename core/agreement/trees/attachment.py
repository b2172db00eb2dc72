"""Attachment scores of dependency trees: heads found, and heads with their labels."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.data.deps import DepTree
from core.errors import InvalidValue

PUNCT = "PUNCT"


@dataclass(frozen=True, slots=True)
class Attachment:
    """Counts over any number of sentences; they add up. Shares are 0 to 1.

    ``labelled``: head and whole label (nsubj:pass) right; ``main``: head and the part
    before the colon right.
    """

    tokens: int = 0
    heads: int = 0
    labelled: int = 0
    main: int = 0

    def __add__(self, other: "Attachment") -> "Attachment":
        return Attachment(
            self.tokens + other.tokens,
            self.heads + other.heads,
            self.labelled + other.labelled,
            self.main + other.main,
        )

    @property
    def uas(self) -> float:
        return self.heads / self.tokens if self.tokens else 0.0

    @property
    def las(self) -> float:
        """Subtypes count."""
        return self.labelled / self.tokens if self.tokens else 0.0

    @property
    def las_main(self) -> float:
        """Subtypes are cut off on both sides."""
        return self.main / self.tokens if self.tokens else 0.0


def compare(
    gold: DepTree,
    guess: DepTree | None,
    *,
    without_punctuation: Sequence[str] | None = None,
) -> Attachment:
    """The counts of one sentence; ``guess`` None: no parse, every token is wrong.

    ``without_punctuation``: gold UPOS tags; tokens tagged PUNCT are then left out
    (their heads may still be punctuation). By default every token counts.

    Raises InvalidValue if the trees, or the tags, are of different lengths.
    """
    n = len(gold)
    tags = [""] * n if without_punctuation is None else list(without_punctuation)
    if len(tags) != n or (guess is not None and len(guess) != n):
        raise InvalidValue(f"{n} gold tokens against a tree or tags of another length")
    counted = [m for m in range(n) if tags[m] != PUNCT]
    right = [m for m in counted if guess and guess.heads[m] == gold.heads[m]]
    return Attachment(
        len(counted),
        len(right),
        sum(bool(guess) and _label(guess, m) == gold.labels[m] for m in right),
        sum(bool(guess) and _main(guess, m) == _main(gold, m) for m in right),
    )


def _label(tree: DepTree | None, m: int) -> str:
    return tree.labels[m] if tree else ""


def _main(tree: DepTree | None, m: int) -> str:
    return _label(tree, m).partition(":")[0]
