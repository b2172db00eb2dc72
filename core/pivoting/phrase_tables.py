"""Tables 1 to 4 of Callison-Burch 2008 for any phrase: its paraphrases whatever the
label, then under each of its labels, the phrase itself among them."""

from dataclasses import dataclass

from core.pivoting.labels import is_constituent
from core.pivoting.table import Head, Table

__all__ = ["LabelTable", "phrase_tables"]

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
