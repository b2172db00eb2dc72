"""Raw English text to treebank tokens that know where in the text they stand.

The style is that of the English Web Treebank and GUM: contractions and possessives
are split (do|n't, John|'s, gon|na), so are hyphens between words (well|-|known, but
e-mail, co-author), slashes between words and the period that ends a sentence;
abbreviations, numbers, addresses and faces are one token. Nothing is rewritten: the
tokens are pieces of the text. Other languages are split at spaces and punctuation by
the same rules, without the English contractions.
"""

import re
from collections.abc import Iterator

from core.data.tokens import Sentence, Span, Token
from core.errors import InvalidValue

__all__ = ["spans_of", "tokenize"]

_AFFIXES = (
    "e|a|u|x|agro|ante|anti|arch|be|bi|bio|co|counter|cross|cyber|de|eco|ex|extra|"
    "inter|intra|macro|mega|micro|mid|mini|multi|neo|non|over|pan|para|peri|post|pre|"
    "pro|pseudo|quasi|re|semi|sub|super|tri|ultra|un|uni|vice"
)
_ENDINGS = "esque|ette|fest|fold|gate|itis|less|most|rama|wise"
_ABBREVIATIONS = (
    "Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|Gen|Col|Lt|Capt|Sgt|Gov|Sen|Rep|Rev|Hon|Pres|vs|etc|"
    "cf|al|Inc|Ltd|Co|Corp|Bros|Nos|Vol|pp|ed|eds|Fig|Figs|Eq|approx|Dept|Univ|"
    "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec|Ave|Blvd|Rd|Mt|Ft"
)
_TOKEN = re.compile(
    rf"""
    (?:https?://|www\.)[^\s<>"]*[^\s<>"'.,;:!?)\]}}]      # addresses
  | [\w.+-]+@[\w-]+(?:\.[\w-]+)+
  | [\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|gov|co\.uk)\b
    (?:/[^\s<>")\]]*[^\s<>"'.,;:!?)\]}}])?
  | [\w-]+\.(?:pdf|docx?|xlsx?|html?|txt|jpe?g|png|gif|zip|exe|ppt)\b
  | [@#]\w+
  | (?<!\w)[:;=8][-o*']?[()\[\]DPpO/\\|](?![\w/])        # faces
  | <3(?!\d)
  | (?<!\w)(?:[^\W\d_]\.){{2,}}                             # U.S.
  | (?<!\w)(?:{_ABBREVIATIONS})\.(?!\w)
  | (?<!\w)[A-Z]\.(?=\s+\S)                                 # initials
  | (?<!\w)'(?:em|til|tis|twas|cause|n|bout|\d\ds)(?!\w)
  | (?<!\w)No\.(?=\s*\d)
  | \d+(?:[./-]\d+){{2}}(?!\w)                             # 08/16/2000
  | \d+(?:[.,:]\d+)+(?:st|nd|rd|th|s)?                     # 1,000.50 10:30
  | (?<![\w.])\.\d+
  | \d+(?:st|nd|rd|th|s)?\b(?!['’])
  | (?:{_AFFIXES})-\w+(?:['’]\w+)*                          # e-mail
  | \w+-(?:{_ENDINGS})\b
  | [^\W\d]+-(?=[\s,]|$)                                  # cut off in sp-
  | \w+(?:['’]\w+)*
  | \.{{2,}} | …
  | [-–—]{{2,}} | [!?]+ | ([*=_~#$<>+])\1*
  | ``|''
  | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CONTRACTION = re.compile(
    r"(?i)^(?:(.+)(n['’]t)|(.+?)(['’](?:s|m|d|ll|re|ve))|(can)(not)"
    r"|(gon|wan|got)(na|ta)|(gim|lem)(me))$"
)


def tokenize(text: str) -> Sentence:
    """The sentence of ``text`` with the characters each token covers.

    Raises InvalidValue if there is nothing but white space. O(length).
    """
    spans = list(spans_of(text))
    if not spans:
        raise InvalidValue("an empty line has no tokens")
    tokens = tuple(Token(text[span.start : span.end]) for span in spans)
    return Sentence(tokens, text, tuple(spans))


def spans_of(text: str) -> Iterator[Span]:
    """Where the tokens of ``text`` stand, in order; control characters are spaces."""
    plain = re.sub(r"[\0-\x1f\x7f]", " ", text)
    for match in _TOKEN.finditer(plain):
        yield from _split(match.group(), match.start())


def _split(token: str, start: int) -> Iterator[Span]:
    """``token`` as it is, or cut at its contractions, innermost last."""
    match = _CONTRACTION.match(token)
    if match is None or not token[0].isalpha():
        yield Span(start, start + len(token))
        return
    stem, ending = (group for group in match.groups() if group)
    yield from _split(stem, start)
    cut = start + len(stem)
    yield Span(cut, cut + len(ending))
