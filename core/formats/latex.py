r"""Trees as LaTeX, written and not read: for forest, qtree and tikz-dependency.

    \begin{forest} [S [NP [DT [The]] [NN [nurse]]] … ] \end{forest}
    \Tree [.S [.NP [.DT The ] [.NN nurse ] ] … ]
    \begin{dependency} \begin{deptext} The \& nurse \\ \end{deptext}
      \deproot{2}{root} \depedge{2}{1}{det} \end{dependency}

Lost: labels of edges; qtree and tikz-dependency hold no links. Branches that cross
cannot be written: InvalidValue.
"""

import re
from collections.abc import Mapping, Sequence

from core.data.alignment import Link, Ref, phrase_ref, token_ref
from core.data.deps import ROOT, DepTree
from core.data.tree import Tree
from core.errors import InvalidValue

PACKAGES = ("forest", "qtree", "tikz-dependency")
_SIGNS = {
    "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
} | {sign: f"\\{sign}" for sign in "&%$#_{}"}  # fmt: skip


def _escaped(text: str) -> str:
    """Any text as LaTeX sets it, in braces where a package would read signs of it."""
    safe = re.sub(r"[\\~^<>|\"&%$#_{}]", lambda match: _SIGNS[match.group()], text)
    return f"{{{safe}}}" if re.search(r"[\[\],=.;:\s]", text) or not text else safe


def forest(tree: Tree, *, marks: Mapping[Ref, str] = {}) -> str:
    """For the package forest. ``marks``: what stands as an index at a node, "n3", or at
    a word, "w0"."""
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


def _check(tree: Tree) -> None:
    order = [token for token in tree.tokens if token >= 0]
    if order != sorted(order):
        raise InvalidValue(
            "This tree has branches that cross, which forest and qtree cannot draw: "
            "take the figure as SVG, PDF or PNG."
        )
