"""The closed sets of Universal Dependencies 2, and what goes with what."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


UPOS = _set(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
)
RELATIONS = _set(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det"
    " discourse dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod"
    " obj obl orphan parataxis punct reparandum root vocative xcomp"
)
NEEDED_UPOS = {
    "det": _set("DET PRON"),
    "nummod": _set("NUM NOUN SYM"),
    "advmod": _set("ADV ADJ CCONJ DET PART SYM"),
    "expl": _set("PRON DET PART"),
    "aux": _set("AUX"),
    "cop": _set("AUX PRON DET SYM"),
    "punct": _set("PUNCT"),
}
"""By relation: the only parts of speech that it is for."""
FORBIDDEN_UPOS = {
    "case": _set("PROPN ADJ PRON DET NUM AUX"),
    "mark": _set("NOUN PROPN ADJ PRON DET NUM VERB AUX INTJ"),
    "cc": _set("NOUN PROPN ADJ PRON DET NUM VERB AUX INTJ"),
}
AFTER_HEAD = _set("conj fixed flat goeswith appos")
_JOINED = _set("goeswith fixed reparandum conj cc punct")
LEAVES = {
    "mark": _JOINED | {"advmod", "obl"},
    "case": _JOINED | {"advmod", "obl"},
    "aux": _JOINED,
    "cop": _JOINED,
    "cc": _JOINED - {"cc"},
    "fixed": _set("goeswith reparandum conj punct"),
    "goeswith": _set(""),
    "punct": _set("punct"),
}
"""By relation of a word: the relations that its own dependents may have."""
ORPHANS = _set("conj parataxis root csubj ccomp advcl acl reparandum")
