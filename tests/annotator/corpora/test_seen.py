"""The compact set of digests."""

from hypothesis import given
from hypothesis import strategies as st

from annotator.exchange.rows import Seen
from annotator.models import Sentence


@given(st.lists(st.integers(0, 3000), max_size=4000))
def test_it_is_a_set(numbers: list[int]) -> None:
    seen, plain = Seen(), set()
    for number in numbers:
        assert seen.add(Sentence.key_of(str(number))) == (number not in plain)
        plain.add(number)
    assert len(seen) == len(plain)


def test_it_grows_and_forgets_nothing() -> None:
    keys = [Sentence.key_of(str(number)) for number in range(5000)]
    seen = Seen()
    assert all(seen.add(key) for key in keys)
    assert not any(seen.add(key) for key in keys)


def test_the_digest_of_zeros_is_one_like_any_other() -> None:
    seen = Seen()
    assert [seen.add("0" * 32), seen.add("0" * 32)] == [True, False]
