"""Public ids: random, so that they reveal no order and no count."""

import secrets

from django.db import models


def new_code() -> str:
    """Sixteen hexadecimal digits."""
    return secrets.token_hex(8)


class CodeField(models.CharField):
    """The public id of a row; URLs and APIs know rows by nothing else."""

    def __init__(self, **options: object) -> None:
        options |= {"max_length": 16, "unique": True, "editable": False}
        options.setdefault("default", new_code)
        super().__init__(**options)  # type: ignore[arg-type]

    def deconstruct(self) -> tuple[str, str, list[object], dict[str, object]]:
        name, path, args, options = super().deconstruct()
        for fixed in ("max_length", "unique", "editable"):
            options.pop(fixed, None)
        return name, path, list(args), options
