"""Substitutes against people: how many of a word's nearest did annotators accept?

coinco  XML (.gz): sentences with targets, each with the lemmas that annotators offered
        (Kremer, Erk, Padó & Thater 2014, "What Substitutes Tell Us")
swords  JSON (.gz): targets with substitutes, each judged TRUE, FALSE or UNSURE by
        annotators; acceptable where at least half say TRUE (Lee et al. 2021, "Swords")
"""

import gzip
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from xml.etree.ElementTree import Element

import numpy as np

from core.data.check import Floats
from core.data.tokens import Sentence, Token
from core.errors import FormatError
from core.formats import xml
from core.protocols import Analysis, ParserBackend
from core.substitution.candidates import Candidate
from core.text.stems import stem
from core.text.tokenize import tokenize

FORMATS = ("coinco", "swords")
Format = Literal["coinco", "swords"]
ACCEPTABLE = 0.5


@dataclass(frozen=True, slots=True)
class Target:
    """Token ``at`` of a sentence; ``offered``: stems of the words people accept."""

    sentence: Sentence
    at: int
    offered: frozenset[str]

    @property
    def form(self) -> str:
        return self.sentence.forms[self.at]


def read_targets(path: Path, form: Format) -> list[Target]:
    """Return the targets with an accepted word of one token, in order.

    Inflection is not looked at: words are compared by Porter's stem. Raises
    FormatError if the file cannot be read as ``form``.
    """
    opened = gzip.open if path.suffix == ".gz" else open
    try:
        with opened(path, "rt", encoding="utf-8") as lines:
            targets = _coinco(lines) if form == "coinco" else _swords(json.load(lines))
            return [target for target in targets if target.offered]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{path}: not in the format {form}: {error}") from error


def _coinco(lines: Any) -> Iterator[Target]:
    for item in xml.items(lines, frozenset({"tokens"})):
        if item.element is None:
            continue
        tokens = item.element.findall("token")
        forms = tuple(Token(token.attrib["wordform"]) for token in tokens)
        for at, token in enumerate(tokens):
            yield Target(Sentence(forms), at, _stems(_lemmas(token)))


def _lemmas(token: Element) -> list[str]:
    return [one.attrib["lemma"] for one in token.iter("subst")]


def _swords(data: dict[str, Any]) -> Iterator[Target]:
    accepted: dict[str, list[str]] = {key: [] for key in data["targets"]}
    for key, row in data["substitutes"].items():
        votes = data["substitute_labels"][key]
        if votes.count("TRUE") >= ACCEPTABLE * len(votes):
            accepted[row["target_id"]].append(row["substitute"])
    for key, row in data["targets"].items():
        sentence = tokenize(data["contexts"][row["context_id"]]["context"])
        starts = [span.start for span in sentence.offsets]
        if row["offset"] in starts:
            at = starts.index(row["offset"])
            yield Target(sentence, at, _stems(accepted[key]))


def _stems(words: Sequence[str]) -> frozenset[str]:
    return frozenset(stem(word) for word in words if " " not in word)


@dataclass(slots=True)
class Accepted:
    """Counts over targets: of the first ``n`` candidates, how many people accept."""

    n: int
    targets: int = 0
    first: int = 0
    some: int = 0
    given: int = 0
    right: int = 0

    def add(self, target: Target, ranked: Sequence[Candidate]) -> None:
        """Count one more target."""
        taken = [stem(one.form) in target.offered for one in ranked[: self.n]]
        self.targets += 1
        self.first += any(taken[:1])
        self.some += any(taken)
        self.given += len(taken)
        self.right += sum(taken)

    def to_json(self) -> dict[str, Any]:
        """In percent: of targets, whose first, and any of whose n is accepted; of the
        candidates, those accepted."""
        return {
            "targets": self.targets,
            "first": _percent(self.first, self.targets),
            "any": _percent(self.some, self.targets),
            "of_all": _percent(self.right, self.given),
            "accepted": self.right,
        }


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 2) if whole else None


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
