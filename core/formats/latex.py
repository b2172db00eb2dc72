r"""Trees as LaTeX, for tikz, forest, qtree and tikz-dependency (write only).

    \begin{forest} [S [NP [DT [The]] [NN [nurse]]] … ] \end{forest}
    \Tree [.S [.NP [.DT The ] [.NN nurse ] ] … ]
    \begin{dependency} \begin{deptext} The \& nurse \\ \end{deptext}
      \deproot{2}{root} \depedge{2}{1}{det} \end{dependency}
    \begin{tikzpicture} … \end{tikzpicture}

For tikz a figure is written as it is laid out, links, arcs and crossing branches
included. Lost in the others: labels of edges, secondary edges; qtree and
tikz-dependency hold no links, and branches that cross cannot be written: InvalidValue.
"""

import re
from collections.abc import Mapping, Sequence

from core.data.alignment import Link, Ref, phrase_ref, token_ref
from core.data.deps import ROOT, DepTree
from core.data.tree import Tree
from core.errors import InvalidValue
from core.layout.routes import link_paths
from core.layout.scene import Box, Scene

PACKAGES = ("tikz", "forest", "qtree", "tikz-dependency")
_SIGNS = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}  # fmt: skip


def _escaped(text: str) -> str:
    """Return any text escaped for LaTeX, in braces where a package would interpret
    it."""
    safe = re.sub(r"[\\~^<>|\"&%$#_{}]", lambda match: _SIGNS[match.group()], text)
    return f"{{{safe}}}" if re.search(r"[\[\],=.;:\s]", text) or not text else safe


def forest(tree: Tree, *, marks: Mapping[Ref, str] = {}) -> str:
    """For the package forest. ``marks``: the index at a node, "n3", or at a word,
    "w0"."""
    _check(tree)
    lines = [f"  {line}" for line in _forest_lines(tree, 0, marks)]
    return "\n".join([r"\begin{forest}", *lines, r"\end{forest}"])


def _forest_lines(tree: Tree, v: int, marks: Mapping[Ref, str]) -> list[str]:
    head = f"[{_marked(tree.labels[v], marks.get(phrase_ref(v)))}"
    if tree.is_leaf(v):
        ref = token_ref(tree.tokens[v]) if tree.tokens[v] >= 0 else ""
        return [f"{head} [{_marked(tree.forms[v], marks.get(ref))}]]"]
    below = [
        f"  {line}" for u in tree.children[v] for line in _forest_lines(tree, u, marks)
    ]
    return [head, *below[:-1], f"{below[-1]}]"]


def _marked(text: str, mark: str | None) -> str:
    return f"{{{_escaped(text)}\\textsubscript{{{mark}}}}}" if mark else _escaped(text)


def qtree(tree: Tree) -> str:
    """For the packages qtree and tikz-qtree."""
    _check(tree)
    return r"\Tree " + _qtree(tree, 0)


def _qtree(tree: Tree, v: int) -> str:
    label = f"[.{{{_escaped(tree.labels[v]) or '{}'}}}"
    if tree.is_leaf(v):
        return f"{label} {{{_escaped(tree.forms[v])}}} ]"
    return " ".join([label, *(_qtree(tree, u) for u in tree.children[v]), "]"])


def dependency(words: Sequence[str], deps: DepTree) -> str:
    """For the package tikz-dependency; words count from 1 there."""
    lines = [
        r"\begin{dependency}",
        r"  \begin{deptext}",
        "    " + r" \& ".join(_in_columns(word) for word in words) + r" \\",
        r"  \end{deptext}",
    ]
    for m, (head, label) in enumerate(zip(deps.heads, deps.labels, strict=True), 1):
        name = _escaped(label)
        lines.append(
            f"  \\deproot{{{m}}}{{{name}}}"
            if head == ROOT
            else f"  \\depedge{{{head + 1}}}{{{m}}}{{{name}}}"
        )
    return "\n".join([*lines, r"\end{dependency}"])


def _in_columns(text: str) -> str:
    r"""There \& parts the columns, so that the sign itself goes by its number."""
    return _escaped(text).replace(r"\&", r"\symbol{38}")


def linked(source: Tree, target: Tree, links: Sequence[Link]) -> str:
    """Two trees by the package forest; nodes that are linked have the same number, with
    a question mark where the link is a possible one."""
    marks: list[dict[Ref, list[str]]] = [{}, {}]
    for number, link in enumerate(links, 1):
        mark = f"{number}{'?' if link.kind == 'possible' else ''}"
        for side, ref in zip(marks, (link.source, link.target), strict=True):
            side.setdefault(ref, []).append(mark)
    return "\n\\par\\bigskip\n".join(
        forest(tree, marks={ref: ",".join(all_of) for ref, all_of in side.items()})
        for tree, side in zip((source, target), marks, strict=True)
    )


PICTURE = r"""\begin{tikzpicture}[x=0.75pt, y=-0.75pt,
  every node/.style={inner sep=2pt, anchor=base, font=\footnotesize},
  branch/.style={draw=black!45}, dependency/.style={draw=black!45, ->, >=stealth},
  secondary/.style={draw=black!65, dashed, ->, >=stealth},
  phrase/.style={draw=black!45, fill=white, rounded corners=2pt, anchor=center},
  word/.style={}, tag/.style={font=\scriptsize, text=black!65},
  sure/.style={dash pattern=on 6pt off 2pt, thick},
  possible/.style={dash pattern=on 2pt off 2pt, thick},
  crossing/.style={dash pattern=on 8pt off 2pt on 2pt off 2pt}]"""


def picture(scene: Scene, links: Sequence[Link] = ()) -> str:
    """For the package tikz: a figure with its links; edges are solid, links dashed:
    possible ones short, crossing ones with dots. Null strips are left out."""
    lines = [PICTURE]
    for edge in scene.edges:
        lines.append(rf"\draw[branch] {_line(edge.points)};")
        if edge.label and edge.label != "--":
            (x, y), (x2, y2) = edge.points[-2:]
            lines.append(_node("tag", (x + x2) / 2, (y + y2) / 2, edge.label))
    for one in scene.secondary:
        start, control, end = (f"({x:.1f},{y:.1f})" for x, y in one.points)
        lines.append(rf"\draw[secondary] {start} .. controls {control} .. {end};")
        x, y = one.label_rect.centre
        lines += [_node("tag, fill=white", x, y + 3, one.label)] * bool(one.label)
    for arc in scene.arcs:
        lines.append(rf"\draw[dependency] {_line(arc.points)};")
        x, y = arc.label_rect.centre
        lines.append(_node("tag, fill=white", x, y + 3, arc.label))
    ends = [(f"s:{link.source}", f"t:{link.target}") for link in links]
    for link, path in zip(links, link_paths(scene, ends), strict=True):
        if path:  # else within a folded phrase
            style = link.kind + ", crossing" * link.crossing
            lines.append(rf"\draw[{style}] {_curve(path)};")
    for box in scene.boxes:
        if box.kind != "null":
            lines += _box(box, across=scene.across)
    return "\n  ".join(lines) + "\n\\end{tikzpicture}"


def _line(points: Sequence[tuple[float, float]]) -> str:
    return " -- ".join(f"({x:.1f},{y:.1f})" for x, y in points)


def _curve(path: str) -> str:
    """SVG path data of moves, lines and cubic curves."""
    parts = []
    for command, numbers in re.findall(r"([MLC])([^MLC]*)", path):
        n = [f"{float(one):.1f}" for one in re.findall(r"-?[\d.]+", numbers)]
        points = [f"({x},{y})" for x, y in zip(n[::2], n[1::2], strict=True)]
        if command == "C":
            first, second, end = points
            parts.append(f".. controls {first} and {second} .. {end}")
        else:
            parts.append("-- " * (command == "L") + points[0])
    return " ".join(parts)


def _box(box: Box, *, across: bool) -> list[str]:
    """A phrase in its outline; a word with its tag, away from the other sentence."""
    x, y = box.rect.centre
    if box.kind in ("phrase", "fold"):
        return [_node("phrase", x, y, box.text)]
    if across:
        tag = _node("tag", box.rect.x + box.rect.w * _TAG_AT[box.side], y + 4, box.tag)
        return [_node("word", x, y + 4, box.text), *[tag] * bool(box.tag)]
    upper, lower = box.rect.y + 15.5, box.rect.y + box.rect.h - 8
    tag_y, word_y = (upper, lower) if box.side == "s" else (lower, upper)
    tag = _node("tag", x, tag_y, box.tag)
    return [_node("word", x, word_y, box.text), *[tag] * bool(box.tag)]


_TAG_AT = {"s": 0.15, "t": 0.85}  # of the width of a word, for vertical words


def _node(style: str, x: float, y: float, text: str) -> str:
    return rf"\node[{style}] at ({x:.1f},{y:.1f}) {{{_escaped(text)}}};"


def _check(tree: Tree) -> None:
    order = [token for token in tree.tokens if token >= 0]
    if order != sorted(order):
        raise InvalidValue(
            "This tree has branches that cross, which forest and qtree cannot draw: "
            "export the figure as SVG, PDF or PNG."
        )
