"""What of a corpus is looked at first: values by sentence or pair, high ones first."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import combinations
from statistics import mean

from django.db.models import Count, Q

from annotator.models import (
    AlignmentLayer,
    Corpus,
    JointPair,
    JointRun,
    JointTree,
    Origin,
    Pair,
    Parse,
    Sentence,
)
from annotator.models.worklists import Worklist
from annotator.services.parses import marginals
from core.agreement.trees import parseval
from core.data.tree import Tree
from core.errors import GemelError

Values = dict[int, float]
Row = Sentence | Pair
Ranking = Worklist.Ranking


def values_of(
    corpus: Corpus, rows: Sequence[Row], ranking: str, *, seed: int
) -> Values:
    """By primary key what the ranking goes by; what it cannot tell is left out.

    Uncertainty of a tree: of the parser's best tree, the phrases that are expected to
    be wrong by the marginals of its forest, for each word that is to be read; of a
    pair: the links and nulls that the aligner expects to be wrong. Disagreement: 1 less
    the mean F1 of each two people, of their brackets or links. Joint: the brackets and
    arcs that the corpus's last joint run changed, for each word.
    """
    if ranking == Ranking.RANDOM:
        return {row.pk: _drawn(row, seed) for row in rows}
    if ranking in (Ranking.LONGEST, Ranking.SHORTEST):
        sign = 1 if ranking == Ranking.LONGEST else -1
        return {row.pk: sign * float(_length(row)) for row in rows}
    of_pairs = bool(rows) and isinstance(rows[0], Pair)
    return _BY_DATA[ranking, of_pairs](corpus, rows)


def _drawn(row: Row, seed: int) -> float:
    """The same for the same seed, whatever else is in the list."""
    digest = sha256(f"{seed} {row.code}".encode()).digest()
    return int.from_bytes(digest[:6]) / 2**48


def _length(row: Row) -> int:
    return row.n_source + row.n_target if isinstance(row, Pair) else row.n_tokens


def _unsure_trees(corpus: Corpus, rows: Sequence[Row]) -> Values:
    values: Values = {}
    wanted = {row.pk: row for row in rows if isinstance(row, Sentence)}
    best = Parse.objects.filter(
        sentence__corpus=corpus, kind=Parse.Kind.CONSTITUENCY, origin=Origin.ENGINE
    ).filter(rank=1)
    for parse in best.order_by("pk").iterator(chunk_size=200):
        row = wanted.get(parse.sentence_id)
        if row is None:
            continue
        value = _expected_wrong(row, parse)
        if value is not None:
            values[row.pk] = max(value, values.get(row.pk, 0.0))
    return values


def _expected_wrong(sentence: Sentence, parse: Parse) -> float | None:
    stored = marginals.stored_forest(sentence, parse.engine, parse.version)
    if stored is None:
        return None
    sure = marginals.sureness(stored)
    try:
        tree = parse.to_tree()
    except GemelError:
        return None
    places = [
        (*tree.spans[v], tree.labels[v])
        for v in range(len(tree))
        if not tree.is_leaf(v)
    ]
    wrong = sum(1.0 - min(1.0, sure.get(place, 0.0)) for place in places)
    return wrong / max(1, sentence.n_tokens)


def _unsure_pairs(corpus: Corpus, rows: Sequence[Row]) -> Values:
    layers = AlignmentLayer.objects.filter(pair__corpus=corpus, doubt__isnull=False)
    values: Values = {}
    for pair, uncertainty in layers.values_list("pair", "doubt"):
        values[pair] = max(uncertainty or 0.0, values.get(pair, 0.0))
    keys = {row.pk for row in rows}
    return {pk: value for pk, value in values.items() if pk in keys}


def _unlike_trees(corpus: Corpus, rows: Sequence[Row]) -> Values:
    """Of each person the tree that they saved last."""
    keys = {row.pk for row in rows}
    made: defaultdict[int, dict[int, Tree]] = defaultdict(dict)
    parses = Parse.objects.filter(
        sentence__corpus=corpus,
        kind=Parse.Kind.CONSTITUENCY,
        origin=Origin.ANNOTATOR,
        author__isnull=False,
    )
    for parse in parses.order_by("pk").iterator(chunk_size=500):
        if parse.sentence_id in keys:
            try:
                made[parse.sentence_id][parse.author_id or 0] = parse.to_tree()
            except GemelError:
                continue
    return {
        pk: 1.0 - mean(_tree_f1(a, b) for a, b in combinations(trees.values(), 2))
        for pk, trees in made.items()
        if len(trees) > 1
    }


def _tree_f1(a: Tree, b: Tree) -> float:
    try:
        return parseval.compare(a, b).f1
    except GemelError:
        return 0.0


def _unlike_pairs(corpus: Corpus, rows: Sequence[Row]) -> Values:
    keys = {row.pk for row in rows}
    made: defaultdict[int, list[set[tuple[str, str]]]] = defaultdict(list)
    layers = AlignmentLayer.objects.filter(
        pair__corpus=corpus, origin=Origin.ANNOTATOR, author__isnull=False
    )
    for layer in layers.order_by("pk").iterator(chunk_size=500):
        if layer.pair_id in keys and layer.revision:
            cells = {link.cell for link in layer.to_core().links}
            made[layer.pair_id].append(cells)
    return {
        pk: 1.0 - mean(_dice(a, b) for a, b in combinations(sets, 2))
        for pk, sets in made.items()
        if len(sets) > 1
    }


def _joint_trees(corpus: Corpus, rows: Sequence[Row]) -> Values:
    values: Values = {}
    n_tokens = {row.pk: _length(row) for row in rows}
    for result, n_source, n_target in _joint_changes(corpus):
        sides = (result.pair.source_id, n_source), (result.pair.target_id, n_target)
        for pk, n in sides:
            if pk in n_tokens:
                share = n / max(1, n_tokens[pk])
                values[pk] = max(share, values.get(pk, 0.0))
    return values


def _joint_pairs(corpus: Corpus, rows: Sequence[Row]) -> Values:
    n_tokens = {row.pk: max(1, _length(row)) for row in rows}
    return {
        result.pair_id: (n_source + n_target) / n_tokens[result.pair_id]
        for result, n_source, n_target in _joint_changes(corpus)
        if result.pair_id in n_tokens
    }


def _joint_changes(corpus: Corpus) -> Iterator[tuple[JointPair, int, int]]:
    """The pairs of the last run, and how much changed on either side."""
    run = JointRun.objects.filter(corpus=corpus).first()
    results = JointPair.objects.filter(run=run).select_related("pair").annotate(
        n_source=Count("changes", filter=Q(changes__side=JointTree.Side.SOURCE)),
        n_target=Count("changes", filter=Q(changes__side=JointTree.Side.TARGET)),
    )  # fmt: skip
    for result in results.iterator(chunk_size=500):
        yield result, result.n_source, result.n_target


def _dice(a: set[tuple[str, str]], b: set[tuple[str, str]]) -> float:
    return 2 * len(a & b) / (len(a) + len(b)) if a or b else 1.0


_BY_DATA: dict[tuple[str, bool], Callable[[Corpus, Sequence[Row]], Values]] = {
    (Ranking.UNCERTAINTY, False): _unsure_trees,
    (Ranking.UNCERTAINTY, True): _unsure_pairs,
    (Ranking.JOINT, False): _joint_trees,
    (Ranking.JOINT, True): _joint_pairs,
    (Ranking.DISAGREEMENT, False): _unlike_trees,
    (Ranking.DISAGREEMENT, True): _unlike_pairs,
}
