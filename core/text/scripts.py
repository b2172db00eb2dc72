"""The script of a text, and whether a language is written in it."""

import unicodedata
from collections import Counter
from collections.abc import Iterable

_LATIN = frozenset({"LATIN", "FULLWIDTH"})
_IN_LATIN = (
    "af", "ca", "cs", "cy", "da", "de", "en", "es", "et", "eu", "fi", "fr", "ga",
    "gl", "hr", "hu", "id", "is", "it", "la", "lt", "lv", "ms", "mt", "nl", "nb",
    "nn", "no", "pl", "pt", "ro", "sk", "sl", "sq", "sv", "sw", "tr", "vi",
)  # fmt: skip
_SCRIPTS: dict[str, frozenset[str]] = {
    **dict.fromkeys(_IN_LATIN, _LATIN),
    **dict.fromkeys(["ar", "fa", "ur"], frozenset({"ARABIC"})),
    **dict.fromkeys(["be", "bg", "mk", "ru", "uk"], frozenset({"CYRILLIC"})),
    "el": frozenset({"GREEK"}),
    "he": frozenset({"HEBREW"}),
    "hi": frozenset({"DEVANAGARI"}),
    "ja": frozenset({"CJK", "HIRAGANA", "KATAKANA"}),
    "ko": frozenset({"HANGUL", "CJK"}),
    "th": frozenset({"THAI"}),
    "zh": frozenset({"CJK", "BOPOMOFO"}),
}


def script_of(text: str) -> str:
    """The script of more than half of the letters, as Unicode names it: "LATIN", "CJK";
    "" if there is none."""
    names = [
        unicodedata.name(sign, "").partition(" ")[0] for sign in text if sign.isalpha()
    ]
    most = Counter(names).most_common(1)
    return most[0][0] if most and 2 * most[0][1] > len(names) else ""


def foreign_script(text: str, languages: Iterable[str]) -> str:
    """The script of ``text`` if none of these languages is written in it, else "".

    ``languages``: codes such as "en" or "en-GB"; of one that is not known here nothing
    is claimed.
    """
    known = [_SCRIPTS.get(language.partition("-")[0]) for language in languages]
    script = script_of(text)
    if not script or not known or any(one is None or script in one for one in known):
        return ""
    return script.capitalize() if script != "CJK" else "Chinese"
