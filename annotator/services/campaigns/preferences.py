"""Keys and pace of the judgment screen: a closed set, without collisions."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotator.errors import BadRequest
from annotator.models import JudgePreference
from annotator.models.projects import Anybody, id_of

COMMANDS: dict[str, tuple[str, Promise]] = {
    "first": ("m", gettext_lazy("Go to the first scale")),
    "second": ("r", gettext_lazy("Go to the second scale")),
    "undo": ("u", gettext_lazy("Reopen the last saved item")),
    "back": ("[", gettext_lazy("Previous item")),
    "forward": ("]", gettext_lazy("Next item")),
    "skip": ("s", gettext_lazy("Skip")),
    "flag": ("f", gettext_lazy("Flag")),
    "comment": ("c", gettext_lazy("Comment")),
    "guideline": ("g", gettext_lazy("Guidelines")),
    "diff": ("d", gettext_lazy("Show which words differ")),
    "help": ("?", gettext_lazy("Keys")),
}
"""Command -> its key at first, and what it does."""

RESERVED = set("0123456789") | {" "}


def effective(keys: Mapping[str, str]) -> dict[str, str]:
    """Command -> key, the changed ones over the first ones."""
    return {name: keys.get(name, key) for name, (key, _text) in COMMANDS.items()}


def set_preference(
    user: Anybody,
    *,
    keys: Mapping[str, Any],
    has_single_keys: bool,
    auto_advance: bool,
    daily_goal: int = 0,
) -> JudgePreference:
    """Store them. Raises BadRequest on an unknown command or two on one key."""
    changed = {name: _key(name, key) for name, key in keys.items()}
    used: dict[str, str] = {}
    for name, key in effective(changed).items():
        if key in used:
            first, second = COMMANDS[used[key]][1], COMMANDS[name][1]
            meant = {"key": key, "first": first, "second": second}
            problem = _("Key %(key)s would mean both '%(first)s' and '%(second)s'.")
            raise BadRequest(problem % meant, field=name)
        used[key] = name
    kept = {name: key for name, key in changed.items() if key != COMMANDS[name][0]}
    row, _made = JudgePreference.objects.update_or_create(
        user_id=id_of(user),
        defaults={
            "keys": kept,
            "has_single_keys": has_single_keys,
            "auto_advance": auto_advance,
            "daily_goal": daily_goal,
        },
    )
    return row


def _key(name: str, key: Any) -> str:
    if name not in COMMANDS:
        raise BadRequest(_("There is no such command."), field="keys")
    if not isinstance(key, str) or len(key) != 1 or not key.isprintable():
        raise BadRequest(_("A key must be one printable character."), field=name)
    key = key.lower()
    if key in RESERVED:
        raise BadRequest(_("Digits and the space bar choose values."), field=name)
    return key
