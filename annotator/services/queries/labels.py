"""Labels as numbers: what the index calls them, and which ones a test means."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.db import connection

from core.queries import labels
from core.queries.syntax import Feature, Labels, RegexTest, TagClass, Test

NEVER = "1 = 0"
MANY = 200  # beyond, numbers travel as one parameter


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
    """As the index keeps it."""
    return text[: labels.MAX_LABEL].replace("\x00", "")


def _known(texts: Sequence[str]) -> dict[str, int]:
    ids: dict[str, int] = {}
    with connection.cursor() as cursor:
        for start in range(0, len(texts), 500):
            part = texts[start : start + 500]
            marks = ", ".join(["%s"] * len(part))
            cursor.execute(
                f"SELECT text, id FROM search_label WHERE text IN ({marks})", part
            )
            ids |= dict(cursor.fetchall())
    return ids


def one_of(column: str, ids: Sequence[int], *, negated: bool = False) -> Any:
    """The condition that a column of ours holds one of these numbers: (SQL, params)."""
    if not ids:
        return ("1 = 1" if negated else NEVER), []
    sign = "NOT IN" if negated else "IN"
    if len(ids) <= MANY:
        if len(ids) == 1:
            return f"{column} {'<>' if negated else '='} %s", list(ids)
        return f"{column} {sign} ({', '.join(['%s'] * len(ids))})", list(ids)
    text = ",".join(map(str, ids))
    if connection.vendor == "sqlite":
        return f"{column} {sign} (SELECT value FROM json_each(%s))", [f"[{text}]"]
    listed = "unnest(string_to_array(%s, ',')::bigint[])"
    return f"{column} {sign} (SELECT {listed})", [text]


class Resolver:
    """The numbers of the labels that tests mean, looked up once a query."""

    def __init__(self) -> None:
        self._all: list[tuple[int, str]] | None = None

    def label(self, test: Test) -> list[int] | None:
        """Those that a test names, before it is negated; None for any."""
        if isinstance(test, Labels):
            column = "basic" if test.basic else "text"
            return self._listed(column, test.texts)
        if isinstance(test, RegexTest):
            if not test.basic:
                return self._where(lambda text: labels.found(test.regex, text))
            return self._where(
                lambda text: labels.found(test.regex, labels.basic(text))
            )
        if isinstance(test, TagClass):
            return self._listed("text", labels.tags_of(test.name))
        return None

    def words(self, texts: Sequence[str]) -> list[int]:
        return self._listed("text", texts)

    def value(self, feature: Feature) -> list[int]:
        """Of a column of CoNLL-U: those with such a value; without one, the empty."""
        if feature.regex:
            return self._where(
                lambda text: bool(text) and labels.found(feature.regex, text)
            )
        return self._listed("text", feature.texts or ("",))

    def features(self, feature: Feature) -> list[int]:
        """The strings of the column FEATS that have such a feature."""
        return self._where(lambda text: _has(text, feature))

    def _listed(self, column: str, texts: Sequence[str]) -> list[int]:
        marks = ", ".join(["%s"] * len(texts))
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT id FROM search_label WHERE {column} IN ({marks})", [*texts]
            )
            return [row[0] for row in cursor.fetchall()]

    def _where(self, fits: Callable[[str], bool]) -> list[int]:
        if self._all is None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT id, text FROM search_label")
                self._all = cursor.fetchall()
        return [number for number, text in self._all if fits(text)]


def _has(text: str, feature: Feature) -> bool:
    """Whether "Case=Nom|Number=Sing" has the feature, negation apart."""
    for part in text.split("|"):
        key, sign, value = part.partition("=")
        if sign and key == feature.key:
            if feature.regex:
                return labels.found(feature.regex, value)
            return not feature.texts or value in feature.texts
    return False
