"""The catalogue of words of the interface: ``python -m tools.messages [--check]``.

English stands in templates, Python and scripts; every other language is a file
``annotator/locale/LANG/LC_MESSAGES/{django,djangojs}.po``. Without ``--check`` what the
sources say now is merged into these files, which keep their translations, and they are
compiled; with it nothing is written, and what lacks or contradicts is printed (exit
status 1). Babel does all of it: no gettext tools needed.
Words of a template that stand outside of every tag of translation are printed with
``--unmarked templates/PART``.
"""

import argparse
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import django
from babel.messages import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

from hatch_build import compile_catalogues

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "annotator" / "locale"
WHEN = datetime(2026, 1, 1, tzinfo=UTC)  # no date: the same words, the same file
KEYWORDS: dict[str, Any] = {
    **dict.fromkeys(("_", "gettext", "gettext_lazy", "gettext_noop"), None),
    **dict.fromkeys(("ngettext", "ngettext_lazy"), (1, 2)),
    **dict.fromkeys(("pgettext", "pgettext_lazy"), ((1, "c"), 2)),
    **dict.fromkeys(("npgettext", "npgettext_lazy"), ((1, "c"), 2, 3)),
}
HIDING = ("blocktranslate", "comment", "verbatim")
NOT_TEXT = {("block", "main_class"), ("block", "body_attributes")}  # of base.html
# names in every language
NAMES = (
    r"Gemel|TSV|CSV|JSON|SVG|PDF|PNG|API|CoNLL-U|LaTeX|Parquet|SHA-256|AER|UAS|LAS|F1"
    r"|UPOS|XPOS|G²"
)
TERMS = re.compile(r'(?:\{% term |[\s]word=)"([^"]+)"')  # of the glossary
PLACES = re.compile(r"%\((\w+)\)s|\{(\w*)\}")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit with 1 if anything is missing",
    )
    parser.add_argument(
        "--unmarked", metavar="FOLDER", help="print words outside all translation tags"
    )
    options = parser.parse_args(arguments)
    if options.unmarked:
        return _print(unmarked(Path(options.unmarked)))
    faults = list(unmarked(ROOT / "templates"))
    for domain in ("django", "djangojs"):
        wanted = template(domain)
        for path in sorted(LOCALE.glob(f"*/LC_MESSAGES/{domain}.po")):
            merged = merge(path, wanted)
            if not options.check:
                path.write_bytes(as_text(merged))
                compile_catalogues(ROOT)
            faults += [f"{path.parent.parent.name}: {one}" for one in check(merged)]
            faults += stale(path, merged)
    return _print(faults)


def _print(faults: Iterable[str]) -> int:
    lines = [f"{one}\n" for one in faults]
    sys.stdout.write("".join(lines))
    return 1 if lines else 0


def template(domain: str) -> Catalog:
    """Return every message of the sources, in the order of their places."""
    catalog = Catalog(domain=domain)
    for path, method, text in sources(domain):
        place = path.relative_to(ROOT).as_posix()
        messages = extract(method, io.BytesIO(text.encode()), KEYWORDS)
        for line, message, _, context in messages:
            catalog.add(message, locations=[(place, line)], context=context)
    for message in engine_words() if domain == "django" else ():
        catalog.add(str(message))
    return catalog


def engine_words() -> Iterator[str]:
    """Yield what the engine and the glossary say on screens, each kept in one place."""
    from annotator.pages.agreement import words
    from annotator.pages.campaigns.rules import FIELDS
    from annotator.pages.site import glossary
    from annotator.services.campaigns.scales import templates
    from core.itg.scores import SCORERS
    from core.queries.checking import CONDITIONS
    from core.queries.syntax import RELATIONS

    yield from words.engine_words()
    yield from (one.title for one in templates().values())
    yield from (one.label for one in SCORERS.values())
    yield from (one.means for one in RELATIONS.values())
    yield from CONDITIONS.values()
    texts = [path.read_text("utf-8") for path in (ROOT / "templates").rglob("*.html")]
    names = {name for text in texts for name in TERMS.findall(text)}
    for name in sorted(names | {word for _, _, word in FIELDS.values() if word}):
        yield glossary.term(name).meaning


def sources(domain: str) -> Iterator[tuple[Path, str, str]]:
    """Yield each file with Babel's method for it and its text."""
    if domain == "djangojs":
        for path in sorted((ROOT / "static" / "js").rglob("*.js")):
            yield path, "javascript", path.read_text("utf-8")
        return
    from django.utils.translation.template import templatize

    for path in sorted((ROOT / "templates").rglob("*.html")):
        calls = templatize(path.read_text("utf-8"), origin=str(path))
        yield path, "python", f"({calls})"  # in brackets indentation means nothing
    for path in sorted((ROOT / "annotator").rglob("*.py")):
        yield path, "python", path.read_text("utf-8")


def merge(path: Path, wanted: Catalog) -> Catalog:
    """Return the file's translations of the wanted messages, without others."""
    with path.open("rb") as file:
        known = read_po(file, locale=path.parent.parent.name)
    merged = Catalog(
        locale=known.locale,
        domain=wanted.domain,
        project="Gemel",
        version="1",
        msgid_bugs_address="see SECURITY.md and CONTRIBUTING.md",
        last_translator="the maintainers of Gemel",
        language_team="the maintainers of Gemel",
        header_comment="# Words of Gemel's interface.",
        creation_date=WHEN,
        revision_date=WHEN,
        fuzzy=False,
    )
    for message in wanted:
        if message.id:
            before = known.get(message.id, message.context)
            is_same = before and _forms(before.id) == _forms(message.id)
            text = before.string if before and is_same else None
            merged.add(message.id, text, message.locations, context=message.context)
    for words in format_words() if wanted.domain == "django" else ():
        if (before := known.get(words)) and words not in merged:
            merged.add(words, before.string)
    return merged


def format_words() -> Iterator[str]:
    """Yield what formats say of themselves; one without German is shown in English."""
    from annotator.exchange import registry

    for one in registry.FORMATS.values():
        yield from (one.title, one.needs, *one.losses)


def as_text(catalog: Catalog) -> bytes:
    file = io.BytesIO()
    write_po(file, catalog, width=100, sort_output=True, no_location=True)
    return file.getvalue()


def check(catalog: Catalog) -> Iterator[str]:
    """Yield what is not translated, or has other placeholders than the English."""
    for message in catalog:
        if not message.id:
            continue
        strings = _forms(message.string)
        name = _forms(message.id)[0][:60]
        if not all(strings) or len(strings) != len(_forms(message.id)):
            yield f"no translation: {name}"
        elif any(_places(one) - _places(*_forms(message.id)) for one in strings):
            yield f"names a place that the English has not: {name}"
        elif _places(*_forms(message.id)) - _places(*strings):
            yield f"leaves a place out: {name}"
        elif _edges(message):
            yield f"other white space at its ends: {name}"


def stale(path: Path, merged: Catalog) -> Iterator[str]:
    """Yield a line if merging would change the file."""
    with path.open("rb") as file:
        known = _by_id(read_po(file))
    if known != _by_id(merged):
        yield f"{path.relative_to(ROOT)} is not up to date: python -m tools.messages"


def _by_id(catalog: Catalog) -> dict[Any, Any]:
    """Translations by context and English."""
    return {
        (one.context, _forms(one.id)): _forms(one.string) for one in catalog if one.id
    }


def unmarked(folder: Path) -> Iterator[str]:
    """Yield words in templates outside of every translation tag."""
    for path in sorted(folder.rglob("*.html")):
        reader = _Words()
        reader.feed(_bare(path.read_text("utf-8")))
        for line, text in reader.words:
            yield f"{path}:{line}: not marked for translation: {text[:60]}"


def _bare(source: str) -> str:
    """Return a template's own text, with a space for each tag and lines kept."""
    from django.template.base import Lexer, TokenType

    parts, hidden = [], False
    for token in Lexer(source).tokenize():
        name = (token.contents.split() or [""])[0]
        if token.token_type is TokenType.BLOCK:
            if name in HIDING or tuple(token.contents.split()[:2]) in NOT_TEXT:
                hidden = True
            elif name.startswith("end"):
                hidden = False
        is_text = token.token_type is TokenType.TEXT and not hidden
        raw = token.contents if token.token_type is TokenType.TEXT else ""
        parts.append(token.contents if is_text else " " + "\n" * raw.count("\n"))
    return "".join(parts)


class _Words(HTMLParser):
    """Words that people read: text and the attributes that are read out or shown."""

    SHOWN = ("title", "alt", "placeholder", "aria-label", "aria-description")
    CODE = ("code", "kbd", "pre", "script", "style", "samp")

    def __init__(self) -> None:
        super().__init__()
        self.words: list[tuple[int, str]] = []
        self._code = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._code += tag in self.CODE
        for name, value in attrs:
            if name in self.SHOWN:
                self._see(value or "")

    def handle_endtag(self, tag: str) -> None:
        self._code -= tag in self.CODE

    def handle_data(self, data: str) -> None:
        if not self._code:
            self._see(data)

    def _see(self, text: str) -> None:
        bare = re.sub(f"&\\w+;|{NAMES}", "", text)
        if re.search(r"[^\W\d_]{2}", bare):
            self.words.append((self.getpos()[0], " ".join(text.split())))


def _forms(text: Any) -> tuple[str, ...]:
    return tuple(text) if isinstance(text, tuple | list) else (text or "",)


def _places(*texts: str) -> set[str]:
    return {a or b for text in texts for a, b in PLACES.findall(text)}


def _edges(message: Message) -> bool:
    one, other = _forms(message.id)[0], _forms(message.string)[0]
    return (one[:1].isspace(), one[-1:].isspace()) != (
        other[:1].isspace(),
        other[-1:].isspace(),
    )


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "annotator.settings")
    django.setup()
    raise SystemExit(main())
