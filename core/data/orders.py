"""Orders without tables: the n-th place of a seeded shuffle, and when a judge's checks
and repeats come, at places no one can foresee.
"""

from collections.abc import Sequence

_ROUNDS = 4
_MASK = (1 << 64) - 1


def mix(*parts: int) -> int:
    """64 well-mixed bits of the parts, the same on every machine.

    Steele, Lea & Flood 2014, "Fast splittable pseudorandom number generators".
    """
    state = 0
    for part in parts:
        state = (state + (part & _MASK) + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        state ^= state >> 31
    return state


def nth(i: int, n: int, seed: int) -> int:
    """Return element ``i`` of a shuffle of 0 to n - 1, in O(1) time and space.

    A Feistel network over the next even power of two, walked until it falls below n
    (Black & Rogaway 2002, "Ciphers with arbitrary finite domains"): at most four steps
    are expected. Every seed gives a permutation. Raises IndexError outside [0, n).
    """
    if not 0 <= i < n:
        raise IndexError(f"place {i} of {n}")
    half = max(1, ((n - 1).bit_length() + 1) // 2)
    low = (1 << half) - 1
    while True:
        left, right = i >> half, i & low
        for turn in range(_ROUNDS):
            left, right = right, left ^ (mix(seed, turn, right) & low)
        i = (left << half) | right
        if i < n:
            return i


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
    """How many of the available checks and repeats are shown in these slots: none after
    the last item, so that ``checks_ahead`` knows how many remain."""
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
    """Return how many checks follow from ``slot`` on among this many items, or right
    after them.

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
