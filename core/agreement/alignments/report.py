"""Agreement of alignment layers as plain values, for pages, files and frozen
reports."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from core.agreement.alignments.layers import (
    LinkSets,
    agreed_share,
    alignment_error_rate,
    human_row,
    link_f1,
    score_layer,
)
from core.agreement.figures import Undefined, as_json
from core.agreement.measures import MEASURES, measure_all
from core.agreement.words import Reason
from core.data.alignment import Alignment
from core.data.check import Ints
from core.data.ratings import Ratings, Scale

STATES = Scale("node", ("link", "null", "undecided"))
LENGTHS = ((1, "1 word"), (3, "2 to 3 words"), (7, "4 to 7 words"))
LONGER, NO_NODE = "8 words or more", "not in the tree"
SHOWN = ("raw", "cohen", "fleiss", "alpha_nominal", "ac1")
LABELS_AT_MOST = 20
CASES_AT_MOST = 100  # pairs listed behind a figure


@dataclass(frozen=True, slots=True)
class PairInput:
    """A pair with its layers by annotator.

    ``nodes`` maps ``s:n0`` or ``t:w3`` to its label and its length in words.
    ``engines``: the annotators that are programs; they are compared with people but not
    counted among them.
    """

    code: str
    nodes: Mapping[str, tuple[str, int]]
    layers: Mapping[str, Alignment]
    engines: frozenset[str] = frozenset()


def build(
    pairs: Sequence[PairInput], annotators: Sequence[str], *, seed: int = 0
) -> dict[str, Any]:
    """Every figure over the pairs; JSON-ready.

    Rows that compare several annotators read the pairs that all of them aligned.
    """
    programs = frozenset().union(*(pair.engines for pair in pairs))
    people = [name for name in annotators if name not in programs]
    engines = [name for name in annotators if name in programs]
    common = _common(pairs, people)
    sets = {name: _links(common, name) for name in people}
    human = human_row([sets[name] for name in people], seed=seed)
    return {
        "facts": {
            "pairs": len(pairs),
            "common": len(common),
            "people": people,
            "engines": engines,
            "seed": seed,
            "links": {name: sum(map(len, sets[name])) for name in people},
        },
        "human": {
            "recall": as_json(human.recall),
            "precision": as_json(human.precision),
        },
        "all_agree": as_json(agreed_share([sets[name] for name in people], seed=seed))
        if people
        else as_json(Undefined(Reason.NO_ALIGNED_PAIR)),
        "rows": _against(pairs, people, engines, seed),
        "pairs": [_pair(pairs, a, b, seed) for a, b in combinations(annotators, 2)],
        "states": _states(pairs, people, seed),
        "all": [{"cases": [pair.code for pair in common][:CASES_AT_MOST]}],
        "by_label": _by_kind(common, people, _label_of),
        "by_length": _by_kind(common, people, _length_of),
    }


def _common(pairs: Sequence[PairInput], names: Sequence[str]) -> list[PairInput]:
    return [pair for pair in pairs if names and all(n in pair.layers for n in names)]


def _links(pairs: Sequence[PairInput], name: str) -> LinkSets:
    return [frozenset(link.cell for link in pair.layers[name].links) for pair in pairs]


def _sure(pairs: Sequence[PairInput], name: str) -> LinkSets:
    return [
        frozenset(link.cell for link in pair.layers[name].links if link.kind == "sure")
        for pair in pairs
    ]


def _against(
    pairs: Sequence[PairInput], people: list[str], engines: list[str], seed: int
) -> list[dict[str, Any]]:
    """Each person against the others, and each program against all people."""
    rows = []
    for name in [*people, *engines]:
        others = [other for other in people if other != name]
        held = _common(pairs, [name, *others]) if len(others) > 1 else []
        score = score_layer(
            _links(held, name), [_links(held, other) for other in others], seed=seed
        )
        rows.append(
            {
                "name": name,
                "is_engine": name in engines,
                "n": len(held),
                "recall": as_json(score.recall),
                "precision": as_json(score.precision),
            }
        )
    return rows


def _pair(pairs: Sequence[PairInput], a: str, b: str, seed: int) -> dict[str, Any]:
    held = _common(pairs, [a, b])
    states = measure_all(
        _node_ratings(held, [a, b]), replicates=500, seed=seed, pairs=False
    )
    left, right = _links(held, a), _links(held, b)
    return {
        "a": a,
        "b": b,
        "n": len(held),
        "f1": as_json(link_f1(left, right)),
        "f1_sure": as_json(link_f1(_sure(held, a), _sure(held, b))),
        "aer": as_json(alignment_error_rate(left, _sure(held, b), right)),
        "kappa": as_json(states.figures["cohen"]),
        "confusion": _confusion(held, a, b),
        "cases": _differing(held, a, b),
    }


def _states(
    pairs: Sequence[PairInput], people: list[str], seed: int
) -> list[dict[str, Any]]:
    """Measures over what each node is: in a link, null, or undecided."""
    agreement = measure_all(_node_ratings(pairs, people), replicates=500, seed=seed)
    return [
        {
            "key": name,
            "name": MEASURES[name].name,
            "formula": MEASURES[name].formula,
            "source": MEASURES[name].source,
            "figure": as_json(agreement.figures[name]),
        }
        for name in SHOWN
    ]


def _state_codes(pair: PairInput, name: str) -> list[int]:
    """The code of every node of the pair, in order: 0 link, 1 null, 2 undecided."""
    alignment = pair.layers[name]
    linked = {f"s:{link.source}" for link in alignment.links}
    linked |= {f"t:{link.target}" for link in alignment.links}
    null = {f"s:{ref}" for ref in alignment.null_source}
    null |= {f"t:{ref}" for ref in alignment.null_target}
    return [0 if n in linked else 1 if n in null else 2 for n in pair.nodes]


def _node_ratings(pairs: Sequence[PairInput], names: Sequence[str]) -> Ratings:
    items: list[str] = []
    cluster: list[int] = []
    rows: list[Ints] = []
    for place, pair in enumerate(pairs):
        first = len(items)
        items += [f"{place}/{node}" for node in pair.nodes]
        cluster += [place] * len(pair.nodes)
        for who, name in enumerate(names):
            if name in pair.layers:
                codes = np.array(_state_codes(pair, name), np.int32)
                at = np.arange(first, len(items), dtype=np.int32)
                rows.append(np.stack([at, np.full_like(at, who), codes]))
    table = np.concatenate([np.zeros((3, 0), np.int32), *rows], axis=1)
    item, judge, state = table
    of = np.array(cluster, np.int32)
    return Ratings.from_codes(STATES, items, names, item, judge, state, of)


def _confusion(pairs: Sequence[PairInput], a: str, b: str) -> list[list[Any]]:
    """Node states of ``a`` (rows) against ``b``: link, null, undecided.

    Each cell: the number of nodes, and the pairs they are in.
    """
    table = np.zeros((3, 3), np.int64)
    cases: dict[tuple[int, int], dict[str, None]] = {}
    for pair in pairs:
        states = list(zip(_state_codes(pair, a), _state_codes(pair, b), strict=True))
        for cell in states:
            table[cell] += 1
            cases.setdefault(cell, {})[pair.code] = None
    return [
        [
            {
                "n": int(table[i, j]),
                "cases": list(cases.get((i, j), {}))[:CASES_AT_MOST],
            }
            for j in range(3)
        ]
        for i in range(3)
    ]


def _differing(pairs: Sequence[PairInput], a: str, b: str) -> list[str]:
    """The pairs whose links differ, those that differ most first."""
    gaps = {
        pair.code: len(
            {link.cell for link in pair.layers[a].links}
            ^ {link.cell for link in pair.layers[b].links}
        )
        for pair in pairs
    }
    worst = sorted((code for code, n in gaps.items() if n), key=lambda c: -gaps[c])
    return worst[:CASES_AT_MOST]


def _by_kind(
    pairs: Sequence[PairInput],
    people: list[str],
    kind_of: Callable[[PairInput, str], str],
) -> list[dict[str, Any]]:
    """Of the links that anyone made from a kind of source node, those all made.

    ``cases``: the pairs in which such a link was not made by all.
    """
    anyone: Counter[str] = Counter()
    everyone: Counter[str] = Counter()
    cases: dict[str, dict[str, None]] = {}
    for pair in pairs:
        sets = [{link.cell for link in pair.layers[name].links} for name in people]
        for cell in sorted(set().union(*sets)):
            kind = kind_of(pair, f"s:{cell[0]}")
            by_all = all(cell in links for links in sets)
            anyone[kind] += 1
            everyone[kind] += by_all
            if not by_all:
                cases.setdefault(kind, {})[pair.code] = None
    return [
        {
            "kind": kind,
            "links": n,
            "all": everyone[kind],
            "share": everyone[kind] / n,
            "cases": list(cases.get(kind, {}))[:CASES_AT_MOST],
        }
        for kind, n in anyone.most_common(LABELS_AT_MOST)
    ]


def _label_of(pair: PairInput, node: str) -> str:
    return pair.nodes[node][0] if node in pair.nodes else NO_NODE


def _length_of(pair: PairInput, node: str) -> str:
    if node not in pair.nodes:
        return NO_NODE
    length = pair.nodes[node][1]
    return next((name for most, name in LENGTHS if length <= most), LONGER)
