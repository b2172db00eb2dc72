"""Whether a joint parse is better than the separate one: logistic regression.

Features of Choe & McClosky 2015, section 3.4.1 and table 2, and what a parser with
marginals knows besides. Fitted parameters and gates come from one JSON file.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp, log
from pathlib import Path
from typing import Any

from core.data.deps import ROOT, DepTree
from core.errors import InvalidValue, Unavailable
from core.joint_parsing.linked import ends_of
from core.joint_parsing.values import JointResult
from core.protocols import Analysis

TEMPLATES: tuple[tuple[str, ...], ...] = (
    ("REL",),
    ("REL", "REL_p"),
    ("REL", "REL_p", "REL_gp"),
    ("REL", "REL_gp"),
    ("CP",),
    ("CP", "CP_p"),
    ("CP", "CP_p", "CP_gp"),
    ("CP", "CP_gp"),
    ("REL", "CP"),
    ("REL", "CP", "CP_p"),
    ("REL", "CP_p", "REL_gp"),
)
"""The parts of each template of table 2: relation and coarse tag of a word, its parent
(p) and grandparent (gp)."""

TINY = 1e-6
Features = dict[str, float]


@dataclass(frozen=True, slots=True)
class Gate:
    """``weights`` in nats by feature (a feature without one counts nothing);
    ``templates``: indices into TEMPLATES; ``least``: probability from which the joint
    parse is kept."""

    intercept: float
    weights: Mapping[str, float]
    templates: tuple[int, ...] = ()
    least: float = 0.5

    def probability(self, features: Mapping[str, float]) -> float:
        """The probability that the joint parse is the better one, if they differ."""
        nats = self.intercept + sum(
            value * self.weights.get(name, 0.0) for name, value in features.items()
        )
        return 1.0 / (1.0 + exp(-max(-30.0, min(30.0, nats))))

    def to_json(self) -> dict[str, Any]:
        return {
            "intercept": self.intercept,
            "weights": dict(self.weights),
            "templates": list(self.templates),
            "least": self.least,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Gate":
        """Inverse of ``to_json``; raises InvalidValue on anything else."""
        try:
            weights = {str(k): float(v) for k, v in data["weights"].items()}
            chosen = tuple(int(k) for k in data["templates"])
            return cls(float(data["intercept"]), weights, chosen, float(data["least"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidValue(f"not a gate: {error!r}") from error


def gate_features(
    source: Analysis,
    target: Analysis,
    result: JointResult,
    templates: tuple[int, ...] = (),
) -> Features:
    """The features of a gate, from the source's side; ``templates`` adds those of table
    2.

    Raises InvalidValue if there is no dependency tree on that side.
    """
    if source.deps is None or result.source.deps is None:
        raise InvalidValue("a gate needs dependency trees")
    before, after = source.deps.tree, result.source.deps.tree
    features = _of_pair(source, target, result) | _of_changes(result)
    more = non_projective_arcs(after) > non_projective_arcs(before)
    features["more non-projective arcs"] = float(more)
    for k in templates:
        for name, tree in (("before", before), ("after", after)):
            features |= dict.fromkeys(_template(k, name, tree, source), 1.0)
    return features


def _of_pair(source: Analysis, target: Analysis, result: JointResult) -> Features:
    n = len(source.sentence)
    ends = [ends_of(link) for link in result.links]
    crossing = sum(
        (s - u) * (t - v) < 0 for k, (s, t) in enumerate(ends) for u, v in ends[:k]
    )
    ours, theirs = (
        {form.lower() for form in one.sentence.forms} for one in (source, target)
    )
    shared = sum(form.lower() in theirs for form in source.sentence.forms)
    return {
        "crossing links": crossing / n,
        "shorter": float(n < len(target.sentence)),
        "words in common": shared / n if ours else 0.0,
        "linked": len(ends) / n,
        "agreement gained": (result.agreement_before - result.agreement_after) / n,
        "disagreement left": result.agreement_after / n,
        "not exact": float(not result.exact),
    }


def _of_changes(result: JointResult) -> Features:
    """How sure the parser was of what changed, and how sure the links are."""
    moved = [one for one in result.source.arcs if one.head_before != one.head_after]
    if not moved:
        return {}
    margins = [
        log(max(one.prob_before, TINY)) - log(max(one.prob_after, TINY))
        for one in moved
    ]
    links = [
        float(link.attrs.get("prob", 1.0)) for one in moved for link in one.because
    ]
    return {
        "arcs changed": float(len(moved)),
        "mean margin": sum(margins) / len(moved),
        "greatest margin": max(margins),
        "least link": min(links, default=0.0),
        "root changed": float(
            any(ROOT in (c.head_before, c.head_after) for c in moved)
        ),
    }


def _template(k: int, name: str, tree: DepTree, source: Analysis) -> set[str]:
    """The features of one template over every word of a tree."""
    tags = [tag[:2] for tag in source.xpos or source.upos or ("",) * len(tree)]
    names = set()
    for m in range(len(tree)):
        at = {"": m, "p": tree.heads[m]}
        at["gp"] = tree.heads[at["p"]] if at["p"] != ROOT else ROOT
        parts = []
        for part in TEMPLATES[k]:
            kind, _, which = part.partition("_")
            row = tree.labels if kind == "REL" else tags
            parts.append(row[at[which]] if at[which] != ROOT else "ROOT")
        names.add(f"{name} {k} {' '.join(parts)}")
    return names


def non_projective_arcs(tree: DepTree) -> int:
    """Arcs over a word that does not descend from their head; ROOT is over all."""

    def descends(word: int, head: int) -> bool:
        while word not in (head, ROOT):
            word = tree.heads[word]
        return word == head

    return sum(
        not all(descends(word, h) for word in range(min(h, m) + 1, max(h, m)))
        for m, h in enumerate(tree.heads)
    )


WEIGHTS = Path(__file__).parent / "weights" / "joint.json"
_NUMBERS = ("bp_slack", "trust", "slack", "span_slack")


@dataclass(frozen=True)
class JointWeights:
    """``bp_slack`` (bp), ``trust`` (mbr), ``slack`` (soft), ``span_slack`` (spans) in
    nats; ``gates`` by method; ``facts``: what they were fitted on."""

    bp_slack: float = 0.8
    trust: float = 1.5
    slack: float = 0.5
    span_slack: float = 0.5
    gates: Mapping[str, Gate] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> "JointWeights":
        """The parameters in a file; raises Unavailable if it is missing,
        InvalidValue."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            numbers: dict[str, Any] = {name: float(data[name]) for name in _NUMBERS}
            gates = {str(k): Gate.from_json(v) for k, v in data["gates"].items()}
            return cls(**numbers, gates=gates, facts=data.get("facts", {}))
        except OSError as error:
            raise Unavailable(f"{path}: not weights of the joint parser") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidValue(f"{path}: not a weights file: {error!r}") from error

    def save(self, path: Path) -> None:
        """Write the file that ``load`` reads."""
        data = {
            "facts": dict(self.facts),
            **{name: getattr(self, name) for name in _NUMBERS},
            "gates": {name: gate.to_json() for name, gate in self.gates.items()},
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
