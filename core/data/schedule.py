"""When a judge's checks and repeats come: at places no one can foresee."""

from collections.abc import Sequence

from core.data.orders import mix

CHECK, REPEAT = 1, 2  # salts


def is_due(seed: int, salt: int, every: int, slot: int) -> bool:
    """Once in every ``every`` slots, at a place of the seed's own; 0 = never."""
    if not every:
        return False
    block, place = divmod(slot, every)
    return mix(seed, salt, block) % every == place


def before_the_end(
    is_check: Sequence[bool],
    is_repeat: Sequence[bool],
    *,
    checks: int,
    repeats: int,
    items: int,
) -> tuple[int, int]:
    """How many of the checks and repeats available are shown in these slots: none after
    the last item, so that ``checks_ahead`` knows how many are still to come."""
    left = [checks, repeats, items]
    for check, repeat in zip(is_check, is_repeat, strict=True):
        if check and left[0]:
            left[0] -= 1
        elif repeat and left[1]:
            left[1] -= 1
        elif left[2]:
            left[2] -= 1
        else:
            break
    return checks - left[0], repeats - left[1]


def checks_ahead(seed: int, every: int, slot: int, *, items: int, unseen: int) -> int:
    """How many checks come from ``slot`` on among so many items, or right after them.

    ``unseen``: checks that this judge has not had. O(checks).
    """
    n = 0
    while every and n < unseen:
        block = slot // every
        due = block * every + mix(seed, CHECK, block) % every
        has_check = due >= slot
        gap = (due if has_check else (block + 1) * every) - slot  # slots for items
        if gap > items:
            break
        items, slot = items - gap, slot + gap
        if has_check:
            n, slot = n + 1, slot + 1
    return n
