"""What a person sees of an upload before it is imported: rows as they were read, and a
question where a text does not look like the language that was said."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from core.formats.gemel import GemelItem
from core.formats.ptb import bracket
from core.formats.records import PairRecord, Record, SentenceRecord

ROWS = 3
TEXTS = 200  # of a side, for its language
SHOWN = 300  # characters of a cell
LEAST_WORDS = 8
NO_LANGUAGE = ("zxx", "und")  # codes that ISO 639 has for this
MARGIN = 2.0
"""By how much another language must be likelier, in nats a word. English and German
sentences of ten words lie 9 to 14 apart; names alone stay below 1."""


@dataclass(slots=True)
class Glance:
    rows: list[dict[str, str]] = field(default_factory=list)
    texts: dict[str, list[str]] = field(
        default_factory=lambda: {"source": [], "target": []}
    )

    def see(self, record: Record | GemelItem) -> None:
        if isinstance(record, PairRecord):
            self._see({"source": record.source, "target": record.target})
        elif isinstance(record, SentenceRecord):
            self._see({"source": record})

    def _see(self, sides: Mapping[str, SentenceRecord]) -> None:
        for side, sentence in sides.items():
            if len(self.texts[side]) < TEXTS:
                self.texts[side].append(_text(sentence))
        if len(self.rows) < ROWS:
            row = {side: _text(one)[:SHOWN] for side, one in sides.items()}
            parse = sides["source"].parse
            if parse is not None and parse.tree is not None:
                row["tree"] = bracket(parse.tree)[:SHOWN]
            self.rows.append(row)

    def as_dict(self, about: Mapping[str, str]) -> dict[str, Any]:
        """``rows``; ``languages``: the likelier language of each side that is asked
        about, ``about`` naming what was said."""
        questions = {
            side: likelier(" ".join(texts), about.get(f"{side}_language", ""))
            for side, texts in self.texts.items()
        }
        return {
            "rows": self.rows,
            "languages": {side: code for side, code in questions.items() if code},
        }


def likelier(text: str, declared: str) -> str:
    """The code of the language that a text is much likelier in than in the one that was
    said; "" if there is none, or too few words to tell."""
    import py3langid  # its model takes memory, which only an import needs

    n = len(text.split())
    if n < LEAST_WORDS or not declared:
        return ""
    ranked = [one for one in py3langid.rank(text) if one[0] not in NO_LANGUAGE]
    scores = dict(ranked)
    best, score = ranked[0]
    known = scores.get(declared.split("-")[0].lower())
    return str(best) if known is not None and score - known > MARGIN * n else ""


def _text(sentence: SentenceRecord) -> str:
    return sentence.text or " ".join(sentence.forms)
