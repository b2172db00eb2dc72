"""A bitext of a few sentences, made up for these tests, with trees and links."""

from pathlib import Path

from core.formats import ptb
from core.pivoting.bitext import BitextPair, BitextParse, write_pairs, write_parses
from core.pivoting.building.settings import PairsFile

TREES = [
    "(S (NP (DT The) (JJ old) (NN sea)) (VP (VBZ is) (ADJP (JJ calm))) (. .))",
    "(S (NP (DT The) (JJ ancient) (NN sea)) (VP (VBZ is) (ADJP (JJ quiet))) (. .))",
    "(S (NP (PRP We)) (VP (VBP like) (NP (DT the) (JJ old) (NN boat))) (. .))",
    "(S (NP (PRP We)) (VP (VBP love) (NP (DT the) (JJ ancient) (NN boat))) (. .))",
    "(S (NP (DT The) (NN ocean)) (VP (VBZ is) (ADJP (JJ calm))) (. .))",
    "(S (NP (DT A) (NN boat)) (VP (VBD came)) (. .))",
]
GERMAN = [
    ("Die alte See ist ruhig .", "0-0 1-1 2-2 3-3 4-4 5-5"),
    ("Die alte See ist ruhig .", "0-0 1-1 2-2 3-3 4-4 5-5"),
    ("Wir mögen das alte Boot .", "0-0 1-1 2-2 3-3 4-4 5-5"),
    ("Wir mögen das alte Boot .", "0-0 1-1 3-3 4-4 5-5"),
    ("Die See ist ruhig .", "0-0 1-1 2-2 3-3 4-4"),
    ("Ein Boot kam .", "0-0 1-1 2-2 3-3"),
]
FRENCH = [
    ("La vieille mer est calme .", "0-0 1-1 2-2 3-3 4-4 5-5"),
    ("La mer antique est calme .", "0-0 1-2 2-1 3-3 4-4 5-5"),
    ("Nous aimons le vieux bateau .", "0-0 1-1 2-2 3-3 4-4 5-5"),
    ("Nous aimons le bateau antique .", "0-0 1-1 2-2 3-4 4-3 5-5"),
    ("La mer est calme .", "0-0 1-1 2-2 3-3 4-4"),
]
CORPORA = {"sea.de": GERMAN, "sea.fr": FRENCH}


def english(at: int) -> str:
    return " ".join(ptb.parse_one(TREES[at]).words)


def sources(folder: Path, *, parsed: int = len(TREES)) -> list[PairsFile]:
    """The two files of pairs, with the trees of the first ``parsed`` sentences."""
    parses = folder / "parses.parquet"
    write_parses(parses, [BitextParse(english(i), TREES[i]) for i in range(parsed)])
    files = []
    for corpus, rows in CORPORA.items():
        path = folder / f"{corpus}.parquet"
        pairs = [
            BitextPair(at, corpus, english(at), foreign, links)
            for at, (foreign, links) in enumerate(rows)
        ]
        write_pairs(path, pairs)
        files.append(PairsFile(path, (parses,)))
    return files
