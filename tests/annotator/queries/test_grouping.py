"""Matches by groups: counted again by hand, shown, drawn, and given to programs."""

import csv
import io
import json
from collections import Counter

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest
from annotator.models import AlignmentLayer, Corpus, Parse, Project, Sentence
from annotator.services.queries import grouping, running
from core.agreement.paired import g_test
from core.data.alignment import Alignment, Link
from core.data.tree import Tree
from tests import cast as people
from tests.cast import SOURCE, TARGET, Cast

pytestmark = pytest.mark.django_db
ARCS = (
    "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n"
    "2\tnurse\tnurse\tNOUN\tNN\t_\t3\tnsubj\t_\t_\n"
    "3\topened\topen\tVERB\tVBD\t_\t0\troot\t_\t_\n"
    "4\tthe\tthe\tDET\tDT\t_\t5\tdet\t_\t_\n"
    "5\twindow\twindow\tNOUN\tNN\t_\t3\tobj\t_\t_\n"
    "6\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_"
)
MORE = (
    "(S (NP (PRP it)) (VP (VBD rained) (NP (NP (NNS cats)) (CC and) (NP (NNS dogs)))))",
    "(S (NP-SBJ (NP (NNS dogs)) (PP (IN of) (NP (NN war)))) (VP (VBD rained)))",
    "(FRAG (NP (NNS dogs)))",
)


@pytest.fixture
def some(cast: Cast) -> Cast:
    """Six trees, arcs of one sentence, and a linked pair."""
    for line in MORE:
        people.parse(people.sentence(cast.corpus, people.ptb_words(line)), line)
    Parse.objects.create(
        sentence=cast.pair.source, kind="dependency", origin="gold", text=ARCS,
        digest=Sentence.key_of(ARCS),
    )  # fmt: skip
    links = Alignment((Link("n1", "n10"), Link("w1", "w6"))).to_json()
    AlignmentLayer.objects.filter(pk=cast.layer.pk).update(links=links)
    return cast


def groups(of: Cast, text: str, by: str) -> dict[str, int]:
    search = running.search(text, [of.corpus], of.ada)
    return dict(grouping.grouped(search, by).rows)


def trees(corpus: Corpus) -> list[Tree]:
    rows = Parse.objects.filter(sentence__corpus=corpus, kind="constituency")
    return [row.to_tree() for row in rows]


def counted(corpus: Corpus, label: str, by: str) -> Counter[str]:
    """The same by walking over every tree."""
    counter: Counter[str] = Counter()
    for tree in trees(corpus):
        for v in range(len(tree)):
            if tree.labels[v] != label:
                continue
            parent = tree.labels[tree.parents[v]] if v else "no parent"
            words = " ".join(tree.words[i] for i in tree.yield_of(v))
            counter[{"label": label, "parent": parent, "word": words}[by]] += 1
    return counter


@pytest.mark.parametrize("label", ["NP", "S", "NN", "NNS"])
@pytest.mark.parametrize("by", ["label", "parent", "word"])
def test_groups_are_what_a_walk_over_the_trees_counts(
    some: Cast, label: str, by: str
) -> None:
    assert groups(some, label, by) == counted(some.corpus, label, by)


def test_lemmas_come_from_the_arcs_of_the_sentence(some: Cast) -> None:
    assert groups(some, "VBD where length < 7", "lemma") == {"no lemma": 2, "open": 1}
    arcs = {"the": 2, "nurse": 1, "open": 1, "window": 1, ".": 1}
    assert groups(some, "[deprel]", "lemma") == arcs
    assert groups(some, "[upos=NOUN]", "word") == {"nurse": 1, "window": 1}
    assert groups(some, "[upos=DET]", "parent") == {"nsubj": 1, "obj": 1}


def test_documents_are_ids_without_their_number_else_files(some: Cast) -> None:
    rows = list(some.corpus.sentences.order_by("pk"))
    for k, row in enumerate(rows[:3]):
        row.ref = ("GUM_art-1", "GUM_art-2", "GUM_bio-s3")[k]
        row.save()
    last = rows[-1].parses.get()
    last.meta = {"_file": 0}
    last.save()
    Corpus.objects.filter(pk=some.corpus.pk).update(
        meta={"files": [{"format": "ptb", "name": "wsj_0001.mrg"}]}
    )
    some.corpus.refresh_from_db()
    wanted = {"GUM_art": 2, "GUM_bio": 1, "wsj_0001.mrg": 1, "no document": 1}
    found = groups(some, "S|FRAG", "document")
    assert found == {k: n for k, n in wanted.items() if k in found}
    assert sum(found.values()) == len(rows)


def test_annotators_are_makers_of_trees_and_of_layers(some: Cast) -> None:
    people.parse(some.pair.source, SOURCE.replace("VP", "VX"), engine="toy")
    assert groups(some, "S where trees = all", "annotator") == {"Gold": 4, "toy": 1}
    assert groups(some, "NP ~ NP", "annotator") == {"bob": 2}


def test_what_is_no_grouping_is_refused_with_those_there_are(some: Cast) -> None:
    with pytest.raises(BadRequest, match="label, word, lemma, parent, document"):
        groups(some, "NP", "colour")


def test_groups_say_when_the_time_was_over(some: Cast) -> None:
    search = running.search("NP", [some.corpus], some.ada)
    assert grouping.grouped(search, "word").is_whole
    assert not grouping.grouped(search, "word", 1e-9).is_whole


def test_page_file_api_and_command_say_the_same(some: Cast) -> None:
    wanted = counted(some.corpus, "NP", "word")
    client = Client()
    client.force_login(some.ada)
    url = reverse("query", args=["windows", some.corpus.code])
    page = client.get(url, {"q": "NP", "by": "word"}).content.decode()
    assert page.count('class="chart"') == 1
    assert f"{sum(wanted.values())} matches in {len(wanted)} groups" in page
    assert f'<th scope="row" dir="auto">{max(wanted)}</th>' in page
    assert "?q=NP&amp;by=word" in page
    files = reverse("query_groups", args=["windows", some.corpus.code, "csv"])
    body = b"".join(client.get(files, {"q": "NP", "by": "word"}).streaming_content)
    rows = list(csv.DictReader(io.StringIO(body.decode())))
    assert {row["word"]: int(row["matches"]) for row in rows} == wanted
    assert sum(float(row["share"]) for row in rows) == pytest.approx(1, abs=1e-4)
    api = f"/api/corpora/{some.corpus.code}/query/groups/"
    said = client.get(api, {"q": "NP", "by": "word"}).json()
    assert {one["name"]: one["matches"] for one in said["groups"]} == wanted
    assert (said["matches"], said["is_whole"]) == (sum(wanted.values()), True)
    project = client.get(
        "/api/projects/windows/query/groups/", {"q": "NP", "by": "word"}
    )
    assert project.json() == said
    out = io.StringIO()
    call_command("query", "Houses", "NP", "--by", "word", "--json", stdout=out)
    lines = map(json.loads, out.getvalue().splitlines())
    assert {one["word"]: one["matches"] for one in lines} == wanted


def test_groups_are_for_those_who_may_search_and_files_for_those_who_export(
    some: Cast,
) -> None:
    files = reverse("query_groups", args=["windows", some.corpus.code, "csv"])
    api = f"/api/corpora/{some.corpus.code}/query/groups/"
    asked = {"q": "NP", "by": "word"}
    for user, of_file, of_api in ((some.bob, 403, 200), (some.cyd, 404, 404)):
        client = Client()
        client.force_login(user)
        assert client.get(files, asked).status_code == of_file
        assert client.get(api, asked).status_code == of_api


def test_a_match_has_an_address_that_shows_both_its_trees(some: Cast) -> None:
    client = Client()
    client.force_login(some.ada)
    url = reverse("query", args=["windows", some.corpus.code])
    page = client.get(url, {"q": "NP ~ NP"}).content.decode()
    address = page.split('aria-label="Link to match 1"')[0].rsplit('href="', 1)[1]
    address = address.split('"')[0].replace("&amp;", "&")
    match = client.get(address).content.decode()
    for text in (SOURCE, TARGET):
        assert people.ptb_words(text) in match
    assert match.count("<figure") == 2
    assert "<code>NP ~ NP</code>" in match
    client.force_login(some.cyd)
    assert client.get(address).status_code == 404


def test_two_corpora_side_by_side_with_a_test_of_the_difference(some: Cast) -> None:
    other = people.corpus(some.project, "Doors")
    people.pair(other, "(S (NP (NN door)) (VP (VBD shut)))", "(S (NP (NN gate)))")
    client = Client()
    client.force_login(some.ada)
    url = reverse("query", args=["windows", some.corpus.code])
    asked = {"q": "NP", "by": "parent", "versus": other.code}
    page = " ".join(client.get(url, asked).content.decode().split())
    assert "Houses: 5 of 5 sentences have a match. Doors: 2 of 2 sentences" in page
    assert "Difference: G² 0.00, p 1.000." in page
    files = reverse("query_groups", args=["windows", some.corpus.code, "csv"])
    body = b"".join(client.get(files, asked).streaming_content).decode()
    rows = {row["parent"]: row for row in csv.DictReader(io.StringIO(body))}
    here, there = counted(some.corpus, "NP", "parent"), counted(other, "NP", "parent")
    assert rows.keys() == here.keys() | there.keys()
    for name, row in rows.items():
        assert (int(row["matches_1"]), int(row["matches_2"])) == (
            here[name],
            there[name],
        )
        totals = sum(here.values()), sum(there.values())
        g2, p = g_test(here[name], totals[0], there[name], totals[1])
        assert float(row["g2"]) == pytest.approx(g2, abs=1e-4)
        assert float(row["p"]) >= p, "adjusted for the number of groups"


def test_a_corpus_is_compared_with_one_of_its_project_alone(some: Cast) -> None:
    theirs = people.corpus(Project.objects.create(name="Theirs", slug="theirs"))
    client = Client()
    client.force_login(some.ada)
    for path, args in (("query", [some.corpus.code]), ("project_query", [])):
        url = reverse(path, args=["windows", *args])
        asked = {"q": "NP", "by": "label", "versus": theirs.code}
        assert client.get(url, asked).status_code == 400
    files = reverse("query_groups", args=["windows", some.corpus.code, "csv"])
    assert client.get(files, asked).status_code == 400
