"""Parsers of other people: programs, spaCy and Stanza, by the kit of conformance."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.data.tokens import Sentence
from core.errors import GemelError, SentenceTooLong, Unavailable
from core.forests.kbest import trees_of
from core.formats import ptb
from core.parsing import external, registry
from core.parsing.conformance import violations
from core.protocols import Analysis, ParserBackend

ROOT = Path(__file__).resolve().parents[3]
SENTENCES = [
    Sentence.of("she slept"),
    Sentence.of("the old ( new ) woman saw a dog near the garden ."),
    Sentence.of("Mary thought that John left ."),
]
FACTS = {"version": "1", "licence": "MIT", "languages": ["en"], "max_tokens": 40}
ARCS = """
import sys
for line in sys.stdin:
    words = line.split()
    if "crash" in words:
        sys.exit("no such word: crash")
    if "glue" in words:
        words = ["glued"]
    print("# text = " + line.strip())
    for i, word in enumerate(words):
        relation = "dep" if i else "root"
        print(i + 1, word, "_", "NOUN", "NN", "_", i, relation, "_", "_", sep="\\t")
    print()
"""
BRACKETS = """
import sys
for line in sys.stdin:
    words = [w.replace("(", "-LRB-").replace(")", "-RRB-") for w in line.split()]
    print("(ROOT (S " + " ".join(f"(NN {word})" for word in words) + "))")
"""


@pytest.fixture(params=["conllu", "brackets"])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> ParserBackend:
    return written(tmp_path, request.param)


def written(folder: Path, gives: str) -> ParserBackend:
    script = folder / "parser.py"
    script.write_text({"conllu": ARCS, "brackets": BRACKETS}[gives])
    command = [sys.executable, str(script)]
    facts = FACTS | {"kind": "program", "gives": gives, "command": command}
    return external.made("small", facts)


def test_a_program_keeps_the_contract(program: ParserBackend) -> None:
    assert violations(program, SENTENCES) == []


def test_words_are_those_of_the_sentence_whatever_the_program_writes(
    tmp_path: Path,
) -> None:
    (answer,) = written(tmp_path, "brackets").analyse([SENTENCES[1]], want=frozenset())
    assert isinstance(answer, Analysis)
    ((_, tree),) = trees_of(answer, 2)
    assert tree.words == SENTENCES[1].forms
    assert ptb.bracket(tree).startswith("(S (NN the)")


def test_a_sentence_that_ends_the_program_costs_no_other(tmp_path: Path) -> None:
    texts = ["a b", "a crash", "glue it", "c", " ".join("x" * 41), "d e"]
    answers = written(tmp_path, "conllu").analyse(
        [Sentence.of(text) for text in texts], want=frozenset({"dependencies"})
    )
    kinds = [isinstance(answer, Analysis) for answer in answers]
    assert kinds == [True, False, False, True, False, True]
    assert "small: it ended with status 1: no such word" in str(answers[1])
    assert "1 tokens come back for 2" in str(answers[2])
    assert isinstance(answers[4], SentenceTooLong)


def test_a_program_that_is_not_there_is_unavailable() -> None:
    facts = FACTS | {"kind": "program", "gives": "conllu", "command": ["/no/such"]}
    with pytest.raises(Unavailable, match="'/no/such' cannot be started: No such file"):
        external.made("gone", facts).analyse(SENTENCES, want=frozenset())


def test_a_program_without_end_answers_each_sentence_with_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(external, "PATIENCE_S", 0.2)
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    facts = FACTS | {"kind": "program", "gives": "conllu", "command": command}
    answers = external.made("slow", facts).analyse(SENTENCES, want=frozenset())
    assert [str(one) for one in answers] == ["slow took more than 0 s"] * 3
    assert all(isinstance(one, GemelError) for one in answers)


def test_parsers_of_a_file_are_listed_and_loaded_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "parser.py"
    script.write_text(ARCS)
    file = tmp_path / "parsers.toml"
    file.write_text(
        f"""
        [chain]
        kind = "program"
        command = ["{sys.executable}", "{script}"]
        gives = "conllu"
        version = "1"
        licence = "MIT"
        languages = ["en"]
        """
    )
    monkeypatch.setenv("GEMEL_PARSERS", str(file))
    assert "chain" in registry.names()
    (answer,) = registry.chosen("chain").analyse(SENTENCES[:1], want=frozenset())
    assert isinstance(answer, Analysis)
    assert answer.deps is not None
    assert answer.deps.tree.heads == (-1, 0)
    registry.load.cache_clear()
    file.write_text("[chain")
    with pytest.raises(Unavailable, match="named by GEMEL_PARSERS"):
        registry.names()


def test_the_tables_that_the_docs_show_make_parsers(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "parsers.md").read_text(encoding="utf-8")
    file = tmp_path / "parsers.toml"
    file.write_text("\n".join(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)))
    tables = external.named(file)
    assert set(tables) == {"spacy-small", "stanza-german", "udpipe", "corenlp"}
    for name, facts in tables.items():
        assert external.made(name, facts).info.name == name


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"kind": "magic"}, "kind 'magic'; known: program, spacy, stanza"),
        ({"kind": "program", "gives": "conllu"}, "command is missing"),
        ({"kind": "program", "gives": "xml"}, "gives 'xml': conllu or brackets"),
        ({"kind": "spacy"}, "model is missing"),
        ({"kind": "stanza", "licence": "MIT"}, "version is missing"),
    ],
)
def test_a_table_that_lacks_something_says_what(
    facts: dict[str, Any], reason: str
) -> None:
    base = FACTS if "licence" not in facts else {}
    with pytest.raises(Unavailable, match=reason):
        external.made("mine", base | facts)


@pytest.mark.parametrize(
    ("kind", "more"), [("spacy", {"model": "en"}), ("stanza", {"language": "en"})]
)
def test_a_library_that_is_missing_is_named_with_its_extra(
    kind: str, more: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, kind, None)  # as if it were not installed
    parser = external.made("mine", FACTS | more | {"kind": kind})
    assert parser.info.capabilities == {"dependencies", "tags"}
    with pytest.raises(Unavailable, match=rf"pip install 'gemel\[{kind}\]'"):
        parser.analyse(SENTENCES, want=frozenset())


class StandIn:
    """Answers as Stanza's pipeline and spaCy's do by their documentation: each word
    depends on the one before it."""

    vocab = None

    def __init__(self, *_: object, **how: object) -> None:
        self.has_brackets = "constituency" in str(how.get("processors"))

    def __call__(self, texts: list[list[str]]) -> SimpleNamespace:
        return SimpleNamespace(sentences=[self.read(words) for words in texts])

    def read(self, words: list[str]) -> SimpleNamespace:
        rows = [
            SimpleNamespace(head=i, deprel="dep" if i else "root", upos="X", xpos="NN")
            for i in range(len(words))
        ]
        leaves = " ".join(f"(NN {ptb.escape(word)})" for word in words)
        return SimpleNamespace(words=rows, constituency=f"(ROOT (S {leaves}))")

    @staticmethod
    def doc(vocab: None, words: list[str], sent_starts: list[bool]) -> list[Any]:
        assert sent_starts == [True] + [False] * (len(words) - 1)
        rows = [
            SimpleNamespace(i=i, dep_="dep", pos_="X", tag_="NN")
            for i in range(len(words))
        ]
        for row in rows:
            row.head = rows[max(row.i - 1, 0)]
        return rows

    def pipe(self, docs: list[Any]) -> list[Any]:
        return docs


@pytest.mark.parametrize(
    "facts",
    [
        {"kind": "spacy", "model": "en"},
        {"kind": "stanza", "language": "en"},
        {"kind": "stanza", "language": "en", "constituents": True},
    ],
)
def test_answers_in_the_form_of_a_library_keep_the_contract(
    facts: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    library = SimpleNamespace(load=StandIn, Pipeline=StandIn)
    monkeypatch.setitem(sys.modules, facts["kind"], library)
    tokens = SimpleNamespace(Doc=StandIn.doc)
    monkeypatch.setitem(sys.modules, "spacy.tokens", tokens)
    assert violations(external.made("mine", FACTS | facts), SENTENCES) == []


def test_a_small_pipeline_of_spacy_keeps_the_contract(tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy")
    from spacy.training import Example

    nlp = spacy.blank("en")
    nlp.add_pipe("tagger")
    nlp.add_pipe("parser")
    examples = []
    for sentence in SENTENCES:
        n = len(sentence)
        doc = spacy.tokens.Doc(nlp.vocab, words=list(sentence.forms))
        gold = {
            "tags": ["NN"] * n,
            "heads": [max(i - 1, 0) for i in range(n)],
            "deps": ["ROOT"] + ["dep"] * (n - 1),
        }
        examples.append(Example.from_dict(doc, gold))
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(20):
        nlp.update(examples, sgd=optimizer)
    nlp.to_disk(tmp_path / "model")
    facts = FACTS | {"kind": "spacy", "model": str(tmp_path / "model")}
    assert violations(external.made("small-spacy", facts), SENTENCES) == []
