"""The rows that the scale bench asks about: made by the database itself, from a seed.

One project; one corpus of ``pairs`` pairs over as many sentences, with ``parses`` trees
spread evenly (the first of each sentence gold); one open campaign of ``judgments / 5``
items with five answers each, by 500 simulated people, over ninety days, with an event
for every answer. Texts are short and made up; what indexes hold is spread. PostgreSQL.
"""

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from django.contrib.auth.models import User
from django.db import connection

from annotator.models import Batch, Campaign, Condition, Corpus, Participant, Project
from annotator.services.campaigns import setup
from annotator.services.projects import members

EACH, PEOPLE = 5, 500
LARGEST = [
    f"annotator_{name}"
    for name in ("pair", "parse", "credit", "judgment", "judgmentevent")
]
CHUNK = 50_000  # of i in a statement
_SECTIONS = dict(
    re.findall(
        r"^-- (\w+)\n(.*?)(?=^-- |\Z)",
        Path(__file__).with_name("scale.sql").read_text().partition("\n\n")[2],
        re.DOTALL | re.MULTILINE,
    )
)


class Filled(NamedTuple):
    owner: User
    project: Project
    corpus: Corpus
    campaign: Campaign


def fill(*, pairs: int, parses: int, judgments: int, seed: int) -> Filled:
    """Fill an empty database. Progress goes to stderr."""
    owner = User.objects.create_user("owner")
    project = members.create("Scale", by=owner)
    corpus = Corpus.objects.create(
        project=project, name="Scale", n_pairs=pairs, n_sentences=pairs
    )
    campaign = setup.create(project, "Scale", by=owner)
    words = _words(campaign, corpus, seed)
    words |= {"pairs": pairs, "parses": max(1, parses // pairs)}
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit = off")
        cursor.execute("SET session_replication_role = replica")  # no key is looked up
        cursor.execute(_filled("functions", words))
        _run(cursor, "sentences", pairs, words)
        with _indexed_at_the_end(cursor):
            for name in ("pairs", "parses"):
                _run(cursor, name, pairs, words)
            for name in ("instances", "items", "credits", "judgments"):
                _run(cursor, name, judgments // EACH**2, words)
        _run(cursor, "tallies", 1, words)
        cursor.execute("SET session_replication_role = DEFAULT")
        cursor.execute("VACUUM ANALYZE")
    n_items = judgments // EACH
    Batch.objects.filter(campaign=campaign).update(n_items=n_items)
    Campaign.objects.filter(pk=campaign.pk).update(
        n_items=n_items, k=EACH, overlap_share=0, state=Campaign.State.OPEN
    )
    campaign.refresh_from_db()
    return Filled(owner, project, corpus, campaign)


def _words(campaign: Campaign, corpus: Corpus, seed: int) -> dict[str, Any]:
    """Return the values of the placeholders in the statements."""
    batch = Batch.objects.create(campaign=campaign, name="Main")
    conditions = [
        Condition.objects.create(campaign=campaign, name=f"System {i}", position=i)
        for i in range(2)
    ]
    people = Participant.objects.bulk_create(
        Participant(campaign=campaign, label=f"A{i}", is_simulated=True)
        for i in range(PEOPLE)
    )
    return {
        "seed": f"'{seed}'",
        "corpus": corpus.pk,
        "campaign": campaign.pk,
        "batch": batch.pk,
        "condition": conditions[0].pk,
        "person": people[0].pk,
        "people": PEOPLE,
        "each": EACH,
    }


@contextmanager
def _indexed_at_the_end(cursor: Any) -> Iterator[None]:
    """Indexes of the largest tables go, and are made again over all rows at once; but
    for primary keys, which others refer to."""
    again = []
    for table in LARGEST:
        cursor.execute(
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE conrelid = %s::regclass AND contype = 'u'",
            [table],
        )
        for name, text in cursor.fetchall():
            cursor.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
            again.append(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {text}')
        cursor.execute(
            "SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid)"
            " FROM pg_index WHERE indrelid = %s::regclass AND NOT indisprimary",
            [table],
        )
        for name, text in cursor.fetchall():
            cursor.execute(f"DROP INDEX {name}")
            again.append(text)
    yield
    began = time.perf_counter()
    cursor.execute("SET maintenance_work_mem = '1GB'")
    for text in again:
        cursor.execute(text)
    print(f"{len(again)} indexes: {time.perf_counter() - began:.0f} s", file=sys.stderr)


def _run(cursor: Any, name: str, n: int, words: dict[str, Any]) -> None:
    began = time.perf_counter()
    for first in range(1, n + 1, CHUNK):
        last = min(first + CHUNK - 1, n)
        cursor.execute(_filled(name, words | {"first": first, "last": last}))
        if first == 1:
            cursor.execute("ANALYZE")
    print(f"{name}: {time.perf_counter() - began:.0f} s", file=sys.stderr)


def _filled(name: str, words: dict[str, Any]) -> str:
    """Return a section of the file with its words filled in; ``::text`` is a type."""
    text = _SECTIONS[name]
    for word, value in words.items():
        text = re.sub(rf"(?<!:):{word}\b", str(value), text)
    return str(text)
