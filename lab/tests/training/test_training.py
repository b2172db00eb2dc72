"""Training end to end on a toy: a random encoder, a grammar of our own."""

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]
torch = pytest.importorskip("torch", reason="training needs the [train] extra (torch)")
pytest.importorskip("onnx", reason="training needs the [train] extra (onnx)")

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers  # noqa: E402

from core.data.tokens import Sentence  # noqa: E402
from core.errors import InvalidValue  # noqa: E402
from core.parsing.conformance import violations  # noqa: E402
from core.parsing.neural import NeuralParser, OnnxModel  # noqa: E402
from core.parsing.store import open_folder  # noqa: E402
from core.protocols import Analysis, Capability  # noqa: E402
from core.text.subwords import Subwords  # noqa: E402
from lab.training import __main__ as command  # noqa: E402
from lab.training.batches import inventory_of, noisy  # noqa: E402
from lab.training.corpus import TrainingSentence, TreebankSource  # noqa: E402
from lab.training.encoder import EncoderShape  # noqa: E402
from lab.training.evaluate import TorchModel  # noqa: E402
from lab.training.loop import Settings  # noqa: E402
from lab.training.model import Parser as ToyParser  # noqa: E402
from lab.training.run import Card, Data, TrainingOptions, read_data, train  # noqa: E402
from lab.training.start import start_from  # noqa: E402

TOY = EncoderShape(vocabulary=40, width=32, inner=64, layers=2, heads=2, positions=64)
NOUNS, VERBS = ("cat", "dog", "bird", "fox", "frog"), ("sees", "likes")


def toy_sentences() -> list[tuple[str, str]]:
    """Twenty sentences as a bracketing and as CoNLL-U."""
    sentences = []
    for noun, other, verb in list(product(NOUNS, NOUNS, VERBS))[::2][:20]:
        sentences.append(
            (
                f"(ROOT (S (NP-SBJ (DT The) (NN {noun})) "
                f"(VP (VBZ {verb}) (NP (DT a) (NN {other}))) (. .)))",
                "\n".join(
                    f"{i}\t{form}\t_\t{upos}\t{xpos}\t_\t{head}\t{label}\t_\t_"
                    for i, (form, upos, xpos, head, label) in enumerate(
                        [
                            ("The", "DET", "DT", 2, "det"),
                            (noun, "NOUN", "NN", 3, "nsubj"),
                            (verb, "VERB", "VBZ", 0, "root"),
                            ("a", "DET", "DT", 5, "det"),
                            (other, "NOUN", "NN", 3, "obj"),
                            (".", "PUNCT", ".", 3, "punct"),
                        ],
                        1,
                    )
                ),
            )
        )
    return sentences


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """A folder with toy.ptb, toy.conllu and a word-level tokenizer.json."""
    torch.set_num_threads(1)  # so small a model only loses by more
    sentences = toy_sentences()
    (tmp_path / "toy.ptb").write_text("\n".join(tree for tree, _ in sentences))
    blocks = "\n\n".join(block for _, block in sentences)
    (tmp_path / "toy.conllu").write_text(blocks + "\n\n")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "a", ".", "##s"]
    vocabulary = {word: i for i, word in enumerate([*words, *NOUNS, *VERBS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    return tmp_path


def toy_data(folder: Path) -> Data:
    conllu = [TreebankSource("toy", folder / "toy.conllu")]
    trees = [TreebankSource("toy", folder / "toy.ptb")]
    return read_data(conllu, trees, [], [], skip="", max_words=50)


def toy_options(folder: Path, *, epochs: float) -> TrainingOptions:
    settings = Settings(
        encoder_rate=3e-3,
        head_rate=5e-3,
        bf16=False,
        log_every=1,
        checkpoint_every=1000,
    )
    return TrainingOptions(
        folder / "run",
        folder,
        Card("toy", "1.0", ("en",), "CC0-1.0"),
        settings,
        shape=TOY,
        epochs=epochs,
        batch=60,
    )


def losses(folder: Path) -> list[float]:
    rows = (folder / "run" / "curves.jsonl").read_text().splitlines()
    return [sum(json.loads(row)["loss"].values()) for row in rows if '"loss"' in row]


def test_a_toy_treebank_becomes_a_back_end_that_parses(toy: Path) -> None:
    data = toy_data(toy)
    folder = train(toy_options(toy, epochs=12), data)
    seen = losses(toy)
    assert len(seen) >= 30
    assert sum(seen[-5:]) < 0.5 * sum(seen[:5])
    parser = NeuralParser(folder)
    assert parser.info.name == "toy"
    assert {"constituents", "dependencies"} <= parser.info.capabilities
    answer = parser.analyse(
        [Sentence.of("The fox likes a bird .")],
        want=frozenset({"constituents", "dependencies", "tags"}),
    )[0]
    assert not isinstance(answer, Exception)
    assert answer.xpos == ("DT", "NN", "VBZ", "DT", "NN", ".")
    assert answer.deps is not None
    assert answer.deps.tree.heads == (1, 2, -1, 4, 2, 2)
    assert (toy / "run" / "curves.svg").read_text().startswith("<svg")


def test_a_run_goes_on_where_it_stopped(toy: Path) -> None:
    data = toy_data(toy)
    train(toy_options(toy, epochs=2), data)
    first = len(losses(toy))
    train(toy_options(toy, epochs=3), data)
    steps = [
        json.loads(row)["step"]
        for row in (toy / "run" / "curves.jsonl").read_text().splitlines()
        if '"loss"' in row
    ]
    assert len(steps) > first
    assert steps == sorted(set(steps))


def test_the_same_seed_gives_the_same_losses(toy: Path, tmp_path: Path) -> None:
    data = toy_data(toy)
    train(toy_options(toy, epochs=1), data)
    first = losses(toy)
    for path in (toy / "run").glob("*"):
        if path.is_file():
            path.unlink()
    train(toy_options(toy, epochs=1), data)
    assert losses(toy) == pytest.approx(first, rel=1e-4)


def test_a_run_without_an_end_is_refused(toy: Path) -> None:
    options = toy_options(toy, epochs=0)
    with pytest.raises(InvalidValue, match="--epochs or --minutes"):
        train(options, toy_data(toy))


def test_trees_meet_dependencies_of_the_same_words(toy: Path) -> None:
    data = toy_data(toy)
    assert len(data.train) == 20
    assert all(e.heads and e.spans for e in data.train)
    assert data.train[0].spans == (
        (0, 6, "S"),
        (0, 2, "NP"),
        (2, 5, "VP"),
        (3, 5, "NP"),
    )


def test_noise_keeps_the_number_of_words() -> None:
    example = TrainingSentence("a", ("Several", "ordinary", "words", "stand", "here"))
    rng = np.random.default_rng(3)
    noised = [noisy(example, rng).words for _ in range(200)]
    assert {len(words) for words in noised} == {5}
    assert any(words[0] == "SEVERAL" for words in noised)
    assert sum(words == example.words for words in noised) > 120


@pytest.mark.parametrize("fast", [True, False])
def test_bf16_is_the_default_only_where_it_is_fast(
    monkeypatch: pytest.MonkeyPatch, fast: bool
) -> None:
    monkeypatch.setattr(command, "has_bf16", lambda: fast)

    def chosen(*more: str) -> bool:
        given = ["train", "--encoder", "e", "--out", "o", "--epochs", "1", *more]
        return command._options(command._parser().parse_args(given)).settings.bf16

    assert chosen() is fast
    assert chosen("--device", "cuda")
    assert chosen("--bf16")
    assert not chosen("--no-bf16")


def other_data(folder: Path) -> Data:
    """The toy's trees alone as a second treebank, whose NP is an NX."""
    text = (folder / "toy.ptb").read_text().replace("(NP (DT a)", "(NX (DT a)")
    (folder / "other.ptb").write_text(text)
    data = toy_data(folder)
    other = [TreebankSource("other", folder / "other.ptb")]
    return Data(
        [*data.train, *read_data([], other, [], [], skip="", max_words=50).train], {}
    )


def test_a_model_goes_on_from_another_with_a_style_more(toy: Path) -> None:
    first = train(toy_options(toy, epochs=12), toy_data(toy))
    options = replace(
        toy_options(toy, epochs=12),
        out=toy / "second",
        start=first,
        like={"other": "toy"},
        style="toy",
        styles={"plain": "toy", "foreign": "other"},
    )
    with pytest.raises(InvalidValue, match="styles: toy is none of plain, foreign"):
        train(options, other_data(toy))
    folder = train(replace(options, style="plain"), other_data(toy))
    sentence = Sentence.of("The fox likes a bird .")
    want: frozenset[Capability] = frozenset({"constituents", "dependencies", "tags"})
    labels: dict[str, set[str]] = {}
    for style in ("plain", "foreign"):
        parser = NeuralParser(folder, style=style)
        assert parser.info.name == f"toy-{style}"
        assert violations(parser, [sentence, Sentence.of("A dog sees .")]) == []
        (answer,) = parser.analyse([sentence], want=want)
        assert isinstance(answer, Analysis)
        assert answer.best is not None
        labels[style] = {label for *_, label in answer.best[1]}
    assert labels == {"plain": {"S", "NP", "VP"}, "foreign": {"S", "NP", "NX", "VP"}}
    assert NeuralParser(folder).info.name == "toy-plain"
    with pytest.raises(InvalidValue, match="no style 'odd'; it has foreign, plain"):
        NeuralParser(folder, style="odd")


def test_weights_that_are_taken_over_score_as_the_model_does(toy: Path) -> None:
    folder = train(toy_options(toy, epochs=2), toy_data(toy))
    inventory = inventory_of(toy_data(toy).train)
    parser = ToyParser(TOY, inventory)
    start_from(parser, folder, like={})
    subwords = Subwords(toy / "tokenizer.json")
    pieces = subwords.encode([("The", "fox", "sees", "a", "bird", ".")])
    ours = TorchModel(parser.eval(), subwords, "toy").run(pieces)
    theirs = OnnxModel(open_folder(folder)).run(pieces)
    for name in ("upos", "xpos", "arcs", "labels", "spans"):
        assert np.abs(ours[name] - theirs[name]).max() < 0.05 * np.ptp(theirs[name])


def test_sentences_held_out_are_not_trained_on(toy: Path) -> None:
    (toy / "held.tsv").write_text("source\tother\nThe cat sees a cat .\tx\n")
    trees = [TreebankSource("toy", toy / "toy.ptb")]
    data = read_data(
        [], trees, [], [], skip="", max_words=50,
        held_out=[toy / "held.tsv"], repeat={"toy": 2},
    )  # fmt: skip
    words = [" ".join(example.words) for example in data.train]
    assert len(words) == 2 * 19
    assert "The cat sees a cat ." not in words
    assert words.count("The cat sees a dog .") == 2
