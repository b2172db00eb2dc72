"""Dependency trees, and a dependency parser's output beyond its best tree."""

from dataclasses import dataclass

from core.data import check
from core.data.check import Floats
from core.errors import InvalidValue

ROOT = -1


@dataclass(frozen=True, slots=True)
class DepTree:
    """``heads[m]``: the head of token m, ROOT = -1; ``labels[m]``: the relation.

    Raises InvalidValue on a head out of range, a cycle, or unequal lengths. Several
    tokens may have ROOT as head, as in some treebanks.
    """

    heads: tuple[int, ...]
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        n = len(self.heads)
        if not n or len(self.labels) != n:
            raise InvalidValue(
                "dependency tree: expected one head and one label per token"
            )
        for m, h in enumerate(self.heads):
            if not ROOT <= h < n or h == m:
                raise InvalidValue(f"dependency tree: token {m} has head {h}")
        self._refuse_cycles()

    def _refuse_cycles(self) -> None:
        seen = [0] * len(self.heads)  # 0 new, else the round that met it
        for start in range(len(self.heads)):
            m = start
            while m != ROOT and not seen[m]:
                seen[m] = start + 1
                m = self.heads[m]
            if m != ROOT and seen[m] == start + 1:
                raise InvalidValue(f"dependency tree: token {m} is on a cycle")

    def __len__(self) -> int:
        return len(self.heads)


@dataclass(frozen=True, slots=True)
class DepAnalysis:
    """The best tree; with it, if the parser gives them, its weights in nats.

    ``arcs``: float64 ``(n + 1, n + 1)``, ``[head, modifier]``, index 0 = ROOT.
    ``relations``: ``(n + 1, n + 1, n_labels)`` log-probabilities of the label given
    the arc, in the order of ``relation_names``, or None.
    """

    tree: DepTree
    arcs: Floats | None = None
    relations: Floats | None = None
    relation_names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.arcs is None:
            return
        check.arc_nats(arcs=self.arcs)
        if len(self.arcs) != len(self.tree) + 1:
            raise InvalidValue(
                "arcs: expected one row and column per token and for ROOT"
            )
