"""SPADE and ESPADA: two Enju trees in XML, with phrase links by three annotators.

    file = <sentence parse_status> { cons } </sentence>
    cons = <cons id cat [pa1] [pa2] [pa3] …> { cons | tok } </cons>
    tok  = <tok id pos …>word</tok>

A pair is two files, ``…s-001.xml`` and ``…t-001.xml``. ``pa1`` to ``pa3`` name the
nodes of the other file that an annotator linked, parted by spaces; ``-1`` is none. A
link that either file tells counts. Read only; heads, predicates, types are left out.
"""

from collections.abc import Iterable
from xml.etree.ElementTree import Element

from core.data.tree import Tree, TreeBuilder
from core.errors import FormatError
from core.formats import xml
from core.formats.alignments.phrase_links import PhrasePair

ANNOTATORS = ("pa1", "pa2", "pa3")
NONE = "-1"
Links = dict[str, dict[str, list[str]]]  # annotator -> node id -> ids in the other file


def pair(ref: str, source: Iterable[str], target: Iterable[str]) -> PhrasePair:
    """The pair of two files, given as their lines.

    Links number nodes as ``core.formats.alignments.phrase_links`` does: in preorder,
    words included, every unary chain as one. Raises FormatError that says which side.
    """
    (tree_s, at_s, links_s), (tree_t, at_t, links_t) = (
        _side(lines, which) for lines, which in ((source, "source"), (target, "target"))
    )
    links = {}
    for who in ANNOTATORS:
        if who not in links_s and who not in links_t:
            continue
        there = {(s, t) for s, ids in links_s.get(who, {}).items() for t in ids}
        there |= {(s, t) for t, ids in links_t.get(who, {}).items() for s in ids}
        links[who] = frozenset(
            (_node(at_s, s, "source"), _node(at_t, t, "target")) for s, t in there
        )
    return PhrasePair(ref, tree_s, tree_t, links)


def _side(lines: Iterable[str], which: str) -> tuple[Tree, dict[str, int], Links]:
    """The tree, the number of each node by its id, and what its links say."""
    try:
        items = xml.items(lines, frozenset({"sentence"}))
        elements = [one.element for one in items if one.element is not None]
    except FormatError as error:
        raise FormatError(f"{which}: {error}") from error
    if len(elements) != 1 or not _phrases(elements[0]):
        reason = f"{which}: one sentence with a tree is wanted"
        raise FormatError(reason, remedy="give Enju's XML, one file for each sentence")
    builder, nodes, links = TreeBuilder(), dict[str, int](), Links()
    tops = _phrases(elements[0])
    if len(tops) > 1:  # Enju's fragments
        builder.open("FRAG")
    for top in tops:
        _grow(top, builder, nodes, links)
    if len(tops) > 1:
        builder.close()
    tree = builder.freeze()
    spans = sorted(set(tree.spans), key=lambda span: (span[0], -span[1]))
    numbers = {span: number for number, span in enumerate(spans)}
    return tree, {name: numbers[tree.spans[v]] for name, v in nodes.items()}, links


def _phrases(element: Element) -> list[Element]:
    return [child for child in element if child.tag in ("cons", "tok")]


def _grow(
    element: Element, builder: TreeBuilder, nodes: dict[str, int], links: Links
) -> None:
    """Add the element and what is below it. Depth is bounded by the reader of XML."""
    name, below = element.get("id", ""), _phrases(element)
    if element.tag == "tok":
        form = "_".join("".join(element.itertext()).split())
        nodes[name] = builder.leaf(element.get("pos") or "X", form or "_")
    elif below:
        nodes[name] = builder.open(element.get("cat") or "X")
        for child in below:
            _grow(child, builder, nodes, links)
        builder.close()
    for who in ANNOTATORS:
        if element.get(who) is not None:
            ids = element.get(who, "").split()
            links.setdefault(who, {})[name] = [one for one in ids if one != NONE]


def _node(numbers: dict[str, int], name: str, which: str) -> int:
    if name not in numbers:
        reason = f"{which}: a link names the node {name}, which is not there"
        raise FormatError(reason, remedy="give both files of one pair")
    return numbers[name]
