"""A paraphrase table as a thesaurus."""

from pathlib import Path

from core.word_alignment.lexicon import WordRelation, relations
from lab.evaluation.pivot_thesaurus import PivotThesaurus, both_ways, word_pairs
from tests.core.pivoting.test_table import built

WORDS = {"car": {"vehicle": 0.4, "wagon": 0.01}, "boat": {"ship": 0.3}}


def test_paraphrases_relate_words_as_told() -> None:
    for kind, relation in (("synonyms", "SYNONYM"), ("kin", "KIN")):
        known = PivotThesaurus(both_ways(WORDS), 0.1, kind, None)  # type: ignore[arg-type]
        table = relations(["the", "car", "ship"], ["vehicle", "boat", "wagon"], known)  # type: ignore[arg-type]
        none, found = int(WordRelation.NONE), int(WordRelation[relation])
        assert table.tolist() == [[none] * 3, [found, none, none], [none, found, none]]


def test_words_of_a_table_have_their_probabilities(tmp_path: Path) -> None:
    built(tmp_path, best=100).close()
    words = word_pairs(tmp_path / "table")
    assert words
    for word, others in words.items():
        assert word not in others
        assert all(p > 0 for p in others.values())
