"""A corpus parsed with substitution: the job, and the sentence's page."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Parse, Sentence
from annotator.services import jobs
from annotator.services.parses import parsers
from core.formats import ptb
from core.parsing.pcfg.training import examples_of
from core.parsing.pcfg.training import write as write_pcfg
from core.substitution import folder
from core.substitution.linking import Recorder
from core.substitution.options import Options
from tests import cast
from tests.cast import Cast

pytestmark = pytest.mark.django_db
TREES = [
    "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))",
    "(S (NP (DT the) (NN dog)) (VP (VBZ runs)))",
    "(S (NP (DT a) (JJ old) (NN cat)) (VP (VBZ runs)))",
    "(S (NP (DT the) (NN dog)) (VP (VBZ sees) (NP (DT the) (NN cat))))",
] * 6
TEXT = ["the cat sleeps", "the wug sleeps", "the dog runs", "the wug runs"] * 4
GOLD = "(S (NP (DT the) (NN wug)) (VP (VBZ sleeps)))"
OTHER = "(S (NP (DT the) (NN dog)) (VP (VBZ runs)))"


@pytest.fixture
def helped(settings: Any, tmp_path: Path) -> str:
    """The name of a parser that reads known words for unknown ones."""
    examples = examples_of((tree.words, tree) for tree in map(ptb.parse_one, TREES))
    facts = {"name": "small", "version": "1", "languages": ["en"], "licence": "CC0"}
    write_pcfg(tmp_path / "small", examples, facts)
    recorder = Recorder()
    for line in TEXT:
        recorder.add(line.split())
    options = Options(method="replace", f_q=1, f_c=2, f_lc=2, n_nearest=2)
    counts = recorder.freeze(licence="CC0", sources=["plain"])
    folder.write(tmp_path / "helped", "small", counts, options)
    settings.MODELS_DIR = tmp_path
    return "helped"


def test_a_sentence_says_which_words_were_read_as_others(helped: str) -> None:
    team = Cast()
    cast.pair(team.corpus, GOLD, OTHER)
    job = parsers.start(team.corpus, helped, n=1, by=team.ada, enqueue=False)
    jobs.run(job.pk)
    row = Sentence.objects.get(text__contains="wug")
    stored = Parse.objects.get(sentence=row, engine=helped, kind="constituency")
    assert stored.to_tree().words == ("the", "wug", "sleeps")
    client = Client()
    client.force_login(team.bob)
    url = reverse("sentence", args=[team.project.slug, row.code])
    page = client.get(url, {"engine": f"{helped} {stored.version}"}).content.decode()
    assert "Words that the parser hardly knows" in page
    assert '<th scope="row">wug</th>' in page
    assert "sleeps" in page


def test_a_sentence_of_known_words_says_nothing_of_it(helped: str) -> None:
    team = Cast()
    cast.pair(team.corpus, GOLD, OTHER)
    job = parsers.start(team.corpus, helped, n=1, by=team.ada, enqueue=False)
    jobs.run(job.pk)
    row = Sentence.objects.get(text__contains="dog")
    client = Client()
    client.force_login(team.bob)
    url = reverse("sentence", args=[team.project.slug, row.code])
    page = client.get(url).content.decode()
    assert "Words that the parser hardly knows" not in page
