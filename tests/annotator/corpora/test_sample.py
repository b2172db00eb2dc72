"""The sample project holds what its readers rely on."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from annotator.sample import bundle
from annotator.sample.source import ANNOTATORS, SamplePair, SampleSide, read_pairs
from core.data.alignment import Alignment, Link, Ref
from core.errors import FormatError
from core.formats import gemel

PAIRS = read_pairs()
IDS = [pair.id for pair in PAIRS]
PHRASES = """
ROOT S SBAR SBARQ SQ FRAG NP VP PP ADJP ADVP QP PRT INTJ WHNP WHADVP WHADJP WHPP
"""
XPOS_OF = {
    "ADJ": "JJ JJR JJS",
    "ADP": "IN RP",
    "ADV": "RB RBR WRB IN",
    "AUX": "MD VB VBD VBZ VBP VBN",
    "CCONJ": "CC",
    "DET": "DT WDT",
    "INTJ": "UH",
    "NOUN": "NN NNS",
    "NUM": "CD",
    "PART": "TO RB POS",
    "PRON": "PRP PRP$ WP WDT EX NN DT",
    "PROPN": "NNP",
    "PUNCT": ". , :",
    "SCONJ": "IN",
    "VERB": "VB VBD VBZ VBP VBN VBG",
}
RELATIONS = """
root nsubj nsubj:pass obj iobj csubj ccomp xcomp obl obl:agent obl:unmarked expl
advcl advcl:relcl advmod aux aux:pass cop mark nmod nmod:poss nmod:unmarked
nmod:desc appos nummod acl acl:relcl amod det case conj cc cc:preconj fixed flat
compound compound:prt parataxis discourse punct
"""


def sides(pair: SamplePair) -> Iterator[tuple[str, SampleSide]]:
    yield "source", pair.source
    yield "target", pair.target


def test_sixty_four_pairs_of_five_domains_and_eight_operations() -> None:
    assert len(PAIRS) >= 64
    assert len(set(IDS)) == len(IDS)
    domains = Counter(pair.domain for pair in PAIRS)
    assert set(domains) == {"everyday", "news", "legal", "medical", "questions"}
    assert min(domains.values()) >= 10
    operations = Counter(name for pair in PAIRS for name in pair.operations)
    assert len(operations) == 8
    assert min(operations.values()) >= 5


@pytest.mark.parametrize("pair", PAIRS, ids=IDS)
def test_trees_are_penn_trees(pair: SamplePair) -> None:
    for name, side in sides(pair):
        tree = side.tree
        assert 6 <= tree.n_tokens <= 22, name
        assert tree.labels[0] == "ROOT"
        assert len(tree.children[0]) == 1
        assert tree.labels[1] in ("S", "SBARQ", "SQ", "FRAG")
        phrases = {tree.labels[v] for v in range(len(tree)) if tree.children[v]}
        assert phrases <= set(PHRASES.split()), name
        assert tree.tags[-1] == "."


@pytest.mark.parametrize("pair", PAIRS, ids=IDS)
def test_dependencies_have_one_root_and_agree_with_the_tags(pair: SamplePair) -> None:
    for name, side in sides(pair):
        deps = side.deps
        assert deps.heads.count(-1) == 1, name
        assert deps.labels[deps.heads.index(-1)] == "root"
        assert set(deps.labels) <= set(RELATIONS.split()), name
        for upos, xpos in zip(side.upos, side.tree.tags, strict=True):
            assert xpos in XPOS_OF[upos].split(), (name, upos, xpos)


@pytest.mark.parametrize("pair", PAIRS, ids=IDS)
def test_each_phrase_hangs_together_in_the_dependencies(pair: SamplePair) -> None:
    for name, side in sides(pair):
        for v in range(len(side.tree)):
            heads = list(outward(side, *side.tree.spans[v]))
            labels = [side.deps.labels[i] for i in heads]
            assert len(heads) == 1 or is_raised(labels), (name, v, labels)


def outward(side: SampleSide, start: int, end: int) -> Iterator[int]:
    """The words of the span whose head is outside it, punctuation apart."""
    for i in range(start, end):
        is_inside = start <= side.deps.heads[i] < end
        if not is_inside and (side.upos[i] != "PUNCT" or end - start == 1):
            yield i


def is_raised(labels: list[str]) -> bool:
    """Where the two grammars part: small clauses, copular questions, fixed words."""
    small_clause = labels == ["obj", "xcomp"]
    question = labels[:2] == ["cop", "nsubj"]
    return small_clause or question or labels[0] == "fixed"


@pytest.mark.parametrize("pair", PAIRS, ids=IDS)
def test_links_join_nodes_that_are_there(pair: SamplePair) -> None:
    for name, layer in pair.layers.items():
        for link in layer.links:
            assert link.source[0] == link.target[0], (name, link)
        source = {link.source for link in layer.links} | layer.null_source
        target = {link.target for link in layer.links} | layer.null_target
        assert source <= pair.source.refs
        assert target <= pair.target.refs
        decided = (source, target) == (pair.source.refs, pair.target.refs)
        assert decided == (name not in pair.unfinished), name


@pytest.mark.parametrize("pair", PAIRS, ids=IDS)
@pytest.mark.parametrize("name", ANNOTATORS)
def test_phrase_links_meet_definition_3_2(pair: SamplePair, name: str) -> None:
    # Arase & Tsujii 2017: root pair, consistency, monotonicity but where declared.
    layer = pair.layers[name]
    assert Link("n0", "n0") in layer.links
    phrases = [link for link in layer.links if link.source[0] == "n"]
    for a, b in combinations(phrases, 2):
        assert a.source != b.source
        assert a.target != b.target
    for outer in phrases:
        for inner in layer.links:
            if outer.crossing or inner.crossing or is_possible_word(inner):
                continue
            assert below(pair.source, inner.source, outer.source) == below(
                pair.target, inner.target, outer.target
            ), (outer, inner)


def is_possible_word(link: Link) -> bool:
    return link.source[0] == "w" and link.kind == "possible"


def below(side: SampleSide, ref: Ref, mother: Ref) -> bool:
    v = side.tree.leaf_of[int(ref[1:])] if ref[0] == "w" else int(ref[1:])
    return ref != mother and int(mother[1:]) in side.tree.path(v)


def test_some_links_are_non_compositional_and_only_where_they_must() -> None:
    crossing = [p for p in PAIRS if any(k.crossing for k in p.layers["ana"].links)]
    assert len(crossing) >= 10
    for pair in crossing:
        links = pair.layers["ana"].links
        for link in links:
            assert not link.crossing or breaks_order(pair, link, links), link


def breaks_order(pair: SamplePair, link: Link, links: tuple[Link, ...]) -> bool:
    return any(
        below(pair.source, other.source, link.source)
        != below(pair.target, other.target, link.target)
        for other in links
        if other.cell != link.cell
    )


def test_annotators_disagree_as_people_do() -> None:
    for a, b in combinations(ANNOTATORS, 2):
        differ = total = 0
        for pair in PAIRS:
            if {a, b} & pair.unfinished:
                continue
            for ref in pair.source.refs:
                total += 1
                differ += partners(pair.layers[a], ref) != partners(pair.layers[b], ref)
        assert 0.03 < differ / total < 0.15, (a, b, differ / total)


def partners(layer: Alignment, ref: Ref) -> set[Ref]:
    return {link.target for link in layer.links if link.source == ref}


def test_a_few_layers_are_unfinished() -> None:
    assert 3 <= sum(len(pair.unfinished) for pair in PAIRS) <= 8


def test_text_reads_as_written() -> None:
    texts = {pair.id: pair.source.text for pair in PAIRS}
    assert texts["qu-09"] == "Didn't anyone tell you about the meeting?"


def test_a_broken_source_names_the_line_and_the_pair(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text("# none\n[x-01]\ndomain: news\noperations: voice\nsource: (S (X\n")
    with pytest.raises(FormatError, match="pair x-01") as caught:
        read_pairs(path)
    assert caught.value.line == 2


def test_the_bundle_is_read_without_a_bad_line() -> None:
    items = list(gemel.read(bundle.lines()))
    kinds = Counter(getattr(item, "type", "bad") for item in items)
    n = len(PAIRS)
    assert kinds == {
        "corpus": 1,
        "sentence": 2 * n,
        "parse": 4 * n,
        "pair": n,
        "layer": 3 * n + sum(not pair.unfinished for pair in PAIRS),
    }


def test_the_bundle_marks_joined_tokens() -> None:
    rows = [
        item for item in gemel.read(bundle.lines()) if isinstance(item, gemel.GemelItem)
    ]
    name = "qu-09-source-dependency"
    text = next(item.row["text"] for item in rows if item.row.get("id") == name)
    joined = [row.split("\t")[1] for row in text.splitlines() if "SpaceAfter" in row]
    assert joined == ["Did", "meeting"]
