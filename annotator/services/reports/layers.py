"""Agreement of the alignment layers of a corpus, live and frozen."""

import hashlib
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, Q, QuerySet, Sum
from django.utils.translation import gettext as _

from annotator import __version__, access
from annotator.errors import BadRequest
from annotator.models import (
    AlignmentLayer,
    Corpus,
    Origin,
    Pair,
    Parse,
    Project,
    Report,
)
from annotator.models.projects import Anybody
from annotator.services.kept_counts import LastAnswers
from core.agreement.alignments.report import PairInput, build
from core.agreement.trees.annotators import agreement_of_deps, agreement_of_trees
from core.data.alignment import Alignment
from core.data.deps import DepTree
from core.data.tree import Tree
from core.errors import GemelError

MAX_PAIRS = 2_000
MAX_SHOWN = 100
_held: "LastAnswers[LayerReport]" = LastAnswers(4)


@dataclass(frozen=True, slots=True)
class LayerReport:
    """``body``: every figure, annotators by label. ``pairs``: what each is called.

    ``digest``: SHA-256 of every layer and tree that was read, and the seed.
    """

    body: dict[str, Any]
    names: dict[str, str]
    pairs: dict[str, str]
    n_pairs: int
    digest: str


@dataclass(slots=True)
class _HashedLines:
    """What a report reads, hashed as it goes by, whatever order it comes in."""

    lines: list[str] = field(default_factory=list)

    def add(self, kind: str, code: str, value: Any) -> None:
        self.lines.append(json.dumps([kind, code, value], sort_keys=True))

    def digest(self, seed: int) -> str:
        whole = "\n".join([*sorted(self.lines), f"seed {seed}"])
        return hashlib.sha256(whole.encode()).hexdigest()


def corpora_with_layers(project: Project) -> QuerySet[Corpus]:
    """The corpora in which someone, or a gold standard, has aligned pairs."""
    people = AlignmentLayer.objects.exclude(origin=Origin.ENGINE)
    return project.corpora.filter(pairs__layers__in=people).distinct()


def report(corpus: Corpus, *, seed: int = 0) -> LayerReport:
    """The report of ``compute``; computed again only when a layer or tree is newer."""
    layers = AlignmentLayer.objects.filter(pair__corpus=corpus)
    trees = Parse.objects.filter(sentence__corpus=corpus)
    stamp = (
        corpus.code,
        seed,
        *layers.aggregate(
            n=Count("pk"), last=Max("updated_at"), r=Sum("revision")
        ).values(),
        *trees.aggregate(n=Count("pk"), last=Max("pk")).values(),
    )
    return _held.of(stamp, lambda: compute(corpus, seed=seed))


def compute(corpus: Corpus, *, seed: int = 0) -> LayerReport:
    """Agreement over the pairs that two or more have aligned; empty layers are none.

    Reads at most 2,000 pairs, the first ones; ``n_pairs`` says how many there are.
    """
    rows = (
        Pair.objects.filter(corpus=corpus)
        .annotate(n_layers=Count("layers"))
        .filter(n_layers__gte=2)
        .order_by("pk")
    )
    n_pairs = rows.count()
    pairs = list(rows.only("code", "ref", "n_source", "n_target")[:MAX_PAIRS])
    by_pair: dict[int, list[AlignmentLayer]] = {pair.pk: [] for pair in pairs}
    layers = AlignmentLayer.objects.filter(pair__in=pairs).select_related(
        "author", "source_parse", "target_parse"
    )
    for layer in layers:
        if any(layer.links.values()):  # someone has begun
            by_pair[layer.pair_id].append(layer)
    people = _people(by_pair)
    given, seen = (
        [_input(pair, by_pair[pair.pk], people) for pair in pairs],
        _HashedLines(),
    )
    for one in given:
        seen.add("nodes", one.code, {node: list(of) for node, of in one.nodes.items()})
        for label, made in one.layers.items():
            seen.add("layer", one.code, [label, made.to_json()])
    body = build(given, list(people.values()), seed=seed)
    body |= _trees(corpus, people, seed, seen)
    names = {label: name for name, label in people.items()}
    called = _called(body, corpus)
    return LayerReport(body, names, called, n_pairs, seen.digest(seed))


def case_rows(
    corpus: Corpus, kept: LayerReport, codes: list[str]
) -> list[tuple[str, str, Pair | None]]:
    """Code, name and pair of those that the report knows, in order; None: no longer
    there. One query however many."""
    rows = Pair.objects.filter(corpus=corpus, code__in=codes)
    now = {pair.code: pair for pair in rows.select_related("source", "target")}
    return [
        (code, kept.pairs[code], now.get(code)) for code in codes if code in kept.pairs
    ]


@transaction.atomic
def freeze(corpus: Corpus, *, seed: int = 0, title: str, by: Anybody) -> Report:
    """Keep the report as it is now. Raises NotAllowed, BadRequest without a title."""
    access.require(by, "curate", corpus.project)
    if not title.strip():
        raise BadRequest(_("Enter a title for the report."), field="title")
    result = report(corpus, seed=seed)
    kept = result.body | {"called": result.pairs, "n_pairs": result.n_pairs}
    return Report.objects.create(
        project=corpus.project,
        corpus=corpus,
        title=title.strip()[:160],
        query=f"seed={seed}" if seed else "",
        body=json.loads(json.dumps(kept, allow_nan=False)),
        names=result.names,
        digest=result.digest,
        version=__version__,
        created_by_id=by.pk,
    )


def thawed(kept: Report) -> LayerReport:
    """A frozen report as it was."""
    body = dict(kept.body)
    called, n_pairs = body.pop("called"), body.pop("n_pairs")
    return LayerReport(body, kept.names, called, n_pairs, kept.digest)


def _trees(
    corpus: Corpus, people: dict[str, str], seed: int, seen: _HashedLines
) -> dict[str, Any]:
    """Agreement of the best tree of every maker, over the first 2,000 sentences that
    have two."""
    rows = Parse.objects.filter(sentence__corpus=corpus, rank=1)
    several = (
        rows.values("sentence", "kind")
        .annotate(n=Count("pk"))
        .filter(n__gte=2)
        .values("sentence")[:MAX_PAIRS]
    )
    trees: dict[str, dict[str, Tree]] = {}
    deps: dict[str, dict[str, DepTree]] = {}
    for parse in rows.filter(sentence__in=several).select_related("author", "sentence"):
        name = parse.name.removesuffix(", tree 1")
        if parse.origin == Origin.ANNOTATOR:
            name = people.setdefault(name, f"A{len(people) + 1}")
        try:
            if parse.kind == Parse.Kind.CONSTITUENCY:
                trees.setdefault(name, {})[parse.sentence.code] = parse.to_tree()
            else:
                deps.setdefault(name, {})[parse.sentence.code] = parse.to_deps()
        except GemelError:
            continue
        seen.add("tree", parse.sentence.code, [name, parse.kind, parse.text])
    agreements = {
        "trees": agreement_of_trees(trees, seed=seed),
        "deps": agreement_of_deps(deps, seed=seed),
    }
    for row in [*agreements["trees"], *agreements["deps"]]:
        row["cases"] = _pairs_of(corpus, row["cases"])
    return agreements


def _called(body: dict[str, Any], corpus: Corpus) -> dict[str, str]:
    """The name of every pair of the corpus behind a figure."""
    rows = [*body["all"], *body["pairs"], *body["by_label"], *body["by_length"]]
    rows += [*body["trees"], *body["deps"]]
    cells = [
        cell for row in body["pairs"] for line in row["confusion"] for cell in line
    ]
    codes = {code for row in [*rows, *cells] for code in row["cases"]}
    pairs = Pair.objects.filter(corpus=corpus, code__in=codes)
    return {code: ref or code for code, ref in pairs.values_list("code", "ref")}


def _pairs_of(corpus: Corpus, sentences: list[str]) -> list[str]:
    """The pairs of these sentences, by code."""
    sides = Q(source__code__in=sentences) | Q(target__code__in=sentences)
    rows = Pair.objects.filter(sides, corpus=corpus).order_by("pk")
    return list(rows.values_list("code", flat=True)[:MAX_SHOWN])


def _people(by_pair: dict[int, list[AlignmentLayer]]) -> dict[str, str]:
    """Who aligned, by name: people A1, A2 …, engines and gold under their own."""
    seen = Counter(
        (layer.origin, _name(layer)) for layers in by_pair.values() for layer in layers
    )
    people = sorted(name for origin, name in seen if origin == Origin.ANNOTATOR)
    labels = {name: f"A{at + 1}" for at, name in enumerate(people)}
    others = sorted(name for origin, name in seen if origin != Origin.ANNOTATOR)
    return labels | {name: name for name in others}


def _name(layer: AlignmentLayer) -> str:
    made = layer.made_by
    return f"{made}, {layer.name}" if layer.name else made


def _input(
    pair: Pair, layers: list[AlignmentLayer], people: dict[str, str]
) -> PairInput:
    alignments: dict[str, Alignment] = {}
    engines: set[str] = set()
    nodes: dict[str, tuple[str, int]] = {}
    for layer in layers:
        label = people[_name(layer)]
        alignments[label] = layer.to_core()
        if layer.origin == Origin.ENGINE:
            engines.add(label)
        nodes = nodes or _nodes(layer)
    if not nodes:
        nodes = {f"s:w{i}": ("word", 1) for i in range(pair.n_source)}
        nodes |= {f"t:w{i}": ("word", 1) for i in range(pair.n_target)}
    return PairInput(pair.code, nodes, alignments, frozenset(engines))


def _nodes(layer: AlignmentLayer) -> dict[str, tuple[str, int]]:
    """Every node of both trees: its label and how many words it spans."""
    nodes: dict[str, tuple[str, int]] = {}
    for side, parse in (("s", layer.source_parse), ("t", layer.target_parse)):
        tree = parse.readable_tree() if parse else None
        if tree is None:
            return {}
        for v in range(len(tree)):
            start, end = tree.spans[v]
            if not tree.is_leaf(v):
                nodes[f"{side}:n{v}"] = tree.labels[v], end - start
            elif tree.tokens[v] >= 0:
                nodes[f"{side}:w{tree.tokens[v]}"] = "word", 1
    return nodes
