"""Reading a finished table: paraphrases of a phrase, and their evidence.

table = open_table(path)
table.lookup("create equal")                      # whatever the label (equation 5)
table.lookup("create equal", label="VP/(NP/NNS)") # equation 7
table.why("create equal", "promote equal")        # the foreign phrases behind it
table.examples("create equal")                    # where it stands

Counts over a table, as Callison-Burch 2008 gives them in section 3.

Tables 1 to 4 of Callison-Burch 2008 for any phrase: its paraphrases whatever the
label, then under each of its labels, the phrase itself among them.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from core.errors import InvalidValue, Unavailable
from core.pivoting.building.engines import DuckEngine
from core.pivoting.building.settings import VERSION, digest
from core.pivoting.conditions import Condition, Label, rank
from core.pivoting.extract import phrase_hash
from core.pivoting.labels import is_constituent

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """``p``: the score it is ranked by; ``label``: of the phrase, "" = whatever it is.

    ``proven``: no paraphrase that was left out while the table was made can belong
    before it.
    """

    text: str
    label: str
    p: float
    pivots: int
    proven: bool


@dataclass(frozen=True, slots=True)
class Head:
    """Facts about a phrase under one label.

    ``candidates``: paraphrases found, kept or not; ``mass``: the sum of their
    probabilities, over corpora; ``lost``: at most so much is any probability too low;
    ``next``: the largest that was not kept; ``corpora``: in which the phrase occurs.
    """

    label: str
    candidates: int
    mass: float
    lost: float
    next: float
    corpora: int


@dataclass(frozen=True, slots=True)
class Pivot:
    """A foreign phrase between two English ones, and its share of the probability.

    ``n1, n2``: how often it goes with either in ``corpus``; ``p`` = p(f | e1, s)
    p(e2 | f, s).
    """

    corpus: str
    foreign: str
    n1: float
    n2: float
    p: float


@dataclass(frozen=True, slots=True)
class Example:
    """A sentence pair; the phrase is tokens ``start`` to ``end - 1`` of ``source``."""

    corpus: str
    source: str
    target: str
    start: int
    end: int


def open_table(path: Path) -> "Table":
    """The table at ``path``; raises Unavailable if there is none, or one of another
    version."""
    manifest = path / MANIFEST
    if not manifest.is_file():
        raise Unavailable(
            f"{path}: not a paraphrase table; create one with pivot build"
        )
    facts = json.loads(manifest.read_text(encoding="utf-8"))
    if facts.get("version") != VERSION:
        raise Unavailable(f"{path}: built by another version; build it again")
    return Table(path / facts["table"], facts)


def files(path: Path) -> list[Path]:
    """The files of the table at ``path`` without intermediate ones; none if there is no
    table."""
    manifest = path / MANIFEST
    if not manifest.is_file():
        return []
    table = path / json.loads(manifest.read_text(encoding="utf-8"))["table"]
    return [manifest, *sorted(one for one in table.rglob("*") if one.is_file())]


class Table:
    """A folder of Parquet files, a bucket of phrases each. One thread at a time.

    A look-up reads the row groups of one file that can hold the phrase: its cost
    depends on the size of a bucket, not of the table.
    """

    def __init__(self, folder: Path, facts: dict[str, Any]) -> None:
        self.folder, self.facts = folder, facts
        self._buckets = int(facts["settings"]["buckets"])
        self._lowercase = bool(facts["settings"]["lowercase"])
        self._recent: tuple[str, dict[str, list[tuple[Any, ...]]]] = "", {}

    @cached_property
    def engine(self) -> DuckEngine:
        import tempfile  # only who reads needs a place to spill

        return DuckEngine(Path(tempfile.gettempdir()), memory="1GB", threads=1)

    @property
    def name(self) -> str:
        """The identity of this table."""
        return digest([self.folder.name])

    @property
    def corpora(self) -> list[str]:
        return [Path(source).stem for source in self.facts["sources"]]

    def files(self, name: str) -> str:
        """All buckets of one kind, as DuckDB reads them."""
        return str(self.folder / f"{name}-*.parquet")

    def key(self, phrase: str) -> str:
        """The phrase as the table spells it."""
        text = " ".join(phrase.split())
        if not text:
            raise InvalidValue("expected a phrase of at least one word")
        return text.lower() if self._lowercase else text

    def lookup(
        self,
        phrase: str,
        label: Label = None,
        *,
        condition: Condition | None = None,
        k: int = 10,
        average: bool = False,
    ) -> list[Paraphrase]:
        """The ``k`` best paraphrases of a phrase, best first.

        ``condition``: "baseline" (equation 5), the usual one without a label,
        "extraction" (10: any label), "constituents" (the same over constituents),
        "substitution" (8: the best of the labels given; the usual one with labels:
        equation 7 under a single one) or "averaged" (9: their mean). ``label``: one,
        or several.
        ``average``: sums over corpora are divided by how many hold the phrase under
        that label, as equation 7 is printed; otherwise they are not, as in equation 5.
        """
        names = [label] if isinstance(label, str) else list(label or ())
        how = condition or ("substitution" if names else "baseline")
        ranked = rank(
            self.rows(phrase), how, names, self.heads(phrase), average=average
        )
        return [Paraphrase(*row) for row in ranked[:k]]

    def rows(self, phrase: str) -> list[tuple[str, str, float, int]]:
        """All rows of a phrase: label, paraphrase, p, number of pivots."""
        rows: list[tuple[str, str, float, int]] = self._read(
            "paraphrases", "label, paraphrase, p, pivots", phrase, "label, place"
        )
        return rows

    def heads(self, phrase: str) -> dict[str, Head]:
        """Facts about a phrase, by label; empty if it has no paraphrase."""
        names = "label, candidates, mass, lost, next, corpora"
        rows = self._read("heads", names, phrase, "label")
        return {row[0]: Head(*row) for row in rows}

    def labels(self, phrase: str) -> list[str]:
        """The labels under which it has paraphrases, the commonest first."""
        rows = self._read("pivots", "label, max(of_e)", phrase, "2 DESC, 1", "label")
        return [row[0] for row in rows if row[0]]

    def why(self, e1: str, e2: str, *, label: str = "") -> list[Pivot]:
        """The foreign phrases behind a paraphrase, the weightiest first.

        Their ``p`` add up to the probability of ``e2``, less what pruning took away.
        """
        sides = [
            self._pivots_of(phrase, label) for phrase in (self.key(e1), self.key(e2))
        ]
        pivots = [
            Pivot(corpus, foreign, n1, n2, n1 / of_e * (n2 / of_f))
            for (corpus, foreign), (n1, of_e, of_f) in sides[0].items()
            for n2 in [sides[1].get((corpus, foreign), (0.0, 0.0, 0.0))[0]]
            if n2
        ]
        return sorted(pivots, key=lambda pivot: (-pivot.p, pivot.corpus, pivot.foreign))

    def _pivots_of(
        self, phrase: str, label: str
    ) -> dict[tuple[str, str], tuple[float, float, float]]:
        names = "corpus, foreign_phrase, n, of_e, of_f, label"
        rows = self._read("pivots", names, phrase, "corpus, foreign_phrase")
        return {(row[0], row[1]): row[2:5] for row in rows if row[5] == label}

    def examples(self, phrase: str, *, k: int = 3) -> list[Example]:
        """Sentences that hold the phrase, at most three, with their counterparts."""
        places = self._read("places", "file, pair_id, first, last", phrase, "pair_id")
        examples = []
        for file, pair, start, end in places[:k]:
            rows = self.engine.rows(
                "SELECT corpus, source, target FROM read_parquet(?) WHERE pair_id = ?",
                [str(self.folder / f"pairs-{file:04d}.parquet"), pair],
            )
            examples += [Example(a, b, c, start, end) for a, b, c in rows]
        return examples

    def _read(
        self, kind: str, names: str, phrase: str, order: str, group: str = ""
    ) -> list[tuple[Any, ...]]:
        text = self.key(phrase)
        by = f"GROUP BY {group}" if group else ""
        sql = f"SELECT {names} FROM read_parquet(?) WHERE phrase = ? {by} ORDER BY "
        recent = self._recent  # once: another thread may ask about another phrase
        if text != recent[0]:  # conditions ask about one phrase, one by one
            self._recent = recent = text, {}
        question, read = kind + sql + order, recent[1]
        if question not in read:
            bucket = phrase_hash(text) & (self._buckets - 1)
            file = str(self.folder / f"{kind}-{bucket:04d}.parquet")
            read[question] = self.engine.rows(sql + order, [file, text])
        return list(read[question])

    def known(self, phrases: Iterable[str]) -> set[str]:
        """Those of these phrases that have paraphrases, spelt as here."""
        spelt = {self.key(phrase): phrase for phrase in phrases}
        sql = """SELECT DISTINCT phrase FROM read_parquet(?)
            WHERE phrase IN (SELECT unnest(?))"""
        rows = self.engine.rows(sql, [self.files("heads"), list(spelt)])
        return {spelt[phrase] for (phrase,) in rows}

    def size(self) -> dict[str, int]:
        """Paraphrases kept, phrases that have any, and labels."""
        sql = """SELECT count(*), count(DISTINCT phrase), count(DISTINCT label),
            count(*) FILTER (label = '') FROM read_parquet(?)"""
        row = self.engine.rows(sql, [self.files("paraphrases")])[0]
        names = ("paraphrases", "phrases", "labels", "baseline")
        return dict(zip(names, row, strict=True))

    def close(self) -> None:
        self.engine.close()


AT_LEAST = 0.01  # as printed: "excluding items with p < .01"
MOST = 20


@dataclass(frozen=True, slots=True)
class LabelTable:
    """``rows``: paraphrase and probability, likeliest first, the phrase itself too.

    ``label``: "" whatever it is (tables 1 and 2), a constituent's (3), or complex (4).
    ``corpora``: in which the phrase occurs so; the probabilities are the mean over
    them, as equation 7 is printed. ``lost``: how much any may be too low, and the
    phrase's own too high, by what was left out while the table was made.
    """

    label: str
    is_constituent: bool
    rows: tuple[tuple[str, float], ...]
    corpora: int
    lost: float


def phrase_tables(
    table: Table, phrase: str, *, at_least: float = AT_LEAST, most: int = MOST
) -> list[LabelTable]:
    """The table whatever the label, then those of constituents, then the others; each
    kind by how often the phrase has the label. Empty: it has no paraphrase."""
    heads, names = table.heads(phrase), table.labels(phrase)
    order = sorted(
        (name for name in heads if name),
        key=lambda name: (not is_constituent(name), names.index(name)),
    )
    plain = [""] if "" in heads else []
    return [
        _one(table, phrase, heads[name], at_least, most) for name in [*plain, *order]
    ]


def _one(
    table: Table, phrase: str, head: Head, at_least: float, most: int
) -> LabelTable:
    """All probabilities of one corpus add up to 1: what the others leave is the
    phrase's own."""
    paraphrases = table.lookup(phrase, head.label, k=most, average=True)
    if not head.label:
        paraphrases = table.lookup(phrase, k=most, average=True)
    rows = [(one.text, one.p) for one in paraphrases]
    rows.append((table.key(phrase), max(0.0, 1 - head.mass / head.corpora)))
    rows.sort(key=lambda row: (-row[1], row[0]))
    return LabelTable(
        head.label,
        bool(head.label) and is_constituent(head.label),
        tuple(row for row in rows if row[1] >= at_least),
        head.corpora,
        head.lost / head.corpora,
    )
