"""What is written for LaTeX is typeset by LaTeX, where that is installed: every sign of
a keyboard, as word and as label."""

import shutil
import string
import subprocess
from pathlib import Path

import pytest

from core.data.alignment import Link
from core.data.deps import DepTree
from core.data.tree import Tree
from core.formats import latex
from core.layout.links import LinkedSide, link_scene

WORDS = (
    *string.punctuation,
    "--",
    "``",
    "1,5",
    "x=y",
    r"\input{x}",
    "$x_1$",
    "é",
    "[a]",
)
LABELS = ("NP-SBJ=1", "PRP$", "#", "``", ",", ".", ":", "-LRB-", "<cut|", "[NP]")
HEAD = (
    r"\documentclass{article}\usepackage[T1]{fontenc}\usepackage[utf8]{inputenc}"
    r"\usepackage[paperwidth=200cm,paperheight=60cm,margin=1cm]{geometry}"
)


def _has(package: str) -> bool:
    if not shutil.which("pdflatex") or not shutil.which("kpsewhich"):
        return False
    looked_for = ["kpsewhich", f"{package}.sty"]
    return subprocess.run(looked_for, capture_output=True, check=False).returncode == 0


def _tree() -> Tree:
    labels = [LABELS[i % len(LABELS)] for i in range(len(WORDS))]
    return Tree(
        ("ROOT", *labels),
        (-1, *(0 for _ in WORDS)),
        (-1, *range(len(WORDS))),
        ("", *WORDS),
    )


def _arcs() -> str:
    heads = (-1, *(0 for _ in WORDS[1:]))
    labels = tuple(LABELS[i % len(LABELS)] for i in range(len(WORDS)))
    return latex.dependency(WORDS, DepTree(heads, labels))


@pytest.mark.parametrize(
    "package", ["tikz", "forest", "qtree", "tikz-qtree", "tikz-dependency"]
)
def test_every_sign_is_typeset(package: str, tmp_path: Path) -> None:
    if not _has(package):
        pytest.skip(f"no LaTeX with {package} here")
    if package == "tikz-dependency":
        body = _arcs()
    elif package == "tikz":
        side = LinkedSide(WORDS, _tree())
        body = latex.picture(
            link_scene(side, side), [Link("w0", "w1"), Link("n0", "n0")]
        )
    else:
        body = latex.forest(_tree()) if package == "forest" else latex.qtree(_tree())
    text = (
        f"{HEAD}\\usepackage{{{package}}}\\begin{{document}}\n{body}\n\\end{{document}}"
    )
    (tmp_path / "x.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "x.tex"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, check=False, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "x.pdf").stat().st_size > 1000
