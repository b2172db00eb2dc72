"""The documents of ``docs/`` as pages: Markdown in, HTML without any raw HTML out.

Headings get anchors as on GitHub; links between documents lead to pages of help, and
those to anything else in the repository become plain text.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from django.conf import settings
from django.templatetags.static import static
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

GLOSSARY = "glossary"
LEVELS = ("h2", "h3")  # in the table of contents
_FILE = re.compile(r"(?:docs/)?([\w-]+)\.md")
_LINK = re.compile(r"([\w-]+)\.md(#[\w-]+)?")

Address = Callable[[str], str]
"""Name of a document -> the address of its page; "" if it has none."""


@dataclass(frozen=True, slots=True)
class Heading:
    """``tag``: h2 or h3."""

    tag: str
    anchor: str
    title: str


@dataclass(frozen=True, slots=True)
class Document:
    """``anchors``: every id in ``body``, in order."""

    name: str
    title: str
    body: SafeString
    contents: tuple[Heading, ...]
    anchors: tuple[str, ...]


def folder() -> Path:
    """The folder of the documents, in a clone or in a wheel."""
    return Path(settings.WEB_DIR) / "docs"


def slug(text: str) -> str:
    """A heading as an anchor: lower case, hyphens for spaces, no other punctuation."""
    return re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")


@cache
def title(name: str) -> str:
    """The first heading. Raises FileNotFoundError if there is no such document."""
    with (folder() / f"{name}.md").open(encoding="utf-8") as lines:
        return next(lines).lstrip("# ").strip()


def document(name: str, address: Address) -> Document:
    """The document, its links to others as ``address`` says.

    Raises FileNotFoundError if there is no such document.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    text = (folder() / f"{name}.md").read_text(encoding="utf-8")
    tokens = markdown.parse(text)
    headings = _anchored(tokens)
    rows = _rows_anchored(tokens) if name == GLOSSARY else []
    for token in tokens:
        if token.children:
            token.children = list(_linked(token.children, address))
    body = markdown.renderer.render(list(_framed(tokens)), markdown.options, {})
    return Document(
        name,
        headings[0].title,
        mark_safe(body),  # noqa: S308 - raw HTML is off: every tag is the renderer's
        tuple(one for one in headings if one.tag in LEVELS),
        (*(one.anchor for one in headings), *rows),
    )


def rendered(text: str) -> SafeString:
    """Markdown that a user wrote, as HTML below a heading of the second level, whose
    highest heading is of the third: no raw HTML, and links open elsewhere."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(text)
    headings = [t for t in tokens if t.type in ("heading_open", "heading_close")]
    highest = min((int(t.tag[1]) for t in headings), default=1)
    for token in headings:
        token.tag = f"h{min(int(token.tag[1]) - highest + 3, 6)}"
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("target", "_blank")
                child.attrSet("rel", "noopener noreferrer")
    body = markdown.renderer.render(list(_framed(tokens)), markdown.options, {})
    return mark_safe(body)  # noqa: S308 - raw HTML is off, as above


def names_of(cell: str) -> list[str]:
    """The names in the first cell of a row of the glossary: "dual, multiplier"."""
    parts = re.split(r",\s*(?![^()]*\))", cell)
    return [re.sub(r"\s*\(.*?\)", "", part).strip() or part for part in parts]


def _anchored(tokens: list[Token]) -> list[Heading]:
    """Give each heading an id that no other has."""
    headings: list[Heading] = []
    taken: set[str] = set()
    for token, inline in pairwise(tokens):
        if token.type != "heading_open":
            continue
        words = _plain(inline)
        anchors = (slug(words), *(f"{slug(words)}-{n}" for n in range(1, 100)))
        anchor = next(one for one in anchors if one not in taken)
        taken.add(anchor)
        token.attrSet("id", anchor)
        headings.append(Heading(token.tag, anchor, words))
    return headings


def _rows_anchored(tokens: list[Token]) -> list[str]:
    """Give each row below a table's head the id of its first name; short rows stack
    on a narrow screen."""
    anchors = []
    for table in tokens:
        if table.type == "table_open":
            table.attrSet("class", "stack terms")
    for row, cell, inline in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if row.type == "tr_open" and cell.type == "td_open":
            anchors.append(slug(names_of(_plain(inline))[0]))
            row.attrSet("id", anchors[-1])
    return anchors


def _plain(inline: Token) -> str:
    return "".join(child.content for child in inline.children or [])


def _linked(children: list[Token], address: Address) -> Iterator[Token]:
    """With links to pages of help and to the web; other links as their text alone."""
    name, is_kept = "", True
    for token in children:
        if token.type == "link_open":
            name, url = _led(str(token.attrs["href"]), address)
            is_kept = bool(url)
            token.attrSet("href", url)
        elif token.type == "image":
            token.attrSet("src", _picture(str(token.attrs["src"])))
            token.attrSet("loading", "lazy")
        elif name and token.type == "text" and _FILE.fullmatch(token.content):
            token.content = title(name)
        if token.type == "link_close":
            name = ""
        if is_kept or token.type not in ("link_open", "link_close"):
            yield token


def _led(href: str, address: Address) -> tuple[str, str]:
    """Which document a link leads to, "" if to none, and its new address."""
    match = _LINK.fullmatch(href)
    if match is None:
        return "", href if href.startswith(("https://", "#")) else ""
    url = address(match[1])
    return (match[1], url + (match[2] or "")) if url else ("", "")


def _picture(src: str) -> str:
    return static(f"docs/{src.removeprefix('img/')}")


def _framed(tokens: list[Token]) -> Iterator[Token]:
    """Each table in a region that scrolls, named by the heading above and a number."""
    heading, n = "", 0
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            heading, n = _plain(tokens[place + 1]), 0
        elif token.type == "table_open":
            n += 1
            yield _region(f"{heading}, table {n}" if n > 1 else f"{heading}, table")
        style = str(token.attrs.pop("style", ""))
        if "right" in style:  # a style sheet may align, an attribute may not
            token.attrSet("class", "num")
        yield token
        if token.type == "table_close":
            yield Token("region_close", "div", -1, block=True)


def _region(label: str) -> Token:
    attrs: dict[str, str | int | float] = {
        "class": "scroll",
        "tabindex": "0",
        "role": "region",
        "aria-label": label,
    }
    return Token("region_open", "div", 1, attrs=attrs, block=True)
