"""Querysets compiled to SQL once, for those that every judgment runs.

Django spends ten times as long on writing such a statement as the database on running
it. Here the statement is kept and only its values change; it still comes from the
models, so it is right on every database.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, models
from django.db.models import sql
from django.db.models.constants import OnConflict
from django.db.models.query import get_related_populators


class Slot(models.Expression):
    """The place of a value that is named when the statement runs.

    ``field`` turns dates, JSON and uuids into what the database takes; numbers and
    text need none. ``at``: the value is this one of a list, or its last.
    """

    def __init__(
        self,
        name: str,
        field: "models.Field[Any, Any] | None" = None,
        at: int | None = None,
    ) -> None:
        super().__init__(output_field=field)
        self.name, self.kind, self.at = name, field, at

    def as_sql(self, compiler: Any, connection: Any) -> Any:
        return "%s", [self]

    def value(self, given: dict[str, Any]) -> Any:
        value = given[self.name]
        if self.at is not None:
            value = value[min(self.at, len(value) - 1)]
        if self.kind is None:
            return value
        return self.kind.get_db_prep_value(value, connection)


def several(name: str, n: int) -> list[Any]:
    """Slots for an ``__in`` filter: of a list given, with from 1 to ``n`` members."""
    return [Slot(name, at=at) for at in range(n)]


def slots(model: type[models.Model], *names: str) -> dict[str, Slot]:
    """A slot for each of these columns of ``model``, for ``Update``."""
    return {name: Slot(name, _field(model, name)) for name in names}


def _field(model: type[models.Model], name: str) -> "models.Field[Any, Any]":
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)
    return field


@dataclass(frozen=True, slots=True)
class _Statement:
    text: str
    params: tuple[Any, ...]
    columns: Any  # of a SELECT, and the classes that its rows make
    classes: Any
    annotations: dict[str, int]  # by name, at which column
    converters: Any  # of what the database gives to what the model's fields hold

    def run(self, cursor: Any, given: dict[str, Any]) -> None:
        values = [
            one.value(given) if isinstance(one, Slot) else one for one in self.params
        ]
        cursor.execute(self.text, values)

    def read(self, rows: Iterable[Any]) -> Iterator[list[Any]]:
        """The rows as the fields hold them. The compiler does the same, but holds on
        to the connection of the thread that made it."""
        for row in map(list, rows):
            for at, (converters, column) in self.converters:
                for convert in converters:
                    row[at] = convert(row[at], column, connection)
            yield row


class _Prepared:
    """A statement that is compiled when it is first needed, for all threads."""

    def __init__(self, rows: Callable[[], models.QuerySet[Any]]) -> None:
        self._rows = rows
        self._kept: _Statement | None = None

    def _query(self) -> Any:
        return self._rows().query

    def _statement(self) -> _Statement:
        """Two threads that are first at once both compile it, to the same."""
        if (statement := self._kept) is None:
            compiler = self._query().get_compiler(using=DEFAULT_DB_ALIAS)
            text, params = compiler.as_sql()
            columns = [column for column, *_ in compiler.select or []]
            statement = _Statement(
                text,
                tuple(params),
                columns=compiler.select,
                classes=compiler.klass_info,
                annotations=compiler.annotation_col_map or {},
                converters=list(compiler.get_converters(columns).items()),
            )
            self._kept = statement
        return statement


class Select(_Prepared):
    """A queryset of models, or ``values_list``, with slots in its filters."""

    def rows(self, **given: Any) -> list[tuple[Any, ...]]:
        """The rows as tuples of the columns selected."""
        return [tuple(row) for row in self._executed(self._statement(), given)]

    def models(self, **given: Any) -> list[Any]:
        """The rows as instances, with their annotations and what ``select_related``
        names."""
        statement = self._statement()
        select, info = statement.columns, statement.classes
        first, last = info["select_fields"][0], info["select_fields"][-1] + 1
        names = [column.target.attname for column, *_ in select[first:last]]
        related = get_related_populators(info, select, DEFAULT_DB_ALIAS)  # type: ignore[call-arg]  # the stubs are a release ahead
        made = []
        for row in self._executed(statement, given):
            one = info["model"].from_db(DEFAULT_DB_ALIAS, names, row[first:last])
            for populator in related:
                populator.populate(row, one)
            for name, at in statement.annotations.items():
                setattr(one, name, row[at])
            made.append(one)
        return made

    def _executed(self, statement: _Statement, given: dict[str, Any]) -> Iterator[Any]:
        with _cursor() as cursor:
            statement.run(cursor, given)
            rows = cursor.fetchall()
        return statement.read(rows)


class Update(_Prepared):
    """``rows().update(**changes)`` with slots in the filters and the changes."""

    def __init__(
        self, rows: Callable[[], models.QuerySet[Any]], **changes: Any
    ) -> None:
        super().__init__(rows)
        self._changes = changes

    def _query(self) -> Any:
        query = super()._query().chain(sql.UpdateQuery)
        query.add_update_values(self._changes)
        return query

    def run(self, **given: Any) -> int:
        """Return the number of changed rows."""
        with _cursor() as cursor:
            self._statement().run(cursor, given)
            return int(cursor.rowcount)


def add(
    rows: Sequence[models.Model],
    *,
    unique: Sequence[str] = (),
    renew: Sequence[str] = (),
) -> None:
    """Insert rows of one model without asking for their keys. Raises IntegrityError.

    If a row with the same ``unique`` columns exists, its ``renew`` columns are set
    instead.
    """
    meta = rows[0]._meta
    fields = [field for field in meta.concrete_fields if not field.primary_key]
    values = [
        field.get_db_prep_save(getattr(row, field.attname), connection)
        for row in rows
        for field in fields
    ]
    text = _insertion(meta, fields, len(rows))
    if renew:
        text += " " + connection.ops.on_conflict_suffix_sql(
            fields,
            OnConflict.UPDATE,
            [_field(meta.model, name).column for name in renew],
            [_field(meta.model, name).column for name in unique],
        )
    with _cursor() as cursor:
        cursor.execute(text, values)


def _cursor() -> Any:
    """Where statements run. PostgreSQL keeps the plan of one that it has met a few
    times, if its values come apart from its text; Django's own cursors send them as
    one, which its log of queries needs. Planning takes longer than running most."""
    here: Any = connection
    if here.vendor != "postgresql" or here.queries_logged:
        return here.cursor()
    from django.db.backends.postgresql.base import ServerBindingCursor

    here.close_if_health_check_failed()
    here.ensure_connection()
    cursor = ServerBindingCursor(here.connection)  # type: ignore[call-arg]  # the stubs know no base
    return here.make_cursor(cursor)


def _insertion(meta: Any, fields: Sequence[Any], n: int) -> str:
    name = connection.ops.quote_name
    columns = ", ".join(name(field.column) for field in fields)
    places = ", ".join(["%s"] * len(fields))
    rows = ", ".join([f"({places})"] * n)
    table = name(meta.db_table)
    return f"INSERT INTO {table} ({columns}) VALUES {rows}"  # noqa: S608 - no input
