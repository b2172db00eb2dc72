"""EM for bracketing ITG."""

import numpy as np
import pytest

from core.errors import InvalidValue
from core.inference.biparse import inside_outside
from core.learning.itg_em import ItgModel, TiedPair, train_itg


def pair_of(source: str, target: str, lexicon: dict[tuple[str, str], int]) -> TiedPair:
    """A number for every word pair, one for all source nulls, one for target nulls."""
    s, t = source.split(), target.split()
    links = [[lexicon.setdefault((a, b), len(lexicon) + 2) for b in t] for a in s]
    return TiedPair(
        np.array(links), np.zeros(len(s), np.int64), np.ones(len(t), np.int64)
    )


def start(lexicon: dict[tuple[str, str], int]) -> ItgModel:
    """Nulls are spread over a vocabulary of 50; a link is one word pair."""
    counts = np.array([0.1, 0.1, *[1.0] * len(lexicon), 2.0, 2.0])
    shares = np.array([50.0, 50.0, *[1.0] * len(lexicon)])
    return ItgModel(np.log(counts / counts.sum()), shares)


@pytest.fixture
def corpus() -> tuple[list[TiedPair], dict[tuple[str, str], int]]:
    lexicon: dict[tuple[str, str], int] = {}
    texts = [
        ("red house", "maison rouge"),
        ("red car", "voiture rouge"),
        ("house", "maison"),
        ("the car", "la voiture"),
        ("the house", "la maison"),
    ]
    return [pair_of(s, t, lexicon) for s, t in texts], lexicon


def test_likelihood_never_falls(corpus) -> None:
    pairs, lexicon = corpus
    heard: list[float] = []
    train_itg(
        pairs,
        start(lexicon),
        iterations=25,
        tolerance=0,
        smoothing=0,
        on_iteration=lambda n, x: heard.append(x),
    )
    assert len(heard) > 10
    assert np.diff(heard).min() > -1e-9
    assert heard[-1] > heard[0] + 5


def test_words_that_go_together_find_each_other_inverted_where_they_are(corpus) -> None:
    pairs, lexicon = corpus
    model = train_itg(pairs, start(lexicon), iterations=60)
    seen = inside_outside(model.weights(pairs[0]))
    assert seen.links[0, 1] > 0.9  # red - rouge
    assert seen.links[1, 0] > 0.9  # house - maison
    assert seen.inverted > 0.9


def test_probabilities_sum_to_one_and_ends_early(corpus) -> None:
    pairs, lexicon = corpus
    heard: list[int] = []
    model = train_itg(
        pairs,
        start(lexicon),
        iterations=500,
        on_iteration=lambda n, x: heard.append(n),
    )
    assert np.exp(model.logs).sum() == pytest.approx(1.0)
    assert len(heard) < 400


def test_listener_may_stop_training_by_raising(corpus) -> None:
    pairs, lexicon = corpus

    def stop(number: int, likelihood: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_itg(pairs, start(lexicon), on_iteration=stop)


def test_nothing_to_train_on_is_said() -> None:
    with pytest.raises(InvalidValue, match="no pairs"):
        train_itg([], ItgModel.uniform([1.0]))
    with pytest.raises(InvalidValue, match="positive"):
        ItgModel.uniform([0.0])
