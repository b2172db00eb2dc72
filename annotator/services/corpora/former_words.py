"""Parsers' trees of a sentence whose words were split or joined since.

They stay as they are, named after the former words, so that the parser reads the
sentence again when the corpus is parsed; where the words come back, so does the name.
"""

from annotator.models import Origin, PackedForest, Parse, Sentence
from annotator.services.parses import retyping
from core.errors import FormatError
from core.formats import forest_npz

FORMERLY = ", former words"


def name_engines(sentence: Sentence) -> None:
    """Trees and forests over another number of words than the sentence's are named
    so, and those over as many no longer."""
    n = sentence.n_tokens
    rows = sentence.parses.filter(origin=Origin.ENGINE)
    forests = PackedForest.objects.filter(sentence=sentence)
    fits: list[tuple[Parse | PackedForest, bool]] = [
        *((row, len(retyping.words_of(row)) == n) for row in rows),
        *((row, _n_words(row) == n) for row in forests),
    ]
    for row, is_now in sorted(fits, key=lambda one: one[1]):  # first those that leave
        name = row.version.removesuffix(FORMERLY) + ("" if is_now else FORMERLY)
        if name != row.version and not _is_taken(row, name):
            row.version = name
            row.save(update_fields=["version"])


def _n_words(row: PackedForest) -> int:
    try:
        return forest_npz.load(bytes(row.data)).forest.n_tokens
    except FormatError:
        return -1


def _is_taken(row: Parse | PackedForest, name: str) -> bool:
    same = {"sentence": row.sentence_id, "engine": row.engine, "version": name}
    if isinstance(row, PackedForest):
        return PackedForest.objects.filter(**same).exists()
    same |= {"kind": row.kind, "rank": row.rank}
    return Parse.objects.filter(**same, origin=Origin.ENGINE).exists()
