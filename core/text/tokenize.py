"""Raw English text to treebank tokens with their positions in the text.

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
    (?-i:[^\W\d_]++(?![\w'’.@+:-]))                       # most words, fast
  | (?:https?://|www\.)[^\s<>"]*[^\s<>"'.,;:!?)\]}}]      # addresses
  | [\w.+-]{{1,64}}@[\w-]{{1,63}}(?:\.[\w-]{{1,63}})+
  | [\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{0,8}}\.(?:com|org|net|edu|gov|co\.uk)\b
    (?:/[^\s<>")\]]*[^\s<>"'.,;:!?)\]}}])?
  | [\w-]{{1,100}}\.(?:pdf|docx?|xlsx?|html?|txt|jpe?g|png|gif|zip|exe|ppt)\b
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
  | \w{{1,60}}-(?:{_ENDINGS})\b
  | [^\W\d]{{1,60}}-(?=[\s,]|$)                                  # cut off in sp-
  | \w+(?:['’]\w+)*
  | \.{{2,}} | …
  | [-–—]{{2,}} | [!?]+ | ([*=_~#$<>+])\1*
  | ``|''
  | \S
    """,
    re.VERBOSE | re.IGNORECASE,
)
MAX_WORD = 2_000  # characters without a space; such text is split at punctuation
MAX_CONTRACTIONS = 4
_LONG_WORD = re.compile(rf"\w{{{MAX_WORD + 1},}}")
_CONTRACTION = re.compile(
    r"(?i)^(?:(.+)(n['’]t)|(.+?)(['’](?:s|m|d|ll|re|ve))|(can)(not)"
    r"|(gon|wan|got)(na|ta)|(gim|lem)(me))$"
)
_MAY_SPLIT = re.compile(r"(?i)['’]|cannot|gonna|wanna|gotta|gimme|lemme")


def tokenize(text: str) -> Sentence:
    """The sentence of ``text`` with the characters each token covers.

    Raises InvalidValue if there is nothing but white space, or a word of more than
    ``MAX_WORD`` characters. Linear in the length: what an alternative may look at
    before it fails is bounded, so that each character is looked at some hundred times
    at most (RFC 5321: 64 characters before an @, 63 of a label).
    """
    spans = list(spans_of(text))
    if not spans:
        raise InvalidValue("an empty line has no tokens")
    tokens = tuple(Token(text[span.start : span.end]) for span in spans)
    return Sentence(tokens, text, tuple(spans))


def spans_of(text: str) -> Iterator[Span]:
    """Return the spans of the tokens of ``text``, in order; control characters count as
    spaces.

    Raises InvalidValue at a word of more than ``MAX_WORD`` characters.
    """
    plain = re.sub(r"[\0-\x1f\x7f]", " ", text)
    if long := long_word(plain):
        raise InvalidValue(
            f"a word of {long.end - long.start:,} characters, from character "
            f"{long.start + 1} on: at most {MAX_WORD:,}"
        )
    may_split = _MAY_SPLIT.search(plain) is not None
    for match in _TOKEN.finditer(plain):
        if may_split and _MAY_SPLIT.search(match.group()):
            yield from _split(match.group(), match.start())
        else:
            yield Span(*match.span())


def long_word(text: str) -> Span | None:
    """Return the first word of more than ``MAX_WORD`` characters, None without one."""
    found = _LONG_WORD.search(text) if len(text) > MAX_WORD else None
    return Span(*found.span()) if found else None


def _split(token: str, start: int) -> Iterator[Span]:
    """``token`` as it is, or cut at its contractions, of which few words have two."""
    endings: list[Span] = []
    while len(endings) < MAX_CONTRACTIONS and token[0].isalpha():
        match = _CONTRACTION.match(token)
        if match is None:
            break
        token, ending = (group for group in match.groups() if group)
        cut = start + len(token)
        endings.append(Span(cut, cut + len(ending)))
    yield Span(start, start + len(token))
    yield from reversed(endings)
