"""What a search finds as a file: a table, bracketings, or CoNLL-U."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import Parse
from annotator.services.queries.contexts import ConcordanceLine, lines
from annotator.services.queries.running import Match, MatchPage, Search
from core.data.cells import plain_cell

FORMS = {
    "tsv": "text/tab-separated-values; charset=utf-8",
    "ptb": "text/plain; charset=utf-8",
    "conllu": "text/plain; charset=utf-8",
}
MOST, PORTION = 20_000, 500  # matches of a file, and read at a time
_COLUMNS = (
    "corpus", "id", "sentence", "label", "before", "match", "after",
    "pair", "other_label", "other_before", "other_match", "other_after", "layer",
)  # fmt: skip


def pieces(search: Search, form: str) -> Iterator[str]:
    """The text of the file, a portion at a time. ``ptb`` and ``conllu`` give each tree
    once, in the order in which it is found first. Raises BadRequest, QueryTooSlow."""
    if form not in FORMS:
        known = {"form": repr(form), "known": ", ".join(FORMS)}
        raise BadRequest(_("No form %(form)s: %(known)s.") % known, field="form")
    first = search.page(size=PORTION)
    return _rows(search, first, form)


def _rows(search: Search, page: MatchPage, form: str) -> Iterator[str]:
    if form == "tsv":
        yield "\t".join(_COLUMNS) + "\n"
    seen: set[int] = set()
    n = 0
    while True:
        if form == "tsv":
            yield "".join(_row(line) for line in lines(page.matches))
        else:
            yield "".join(_trees(page.matches, form, seen))
        n += len(page.matches)
        if not page.after or n >= MOST:
            return
        page = search.page(page.after, size=PORTION)


def _row(line: ConcordanceLine) -> str:
    other = line.other
    cells = [
        line.corpus, line.ref, line.code, line.label, line.before, line.match,
        line.after, line.pair.code if line.pair else "",
        *((other.label, other.before, other.match, other.after) if other else [""] * 4),
        line.layer.made_by if line.layer else "",
    ]  # fmt: skip
    return "\t".join(plain_cell(_flat(cell)) for cell in cells) + "\n"


def _flat(text: str) -> str:
    """On one line, and in one cell."""
    return " ".join(text.replace("\t", " ").splitlines())


def _trees(matches: list[Match], form: str, seen: set[int]) -> Iterator[str]:
    order = [hit.tree for match in matches for hit in match.hits]
    new = [tree for tree in dict.fromkeys(order) if tree not in seen]
    seen |= set(new)
    rows = Parse.objects.select_related("sentence").in_bulk(new)
    for tree in new:
        parse = rows.get(tree)
        if parse is None:
            continue
        is_deps = parse.kind == Parse.Kind.DEPENDENCY
        if is_deps and form == "conllu":
            sentence = parse.sentence
            text = " ".join(sentence.text.split())
            head = f"# sent_id = {sentence.ref or sentence.code}\n# text = {text}\n"
            yield f"{head}{parse.text}\n\n"
        elif not is_deps and form == "ptb":
            yield f"{parse.text}\n"
