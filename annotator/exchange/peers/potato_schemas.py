"""What the labels of a Potato schema say, told from all that was given in the file.

The output holds a value for each label, not the kind of question. A label whose value
is always the same was chosen (radio, multiselect); one with several values was rated
(slider, multirate); ``scale_4`` is the fourth point of a Likert scale.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from annotator.exchange.peers.looks import Value

Labels = Mapping[str, Mapping[str, str]]  # schema -> label -> value
TEXT = {"text_box", "textbox", "text", "free_response", "bad_text", "_data"}
NUMBER = {"slider", "number", "value", "_value", "likert", "rating"}
NO = {"", "false", "none", "null"}
_POINT = re.compile(r"scale_?\d+|-?\d+")


class Schemas:
    """The schemas of a file, each by what was ever given to its labels."""

    def __init__(self, given: Iterable[Labels]) -> None:
        self._seen: dict[str, dict[str, set[str]]] = defaultdict(
            lambda: defaultdict(set)
        )
        self._several = set[str]()
        for labels in given:
            for schema, by_label in labels.items():
                chosen = _answered(by_label)
                for label, value in chosen.items():
                    self._seen[schema][label].add(value)
                if len(chosen) > 1:
                    self._several.add(schema)

    def values(self, labels: Labels) -> Iterator[Value]:
        """The answers of one annotation."""
        for schema, by_label in labels.items():
            if chosen := _answered(by_label):
                yield from self._of(schema, chosen)

    def _of(self, schema: str, chosen: Mapping[str, str]) -> Iterator[Value]:
        constant = all(len(values) == 1 for values in self._seen[schema].values())
        if schema in self._several:
            if constant:
                yield Value(schema, "; ".join(sorted(chosen)))
                return
            for label, value in chosen.items():
                yield Value(f"{schema}: {label}", value, "open")
            return
        ((label, value),) = chosen.items()
        if label in TEXT:
            yield Value(schema, value, "text")
        elif label in NUMBER or label == schema or _POINT.fullmatch(label):
            yield Value(schema, value, "open")
        else:
            yield Value(schema, label if constant else value, "open")


def _answered(by_label: Mapping[str, str]) -> dict[str, str]:
    return {
        label: value for label, value in by_label.items() if value.lower() not in NO
    }
