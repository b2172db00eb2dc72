"""Grammar of rewritten sentences: next to the sentence as it was, by condition."""

from pathlib import Path

import numpy as np
import pytest

from core.data.tokens import Sentence
from core.formats import ptb
from core.pivoting.items import Item, Place
from core.protocols import Analysis
from lab.evaluation.paraphrase_grammar import grammar, parse_texts
from tests.core.pivoting import small_bitext

OLD_SEA = ptb.parse_one(small_bitext.TREES[0])


class Lengths:
    """A parser that gives 2 nats away with every word, and a model that gives 1."""

    def analyse(self, sentences: list[Sentence], *, want: object) -> list[Analysis]:
        return [Analysis(s, best=(-2.0 * len(s) - 1, ())) for s in sentences]

    def scores(self, texts: list[list[str]]) -> tuple[np.ndarray, np.ndarray]:
        logs = [-(len(words) + 1) / np.log(10) for words in texts]
        return np.array(logs), np.zeros(len(texts), dtype=np.int64)


def item(text: str, *credits: tuple[str, int]) -> Item:
    words = OLD_SEA.words
    tokens = (words[0], *text.split(), *words[2:])
    return Item(Place(0, 1, 2, "old", True), text, tokens, "", credits)


def test_each_condition_is_measured_on_what_it_ranked_first() -> None:
    items = [
        item("ancient", ("baseline", 2), ("extraction", 1)),
        item("very old", ("baseline", 1)),
    ]
    both = Lengths()
    measures = grammar(items, [OLD_SEA], both, both)  # type: ignore[arg-type]
    assert set(measures) == {"original", "baseline", "extraction"}
    assert measures["original"].tree[0] == pytest.approx(-13 / 6)
    assert measures["baseline"].tree[0] == pytest.approx(-15 / 7)
    assert measures["extraction"].tree_change[0] == pytest.approx(0)
    assert measures["baseline"].perplexity[0] == pytest.approx(np.e)
    assert measures["baseline"].perplexity_ratio[0] == pytest.approx(1)


def test_blank_lines_and_sentences_without_a_tree_are_left_out(tmp_path: Path) -> None:
    class Treeless:
        def analyse(
            self, sentences: list[Sentence], *, want: object
        ) -> list[Analysis | Exception]:
            return [ValueError("no tree") for _ in sentences]

    (tmp_path / "text").write_text("A boat came .\n\nWe like it .\n")
    assert parse_texts(tmp_path / "text", Treeless(), limit=9) == []  # type: ignore[arg-type]
