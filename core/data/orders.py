"""Orders without tables: the n-th place of a seeded shuffle, computed."""

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
    """What stands at place ``i`` of a shuffle of 0 to n - 1, in O(1) time and space.

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
