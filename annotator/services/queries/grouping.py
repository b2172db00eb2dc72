"""Matches counted by the label, place or author of their first node."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Q
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator.errors import BadRequest
from annotator.exchange.rows import FILE
from annotator.exchange.written import Exported
from annotator.models import AlignmentLayer, Corpus, Origin, Pair, Parse, Sentence
from annotator.services.queries.running import MatchColumns, Search
from annotator.services.queries.tables import QueryTooSlow, one_of, selected
from core.agreement.paired import g_test, holm

MOST = 100_000  # groups
PART = 500  # keys looked up at a time
_NUMBERED = re.compile(r"(.+?)[-_.:/#]+[a-z]?\d+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class GroupedMatches:
    """``rows``: name and number of matches, the most frequent first.

    ``is_whole``: False if the time was over; then these are the least there are.
    """

    by: str
    rows: tuple[tuple[str, int], ...]
    is_whole: bool

    @property
    def total(self) -> int:
        return sum(n for _name, n in self.rows)

    def table(self) -> Exported:
        """The groups as a file: name, matches, share."""
        rows = ((name, n, round(n / self.total, 6)) for name, n in self.rows)
        return Exported(
            (self.by, "matches", "share"),
            rows,
            {"matches": "BIGINT", "share": "DOUBLE"},
        )


@dataclass(frozen=True, slots=True)
class ComparedGroup:
    """Matches of one group in two corpora; ``g2`` of their shares, ``p`` adjusted for
    the number of groups (Holm)."""

    name: str
    first: int
    second: int
    g2: float
    p: float


@dataclass(frozen=True, slots=True)
class ComparedMatches:
    """The same groups in two corpora, the most frequent first."""

    first: GroupedMatches
    second: GroupedMatches
    rows: tuple[ComparedGroup, ...]

    def table(self) -> Exported:
        """The groups as a file, a row each."""
        totals = max(self.first.total, 1), max(self.second.total, 1)
        rows = (
            (
                *(one.name, one.first, one.second),
                *(round(one.first / totals[0], 6), round(one.second / totals[1], 6)),
                *(round(one.g2, 4), one.p),
            )
            for one in self.rows
        )
        names = (
            self.first.by,
            "matches_1",
            "matches_2",
            "share_1",
            "share_2",
            "g2",
            "p",
        )
        types = dict.fromkeys(names[1:3], "BIGINT") | dict.fromkeys(names[3:], "DOUBLE")
        return Exported(names, rows, types)


def compared(first: GroupedMatches, second: GroupedMatches) -> ComparedMatches:
    """Return the groups of either side, each with a test of its share (``g_test``)."""
    counts = dict(first.rows), dict(second.rows)
    names = sorted(
        counts[0].keys() | counts[1].keys(),
        key=lambda name: (-counts[0].get(name, 0) - counts[1].get(name, 0), name),
    )
    pairs = [(counts[0].get(name, 0), counts[1].get(name, 0)) for name in names]
    tests = [g_test(a, first.total, b, second.total) for a, b in pairs]
    adjusted = holm([p for _g2, p in tests])
    rows = zip(names, pairs, tests, adjusted, strict=True)
    return ComparedMatches(
        first,
        second,
        tuple(ComparedGroup(name, a, b, g2, p) for name, (a, b), (g2, _p), p in rows),
    )


@dataclass(frozen=True, slots=True)
class Grouping:
    """``sql``: the key of a match. ``names``: keys as people read them; without, a key
    is its name. ``empty``: what matches without a key are called."""

    title: Promise
    empty: Promise
    sql: Callable[[MatchColumns], str]
    names: Callable[[Search, Corpus, Sequence[Any]], dict[Any, str]] | None = None


def grouped(search: Search, by: str, seconds: float | None = None) -> GroupedMatches:
    """Count the matches of a search by one of ``GROUPINGS``, as far as the time goes.

    Raises BadRequest on a grouping that there is not.
    """
    if by not in GROUPINGS:
        known = {"name": repr(by), "known": ", ".join(GROUPINGS)}
        problem = _("There is no grouping %(name)s. Choose one: %(known)s.")
        raise BadRequest(problem % known, field="by")
    grouping, counter, is_whole = GROUPINGS[by], Counter[str](), True
    ends = time.monotonic() + (seconds or search.seconds)
    for corpus in search.scope.corpora:
        keys: Counter[Any] = Counter()
        try:
            for rows in search.tallies(corpus, grouping.sql, ends):
                keys.update(dict(rows))
                if len(keys) > MOST:
                    is_whole = False
                    break
        except QueryTooSlow:
            is_whole = False
        counter.update(_named(search, grouping, corpus, keys))
    rows = sorted(counter.items(), key=lambda row: (-row[1], row[0]))
    return GroupedMatches(by, tuple(rows), is_whole)


def _named(
    search: Search, grouping: Grouping, corpus: Corpus, keys: Mapping[Any, int]
) -> Counter[str]:
    names: dict[Any, str] = {}
    there = [key for key in keys if key is not None]
    if grouping.names is None:
        names = {key: str(key).strip() for key in there}
    else:
        for start in range(0, len(there), PART):
            names |= grouping.names(search, corpus, there[start : start + PART])
    counter: Counter[str] = Counter()
    for key, n in keys.items():
        counter[names.get(key, "") or str(grouping.empty)] += n
    return counter


# --- keys, as SQL of a match whose first node is n0


def _label(of: MatchColumns) -> str:
    return "n0.label"


def _parent(of: MatchColumns) -> str:
    return (
        "(SELECT p.label FROM search_node p"
        " WHERE p.tree = n0.tree AND p.pre = n0.parent)"
    )


def _word(of: MatchColumns) -> str:
    if of.is_token:
        return _of_token("form")
    return _joined("search_label b ON b.id = w.label")


def _lemma(of: MatchColumns) -> str:
    """Of constituents, from the arcs chosen for the sentence."""
    if of.is_token:
        return _of_token("lemma")
    return _joined(
        f"search_tree c ON c.sentence = {of.sentence} AND c.kind = 1 AND c.chosen = 1 "
        "JOIN search_node d ON d.tree = c.parse AND d.node = w.node JOIN search_token "
        "t ON t.tree = d.tree AND t.pre = d.pre JOIN search_label b ON b.id = t.lemma"
    )


def _of_token(column: str) -> str:
    return (
        f"(SELECT b.text FROM search_token t JOIN search_label b ON b.id = t.{column}"
        " WHERE t.tree = n0.tree AND t.pre = n0.pre)"
    )


def _joined(joins: str) -> str:
    """The texts of the words below the node, in their order."""
    rows = (
        f"FROM search_node w JOIN {joins} WHERE w.tree = n0.tree AND w.pre >= n0.pre"
        " AND w.pre <= n0.last AND w.kind = 2 AND w.node >= 0"
    )
    if connection.vendor == "sqlite":
        inner = f"SELECT b.text AS text {rows} ORDER BY w.node"
        return f"(SELECT group_concat(x.text, ' ') FROM ({inner}) x)"
    return f"(SELECT string_agg(b.text, ' ' ORDER BY w.node) {rows})"


# --- what keys are called


def _labels(search: Search, corpus: Corpus, keys: Sequence[Any]) -> dict[Any, str]:
    of_these, params = one_of("id", keys)
    return dict(selected(f"SELECT id, text FROM search_label WHERE {of_these}", params))


def _documents(search: Search, corpus: Corpus, keys: Sequence[Any]) -> dict[Any, str]:
    """By sentence what comes before the number in its id, else its file."""
    rows = Sentence.objects.filter(pk__in=keys).values_list("pk", "ref")
    names = {
        pk: match[1] if (match := _NUMBERED.fullmatch(ref)) else "" for pk, ref in rows
    }
    rest = [pk for pk, name in names.items() if not name]
    if rest and (files := corpus.meta.get("files", [])):
        names |= {
            pk: str(files[number]["name"])
            for pk, number in _files(rest)
            if 0 <= number < len(files)
        }
    return names


def _files(sentences: Sequence[int]) -> Iterable[tuple[int, int]]:
    """Sentences and the numbers of their files, as far as a tree or pair tells."""
    sides = Q(source__in=sentences) | Q(target__in=sentences)
    pairs = Pair.objects.filter(sides).values_list("source", "target", "meta")
    for source, target, meta in pairs:
        yield from ((pk, int(meta.get(FILE, -1))) for pk in (source, target))
    parses = Parse.objects.filter(sentence__in=sentences, origin=Origin.GOLD)
    for pk, meta in parses.values_list("sentence", "meta"):
        if FILE in meta:
            yield pk, int(meta[FILE])


def _makers(search: Search, corpus: Corpus, keys: Sequence[Any]) -> dict[Any, str]:
    """Who made a tree, or, of a query with links, the layer."""
    if search.query.has_links:
        layers = AlignmentLayer.objects.select_related("author").defer("links")
        return {pk: one.made_by for pk, one in layers.in_bulk(keys).items()}
    parses = Parse.objects.select_related("author").defer("text").in_bulk(keys)
    return {
        pk: f"{one.engine} {one.version}".strip()
        if one.origin == Origin.ENGINE
        else one.name
        for pk, one in parses.items()
    }


GROUPINGS: dict[str, Grouping] = {
    "label": Grouping(gettext_lazy("Label"), gettext_lazy("no label"), _label, _labels),
    "word": Grouping(gettext_lazy("Words"), gettext_lazy("no word"), _word),
    "lemma": Grouping(gettext_lazy("Lemma"), gettext_lazy("no lemma"), _lemma),
    "parent": Grouping(
        gettext_lazy("Parent"), gettext_lazy("no parent"), _parent, _labels
    ),
    "document": Grouping(
        gettext_lazy("Document"),
        gettext_lazy("no document"),
        lambda of: of.sentence,
        _documents,
    ),
    "annotator": Grouping(
        gettext_lazy("Annotator"),
        gettext_lazy("no annotator"),
        lambda of: of.found_in,
        _makers,
    ),
}
"""By name, in the order in which they are offered."""
