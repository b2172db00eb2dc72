"""Stems, and function words."""

from collections.abc import Callable
from functools import cache, lru_cache

_STOP = """
    a about above after again against all also am an and any are aren't as at be
    because been before being below between both but by can can't cannot could
    couldn't did didn't do does doesn't doing don't down during each either else
    ever every few for from further get got had hadn't has hasn't have haven't
    having he her here hers herself him himself his how however i if in into is
    isn't it its itself just least let like may me might more most must my myself
    n't neither no nor not of off often on only or other ought our ours ourselves
    out over own rather 's said same say says she should shouldn't since so some
    such than that the their theirs them themselves then there these they this
    those though through thus to too under until up upon us very was wasn't we were
    weren't what when where which while who whom whose why will with within without
    won't would wouldn't yet you your yours yourself yourselves 'd 'll 'm 're 've ca
    wo 't
"""
STOP_WORDS = frozenset(_STOP.split())
"""English function words, contractions in the treebank style included."""


@cache
def _porter() -> Callable[[str], str]:
    from nltk.stem.porter import PorterStemmer  # when it is used: nltk is large

    stemmer: Callable[[str], str] = PorterStemmer().stem
    return stemmer


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """The Porter stem (1980) of a word; the word itself if it has digits."""
    if not word.isalpha():
        return word.lower()
    return _porter()(word.lower())
