"""The words of the screens, out of ``docs/glossary.md``."""

import re
from dataclasses import dataclass
from functools import cache

from annotator.pages.site.documents import GLOSSARY, folder, names_of, slug

TERM_OF_MEASURE = {
    "raw": "raw agreement",
    "raw_pooled": "pooled agreement",
    "k_uniform": "uniform kappa",
    "cohen": "Cohen's kappa",
    "cohen_linear": "linear kappa",
    "cohen_quadratic": "quadratic kappa",
    "scott": "Scott's pi",
    "fleiss": "Fleiss' kappa",
    "alpha_nominal": "nominal alpha",
    "alpha_ordinal": "ordinal alpha",
    "alpha_interval": "interval alpha",
    "ac1": "AC1",
    "ac2": "AC2",
}
"""Key of a measure of agreement -> its name in the glossary."""


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
    """By any of its names, in any case. Raises KeyError on an unknown one."""
    return terms()[name.casefold()]


@cache
def terms() -> dict[str, Term]:
    """All terms by all their names, in lower case."""
    text = (folder() / f"{GLOSSARY}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+?) \| (.+?) \| (.+?) \|$", text, re.MULTILINE)
    entries = [
        Term(tuple(names_of(cell)), meaning.replace("`", ""), source.strip("-"))
        for cell, meaning, source in rows
        if cell != "term"
    ]
    return {name.casefold(): one for one in entries for name in one.names}
