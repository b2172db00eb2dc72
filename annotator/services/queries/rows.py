"""Many rows of the index at once, in the fastest way that each database has."""

import json
from collections.abc import Sequence
from typing import Any

from django.db import connection

_COLUMNS = {
    "tree": "parse corpus sentence kind chosen",
    "node": "tree pre last parent depth ord rord kids uend lo hi kind node label",
    "token": "tree pre form lemma upos xpos feats",
    "layer": "layer kind side corpus pair tree other",
    "link": "layer kind side pre state to_pre label to_label",
}


def insert(name: str, rows: Sequence[tuple[Any, ...]]) -> None:
    """Add rows to ``search_<name>``, their values in the order of its columns."""
    if not rows:
        return
    columns = _COLUMNS[name].split()
    into = f"INSERT INTO search_{name} ({', '.join(columns)})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            copied = f"COPY search_{name} ({', '.join(columns)}) FROM STDIN"
            with cursor.cursor.copy(copied) as copy:
                copy.write("".join(map(_line, rows)))
            return
        marks = ", ".join(["%s"] * len(columns))
        cursor.executemany(f"{into} VALUES ({marks})", rows)


def delete(name: str, column: str, keys: Sequence[int]) -> None:
    """Take the rows away whose column is one of these."""
    marks = ", ".join(["%s"] * len(keys))
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM search_{name} WHERE {column} IN ({marks})", keys)


def _line(row: tuple[Any, ...]) -> str:
    """As COPY reads it: all are numbers."""
    return "\t".join("\\N" if one is None else str(one) for one in row) + "\n"


def among(column: str, keys: Sequence[int]) -> tuple[str, list[Any]]:
    """A condition that the column is one of any number of keys, and its parameter."""
    if connection.vendor == "sqlite":
        return f"{column} IN (SELECT value FROM json_each(%s))", [json.dumps(keys)]
    return f"{column} = ANY(%s::bigint[])", [list(keys)]
