"""The options of lexical substitution, with values that are known to work well."""

from dataclasses import dataclass
from typing import Literal

from core.errors import InvalidValue

Method = Literal["replace", "doubt", "tell", "sum"]
"""``replace``: every query word that has a candidate, as the paper does. ``doubt``:
those alone whose tag, in the parse of the sentence as it stands, is unlikely among the
candidates' tags. ``tell``: nothing is replaced; of the words in doubt the parser is
told which tags are likely (Caplan's reranking without Caplan's words). ``sum``: as
``doubt``, but read ``n_read`` times, with the first, second, … candidate, and the
forests are summed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """``f_q, f_c``: a word seen less often than ``f_q`` in training is a query, one
    seen ``f_c`` times a candidate; both occur at least ``f_lc`` times in the linking
    corpus.

    ``alpha``: see ``core.substitution.divergence``. ``n_nearest``: M of the paper.
    ``n_common``: how many of the commonest words are contexts besides queries and
    candidates. ``rerank``: candidate reranking by equations 1 and 2; ``floor``: the
    probability of a tag that a candidate never had, there. ``share``: tags of P* below
    this share of its most probable one count as improbable: doubted, and not given to
    the parser. ``open_class``: candidates are words whose commonest tag is open-class:
    no unknown word is a preposition, however similar its neighbours.
    """

    method: Method = "tell"
    alpha: float = 1e-4
    f_q: int = 1
    f_c: int = 3
    f_lc: int = 20
    n_nearest: int = 10
    n_read: int = 5
    n_common: int = 6000
    rerank: bool = True
    floor: float = 1e-3
    share: float = 0.2
    open_class: bool = True

    def __post_init__(self) -> None:
        if not 1 <= self.f_q <= self.f_c:
            raise InvalidValue(
                f"f_q {self.f_q}, f_c {self.f_c}: expected 1 <= f_q <= f_c, or a word "
                "would replace itself"
            )
        if self.n_nearest < 1 or self.n_read < 1 or self.f_lc < 1:
            raise InvalidValue("n_nearest, n_read and f_lc: expected at least 1")
        if not self.alpha > 0 or not self.floor > 0:
            raise InvalidValue("alpha and floor: expected more than 0")


PAPER = Options(method="replace", alpha=1.0, f_q=5, f_c=7, f_lc=60, open_class=False)
"""Section 4.1's best, but for f_LC, which goes with the corpus: 5e4 in Google Books."""
