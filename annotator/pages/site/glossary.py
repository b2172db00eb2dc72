"""The words of the screens, out of ``docs/glossary.md``."""

import re
from dataclasses import dataclass
from functools import cache

from annotator.pages.site.documents import GLOSSARY, folder, names_of, slug


@dataclass(frozen=True, slots=True)
class Term:
    """``meaning`` is plain text; ``source``: the work it comes from, "" if none."""

    names: tuple[str, ...]
    meaning: str
    source: str

    @property
    def anchor(self) -> str:
        return slug(self.names[0])


def term(name: str) -> Term:
    """A term by any of its names, in any case. Raises KeyError on an unknown one."""
    return terms()[name.casefold()]


@cache
def terms() -> dict[str, Term]:
    """All terms by all their names, in lower case."""
    text = (folder() / f"{GLOSSARY}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    entries = [
        Term(tuple(names_of(cell)), meaning.replace("`", ""), source.strip("-"))
        for cell, meaning, source in rows
        if cell not in ("term", "measure of agreement")
    ]
    return {name.casefold(): one for one in entries for name in one.names}
