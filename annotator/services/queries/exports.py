"""What a search finds as a file: a table, bracketings, or CoNLL-U."""

import itertools
from collections.abc import Iterator, Sequence

from django.db import connection
from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import Parse
from annotator.services.queries.contexts import ConcordanceLine, lines
from annotator.services.queries.rows import among
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
    """Return the text of the file, a portion at a time.

    ``ptb`` and ``conllu`` give each tree once, in the order in which it is found first:
    the tree of the match, or the sentence's chosen tree if the match is of the other
    kind. Raises BadRequest on a form that there is not, or if no sentence found has
    such a tree; QueryTooSlow.
    """
    if form not in FORMS:
        known = {"form": repr(form), "known": ", ".join(FORMS)}
        raise BadRequest(_("No form %(form)s: %(known)s.") % known, field="form")
    first = search.page(size=PORTION)
    text = _rows(search, first, form)
    if form == "tsv" or not first.matches:
        return text
    start = next((piece for piece in text if piece), "")
    if not start:
        problem = {
            "ptb": _("No sentence found has a constituency tree to export."),
            "conllu": _("No sentence found has a dependency tree to export."),
        }
        raise BadRequest(problem[form], field="form")
    return itertools.chain([start], text)


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
    order = list(dict.fromkeys(hit.tree for match in matches for hit in match.hits))
    found = Parse.objects.in_bulk(order)
    kind = Parse.Kind.CONSTITUENCY if form == "ptb" else Parse.Kind.DEPENDENCY
    others = {one.sentence_id for one in found.values() if one.kind != kind}
    chosen = _chosen(sorted(others), int(kind == Parse.Kind.DEPENDENCY))
    wanted: list[int | None] = [
        one.pk if one.kind == kind else chosen.get(one.sentence_id)
        for tree in order
        if (one := found.get(tree)) is not None
    ]
    new = [pk for pk in dict.fromkeys(wanted) if pk is not None and pk not in seen]
    seen |= set(new)
    rows = Parse.objects.select_related("sentence").in_bulk(new)
    yield from (_tree(rows[pk], form) for pk in new if pk in rows)


def _chosen(sentences: Sequence[int], kind: int) -> dict[int, int]:
    """Return by sentence the tree of this kind that stands for it."""
    sql, params = among("sentence", sentences)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sentence, parse FROM search_tree"
            f" WHERE kind = %s AND chosen = 1 AND {sql}",
            [kind, *params],
        )
        return dict(cursor.fetchall())


def _tree(parse: Parse, form: str) -> str:
    if form == "ptb":
        return f"{parse.text}\n"
    sentence = parse.sentence
    text = " ".join(sentence.text.split())
    head = f"# sent_id = {sentence.ref or sentence.code}\n# text = {text}\n"
    return f"{head}{parse.text}\n\n"
