"""The encoding of a text that is not UTF-8: a guess from its letters and words.

Windows-1252 and Windows-1250 give every byte a letter, so both always seem to fit:
``naïve`` in one is ``naďve`` in the other. What tells them apart is the language: a
reading is likely if its common words are those of a language, and its accented letters
are those that this language has. General detectors read short Western text as Central
European; so they are asked only about text that is in another script.
"""

import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from annotator.exchange.files import byte_rows

SAMPLE = 1 << 18  # bytes of lines with other than ASCII: enough to know a language
EXAMPLE = 160  # characters that are shown
LIKELIEST = "cp1252"
WEIGHT = 4.0  # a foreign letter costs as much as this many common words gain
OLD_MACS = 3.0  # a prior against it, in common words: few such files exist today
_FOREIGN_RUN = re.compile(rb"[\x80-\xff]{3,}")  # rare in Latin script, usual in others
_NO_ACCENTS = frozenset(string.ascii_lowercase + "ªºµ")  # "5º", "10 µm": any language
_WORD = re.compile(r"[^\W\d_]+")
# A sign that is part of no word, and an upper-case letter after a lower-case one.
_MISPLACED = re.compile(
    r"(?<=[^\W\d_])[^\w\s’‘'´`\-–—.·](?=[^\W\d_])|(?<=[a-z])[À-ÞŒŠŽŸĄĆČĎĘĚŁŃŇŐŘŚŤŮŰŹŻ]"
)


@dataclass(frozen=True, slots=True)
class LetterUse:
    """``letters``: the accented ones it uses, lower case; ``words``: its commonest."""

    letters: frozenset[str]
    words: frozenset[str]


def _language(letters: str, words: str) -> LetterUse:
    return LetterUse(frozenset(letters), frozenset(words.split()))


_WESTERN = (
    _language(
        "àáâäåæçèéêëíîïñóôöøúûüœ",  # English, in loans and names
        "the of and to in a is that it was for on as with he be are by this have not"
        " from at or but they his her she you we an which there their been has had",
    ),
    _language(
        "äöüßàáéè",
        "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine"
        " als auch es an er hat dass sie nach wird bei einer um sind noch wie über",
    ),
    _language(
        "àâæçéèêëîïôùûüÿœ",
        "de la le et les des en un du une que est pour qui dans a par plus pas au sur"
        " ne se ce il sont avec été aux elle son à être l d où ça déjà même très",
    ),
    _language(
        "áéíñóúüç",
        "de la que el en y a los se del las un por con no una su para es al lo como más"
        " o pero sus le ha me si sin sobre este ya entre cuando qué fue está también",
    ),
    _language(
        "áâãàçéêíóôõúü",
        "de a o que e do da em um para com não uma os no se na por mais as dos como mas"
        " ao ele das à seu sua ou quando muito nos já está eu também só pelo até é",
    ),
    _language(
        "àèéìíîòóùú",
        "di e il la che in a per un è del una con non si le da al i dei della come nel"
        " sono più ha lo ma gli su alla anche delle se o era questo perché già",
    ),
    _language(
        "ëïéèêöüáóíäçàôû",
        "de het een en van in is dat op te zijn met voor niet aan er om ook als die"
        " dan maar bij of uit nog naar heeft hij was door over ze zich wordt één",
    ),
    _language(
        "åäöéàü",
        "och i att det som en på är av för med den till inte om ett har de jag så men"
        " var sig från vi kan när hon han nu över skulle där ut sin också",
    ),
    _language(
        "æøåéöäóèôü",
        "og i det at en den til er som på de med av af for ikke der et var jeg har om"
        " han men sig seg så fra hun ved kan eller når være bliver også også etter",
    ),
    _language(
        "äöåéšž",
        "ja on ei se että oli hän mutta ovat kuin myös joka niin tai jos mitä nyt vain"
        " kun sen ole hänen sitä olla mukaan jo",
    ),
    _language(
        "áðéíóúýþæö", "og að í á er sem það við ekki um til var en með hann fyrir"
    ),
    _language(
        "àçèéíïòóúü·",
        "de la que i el en a les un per amb no una és del els es als com però més al",
    ),
)
_CENTRAL = (
    _language(
        "ąćęłńóśźżéüöäß",
        "i w na się nie z do to że jest o jak a po co od za przez ale dla są tak być"
        " który która które jego tym już tylko może czy pod oraz lub także też ich",
    ),
    _language(
        "áčďéěíňóřšťúůýžöü",
        "a se v na je to že s z do o i jako by ale pro si ve po k není jsou byl od za"
        " tak jsem však aby které který která už nebo při jeho také až jen více ze",
    ),
    _language(
        "áäčďéíĺľňóôŕšťúýžöü",
        "a sa v na je to že s z do o i ako by ale pre si vo po k nie sú bol od za tak"
        " som však aby ktoré ktorý ktorá už alebo pri jeho aj až len viac zo",
    ),
    _language(
        "áéíóöőúüűä",
        "a az és hogy nem is egy ez van de meg csak volt ha már még mint vagy azt el"
        " minden kell én ő lehet ki fel nagyon ezt amely után szerint között több be",
    ),
    _language(
        "čćđšžáéíóúü",
        "i u je se na da za od su s kao koji ne sa o što to a bi iz ili nije koja po in"
        " v ni pa so ki tudi pri kot še ali bil bila samo već više",
    ),
    _language(
        "ăâîşţéáöü",
        "de şi în a la cu o că pe un nu din se pentru este care mai sau sunt prin fi ce"
        " au al ale ar fost dar după le ca lui ei către până într această",
    ),
)
_TURKISH = (
    _language(
        "çğıöşüâîû",
        "ve bir bu da de için ile ne çok daha olarak gibi o en var ama kadar sonra olan"
        " ki her değil ise ya mı diye",
    ),
)
_BALTIC = (
    _language(
        "ąčęėįšųūž",
        "ir į kad su iš tai yra buvo o ne ar per kaip jo po bet už apie nuo taip jau",
    ),
    _language(
        "āčēģīķļņšūž",
        "un ir ar ka no uz par kas bija arī vai lai to tas pie tā nav bet kā pēc es",
    ),
)
_LIKELY = (  # the first wins where two are as good
    (LIKELIEST, _WESTERN),
    ("cp1250", _CENTRAL),
    ("iso8859_2", _CENTRAL),
    ("mac_roman", _WESTERN),
    ("cp1254", _TURKISH),
    ("cp1257", _BALTIC),
)
_OTHER_SCRIPTS = (  # what people's programs write; not all that Python knows
    *("cp1251", "koi8_r", "koi8_u", "cp1253", "iso8859_7", "cp1255", "cp1256", "cp874"),
    *("gb18030", "big5", "shift_jis", "euc_jp", "euc_kr"),
)


@dataclass(frozen=True, slots=True)
class EncodingGuess:
    """``example``: the first line that shows whether it is right; "" of UTF-8."""

    encoding: str
    example: str = ""


def guess(file: BinaryIO) -> EncodingGuess:
    """The likeliest encoding of a text that is not UTF-8 throughout.

    UTF-8 where half of the lines are: then only the others cannot be read.
    """
    sample = _sample(byte_rows(file))
    if sum(_is_utf8(line) for line in sample) * 2 >= len(sample):
        return EncodingGuess("utf-8")
    text = b"".join(sample)
    is_other = _is_other_script(text)
    encoding = _of_other_script(text) if is_other else _of_latin(text)
    return EncodingGuess(
        encoding, sample[0].decode(encoding, "replace").strip()[:EXAMPLE]
    )


def _sample(lines: Iterable[bytes | None]) -> list[bytes]:
    """The first lines that hold more than ASCII."""
    sample: list[bytes] = []
    size = 0
    for line in lines:
        if line is None or line.isascii():
            continue
        sample.append(line[: SAMPLE - size])
        size += len(line)
        if size >= SAMPLE:
            break
    return sample


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _is_other_script(text: bytes) -> bool:
    n_high = sum(byte > 0x7F for byte in text)
    return sum(map(len, _FOREIGN_RUN.findall(text))) * 2 > n_high


def _of_other_script(text: bytes) -> str:
    from charset_normalizer import from_bytes  # some megabytes, and seldom needed

    best = from_bytes(text, cp_isolation=list(_OTHER_SCRIPTS)).best()
    return best.encoding if best is not None else LIKELIEST


def _of_latin(text: bytes) -> str:
    scores = {name: max(_scores(text, name, found)) for name, found in _LIKELY}
    scores["mac_roman"] -= OLD_MACS
    return max(scores, key=lambda name: scores[name])


def _scores(
    text: bytes, encoding: str, languages: tuple[LetterUse, ...]
) -> Iterator[float]:
    """Score the text for each language: its common words, minus those missing."""
    try:
        decoded = text.decode(encoding)
    except UnicodeDecodeError:
        yield float("-inf")
        return
    words = _WORD.findall(decoded.lower())
    misplaced = len(_MISPLACED.findall(decoded))
    accented = [sign for word in words for sign in word if sign not in _NO_ACCENTS]
    for language in languages:
        n_common = sum(word in language.words for word in words)
        n_foreign = sum(sign not in language.letters for sign in accented)
        yield n_common - WEIGHT * (n_foreign + misplaced)
