"""What joint parsing has learned: a few numbers and the gates, out of one JSON file."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from core.errors import InvalidValue, Unavailable
from core.joint_parsing.gate import Gate

__all__ = ["WEIGHTS", "JointWeights"]

WEIGHTS = Path(__file__).parent / "weights" / "joint.json"


@dataclass(frozen=True)
class JointWeights:
    """``bp_slack`` (bp), ``trust`` (mbr), ``slack`` (soft), ``span_slack`` (spans) in
    nats; ``view_slack``, ``view_share``: of bp where the pair was read as one, too, its
    slack and how much that reading counts; ``slacks``: the slack of single relations,
    without their subtypes; ``gates`` by method; ``facts``: what they were fitted on."""

    bp_slack: float = 0.8
    view_slack: float = 0.7
    view_share: float = 0.5
    trust: float = 1.5
    slack: float = 0.5
    span_slack: float = 0.5
    slacks: Mapping[str, float] = field(default_factory=dict)
    gates: Mapping[str, Gate] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path = WEIGHTS) -> "JointWeights":
        """Those of a file; raises Unavailable if it is missing, InvalidValue."""
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                float(data["bp_slack"]),
                float(data["view_slack"]),
                float(data["view_share"]),
                float(data["trust"]),
                float(data["slack"]),
                float(data["span_slack"]),
                {str(k): float(v) for k, v in data["slacks"].items()},
                {str(k): Gate.from_json(v) for k, v in data["gates"].items()},
                data.get("facts", {}),
            )
        except OSError as error:
            raise Unavailable(f"{path}: no weights of the joint parser") from error
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidValue(f"{path}: no weights: {error!r}") from error

    def with_number(self, name: str, value: float) -> "JointWeights":
        """This, with one of its numbers, by its name, replaced."""
        changes: dict[str, Any] = {name: value}
        return replace(self, **changes)

    def save(self, path: Path) -> None:
        """Write the file that ``load`` reads."""
        data = {
            "facts": dict(self.facts),
            "bp_slack": self.bp_slack,
            "view_slack": self.view_slack,
            "view_share": self.view_share,
            "trust": self.trust,
            "slack": self.slack,
            "span_slack": self.span_slack,
            "slacks": dict(self.slacks),
            "gates": {name: gate.to_json() for name, gate in self.gates.items()},
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
