"""A parser is told apart from a text that it cannot read."""

import pytest

from core.text.scripts import foreign_script, script_of


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("The nurse sang.", "LATIN"),
        ("فتحت الممرضة النافذة.", "ARABIC"),
        ("护士打开了窗户。", "CJK"),
        ("Die Ärztin saß", "LATIN"),
        ("Медсестра пела, OK", "CYRILLIC"),
        ("1 + 2 = 3 🙂", ""),
    ],
)
def test_the_script_of_most_letters(text: str, script: str) -> None:
    assert script_of(text) == script


def test_a_text_is_foreign_to_languages_that_are_written_otherwise() -> None:
    assert foreign_script("护士打开了窗户。", ["en"]) == "Chinese"
    assert foreign_script("فتحت الممرضة", ["en-GB", "de"]) == "Arabic"


def test_nothing_is_claimed_of_a_language_that_is_not_known() -> None:
    for languages in (["und"], ["en", "xx"], []):
        assert foreign_script("护士打开了窗户。", languages) == ""
    assert foreign_script("The nurse met Сергей.", ["en"]) == ""
