"""Matches as lines: the words of the match between those before and after it."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import AlignmentLayer, Pair, Parse, Sentence
from annotator.services.parses import retyping
from annotator.services.queries.running import Hit, Match, MatchPage, Search
from annotator.services.queries.tables import one_of, selected
from core.data.cells import plain_cell
from core.data.tree import Tree
from core.queries.rows import Kind


@dataclass(frozen=True, slots=True)
class Half:
    """A sentence around one of its nodes. ``match`` may leave words out: "…"."""

    label: str
    before: str
    match: str
    after: str
    sentence: Sentence


@dataclass(frozen=True, slots=True)
class ConcordanceLine:
    """A match; ``other``: its node on the other side of the pair, if it has one.

    ``hits``: by side (0 the root's), the refs of nodes to be marked, w3 or n5, and the
    tree they are of.
    """

    label: str
    before: str
    match: str
    after: str
    code: str  # of the sentence
    ref: str
    language: str
    corpus: str
    match_of: Match
    other: Half | None
    parses: tuple[Parse | None, Parse | None]
    pair: Pair | None
    layer: AlignmentLayer | None


def lines(matches: Sequence[Match]) -> list[ConcordanceLine]:
    """The lines of a page of matches, in few queries however many there are."""
    hits = [hit for match in matches for hit in match.hits]
    parses = Parse.objects.select_related("sentence").in_bulk({h.tree for h in hits})
    trees = {pk: _tree(parse) for pk, parse in parses.items()}
    layers = AlignmentLayer.objects.select_related("pair", "author").in_bulk(
        {match.layer for match in matches} - {0}
    )
    rows = []
    for match in matches:
        near = match.hits[0]
        if near.tree not in parses:  # deleted since
            continue
        far = next((hit for hit in match.hits if not hit.is_near), None)
        here = _half(near, parses, trees)
        other = _half(far, parses, trees) if far and far.tree in parses else None
        sentence = here.sentence
        layer = layers.get(match.layer)
        rows.append(
            ConcordanceLine(
                here.label, here.before, here.match, here.after, sentence.code,
                sentence.ref, sentence.language, match.corpus.name, match, other,
                (parses.get(near.tree), parses.get(far.tree) if far else None),
                layer.pair if layer else None, layer,
            )
        )  # fmt: skip
    return rows


def words_of(hit: Hit, tree: Tree | None) -> list[int]:
    """The positions of a node's words, none for an empty element."""
    if hit.kind in (Kind.TOKEN, Kind.WORD):
        return [hit.node] if hit.node >= 0 else []
    return list(tree.yield_of(hit.node)) if tree is not None else []


def _tree(parse: Parse) -> Tree | None:
    if parse.kind == Parse.Kind.DEPENDENCY:
        return None
    return parse.readable_tree()


def _half(hit: Hit, parses: dict[int, Parse], trees: dict[int, Tree | None]) -> Half:
    parse = parses[hit.tree]
    forms = retyping.words_of(parse)  # a tree may be older than the sentence's words
    words = words_of(hit, trees[hit.tree])
    if not words:
        return Half(hit.label, " ".join(forms), "", "", parse.sentence)
    before, after = forms[: words[0]], forms[words[-1] + 1 :]
    match = " … ".join(" ".join(forms[i] for i in run) for run in _runs(words))
    return Half(hit.label, " ".join(before), match, " ".join(after), parse.sentence)


def _runs(words: Sequence[int]) -> Iterator[list[int]]:
    """Positions cut where one is left out."""
    for _key, run in itertools.groupby(enumerate(words), lambda one: one[1] - one[0]):
        yield [position for _at, position in run]


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
    pages = search.pages(PORTION)
    first = next(pages)
    text = _rows(itertools.chain([first], pages), form)
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


def _rows(pages: Iterator[MatchPage], form: str) -> Iterator[str]:
    if form == "tsv":
        yield "\t".join(_COLUMNS) + "\n"
    seen: set[int] = set()
    n = 0
    for page in pages:
        if form == "tsv":
            yield "".join(_row(line) for line in lines(page.matches))
        else:
            yield "".join(_trees(page.matches, form, seen))
        n += len(page.matches)
        if n >= MOST:
            return


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
    yield from (_as_text(rows[pk], form) for pk in new if pk in rows)


def _chosen(sentences: Sequence[int], kind: int) -> dict[int, int]:
    """Return the chosen tree of this kind by sentence."""
    of_these, params = one_of("sentence", sentences)
    sql = f"SELECT sentence, parse FROM search_tree WHERE chosen = 1 AND {of_these}"
    return dict(selected(f"{sql} AND kind = %s", [*params, kind]))


def _as_text(parse: Parse, form: str) -> str:
    if form == "ptb":
        return f"{parse.text}\n"
    sentence = parse.sentence
    text = " ".join(sentence.text.split())
    head = f"# sent_id = {sentence.ref or sentence.code}\n# text = {text}\n"
    return f"{head}{parse.text}\n\n"
