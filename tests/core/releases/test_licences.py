"""What licences ask, by the names under which people know them."""

import pytest

from core.releases.licences import hub_name, problems, terms_of


@pytest.mark.parametrize(
    ("licence", "name"),
    [
        ("CC0", "CC0"), ("CC0 1.0 Universal", "CC0"), ("Creative Commons Zero", "CC0"),
        ("public domain", "CC0"), ("CC BY 4.0", "CC BY"), ("cc-by-sa-3.0", "CC BY-SA"),
        ("CC BY-NC-SA 4.0", "CC BY-NC-SA"), ("CC-BY-NC-ND", "CC BY-NC-ND"),
        ("Creative Commons Attribution-ShareAlike 4.0 International", "CC BY-SA"),
        ("Creative Commons Attribution-NonCommercial 4.0", "CC BY-NC"),
        ("Apache-2.0", "Apache"), ("Apache License 2.0", "Apache"), ("MIT", "MIT"),
        ("GPL-3.0", "GPL"), ("LDC", "closed"), ("ODbL 1.0", "ODbL"),
    ],
)  # fmt: skip
def test_a_licence_is_known_by_its_usual_names(licence: str, name: str) -> None:
    terms = terms_of(licence)
    assert terms is not None
    assert terms.name == name


@pytest.mark.parametrize("licence", ["", "mitigated", "ask me", "CC", "by hand"])
def test_what_only_looks_like_a_licence_is_not_known(licence: str) -> None:
    assert terms_of(licence) is None


def test_nothing_speaks_against_free_texts() -> None:
    assert problems([("A", "CC0"), ("B", "CC BY 4.0"), ("C", "CC BY-SA 4.0")]) == []


@pytest.mark.parametrize(
    ("licences", "word"),
    [
        ([("A", "")], "no licence"),
        ([("A", "ask me")], "not known"),
        ([("A", "LDC")], "does not let you publish"),
        ([("A", "CC BY-ND 4.0")], "nobody publish trees"),
        ([("A", "CC BY-SA 4.0"), ("B", "ODbL 1.0")], "release them apart"),
    ],
)
def test_what_speaks_against_a_release_is_said(licences, word: str) -> None:
    (told,) = problems(licences)
    assert word in told
    assert told.startswith("A")


def test_the_hub_has_its_own_names() -> None:
    assert hub_name("CC BY-SA 4.0") == "cc-by-sa-4.0"
    assert hub_name("CC0") == "cc0-1.0"
    assert hub_name("CC BY") == hub_name("ask me") == "other"
