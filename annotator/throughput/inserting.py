"""Inserting many rows of one model with one statement.

``bulk_create`` spends most of its time, on SQLite, in instances, their related fields
and a new text of the statement for each few hundred values (``lab.bench.items``).
"""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, models

# What the drivers take as it is; other kinds are turned into what the database holds.
_PLAIN = (
    models.CharField,
    models.TextField,
    models.IntegerField,
    models.FloatField,
    models.BooleanField,
    models.ForeignKey,
)


def insert(
    model: type[models.Model],
    columns: Sequence[str],
    rows: Iterable[Sequence[Any]],
    *,
    skip_present: bool = False,
) -> None:
    """Insert ``rows``, each with a value for each of ``columns`` (``item_id``, …).

    Other columns get their default. ``skip_present``: a row that the table has, by
    whatever constraint, is left as it is; else IntegrityError. Keys are not asked for.
    """
    concrete: list[Any] = list(model._meta.concrete_fields)
    fields = [field for field in concrete if not field.primary_key]
    makers = [_maker(field, columns) for field in fields]
    values = [[make(row) for make in makers] for row in rows]
    if not values:
        return
    name = connection.ops.quote_name
    named = ", ".join(name(field.column) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    into = f"INSERT INTO {name(model._meta.db_table)} ({named}) VALUES ({places})"  # noqa: S608 - no input
    with connection.cursor() as cursor:
        tail = " ON CONFLICT DO NOTHING" if skip_present else ""
        cursor.executemany(into + tail, values)


def insert_keyed(model: type[models.Model], rows: Sequence[Any]) -> None:
    """Insert instances of a model that has codes, and give them their keys."""
    names = [one.attname for one in model._meta.concrete_fields if not one.primary_key]
    insert(model, names, map(attrgetter(*names), rows))
    codes = [row.code for row in rows]
    found = model._default_manager.filter(code__in=codes).values_list("code", "pk")
    keys = dict(found)
    for row in rows:
        row.pk = keys[row.code]
        row._state.adding, row._state.db = False, DEFAULT_DB_ALIAS


def _maker(field: Any, columns: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """Return a function that gives the value of this field for a row."""
    if field.attname in columns:
        at = columns.index(field.attname)
        if isinstance(field, _PLAIN):
            return lambda row: row[at]
        return lambda row: field.get_db_prep_save(row[at], connection)
    if callable(field.default):  # a code, a time: for each row its own
        return lambda row: field.get_db_prep_save(field.get_default(), connection)
    value = field.get_db_prep_save(field.get_default(), connection)
    return lambda row: value
