"""The page and the API that search trees: what they show, and to whom."""

import io
import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotator.models import AlignmentLayer, Job, Parse, SavedQuery, Sentence
from annotator.services.queries import running
from core.data.alignment import Alignment, Link
from tests import cast as people

DOCS = Path(__file__).parents[3] / "docs" / "queries.md"


def examples() -> list[str]:
    """The queries of the tables in the docs, where the example is the last cell."""
    queries = []
    for line in DOCS.read_text().splitlines():
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) in (4, 5) and (last := re.fullmatch(r" `([^`]+)` ", cells[-2])):
            queries.append(last[1].replace("\\|", "|"))
    return queries


@pytest.fixture
def linked(cast):
    links = Alignment((Link("n1", "n10"), Link("w1", "w6"))).to_json()
    AlignmentLayer.objects.filter(pk=cast.layer.pk).update(links=links)
    return cast


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def url(cast) -> str:
    return reverse("query", args=["windows", cast.corpus.code])


def test_every_example_of_the_docs_runs(linked) -> None:
    assert len(examples()) > 45
    counts = [
        len(running.search(text, [linked.corpus], linked.ada).page().matches)
        for text in examples()
    ]
    assert sum(map(bool, counts)) > 15


def test_a_match_stands_between_its_words_with_its_partner(linked) -> None:
    body = signed_in(linked.ada).get(url(linked), {"q": "NP $. VP ~ NP"}).content
    text = body.decode()
    assert "<mark>The nurse</mark>" in text
    assert "<mark>the nurse</mark>" in text
    assert re.search(r"<strong>\s*1 match</strong>", text)


def test_what_is_wrong_is_shown_at_its_place(cast) -> None:
    answer = signed_in(cast.ada).get(url(cast), {"q": "NP foo"})
    assert answer.status_code == 400
    assert "Column 4" in answer.content.decode()
    assert "NP <mark>foo</mark>" in answer.content.decode()


def test_a_whole_project_is_searched(cast) -> None:
    other = people.corpus(cast.project, "Doors")
    people.pair(other, "(S (FRAG (NN door)))", "(S (NP (NN gate)))")
    page = signed_in(cast.ada).get(reverse("project_query", args=["windows"]))
    assert page.status_code == 200
    answer = signed_in(cast.ada).get(page.request["PATH_INFO"], {"q": "FRAG|VP"})
    assert "Houses 3" in answer.content.decode()
    assert "Doors 1" in answer.content.decode()


def test_strangers_are_told_of_nothing(cast) -> None:
    for path in (url(cast), reverse("project_query", args=["windows"])):
        assert signed_in(cast.cyd).get(path, {"q": "NP"}).status_code == 404
    api = f"/api/corpora/{cast.corpus.code}/query/"
    assert signed_in(cast.cyd).get(api, {"q": "NP"}).status_code == 404


def test_a_search_is_saved_and_taken_away(cast) -> None:
    client = signed_in(cast.bob)
    sent = {"do": "save", "q": "NP ~ PP", "name": "mine"}
    assert client.post(url(cast), sent).status_code == 302
    kept = SavedQuery.objects.get()
    assert (kept.name, kept.text) == ("mine", "NP ~ PP")
    assert client.post(url(cast), sent | {"q": "NP <"}).status_code == 400
    client.post(url(cast), {"do": "forget", "saved": kept.code})
    assert not SavedQuery.objects.exists()


def test_a_search_that_somebody_else_saved_is_not_written_over(cast) -> None:
    sent = {"do": "save", "q": "NP ~ PP", "name": "ours"}
    assert signed_in(cast.ada).post(url(cast), sent).status_code == 302
    theirs = signed_in(cast.bob).post(url(cast), sent | {"q": "VP"})
    assert theirs.status_code == 403
    assert "Choose another name" in theirs.content.decode()
    assert SavedQuery.objects.get().text == "NP ~ PP"
    assert signed_in(cast.ada).post(url(cast), sent | {"q": "VP"}).status_code == 302
    assert SavedQuery.objects.get().text == "VP"


def test_only_who_runs_engines_starts_indexing(cast) -> None:
    assert signed_in(cast.bob).post(url(cast), {"do": "index"}).status_code == 403
    assert signed_in(cast.ada).post(url(cast), {"do": "index"}).status_code == 302
    assert Job.objects.get().kind == "index"


def test_a_tree_is_drawn_with_its_nodes_marked(cast) -> None:
    parse = cast.pair.source.parses.get()
    path = reverse("query_tree", args=["windows"])
    asked = {"parse": parse.code, "marks": "n1,n2"}
    body = signed_in(cast.ada).get(path, asked).content.decode()
    assert body.count(" found") >= 2
    assert signed_in(cast.cyd).get(path, asked).status_code == 404
    bad = signed_in(cast.ada).get(path, asked | {"marks": "x1"})
    assert bad.status_code == 400


def test_what_is_found_goes_out_as_a_table_brackets_and_conllu(linked) -> None:
    client = signed_in(linked.ada)

    def file(form: str, q: str) -> str:
        path = reverse("query_export", args=["windows", linked.corpus.code, form])
        return b"".join(client.get(path, {"q": q}).streaming_content).decode()

    table = [line.split("\t") for line in file("tsv", "NP ~ NP").splitlines()]
    assert [row[5] for row in table] == ["match", "The nurse", "the nurse"]
    assert file("ptb", "PP") == people.TARGET + "\n"
    denied = signed_in(linked.bob)
    path = reverse("query_export", args=["windows", linked.corpus.code, "tsv"])
    assert denied.get(path, {"q": "NP"}).status_code == 403


def test_an_id_of_several_lines_begins_no_row_of_its_own(cast) -> None:
    pair = people.pair(cast.corpus, "(S (X a))", "(S (X x))")
    pair.source.ref = "one\n=1+1\rtwo"
    pair.source.save()
    path = reverse("query_export", args=["windows", cast.corpus.code, "tsv"])
    body = signed_in(cast.ada).get(path, {"q": "X"}).streaming_content
    rows = b"".join(body).decode().splitlines()
    assert len({row.count("\t") for row in rows}) == 1
    assert not [row for row in rows if row.startswith("=")]


def test_a_word_that_is_a_formula_goes_out_as_text(cast) -> None:
    people.pair(cast.corpus, "(S (X =1+1))", "(S (X x))")
    path = reverse("query_export", args=["windows", cast.corpus.code, "tsv"])
    body = signed_in(cast.ada).get(path, {"q": "X"}).streaming_content
    assert "\t=1+1\t" not in b"".join(body).decode()


def test_the_api_gives_pages_of_matches(linked) -> None:
    client = signed_in(linked.ada)
    path = f"/api/corpora/{linked.corpus.code}/query/"
    first = client.get(path, {"q": "NP", "page_size": "3"}).json()
    assert [one["match"] for one in first["matches"]][:1] == ["The nurse"]
    rest = client.get(path, {"q": "NP", "after": first["after"]}).json()
    assert (len(first["matches"]), len(rest["matches"]), rest["after"]) == (3, 1, "")
    pair = client.get("/api/projects/windows/query/", {"q": "NP ~ NP"}).json()
    assert pair["matches"][0]["pair"] == linked.pair.code
    assert pair["matches"][0]["other"]["match"] == "the nurse"
    for bad in (
        {"q": "NP <"},
        {},
        {"q": "NP", "page_size": "0"},
        {"q": "NP", "x": "1"},
    ):
        assert client.get(path, bad).status_code == 400


ARCS = "1\tThe\t_\tDET\tDT\t_\t2\tdet\t_\t_\n2\tnurse\t_\tNOUN\tNN\t_\t0\troot\t_\t_"


def exported(cast, form: str, q: str):
    path = reverse("query_export", args=["windows", cast.corpus.code, form])
    return signed_in(cast.ada).get(path, {"q": q})


def test_trees_of_the_other_kind_go_out_for_the_sentences_found(cast) -> None:
    refused = exported(cast, "conllu", "PP")
    assert refused.status_code == 400
    assert "No sentence found has a dependency tree" in refused.content.decode()
    for text, origin in ((ARCS, "gold"), (ARCS.replace("det", "nmod"), "engine")):
        Parse.objects.create(
            sentence=cast.pair.target, kind="dependency", text=text, origin=origin,
            engine="" if origin == "gold" else "toy", digest=Sentence.key_of(text),
        )  # fmt: skip
    conllu = b"".join(exported(cast, "conllu", "NP").streaming_content).decode()
    assert conllu.count("# text") == 1, "one of the two sentences has arcs"
    assert f"{ARCS}\n\n" in conllu, "the gold ones stand for it"
    brackets = exported(cast, "ptb", "[deprel=det]").streaming_content
    assert b"".join(brackets).decode() == people.TARGET + "\n"


@pytest.mark.parametrize(
    ("query", "label", "similar"),
    [
        ("np", "np", ["NP"]),
        ("S < NPP", "NPP", ["NP"]),
        ("widnow", "widnow", ["window"]),
        ("@XYZW", "XYZW", []),
    ],
)
def test_an_unknown_label_names_similar_ones(cast, query, label, similar) -> None:
    client = signed_in(cast.ada)
    path = f"/api/corpora/{cast.corpus.code}/query/"
    (told,) = client.get(path, {"q": query}).json()["unknown"]
    assert told["label"] == label
    assert told["similar"][: len(similar)] == similar
    page = " ".join(client.get(url(cast), {"q": query}).content.decode().split())
    assert f"No tree here has <code>{label}</code>." in page
    out = io.StringIO()
    call_command("query", "Houses", query, stdout=out)
    assert f"No tree here has {label}." in out.getvalue()


def test_labels_of_other_corpora_alone_are_unknown_and_not_offered(cast) -> None:
    other = people.corpus(cast.project, "Doors")
    people.pair(other, "(S (NPX (NN door)))", "(S (NP (NN gate)))")
    running.search("NP", [other], cast.ada).page()  # indexes it
    path = f"/api/corpora/{cast.corpus.code}/query/"
    (told,) = signed_in(cast.ada).get(path, {"q": "NPX"}).json()["unknown"]
    assert told["label"] == "NPX"
    assert "NP" in told["similar"]
    assert "NPX" not in told["similar"]
    known = signed_in(cast.ada).get(path, {"q": "NP"}).json()
    assert known["unknown"] == []
