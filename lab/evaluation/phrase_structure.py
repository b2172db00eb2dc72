"""Whether two phrases match, told by the links of words and the shape of two trees.

No word is looked at, so that one model serves any two languages: how many of the linked
words are in both phrases, how many words have no link, where the two stand among the
phrases over the same linked words, and whether their categories are of one kind under
the conventions of the Penn Treebank, of TIGER and of treebanks made after it. Every
number is the same if the two sides change places.
"""

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats
from core.phrase_alignment.features import Nodes, best_other

STRUCTURE_NAMES = (
    "share",
    "least_share",
    "perfect",
    "out",
    "shared",
    "free",
    "free_difference",
    "free_share",
    "length_ratio",
    "both_single",
    "one_single",
    "both_whole",
    "one_whole",
    "above",
    "below",
    "same_above",
    "same_below",
    "both_highest",
    "both_lowest",
    "lead",
    "head_linked",
    "same_kind",
    "noun_preposition",
    "clause_verb",
    "noun_adjective",
    "verbal_nominal",
)
_KINDS = {
    **dict.fromkeys(("NP", "NML", "WHNP", "PN", "CNP", "CH", "NM"), "N"),
    **dict.fromkeys(("PP", "WHPP", "CPP"), "P"),
    **dict.fromkeys(("VP", "CVP", "VZ", "CVZ"), "V"),
    **dict.fromkeys(("S", "SBAR", "SINV", "SQ", "SBARQ", "FRAG", "CS", "VROOT"), "S"),
    **dict.fromkeys(("ADJP", "WHADJP", "AP", "CAP"), "J"),
    **dict.fromkeys(("ADVP", "WHADVP", "PRT", "AVP", "CAVP", "AA"), "R"),
}


def phrases_of(nodes: Nodes) -> NDArray[np.bool_]:
    """Which nodes are phrases; words are nodes apart, without a label."""
    return np.array([bool(label) for label in nodes.labels])


def structure_rows(
    source: Nodes, target: Nodes, links: NDArray[np.bool_]
) -> tuple[Floats, NDArray[np.bool_]]:
    """``(n_s, n_t, len(STRUCTURE_NAMES))``, and which pairs share a link of words.

    ``links`` (T, V), many to many. O(n_s n_t (T + V)).
    """
    a, b, w = (x.astype(np.float64) for x in (source.members, target.members, links))
    into, back = a @ ((w @ b.T) > 0), ((a @ w) > 0).astype(np.float64) @ b.T
    columns = {
        **_coverage(a, b, w, into, back, phrases_of(source), phrases_of(target)),
        **_sizes(a, b, w),
        **_heights(source, target, w),
        **_kinds(source, target, w),
    }
    rows = np.stack([np.broadcast_to(columns[n], into.shape) for n in STRUCTURE_NAMES])
    return np.moveaxis(rows.astype(np.float64), 0, -1), into > 0


def _coverage(
    a: Floats,
    b: Floats,
    w: Floats,
    into: Floats,
    back: Floats,
    phrases_s: NDArray[np.bool_],
    phrases_t: NDArray[np.bool_],
) -> dict[str, NDArray[np.generic]]:
    """``into``, ``back``: words of one phrase that are linked into the other."""
    linked_s, linked_t = (a @ (w.sum(1) > 0))[:, None], b @ (w.sum(0) > 0)
    shares = into / np.maximum(linked_s, 1), back / np.maximum(linked_t, 1)
    both = into + back
    share = both / np.maximum(linked_s + linked_t, 1)
    among = np.where(phrases_s[:, None] & phrases_t, share, 0.0)
    return {
        "share": shares[0] + shares[1],
        "least_share": np.minimum(*shares),
        "perfect": (share == 1) & (into > 0),
        "out": np.log1p(linked_s + linked_t - both),
        "shared": np.log1p(both),
        "lead": 2 * share - best_other(among, 1) - best_other(among, 0),
    }


def _sizes(a: Floats, b: Floats, w: Floats) -> dict[str, NDArray[np.generic]]:
    """Words without a link, and words."""
    free_s, free_t = (a @ (w.sum(1) == 0))[:, None], b @ (w.sum(0) == 0)
    n_s, n_t = a.sum(1)[:, None], b.sum(1)
    top_s = (np.arange(len(a)) == len(a) - 1)[:, None]
    top_t = np.arange(len(b)) == len(b) - 1
    return {
        "free": np.log1p(free_s) + np.log1p(free_t),
        "free_difference": np.log1p(np.abs(free_s - free_t)),
        "free_share": (free_s + free_t) / (n_s + n_t),
        "length_ratio": np.abs(np.log(n_s / n_t)),
        "both_single": (n_s == 1) & (n_t == 1),
        "one_single": (n_s == 1) ^ (n_t == 1),
        "both_whole": top_s & top_t,
        "one_whole": top_s ^ top_t,
    }


def _heights(source: Nodes, target: Nodes, w: Floats) -> dict[str, NDArray[np.generic]]:
    """How many phrases over the same linked words are above and below each."""
    up_s, down_s = (x[:, None] for x in _stack(source, w.sum(1) > 0))
    up_t, down_t = _stack(target, w.sum(0) > 0)
    return {
        "above": (up_s > 0) + 1.0 * (up_t > 0),
        "below": (down_s > 0) + 1.0 * (down_t > 0),
        "same_above": up_s == up_t,
        "same_below": down_s == down_t,
        "both_highest": (up_s == 0) & (up_t == 0),
        "both_lowest": (down_s == 0) & (down_t == 0),
    }


def _stack(nodes: Nodes, linked: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    members = nodes.members.astype(np.float64)
    inside = members @ np.diag(linked.astype(np.float64)) @ members.T
    n_linked = inside.diagonal()
    same = (inside == n_linked) & (inside == n_linked[:, None])
    holds = members @ members.T == members.sum(1)  # [u, v]: all words of v are in u
    later = np.tri(len(members), k=-1, dtype=bool)  # parts come before wholes
    over = same & holds & later
    phrases = phrases_of(nodes).astype(np.float64)
    return phrases @ over, over @ phrases


def _kinds(source: Nodes, target: Nodes, w: Floats) -> dict[str, NDArray[np.generic]]:
    """N, P, V, S, J, R: what a phrase is, whatever its treebank calls it."""
    kinds = [
        np.array([_KINDS.get(c, "") if at else "" for c, at in zip(*both, strict=True)])
        for both in (
            (nodes.categories, phrases_of(nodes)) for nodes in (source, target)
        )
    ]

    def mixed(one: str, other: str) -> NDArray[np.bool_]:
        s, t = (
            [np.isin(kind, list(names)) for names in (one, other)] for kind in kinds
        )
        is_mixed: NDArray[np.bool_] = (s[0][:, None] & t[1]) | (s[1][:, None] & t[0])
        return is_mixed

    return {
        "head_linked": w[np.ix_(source.heads, target.heads)] > 0,
        "same_kind": (kinds[0][:, None] == kinds[1]) & (kinds[0] != "")[:, None],
        "noun_preposition": mixed("N", "P"),
        "clause_verb": mixed("S", "V"),
        "noun_adjective": mixed("N", "J"),
        "verbal_nominal": mixed("SV", "N"),
    }
