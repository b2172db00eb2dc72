"""Files of word links, and the figures of an aligner against them."""

import json
from pathlib import Path

import numpy as np
import pytest

from core.data.alignment import Link, token_ref
from core.data.tokens import Sentence
from core.errors import FormatError
from core.protocols import Analysis
from lab.evaluation.word_links import WordCase, read_cases, scores


class EqualWords:
    """Links words of one form."""

    def align(self, source: Analysis, target: Analysis) -> tuple[Link, ...]:
        forms = target.sentence.forms
        return tuple(
            Link(token_ref(i), token_ref(forms.index(form)))
            for i, form in enumerate(source.sentence.forms)
            if form in forms
        )


PAIR = {"id": "7", "source": "a cat sat", "target": "one cat sat down"}


def case(source: str, target: str, sure: str = "", possible: str = "") -> WordCase:
    sides = [Analysis(Sentence.of(text)) for text in (source, target)]
    kinds = [
        frozenset(tuple(map(int, cell.split("-"))) for cell in text.split())
        for text in (sure, possible)
    ]
    return WordCase("", sides[0], sides[1], kinds[0], kinds[0] | kinds[1])


def jacana(path: Path, **links: str) -> Path:
    path.write_text(json.dumps([PAIR | links]))
    return path


def test_what_all_files_call_sure_is_sure(tmp_path: Path) -> None:
    files = [
        jacana(tmp_path / "a.json", sureAlign="1-1 2-2"),
        jacana(tmp_path / "b.json", sureAlign="1-1 2-2 2-3", possibleAlign="0-0"),
    ]
    (pair,) = read_cases(files, "jacana")
    assert pair.sure == {(1, 1), (2, 2)}
    assert pair.possible == {(0, 0), (1, 1), (2, 2), (2, 3)}


def test_all_formats_say_the_same(tmp_path: Path) -> None:
    texts = {
        "mwa.tsv": "7\ta cat sat\t-\tone cat sat down\t-\t1\t1\t1-1 2-2\t0-0\n",
        "links": "1-1 2-2 0?0\n",
        "source": "a cat sat\n",
        "target": "one cat sat down\n",
        "msr": "# sentence pair 7\none cat sat down\n"
        "NULL ({ / / }) a ({ p1 / / }) cat ({ 2 / / }) sat ({ 3 / / })\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    three = [tmp_path / name for name in ("links", "source", "target")]
    cases = [
        read_cases([tmp_path / "mwa.tsv"], "multimwa"),
        read_cases(three, "pharaoh"),
        read_cases([tmp_path / "msr"], "msr-rte2"),
    ]
    for (one,) in cases:
        assert one.sure == {(1, 1), (2, 2)}
        assert one.possible == {(0, 0), (1, 1), (2, 2)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not JSON"),
        pytest.param("[" * 200_000, "not JSON", id="deep"),
        ("{}", "a list of pairs"),
        ('[{"source": "a"}]', "pair 1"),
        ('[{"source": "a", "target": "b", "sureAlign": "0-4"}]', "missing token"),
        ("[]", "no pair"),
    ],
)
def test_bad_files_are_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(FormatError, match=said) as error:
        read_cases([path], "jacana")
    assert "bad.json" in str(error.value)


def test_pharaoh_takes_three_files(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="three files"):
        read_cases([tmp_path / "links"], "pharaoh")


def test_figures_are_those_counted_by_hand() -> None:
    # Found: 1-1 2-2, and 0-0 of the second pair; 3 of 3 right, 3 of 5, 3 of 4 sure.
    cases = [
        case("a cat sat", "one cat sat down", "1-1 2-2", "2-3"),
        case("rain", "rain falls", "0-0 0-1"),
    ]
    figures = scores(cases, lambda _: EqualWords())
    assert (figures["precision"], figures["recall"]) == (1.0, 3 / 5)
    assert figures["f1"] == pytest.approx(2 * 3 / 8)
    assert figures["sure"]["recall"] == 3 / 4
    assert figures["aer"] == pytest.approx(1 - (3 + 3) / (3 + 4))
    assert (figures["links"], figures["gold_links"], figures["pairs"]) == (3, 5, 2)
    assert np.isfinite(figures["pairs_per_second"])
