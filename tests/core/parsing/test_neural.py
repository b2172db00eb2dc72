"""The shipped parser: what it says of plain sentences, and that it holds together."""

from collections.abc import Sequence

import numpy as np
import pytest

from core.data.tokens import Sentence
from core.errors import InvalidScores, SentenceTooLong
from core.forests.inside import forest_log_partition
from core.forests.kbest import best_trees, trees_of, viterbi
from core.parsing import english
from core.parsing.neural import (
    CELLS_A_BATCH,
    PIECES_A_BATCH,
    BatchScorer,
    NeuralParser,
    Raw,
    ScoringParser,
    cut,
    tensors,
)
from core.protocols import Analysis, Capability
from core.text.subwords import Pieces

PLAIN: frozenset[Capability] = frozenset({"constituents", "dependencies", "tags"})
ALL: frozenset[Capability] = PLAIN | {"forest", "vectors"}


@pytest.fixture(scope="module")
def parser() -> NeuralParser:
    return english.parser()


def analysis(parser: NeuralParser, text: str, want: frozenset[Capability]) -> Analysis:
    (answer,) = parser.analyse([Sentence.of(text)], want=want)
    assert isinstance(answer, Analysis)
    return answer


def test_a_plain_sentence_is_parsed_right(parser: NeuralParser) -> None:
    answer = analysis(parser, "The old man gave his dog a bone .", PLAIN)
    assert answer.xpos == ("DT", "JJ", "NN", "VBD", "PRP$", "NN", "DT", "NN", ".")
    assert answer.upos[:4] == ("DET", "ADJ", "NOUN", "VERB")
    assert answer.deps is not None
    assert answer.deps.tree.heads == (2, 2, 3, -1, 5, 3, 7, 3, 3)
    assert answer.deps.tree.labels[2:6] == ("nsubj", "root", "nmod:poss", "iobj")
    assert answer.forest is not None
    assert answer.edge_weights is not None
    _, tree = best_trees(
        answer.forest,
        answer.edge_weights,
        1,
        words=answer.sentence.forms,
        tags=answer.xpos,
    )[0]
    spans = {(tree.labels[v], tree.spans[v]) for v in range(len(tree))}
    assert {("S", (0, 9)), ("NP", (0, 3)), ("VP", (3, 8)), ("NP", (4, 6))} <= spans


def test_derivations_weigh_log_probabilities(parser: NeuralParser) -> None:
    answer = analysis(parser, "I saw the man with the telescope .", ALL)
    assert answer.forest is not None
    assert answer.edge_weights is not None
    best, _ = viterbi(answer.forest, answer.edge_weights)
    mass = forest_log_partition(answer.forest, answer.edge_weights)
    assert best < mass <= 1e-6
    assert mass > np.log(0.99)


def test_the_forest_and_the_single_tree_agree_on_the_best(parser: NeuralParser) -> None:
    text = "When it rains , the cats that live here hide under the old red boats ."
    one, all_of_them = analysis(parser, text, PLAIN), analysis(parser, text, ALL)
    assert one.forest is not None
    assert one.edge_weights is not None
    assert all_of_them.forest is not None
    assert all_of_them.edge_weights is not None
    alone = viterbi(one.forest, one.edge_weights)[0]
    assert alone == pytest.approx(
        viterbi(all_of_them.forest, all_of_them.edge_weights)[0], abs=1e-6
    )
    assert one.forest.n_edges < all_of_them.forest.n_edges


def test_the_tree_shown_first_is_the_consensus_whatever_is_wanted(
    parser: NeuralParser,
) -> None:
    text = "The tired nurse saw the man with the dog , who barked , near the gate ."
    one, all_of_them = analysis(parser, text, PLAIN), analysis(parser, text, ALL)
    first, *others = trees_of(all_of_them, 10)
    assert trees_of(one, 1)[0][1] == first[1]
    assert len(others) == 9
    assert first[0] <= 0.0
    assert first[1] not in [tree for _, tree in others]
    assert [w for w, _ in others] == sorted((w for w, _ in others), reverse=True)


def test_the_shipped_parser_follows_its_conventions(parser: NeuralParser) -> None:
    text = "The lamps stood near the door - bell box in every room ( Figure 2 ) ."
    _, tree = trees_of(analysis(parser, text, PLAIN), 1)[0]
    spans = {(tree.labels[v], tree.spans[v]) for v in range(len(tree))}
    assert ("NML", (5, 8)) in spans
    ends = {label for label, (start, end) in spans if end == 16 and start < 12}
    assert ends <= {"S", "VP"}


def test_the_shipped_parser_writes_technical_text_as_biomedical_treebanks_do(
    parser: NeuralParser,
) -> None:
    text = (
        "The retinal pigment loss ( RPL ) was mild in Pax6 + / - mice , "
        "which also lacked brain tissue staining ."
    )
    _, tree = trees_of(analysis(parser, text, PLAIN), 1)[0]
    spans = {(tree.labels[v], tree.spans[v]) for v in range(len(tree))}
    assert {("NP", (0, 6)), ("NP", (5, 6)), ("NML", (10, 14))} <= spans
    assert {("WHNP", (16, 17)), ("NML", (19, 21))} <= spans
    assert "PRN" not in {label for label, _ in spans}


def test_arcs_are_log_probabilities_of_heads(parser: NeuralParser) -> None:
    answer = analysis(parser, "Birds sing .", ALL)
    assert answer.deps is not None
    arcs = answer.deps.arcs
    assert arcs is not None
    assert np.exp(arcs[:, 1:]).sum(axis=0) == pytest.approx(np.ones(3))
    assert np.isneginf(np.diag(arcs)).all()
    relations = answer.deps.relations
    assert relations is not None
    assert np.exp(relations).sum(axis=2) == pytest.approx(np.ones((4, 4)))
    assert answer.vectors is not None
    assert len(answer.vectors) == 3


def test_one_token_is_a_sentence(parser: NeuralParser) -> None:
    answer = analysis(parser, "Yes", ALL)
    assert answer.deps is not None
    assert answer.deps.tree.heads == (-1,)
    assert answer.forest is not None
    assert answer.forest.n_tokens == 1


def test_two_hundred_tokens_are_taken_and_one_more_is_not(parser: NeuralParser) -> None:
    words = ("the small cat sat on the old mat and " * 23).split()
    long, longer = Sentence.of(words[:200]), Sentence.of(words[:201])
    taken, refused, short = parser.analyse(
        [long, longer, Sentence.of("Go on .")], want=PLAIN
    )
    assert isinstance(taken, Analysis)
    assert isinstance(refused, SentenceTooLong)
    assert (refused.n_tokens, refused.limit) == (201, 200)
    assert isinstance(short, Analysis)


def test_words_of_many_pieces_do_not_break_a_sentence(parser: NeuralParser) -> None:
    odd = ["x1y2" * 40, "\u200b", "http://a.b/" + "c/d-" * 60, "😀", "naïve"]
    answer = analysis(parser, " ".join(odd), ALL)
    assert len(answer.xpos) == 5
    (refused,) = parser.analyse([Sentence.of(["q7" * 30] * 120)], want=PLAIN)
    assert isinstance(refused, SentenceTooLong)


def test_upper_case_does_not_turn_everything_into_names(parser: NeuralParser) -> None:
    answer = analysis(parser, "PLEASE DO NOT FEED THE BIRDS .", PLAIN)
    assert answer.upos[3:6] == ("VERB", "DET", "NOUN")


def test_a_typing_error_costs_one_word_at_most(parser: NeuralParser) -> None:
    answer = analysis(parser, "The childern played in the gardn .", PLAIN)
    right = ("DT", "NNS", "VBD", "IN", "DT", "NN", ".")
    assert sum(a != b for a, b in zip(answer.xpos, right, strict=True)) <= 1


def test_batches_stay_within_their_bounds_and_keep_all() -> None:
    lengths = [1, 200, 30, 30, 7, 120, 64, 64, 64, 3] * 9
    pieces = [
        Pieces([1] * (n + 2), [0] * (n + 2), list(range(n)), list(range(n)))
        for n in lengths
    ]
    batches = list(cut(range(len(pieces)), pieces))
    assert sorted(i for batch in batches for i in batch) == list(range(len(pieces)))
    for batch in batches:
        widest = max(lengths[i] for i in batch)
        if len(batch) > 1:
            assert len(batch) * (widest + 2) <= PIECES_A_BATCH
            assert len(batch) * (widest + 1) ** 2 <= CELLS_A_BATCH


def test_padding_is_masked() -> None:
    short, long = (
        Pieces([1, 5, 2], [0, 1, 0], [1], [1]),
        Pieces([1, 5, 6, 7, 2], [0, 1, 1, 1, 0], [1, 3], [2, 3]),
    )
    inputs = tensors([short, long])
    assert inputs["mask"].tolist() == [[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]
    assert inputs["first"].tolist() == [[0, 1, 2, 0], [0, 1, 3, 4]]
    assert inputs["last"].tolist() == [[0, 1, 2, 0], [0, 2, 3, 4]]


class _Sick:
    """A model whose scores of the first sentence of a batch are not numbers."""

    def __init__(self, model: BatchScorer) -> None:
        self.labels, self.subwords = model.labels, model.subwords
        self._model = model

    def run(self, pieces: Sequence[Pieces]) -> Raw:
        raw = self._model.run(pieces)
        raw["spans"][0] = np.nan
        return raw


def test_scores_that_are_no_numbers_cost_one_sentence(parser: NeuralParser) -> None:
    sick = ScoringParser(_Sick(parser.model), parser.info, threads=1)
    first, second = sick.analyse([Sentence.of("Go ."), Sentence.of("Stop .")], want=ALL)
    assert isinstance(first, InvalidScores)
    assert isinstance(second, Analysis)
