"""Two rows in every table of the installation, with a value in every column."""

import hashlib
import json
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.db import models

LEFT_OUT = {"sessions", "axes"}  # who is signed in, and who tried in vain
FILE = b"source\ttarget\nA door\tA gate\n"
ODD = "é 中 \u2028 \x85 'x'; --"


def tables(registry: Any = apps) -> list[type[models.Model]]:
    """All of them, found without asking the code under test."""
    declared = [
        model
        for config in registry.get_app_configs()
        for model in config.get_models(include_auto_created=True)
    ]
    return [
        one
        for one in declared
        if one._meta.managed
        and not one._meta.proxy
        and one._meta.app_label not in LEFT_OUT
    ]


def fill(registry: Any = apps, using: str = "default") -> None:
    """The second row names the first where a table names itself. ``registry``: the
    models of a state of the migrations, whose tables are in ``using``."""
    made: dict[str, list[models.Model]] = {}
    waiting = tables(registry)
    while waiting:
        ready = [one for one in waiting if _needs(one) <= made.keys()]
        assert ready, f"these need each other: {waiting}"
        for model in ready:
            rows = made[model._meta.label] = []
            for n in (1, 2):
                rows.append(_row(model, n, made, using))
            waiting.remove(model)


def _needs(model: type[models.Model]) -> set[str]:
    keys: list[Any] = [f for f in model._meta.concrete_fields if f.is_relation]
    return {f.related_model._meta.label for f in keys} - {model._meta.label}


def _row(model: type[models.Model], n: int, made: Any, using: str) -> models.Model:
    values: dict[str, Any] = {}
    for field in model._meta.concrete_fields:
        if field.is_relation:
            there = made[field.related_model._meta.label]
            if there:
                values[field.attname] = there[min(n, len(there)) - 1].pk
        elif not isinstance(field, models.AutoField):
            values[field.name] = _value(field, n)
    return model._base_manager.using(using).create(**values)


def _value(field: Any, n: int) -> Any:
    if field.choices:
        return field.flatchoices[n % len(field.flatchoices)][0]
    for kinds, value in _VALUES:
        if isinstance(field, kinds):
            return value(field, n)
    raise AssertionError(f"{field.model.__name__}.{field.name}: say what fills it")


def _text(field: Any, n: int) -> str:
    if field.name == "sha256":
        return hashlib.sha256(FILE).hexdigest()
    text = f"{n} {field.name} {ODD}"
    if field.max_length is None or field.max_length > len(text):
        return text
    return str(n).rjust(min(field.max_length, 8), "0")


def _file(field: Any, n: int) -> str:
    path = Path(settings.MEDIA_ROOT) / f"2026/01/{field.name}{n}.upload"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(FILE)
    return str(path.relative_to(settings.MEDIA_ROOT))


_WHEN = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)
_VALUES: list[tuple[Any, Any]] = [
    (models.BooleanField, lambda field, n: n == 1),
    (models.FileField, _file),
    (models.UUIDField, lambda field, n: UUID(int=n)),
    (models.JSONField, lambda field, n: {"n": n, "odd": [ODD, 0.1, None, {}]}),
    (models.BinaryField, lambda field, n: bytes(range(256)) * n),
    (models.DateTimeField, lambda field, n: _WHEN.replace(second=n)),
    (models.DateField, lambda field, n: date(2026, 2, n)),
    (models.IntegerField, lambda field, n: len(FILE) if field.name == "size" else n),
    (models.FloatField, lambda field, n: n / 3),
    ((models.CharField, models.TextField), _text),
]


def content() -> dict[str, list[str]]:
    """All rows of all tables, to compare: by table, in the order of their keys."""
    return {
        one._meta.label: [
            json.dumps([_plain(value) for value in row], ensure_ascii=True)
            for row in one._base_manager.order_by("pk").values_list(*_columns(one))
        ]
        for one in tables()
    }


def _columns(model: type[models.Model]) -> list[str]:
    """Nothing names the numbers of many-to-many rows, so they may change."""
    fields = model._meta.concrete_fields
    return [f.attname for f in fields if not (f.primary_key and _is_between(model))]


def _is_between(model: type[models.Model]) -> bool:
    return bool(model._meta.auto_created)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if value is None or isinstance(value, bool | int | float | str | list | dict):
        return value
    return str(value)
