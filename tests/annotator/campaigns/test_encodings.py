"""Text that is not UTF-8: Western and Central European text keeps its letters."""

import io

import pytest

from annotator.exchange.encodings import EncodingGuess, guess
from annotator.exchange.files import Source
from annotator.exchange.tables import Sheet

WESTERN = {
    "en": "She smiled naïvely at the façade of the café.",
    "en, a price": "The ticket for the café is £5, and the meal is €7 – “really”.",
    "de": "Die Bäume blühen über der Straße, und er fürchtet die Höhe.",
    "fr": "L’élève a déjà mangé à côté de l’hôtel où elle est née.",
    "fr, one letter": "Le chat est à la maison.",
    "es": "¿Qué hizo el niño por la mañana? Comió una piña en el jardín.",
    "it": "La città è più bella perché il sole non c’è già più.",
    "pt": "Não há pão na mesa, mas a irmã também não tem fome até às três.",
    "nl": "De geïnteresseerde patiënt is één keer naar het café gegaan.",
    "sv": "Hon går över ån när det är mörkt, och hans båt är för långsam.",
    "da": "Han læste på øen, og hun så en rød bil på vejen.",
    "fi": "Hän tietää että mies ei ole täällä, mutta hän on myös väärässä.",
}
CENTRAL = {
    "pl": "Książka leży na stole, a łódź płynie po rzece i się kołysze.",
    "pl, one word": "To jest dom i łąka.",
    "pl, capitals": "Łukasz i Żaneta nie są w Łodzi.",
    "cs": "Příliš žluťoučký kůň je na louce, a řeka teče pod mostem.",
    "cs, short": "Můj kůň je bílý a není tu.",
    "sk": "Môj kôň je na lúke a nie je sám, ale vŕba je pri vode.",
    "hu": "Az őszi erdő gyönyörű, és a tükörfúrógép nem árvíztűrő.",
    "hu, short": "Ez a kő nem szép, és a fű is zöld.",
    "hr": "Čovjek je došao u kuću i rekao da će đak biti što bolji.",
}


def table(sentence: str) -> str:
    return f"id\ttext\n1\t{sentence}\n2\tno accents\n"


@pytest.mark.parametrize("language", WESTERN)
def test_western_text_is_read_as_windows_1252(language: str) -> None:
    content = table(WESTERN[language]).encode("cp1252")
    assert guess(io.BytesIO(content)).encoding == "cp1252"


@pytest.mark.parametrize("encoding", ["cp1250", "iso8859_2"])
@pytest.mark.parametrize("language", CENTRAL)
def test_central_european_text_keeps_its_letters(language: str, encoding: str) -> None:
    text = table(CENTRAL[language])
    content = text.encode(encoding)
    assert content.decode(guess(io.BytesIO(content)).encoding) == text


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_old_macs_are_recognised(language: str) -> None:
    text = table(WESTERN[language])
    content = text.encode("mac_roman")
    assert content.decode(guess(io.BytesIO(content)).encoding) == text


def test_one_word_alone_is_western() -> None:
    content = "text\nnaïvely\n".encode("cp1252")
    assert guess(io.BytesIO(content)) == EncodingGuess("cp1252", "naïvely")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("Кошка сидит на окне и смотрит на птиц за стеклом.\n", "cp1251"),
        ("Η γάτα κάθεται στο παράθυρο και κοιτάζει τα πουλιά.\n", "cp1253"),
        ("猫坐在窗台上看着外面的小鸟，天气很好，我们都很高兴。\n", "gb18030"),
    ],
)
def test_other_scripts_are_still_recognised(text: str, encoding: str) -> None:
    content = (text * 20).encode(encoding)
    assert content.decode(guess(io.BytesIO(content)).encoding) == text * 20


def test_one_broken_line_does_not_make_utf_8_something_else() -> None:
    lines = ["text", *(f"Größe {n}" for n in range(9))]
    content = "\n".join(lines).encode() + b"\nGr\xf6\xdfe\n"
    sheet = Sheet(Source("a.tsv", lambda: io.BytesIO(content))).settle()
    assert (sheet.source.encoding, sheet.source.guessed) == ("utf-8", "")


def test_letters_far_down_in_the_file_are_seen() -> None:
    content = b"id\ttext\n" + b"1\tplain\n" * 20_000 + "2\tnaïve\n".encode("cp1252")
    sheet = Sheet(Source("a.tsv", lambda: io.BytesIO(content))).settle()
    assert (sheet.source.encoding, sheet.source.guessed) == ("cp1252", "2\tnaïve")
    assert [row for _, row, _ in sheet.rows()][-1] == {"id": "2", "text": "naïve"}


def test_an_encoding_that_is_sure_is_no_guess() -> None:
    sheet = Sheet(Source("a.tsv", lambda: io.BytesIO("a\tb\né\té\n".encode())))
    assert sheet.settle().source.guessed == ""
