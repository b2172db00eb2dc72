"""Runs the examples of a page of the docs as doctest does."""

import doctest
import re
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent.parent / "docs"
HOW = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def failures_of(page: str, names: dict[str, Any]) -> list[str]:
    """What the examples of ``docs/<page>.md`` answer otherwise than the page says.

    All run in one namespace, ``names``, as in one session.
    """
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```pycon\n(.*?)```", text, re.DOTALL)
    assert blocks, f"{page}.md has no examples"
    test = doctest.DocTestParser().get_doctest("".join(blocks), names, page, None, 0)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=HOW, verbose=False)
    runner.run(test, out=said.append, clear_globs=False)
    return said
