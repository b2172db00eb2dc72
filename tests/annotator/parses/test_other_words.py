"""Trees over more words, or fewer, or others than their sentence has: each is shown on
its own words."""

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Origin, Parse, Sentence
from tests import cast as people

pytestmark = pytest.mark.django_db
TREES = {
    "longer": people.SOURCE.replace("(NN nurse)", "(NN night) (NN doctor)"),
    "shorter": people.SOURCE.replace("(DT The) (NN nurse)", "(NN doctor)"),
    "former": people.SOURCE.replace("nurse", "doctor"),
}


def arcs_over(*words: str) -> str:
    return "\n".join(
        f"{i}\t{form}\t_\tX\tX\t_\t{i - 1}\t{'dep' if i > 1 else 'root'}\t_\t_"
        for i, form in enumerate(words, 1)
    )


def parsers_arcs(sentence: Sentence, text: str) -> Parse:
    return Parse.objects.create(
        sentence=sentence, kind=Parse.Kind.DEPENDENCY, origin=Origin.ENGINE,
        engine="toy", version="1", text=text, digest=Sentence.key_of(text),
    )  # fmt: skip


@pytest.fixture
def ada(cast, client: Client) -> Client:
    client.force_login(cast.ada)
    return client


@pytest.mark.parametrize("text", TREES.values(), ids=TREES)
def test_a_tree_is_found_and_drawn_on_its_own_words(cast, ada, text: str) -> None:
    other = people.parse(cast.pair.source, text, engine="toy")
    tree = other.to_tree()
    url = reverse("query", args=["windows", cast.corpus.code])
    query = {"q": "VBD , (NN < doctor) where trees = all"}
    page = ada.get(url, query).content.decode()
    assert 'opened</mark> <span class="soft">the window .<' in " ".join(page.split())
    assert "doctor" in page
    marks = {"parse": other.code, "marks": f"w{tree.n_tokens - 1}"}
    drawn = ada.get(reverse("query_tree", args=["windows"]), marks)
    assert (drawn.status_code, ">doctor<" in drawn.content.decode()) == (200, True)


@pytest.mark.parametrize("words", [("A", "b"), tuple("abcdefgh")], ids=len)
def test_so_are_arcs(cast, ada, words) -> None:
    other = parsers_arcs(cast.pair.source, arcs_over(*words))
    url = reverse("query", args=["windows", cast.corpus.code])
    query = {"q": f"[form={words[-1]}] where trees = all"}
    assert f"{words[-1]}</mark>" in ada.get(url, query).content.decode()
    drawn = ada.get(reverse("query_tree", args=["windows"]), {"parse": other.code})
    assert f">{words[-1]}<" in drawn.content.decode()


@pytest.mark.parametrize("text", TREES.values(), ids=TREES)
def test_they_are_compared_each_on_its_own_words(cast, ada, text: str) -> None:
    people.parse(cast.pair.source, text, engine="toy")
    url = reverse("trees_compare", args=["windows", cast.pair.source.code])
    page = ada.get(url)
    assert page.status_code == 200
    assert ">doctor<" in page.content.decode()
