"""From a parser's output to gold: the steps that docs/trees.md tells, walked."""

import re
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotator.models import Corpus, Job, Sentence, TreeDraft, WorkShare
from annotator.services import jobs
from annotator.services.parses.gold import gold_of
from core.formats import ptb
from tests.cast import Cast

pytestmark = pytest.mark.once
DOC = Path(__file__).parents[3] / "docs" / "trees.md"
WORDS = ("she saw a cat .", "Mary slept .")
ITALIC = re.compile(r"(?<!\*)\*(?!\*)([^*]+)\*(?!\*)")
RULES = "labels: S NP VP PP SBAR"


def words_only(sentences: tuple[str, ...]) -> str:
    """CoNLL-U without arcs."""
    rest = "\t_" * 8
    blocks = [
        "".join(f"{at}\t{word}{rest}\n" for at, word in enumerate(text.split(), 1))
        for text in sentences
    ]
    return "\n".join([*blocks, ""])


class Visitor:
    """Somebody in the browser, without scripts, and all the words they were shown."""

    def __init__(self, user, seen: list[str]) -> None:
        self.client, self.seen = Client(), seen
        self.client.force_login(user)

    def get(self, url: str) -> str:
        return self._read(self.client.get(url, follow=True))

    def post(self, url: str, **fields) -> str:
        return self._read(self.client.post(url, fields, follow=True))

    def _read(self, answer) -> str:
        assert answer.status_code == 200
        self.seen.append(" ".join(answer.content.decode().split()))
        self.url = answer.request["PATH_INFO"]
        self.context = answer.context
        return self.seen[-1]

    def waits(self) -> None:
        """For the last job."""
        jobs.run(Job.objects.latest("pk").pk)

    def step(self, op: str, **more) -> str:
        """In the editor."""
        state = {name: self.context[name] for name in ("revision", "gold")}
        sent = {"uuid": uuid4(), "base": "", "base_rev": state["revision"]}
        return self.post(self.url, **sent, gold=state["gold"], op=op, **more)


@pytest.fixture
def walked(cast: Cast, small_parser: str, settings, tmp_path: Path) -> list[str]:
    """What ada, the manager, and bob, the annotator, saw on their way."""
    settings.MEDIA_ROOT = tmp_path
    seen: list[str] = []
    ada, bob = Visitor(cast.ada, seen), Visitor(cast.bob, seen)
    sent = SimpleUploadedFile("mine.conllu", words_only(WORDS).encode())
    about = {"source_language": "en", "target_language": "en", "licence": "CC0"}
    ada.get("/p/windows/upload/")
    ada.post(
        "/p/windows/upload/", files=sent, format="conllu", corpus="Mine", **about
    )  # fmt: skip
    ada.waits()
    ada.get(ada.url)
    ada.post(ada.url)
    ada.waits()
    corpus = f"/p/windows/corpus/{Corpus.objects.get(name='Mine').code}/"
    ada.get(corpus)
    ada.get(f"{corpus}parses/")
    ada.post(f"{corpus}parses/", engine=small_parser, n="10")
    ada.waits()
    ada.get(f"{corpus}problems/")
    ada.post(f"{corpus}problems/", text=RULES, seen="0")
    ada.get(f"{corpus}worklists/")
    ada.post(
        f"{corpus}worklists/", name="First", unit="tree", ranking="uncertainty",
        seed="1", size="100", n_each="1", people="bob",
    )  # fmt: skip
    bob.get(ada.url)
    bob.post(ada.url, do="next")
    assert bob.url.endswith("/tree/")
    bob.step("relabel", node="1", label="NX")
    assert "NX" in bob.seen[-1]
    bob.step("undo")
    bob.step("save")
    mine = TreeDraft.objects.get()
    bob.post(f"/p/windows/work/{WorkShare.objects.get().code}/", do="done")
    ada.get(f"/p/windows/sentence/{mine.sentence.code}/")
    ada.get(f"/p/windows/sentence/{mine.sentence.code}/tree/")
    ada.step("relabel", node="1", label="NP")
    ada.step("gold")
    ada.get(f"{corpus}export/")
    brackets = ada.client.get(f"{corpus}export/ptb/")
    text = b"".join(brackets.streaming_content).decode()
    trees = list(ptb.parse(text.splitlines()))
    assert sorted(tree.words for tree in trees) == sorted(
        map(tuple, map(str.split, WORDS))
    )
    assert trees[0] == gold_of(mine.sentence).to_tree()
    return seen


FIRST = DOC.with_name("tutorial.md")


@pytest.fixture
def around(cast: Cast, settings, tmp_path: Path) -> list[str]:
    """What ada saw on her way around the loop, from an empty project."""
    settings.MEDIA_ROOT, settings.MODELS_DIR = tmp_path, tmp_path / "models"
    seen: list[str] = []
    ada = Visitor(cast.ada, seen)
    ada.get("/")
    ada.get("/p/new/")
    ada.post("/p/new/", name="Esperanto words")
    home = ada.url
    blocks = re.findall(r"```text\n(.*?)```", FIRST.read_text(), re.DOTALL)
    about = {"source_language": "eo", "target_language": "eo", "licence": "CC0"}
    for name, text in zip(("gold.mrg", "new.txt"), blocks, strict=True):
        sent = SimpleUploadedFile(name, text.encode())
        ada.get(f"{home}upload/")
        ada.post(f"{home}upload/", files=sent, corpus="Esperanto", **about)
        ada.waits()
        ada.get(ada.url)
        ada.post(ada.url)
        ada.waits()
    corpus = f"{home}corpus/{Corpus.objects.get(name='Esperanto').code}/"
    ada.get(home)
    ada.get(f"{home}learn/")
    ada.post(f"{corpus}parses/", do="train")
    ada.waits()
    ada.get(ada.url)
    ada.get(f"{home}learn/")
    ada.post(f"{home}learn/", do="adopt", model="parsers:esperanto-1")
    ada.get(corpus)
    ada.get(f"{corpus}parses/")
    ada.post(f"{corpus}parses/", engine="esperanto-1", n="10")
    ada.waits()
    ada.get(f"{corpus}sentences/")
    new = [line for line in blocks[1].splitlines() if line]
    for row in Sentence.objects.filter(text__in=new):
        ada.get(f"{home}sentence/{row.code}/")
        ada.get(f"{home}sentence/{row.code}/tree/")
        ada.step("gold")
    ada.get(f"{home}learn/")
    ada.post(f"{corpus}parses/", do="train")
    ada.waits()
    ada.get(f"{home}learn/")
    first, second = ada.context["models"]
    assert (first.items, second.items) == (22, 30)
    assert first.quality > 60
    assert (second.before, second.scored) == ("esperanto-1", 8)
    ada.post(f"{home}learn/", do="undo", model="parsers:esperanto-1")
    return seen


def test_every_step_around_the_loop_is_where_the_tutorial_says(
    around: list[str],
) -> None:
    assert_named(FIRST, around)


def test_every_step_is_where_the_tutorial_says(walked: list[str]) -> None:
    assert_named(DOC, walked)


def assert_named(doc: Path, walked: list[str]) -> None:
    """What the numbered steps of the page set in italics is on one of these pages."""
    steps = doc.read_text().partition("\n1. ")[2].partition("\n## ")[0]
    names = [" ".join(one.split()) for one in ITALIC.findall(steps)]
    assert len(names) > 15
    missing = [
        one
        for one in names
        if not any(re.search(f">\\s*{re.escape(one)}\\s*<", p) for p in walked)
    ]
    assert missing == []
