"""What joint parsing learns from pairs with gold: a few numbers by grid, and gates."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.data.alignment import Link
from core.evaluation.joint_parsing import JointCase, Scored, score
from core.joint_parsing.gate import TEMPLATES, JointWeights, gate_features
from core.joint_parsing.parser import JointParser
from core.joint_parsing.values import JointResult, JointSettings, Method
from lab.evaluation.gate_fitting import GateExample, fit_gate

Grid = tuple[str, tuple[float, ...]]

GRIDS: dict[Method, tuple[Grid, ...]] = {
    "bp": (("bp_slack", (0.6, 0.7, 0.8, 0.9, 1.0)),),
    "mbr": (("trust", (0.5, 1.0, 1.5, 2.0)),),
    "soft": (("slack", tuple(k / 10 for k in range(1, 16))),),  # section 5.1
    "spans": (("span_slack", (0.25, 0.5, 1.0, 1.5)),),
}

"""Which weights each method has, and what is tried for each."""


@dataclass(frozen=True, eq=False)
class Bench:
    """Cases with their links, and a parser whose weights are replaced as needed.

    Cases may come from several parsers: the same pair is then one fold in all.
    ``printed``: gates are fitted as in the paper (``fit_gate``).
    """

    cases: Sequence[JointCase]
    links: Sequence[tuple[Link, ...]]
    parser: JointParser
    printed: bool = False

    @classmethod
    def of(cls, cases: Sequence[JointCase], parser: JointParser) -> "Bench":
        """The cases with the links of the parser's aligner."""
        links = [parser.aligner.align(case.source, case.target) for case in cases]
        return cls(cases, links, parser)

    def results(
        self, settings: JointSettings, weights: JointWeights, which: Iterable[int]
    ) -> Iterator[tuple[JointCase, JointResult]]:
        """Each of the cases ``which``, and its joint parse."""
        parser = replace(self.parser, weights=weights)
        for at in which:
            case = self.cases[at]
            sides, links = (case.source, case.target), self.links[at]
            yield case, parser.parse(*sides, settings, links=links)

    def fit(
        self, settings: JointSettings, which: Sequence[int], *, seed: int = 0
    ) -> JointWeights:
        """The parser's weights with this method's own refitted on ``which``.

        The number that gains most, of equals the smallest; then the gate, if settings
        want one and there is one.
        """
        weights, method = self.parser.weights, settings.method
        bare = replace(settings, gate=False)
        for name, values in GRIDS.get(method, ()):
            changes: list[dict[str, Any]] = [{name: value} for value in values]
            tried = [replace(weights, **one) for one in changes]
            gains = [self._gained(bare, one, which) for one in tried]
            weights = tried[gains.index(max(gains))]
        gates = {k: gate for k, gate in weights.gates.items() if k != method}
        if not settings.gate:
            return replace(weights, gates=gates)
        examples = [
            gate_example(case, result, score(case, result).gained)
            for case, result in self.results(bare, weights, which)
            if result.source.arcs
        ]
        gate = fit_gate(examples, seed=seed, printed=self.printed)
        return replace(weights, gates=gates | ({method: gate} if gate else {}))

    def crossfit(
        self, settings: JointSettings, folds: int, *, seed: int = 0
    ) -> Iterator[tuple[int, Scored, JointResult]]:
        """Every case parsed with weights fitted on the other folds."""
        names = sorted({case.pair.row.id for case in self.cases})
        fold_of = {name: k % folds for k, name in enumerate(names)}
        of_case = [fold_of[case.pair.row.id] for case in self.cases]
        for fold in range(folds):
            inside = [at for at, k in enumerate(of_case) if k != fold]
            outside = [at for at, k in enumerate(of_case) if k == fold]
            weights = self.fit(settings, inside, seed=seed)
            results = self.results(settings, weights, outside)
            for at, (case, result) in zip(outside, results, strict=True):
                yield at, score(case, result), result

    def _gained(
        self, settings: JointSettings, weights: JointWeights, which: Sequence[int]
    ) -> int:
        """Arcs gained, or brackets where the method leaves arcs alone."""
        scored = [score(*pair) for pair in self.results(settings, weights, which)]
        if settings.method != "spans":
            return sum(one.gained for one in scored)
        return sum(
            2 * (t[1].matched - t[0].matched) - (t[1].guessed - t[0].guessed)
            for one in scored
            if (t := one.trees) is not None
        )


def gate_example(case: JointCase, result: JointResult, gained: int) -> GateExample:
    """Return the example of a joint parse that gained so many arcs."""
    plain = gate_features(case.source, case.target, result)
    by_template = []
    for k in range(len(TEMPLATES)):
        features = gate_features(case.source, case.target, result, (k,))
        by_template.append({n: x for n, x in features.items() if n not in plain})
    return GateExample(plain, tuple(by_template), gained, case.pair.row.id)
