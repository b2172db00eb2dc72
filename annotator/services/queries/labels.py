"""Labels as numbers of the index, and the labels that a test matches."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from django.db import connection

from annotator.models import Corpus
from annotator.services.queries.tables import QueryTooSlow, one_of, selected, within
from core.queries import labels
from core.queries.rows import Kind
from core.queries.syntax import (
    Feature,
    Features,
    Labels,
    Query,
    RegexTest,
    TagClass,
    Test,
    nodes_of,
    relations_of,
)

SIMILAR = 5  # labels named instead of one that no tree has
LOOKED_AT = 50_000  # labels compared with it: the first that were indexed
CLOSE = 0.6  # of difflib
SECONDS = 0.5  # to find out
COUNTED = 300  # trees whose labels are offered


def ids_of(texts: Iterable[str]) -> dict[str, int]:
    """The numbers of these labels; unknown ones are given one."""
    wanted = sorted({clip(text) for text in texts})
    ids = _known(wanted)
    new = [text for text in wanted if text not in ids]
    if new:
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO search_label (text, basic) VALUES (%s, %s)"
                " ON CONFLICT DO NOTHING",
                [(text, labels.basic(text)) for text in new],
            )
        ids |= _known(new)
    return ids


def clip(text: str) -> str:
    """The label as stored in the index."""
    return text[: labels.MAX_LABEL].replace("\x00", "")


def _known(texts: Sequence[str]) -> dict[str, int]:
    ids: dict[str, int] = {}
    for start in range(0, len(texts), 500):
        part = texts[start : start + 500]
        marks = ", ".join(["%s"] * len(part))
        sql = f"SELECT text, id FROM search_label WHERE text IN ({marks})"
        ids |= dict(selected(sql, part))
    return ids


def common(corpus: Corpus, *kinds: Kind) -> list[tuple[Kind, str]]:
    """The labels of these kinds of nodes, the most frequent first, in the first trees
    of a corpus that were indexed."""
    kind, of_kind = one_of("n.kind", [int(one) for one in kinds])
    rows = selected(
        "SELECT n.kind, l.text FROM search_node n JOIN search_label l"
        " ON l.id = n.label WHERE n.tree IN (SELECT parse FROM search_tree WHERE"
        f" corpus = %s ORDER BY kind, parse LIMIT %s) AND {kind}"
        " GROUP BY n.kind, l.text ORDER BY count(*) DESC, l.text",
        [corpus.pk, COUNTED, *of_kind],
    )
    return [(Kind(of), text) for of, text in rows]


class Resolver:
    """The numbers of the labels that tests mean, looked up once a query."""

    def __init__(self) -> None:
        self._all: list[tuple[int, str]] | None = None

    def label(self, test: Test) -> list[int] | None:
        """The labels that a test matches, before negation; None for any."""
        if isinstance(test, Labels):
            column = "basic" if test.basic else "text"
            return self._listed(column, test.texts)
        if isinstance(test, RegexTest):
            if not test.basic:
                return self._where(lambda text: labels.matches(test.regex, text))
            return self._where(
                lambda text: labels.matches(test.regex, labels.basic(text))
            )
        if isinstance(test, TagClass):
            return self._listed("text", labels.tags_of(test.name))
        return None

    def words(self, texts: Sequence[str]) -> list[int]:
        return self._listed("text", texts)

    def value(self, feature: Feature) -> list[int]:
        """For a column of CoNLL-U: values that match; without one, the empty value."""
        if feature.regex:
            return self._where(
                lambda text: bool(text) and labels.matches(feature.regex, text)
            )
        return self._listed("text", feature.texts or ("",))

    def by_value(self, key: str) -> list[list[int]]:
        """The strings of the column FEATS that agree in a feature, value by value."""
        having = set(self.features(Feature(key)))
        groups: dict[str, list[int]] = {}
        for number, text in self._all or ():
            if number in having:
                values = dict(part.partition("=")[::2] for part in text.split("|"))
                groups.setdefault(values[key], []).append(number)
        return list(groups.values())

    def features(self, feature: Feature) -> list[int]:
        """The strings of the column FEATS that have such a feature."""
        return self._where(lambda text: _has(text, feature))

    def _listed(self, column: str, texts: Sequence[str]) -> list[int]:
        marks = ", ".join(["%s"] * len(texts))
        sql = f"SELECT id FROM search_label WHERE {column} IN ({marks})"
        return [number for (number,) in selected(sql, texts)]

    def _where(self, fits: Callable[[str], bool]) -> list[int]:
        if self._all is None:
            self._all = selected("SELECT id, text FROM search_label")
        return [number for number, text in self._all if fits(text)]


def _has(text: str, feature: Feature) -> bool:
    """Whether "Case=Nom|Number=Sing" has the feature, negation apart."""
    for part in text.split("|"):
        key, sign, value = part.partition("=")
        if sign and key == feature.key:
            if feature.regex:
                return labels.matches(feature.regex, value)
            return not feature.texts or value in feature.texts
    return False


@dataclass(frozen=True, slots=True)
class UnknownLabel:
    """A label of a query that no tree has, and similar labels, the most similar
    first."""

    label: str
    similar: tuple[str, ...]


def unknown_in(
    query: Query, corpora: Sequence[int], *, is_found: bool
) -> list[UnknownLabel]:
    """Return the labels and words of a query that no tree of these corpora has.

    ``is_found``: the query has matches, so only labels of no corpus at all are looked
    for. Half a second at most; what is not found out by then is left out.
    """
    unknown: list[UnknownLabel] = []
    try:
        with within(SECONDS):
            for text, column in dict.fromkeys(_named(query)):
                ids = _numbers(text, column)
                if ids and (is_found or not column or _kind_of(ids, corpora)):
                    continue
                if not ids or not is_found:
                    unknown.append(UnknownLabel(text, _similar(text, column, corpora)))
    except QueryTooSlow:
        pass
    return unknown


def _named(query: Query) -> Iterator[tuple[str, str]]:
    """Labels as written, and the column of ``search_label`` that has them, "" if they
    are columns of tokens."""
    tests: list[Test | None] = [node.test for node in nodes_of(query.root)]
    for relation in relations_of(query.root):
        tests.append(relation.through)
        yield from ((text, "text") for text in relation.labels)
    for test in tests:
        if isinstance(test, Labels):
            column = "basic" if test.basic else "text"
            yield from ((text, column) for text in test.texts)
        elif isinstance(test, Features):
            for one in test.all:
                if one.key in ("deprel", "form", "lemma", "upos", "xpos"):
                    column = "text" if one.key == "deprel" else ""
                    yield from ((text, column) for text in one.texts)


def _numbers(text: str, column: str) -> list[int]:
    sql = f"SELECT id FROM search_label WHERE {column or 'text'} = %s"
    return [number for (number,) in selected(sql, [clip(text)])]


def _kind_of(ids: Sequence[int], corpora: Sequence[int]) -> tuple[int, ...]:
    """The kind of node with one of these labels in these corpora; () for none."""
    label, of_label = one_of("n.label", ids)
    corpus, of_corpus = one_of("t.corpus", corpora)
    rows = selected(
        "SELECT n.kind FROM search_node n JOIN search_tree t ON t.parse = n.tree"
        f" WHERE {label} AND {corpus} LIMIT 1",
        [*of_label, *of_corpus],
    )
    return tuple(rows[0]) if rows else ()


def _similar(text: str, column: str, corpora: Sequence[int]) -> tuple[str, ...]:
    """Labels before words; of these, those with the same first letter first."""
    name = column or "text"
    rows = selected(
        f"SELECT id, {name} FROM search_label WHERE length({name}) BETWEEN %s AND"
        " %s ORDER BY id LIMIT %s",
        [max(1, len(text) - 2), len(text) + 2, LOOKED_AT],
    )
    by_fold: dict[str, dict[str, list[int]]] = {}
    for number, label in rows:
        by_fold.setdefault(label.casefold(), {}).setdefault(label, []).append(number)
    close = get_close_matches(text.casefold(), by_fold, 4 * SIMILAR, CLOSE)
    similar: list[tuple[bool, bool, str]] = []
    for label, ids in (pair for fold in close for pair in by_fold[fold].items()):
        kind = _kind_of(ids, corpora) if column else (Kind.TOKEN,)
        if kind:
            is_other = label[:1].casefold() != text[:1].casefold()
            similar.append((kind[0] == Kind.WORD, is_other, label))
    similar.sort(key=lambda one: one[:2])
    return tuple(label for *_, label in similar[:SIMILAR])
