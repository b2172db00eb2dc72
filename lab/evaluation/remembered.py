"""A parser whose answers are kept in a file, so that a long measurement can go on."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.data.forest import EMPTY_FOREST
from core.data.tokens import Sentence
from core.errors import FormatError, InvalidValue, SentenceTooLong, Unavailable
from core.forests.kbest import trees_of
from core.forests.mixture import ranked_forest
from core.formats import ptb
from core.protocols import (
    Analysis,
    Capability,
    ParserBackend,
    TagGuided,
    TrainingCounts,
)

BATCH = 16  # sentences parsed between two writes
Guide = Mapping[int, Mapping[str, float]]


class Remembered:
    """``parser``; what it answered before, told the same tags, it is not asked again.

    Kept are the tree it shows and its tags, so answers have no more than these. With
    a ``folder`` they are kept in a file there, one for each parser and version, for
    the next run; a line cut off by a kill is parsed again. Raises Unavailable if the
    parser does not list its training words or cannot be guided, FormatError if the
    file cannot be read.
    """

    def __init__(self, parser: ParserBackend, folder: Path | None = None) -> None:
        if not isinstance(parser, TrainingCounts) or not isinstance(parser, TagGuided):
            raise Unavailable(f"parser {parser.info.name!r} tells no training words")
        self.info = parser.info
        self._counts: TrainingCounts = parser
        self._guided: TagGuided = parser
        name = f"{parser.info.name}-{parser.info.version}".replace("/", "_")
        self._file = folder / f"{name}.jsonl" if folder else None
        self._known = _read(self._file) if self._file else {}

    def lexicon(self) -> Mapping[str, Mapping[str, int]]:
        return self._counts.lexicon()

    def entry_of(self, form: str) -> str:
        return self._counts.entry_of(form)

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        return self.analyse_guided(sentences, [{}] * len(sentences), want=want)

    def analyse_guided(
        self,
        sentences: list[Sentence],
        guides: Sequence[Guide],
        *,
        want: frozenset[Capability],
    ) -> list[Analysis | Exception]:
        """Return trees and tags as the parser does; forests are never kept."""
        if "forest" in want:
            return self._guided.analyse_guided(sentences, guides, want=want)
        keys = [_key(*row) for row in zip(sentences, guides, strict=True)]
        new = {key: k for k, key in enumerate(keys) if key not in self._known}
        rows = list(new.items())
        for begin in range(0, len(rows), BATCH):
            part = rows[begin : begin + BATCH]
            answers = self._guided.analyse_guided(
                [sentences[k] for _, k in part],
                [guides[k] for _, k in part],
                want=want,
            )
            self._keep([key for key, _ in part], answers)
        return [
            self._answer(sentence, self._known[key])
            for sentence, key in zip(sentences, keys, strict=True)
        ]

    def _answer(
        self, sentence: Sentence, facts: dict[str, Any]
    ) -> Analysis | Exception:
        if len(sentence) > self.info.max_tokens:
            return SentenceTooLong(len(sentence), self.info.max_tokens)
        if "error" in facts:
            return InvalidValue(facts["error"])
        return _analysis(sentence, facts)

    def _keep(
        self, keys: Sequence[str], answers: Sequence[Analysis | Exception]
    ) -> None:
        facts = [_facts(answer) for answer in answers]
        self._known.update(zip(keys, facts, strict=True))
        if self._file:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with self._file.open("a", encoding="utf-8") as file:
                for row in zip(keys, facts, strict=True):
                    file.write(json.dumps(row) + "\n")


def _key(sentence: Sentence, guide: Guide) -> str:
    tags_by_word = [[i, sorted(tags.items())] for i, tags in sorted(guide.items())]
    query = json.dumps([sentence.forms, tags_by_word])
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _facts(answer: Analysis | Exception) -> dict[str, Any]:
    if not isinstance(answer, Analysis):
        return {"error": str(answer)}
    trees = trees_of(answer, 1, words=["x"] * len(answer.sentence))
    tree = ptb.bracket(trees[0][1]) if trees else ""
    return {"tree": tree, "tags": list(answer.xpos)}


def _analysis(sentence: Sentence, facts: dict[str, Any]) -> Analysis:
    if not facts["tree"]:
        nothing = EMPTY_FOREST, np.empty(0)
        return Analysis(sentence, *nothing, xpos=tuple(facts["tags"]))
    forest, weights = ranked_forest([(0.0, ptb.parse_one(facts["tree"]))])
    return Analysis(sentence, forest, weights, xpos=tuple(facts["tags"]))


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Return what the file holds; an unfinished last line is cut off."""
    try:
        whole = path.read_bytes() if path.exists() else b""
        lines, end, rest = whole.rpartition(b"\n")
        if rest:
            path.write_bytes(lines + end)
        return dict(json.loads(line) for line in lines.split(b"\n") if line)
    except (OSError, ValueError) as error:
        raise FormatError(f"{path}: no kept parses: {error}") from error
