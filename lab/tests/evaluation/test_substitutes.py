"""Substitutes against people: which targets a file holds, and what is counted."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from core.data.tokens import Sentence
from core.errors import FormatError
from core.protocols import Analysis, BackendInfo, Capability
from core.substitution.candidates import Candidate
from lab.evaluation.substitutes import Accepted, in_context, read_targets

COINCO = """<?xml version="1.0"?>
<document><sent><targetsentence>The cat slept</targetsentence><tokens>
<token id="XXX" wordform="The" />
<token id="1" wordform="cat"><substitutions>
<subst lemma="feline" freq="2" /><subst lemma="house cat" freq="1" />
</substitutions></token>
<token id="2" wordform="slept" problematic="no"></token>
</tokens></sent></document>
"""
SWORDS = {
    "contexts": {"c:1": {"context": "The cat slept. It's old."}},
    "targets": {
        "t:1": {"context_id": "c:1", "target": "slept", "offset": 8},
        "t:2": {"context_id": "c:1", "target": "cat", "offset": 4},
    },
    "substitutes": {
        "s:1": {"target_id": "t:1", "substitute": "rest"},
        "s:2": {"target_id": "t:1", "substitute": "run"},
        "s:3": {"target_id": "t:2", "substitute": "dog"},
    },
    "substitute_labels": {
        "s:1": ["TRUE", "TRUE", "FALSE"],
        "s:2": ["TRUE", "UNSURE", "FALSE"],
        "s:3": ["FALSE", "FALSE", "FALSE"],
    },
}


def near(*forms: str) -> list[Candidate]:
    return [Candidate(form, float(k), {}) for k, form in enumerate(forms)]


def test_coinco_targets_are_words_that_somebody_replaced(tmp_path: Path) -> None:
    file = tmp_path / "coinco.xml.gz"
    file.write_bytes(gzip.compress(COINCO.encode()))
    (target,) = read_targets(file, "coinco")
    assert (target.form, target.at) == ("cat", 1)
    assert target.offered == {"felin"}  # a stem; two words are no substitute for one


def test_swords_are_accepted_by_half_of_their_judges(tmp_path: Path) -> None:
    file = tmp_path / "swords.json"
    file.write_text(json.dumps(SWORDS))
    (target,) = read_targets(file, "swords")
    assert (target.form, target.at) == ("slept", 2)
    assert target.offered == {"rest"}


@pytest.mark.parametrize("form", ["coinco", "swords"])
def test_a_file_of_another_format_is_refused(tmp_path: Path, form: str) -> None:
    file = tmp_path / "some.txt"
    file.write_text("neither")
    with pytest.raises(FormatError):
        read_targets(file, form)  # type: ignore[arg-type]


def test_the_first_and_any_of_n_are_counted_by_stems(tmp_path: Path) -> None:
    file = tmp_path / "swords.json"
    file.write_text(json.dumps(SWORDS))
    (target,) = read_targets(file, "swords")
    accepted = Accepted(2)
    accepted.add(target, near("sleeps", "resting", "rest"))
    accepted.add(target, near("rested"))
    assert accepted.to_json() == {
        "targets": 2,
        "first": 50.0,
        "any": 100.0,
        "of_all": 66.67,
        "accepted": 2,
    }


class FormEncoder:
    """Vectors by the form alone."""

    info = BackendInfo("encoder", "1", "CC0", ("en",), frozenset({"vectors"}))
    known = {"cat": (1.0, 0.0), "dog": (0.9, 0.1), "runs": (0.0, 1.0)}

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        return [
            Analysis(
                one, vectors=np.array([self.known.get(f, (1, 1)) for f in one.forms])
            )
            for one in sentences
        ]


def test_the_candidate_most_alike_in_the_sentence_comes_first() -> None:
    place = (Sentence.of("the cat"), 1, near("runs", "old", "dog"))
    other = (Sentence.of("runs"), 0, near("cat"))
    first, second = in_context(FormEncoder(), [place, other])
    assert [one.form for one in first] == ["dog", "old", "runs"]
    assert [one.form for one in second] == ["cat"]
