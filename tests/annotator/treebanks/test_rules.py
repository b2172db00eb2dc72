"""Rules of a corpus: who declares them, what breaks them, where it is shown."""

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, NotAllowed, StaleEdit
from annotator.models import Membership, Origin, Parse, Sentence, TreeDraft
from annotator.pages import treebanks as pages
from annotator.services.parses import drafts
from annotator.services.treebanks import rules
from tests import cast as people

pytestmark = pytest.mark.django_db
ARCS = (
    "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t_\t_\n"
    "2\tnurse\tnurse\tNOUN\tNN\t_\t3\tnsubj\t_\t_\n"
    "3\topened\topen\tVERB\tVBD\t_\t0\troot\t_\t_\n"
    "4\tthe\tthe\tDET\tDT\t_\t3\tdet\t_\t_\n"
    "5\twindow\twindow\tNOUN\tNN\t_\t3\tobject\t_\t_\n"
    "6\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_"
)


def client_of(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def declared(cast, text: str, *, seen: int = 0):
    return rules.keep(cast.corpus, text, seen=seen, by=cast.ada)


def arcs(sentence: Sentence, text: str = ARCS) -> Parse:
    return Parse.objects.create(
        sentence=sentence, kind="dependency", origin=Origin.GOLD, text=text,
        digest=Sentence.key_of(text),
    )  # fmt: skip


def names(report) -> list[list[str]]:
    return [[one.rule for one in row.problems] for row in report.checked]


def test_managers_declare_rules_and_a_stale_form_is_refused(cast) -> None:
    row = declared(cast, "labels: S NP VP PP\r\nud: 2")
    assert (row.revision, row.text) == (1, "labels: S NP VP PP\nud: 2")
    assert declared(cast, "ud: 3", seen=1).revision == 2
    for seen in (0, 1):
        with pytest.raises(StaleEdit):
            declared(cast, "ud: 1", seen=seen)
    assert rules.rules_of(cast.corpus).level == 3
    for role in ("curator", "annotator", "viewer"):
        Membership.objects.filter(user=cast.bob).update(role=role)
        with pytest.raises(NotAllowed):
            rules.keep(cast.corpus, "ud: 1", seen=2, by=cast.bob)


def test_what_is_no_rule_is_refused_at_its_place_and_not_kept(cast) -> None:
    with pytest.raises(BadRequest) as refused:
        declared(cast, "ud: 2\nnever: NP <")
    assert (refused.value.facts["line"], refused.value.facts["column"]) == (2, 12)
    assert rules.rules_of(cast.corpus) == rules.UNDECLARED


def test_a_corpus_is_looked_through_in_parts(cast) -> None:
    declared(cast, "need VP: NP")
    first = rules.check(cast.corpus)
    assert (names(first), first.looked, first.after) == ([["needed-child"] * 2], 2, "")
    declared(cast, "labels: S NP", seen=1)
    part = rules.check(cast.corpus, most=1)
    assert (part.looked, part.after) == (1, cast.pair.source.code)
    rest = rules.check(cast.corpus, after=part.after)
    assert (rest.looked, rest.after) == (1, "")
    assert rest.checked[0].sentence == cast.pair.target
    with pytest.raises(BadRequest):
        rules.check(cast.corpus, after="0" * 16)


def test_arcs_are_checked_and_compared_with_the_brackets(cast) -> None:
    arcs(cast.pair.source)
    # a corpus that declares nothing is checked up to the second level
    assert names(rules.check(cast.corpus)) == [["unknown-relation", "contradiction"]]
    declared(cast, "ud: 0")
    assert names(rules.check(cast.corpus)) == [["contradiction"]]
    declared(cast, "ud: 2", seen=1)
    assert names(rules.check(cast.corpus)) == [["unknown-relation", "contradiction"]]
    problem = rules.check(cast.corpus).checked[0].problems[1]
    assert (problem.node, problem.words) == (6, (3, 4))


def test_annotators_trees_are_nobody_elses_business(cast) -> None:
    made = people.sentence(cast.corpus, "Doors open")
    Parse.objects.create(
        sentence=made, kind="constituency", origin=Origin.ANNOTATOR, author=cast.ada,
        text="(S (XX (NN Doors)) (NN open))", digest="1",
    )  # fmt: skip
    declared(cast, "labels: S NP VP PP")
    assert rules.check(cast.corpus).checked == ()


def test_the_page_shows_places_and_remedies(cast) -> None:
    arcs(cast.pair.source)
    client = client_of(cast.ada)
    url = reverse("problems", args=["windows", cast.corpus.code])
    sent = {"text": "forbid VP: VBD # tense has a node of its own", "seen": "0"}
    page = client.post(url, sent, follow=True).content.decode()
    assert "VBD may not be a child of VP (tense has a node of its own)." in page
    assert "“opened”" in page
    assert "Move it to another parent" in page
    assert "the on opened, window on opened" in page
    wrong = client.post(url, {"text": "forbid VP VBD", "seen": "1"})
    assert wrong.status_code == 400
    assert "forbid VP VBD</textarea>" in wrong.content.decode()
    assert client_of(cast.bob).get(url).status_code == 200
    assert client_of(cast.bob).post(url, sent).status_code == 403
    assert client_of(cast.cyd).get(url).status_code == 404


def test_programs_declare_and_list(cast) -> None:
    client = client_of(cast.ada)
    url = f"/api/corpora/{cast.corpus.code}/rules/"
    assert client.get(url).json() == {"text": "", "revision": 0}
    sent = {"text": "tags: DT NN VBD . IN", "seen": 0}
    assert client.put(url, sent, "application/json").json()["revision"] == 1
    assert client.put(url, sent, "application/json").status_code == 409
    report = client.get(f"/api/corpora/{cast.corpus.code}/problems/").json()
    (one,) = report["sentences"]
    assert one["sentence"] == cast.pair.target.code
    assert [p["forms"] for p in one["problems"]] == [["opened"]]
    same = client.get(f"/api/sentences/{one['sentence']}/problems/").json()
    assert same == one
    assert client_of(cast.cyd).get(url).status_code == 404


def test_the_editor_shows_what_a_step_breaks_before_and_after_it(cast) -> None:
    declared(cast, "labels: S NP VP PP")
    client = client_of(cast.bob)
    url = reverse("tree_edit", args=["windows", cast.pair.source.code])
    assert "problem" not in client.get(url).content.decode().partition("</h1>")[2][:999]
    sent = {"uuid": uuid4(), "base_rev": 0, "node": 1, "label": "NX"}
    page = client.post(url, sent | {"op": "check", "what": "relabel"}).content.decode()
    assert "NX is not a label of this treebank." in page
    assert not TreeDraft.objects.exists()
    page = client.post(url, sent | {"op": "relabel"}, follow=True).content.decode()
    assert "NX is not a label of this treebank." in page
    assert 'data-go="1"' in page
    assert "breaks a rule" in page
    typed = {"op": "check", "what": "replace", "text": "(S (NX"}
    page = client.post(url, sent | typed).content.decode()
    assert "line 1" in page
    viewer = Membership.objects.filter(user=cast.bob)
    viewer.update(role="viewer")
    assert client.post(url, sent | typed).status_code == 403


def test_a_draft_is_checked_not_the_saved_tree(cast) -> None:
    declared(cast, "labels: S NP VP PP")
    draft = drafts.start(cast.pair.source, by=cast.bob)
    assert rules.of_sentence(cast.pair.source, draft.to_tree()) == []
    assert rules.of_sentence(cast.pair.source, None) == []


def test_the_page_counts_the_whole_corpus_or_says_how_far(cast, monkeypatch) -> None:
    monkeypatch.setattr(pages, "PAGE", 1)
    declared(cast, "labels: S NP")
    url = reverse("problems", args=["windows", cast.corpus.code])
    page = " ".join(client_of(cast.ada).get(url).content.decode().split())
    assert "<strong>2 sentences with problems</strong> among 2 in the corpus." in page
    assert page.count("Edit the tree of:") == 1, "a page shows one"
    total = rules.check(cast.corpus, most=1, counts=True).total
    assert (total.wrong, total.looked, total.is_whole) == (2, 2, True)
    assert total.by_rule["unknown-label"] == 4
    cut = rules.check(cast.corpus, seconds=0, counts=True)
    assert (cut.total.looked, cut.total.is_whole) == (1, False)
    monkeypatch.setattr(rules, "check", lambda *_, **__: cut)
    page = " ".join(client_of(cast.ada).get(url).content.decode().split())
    assert "among the first 1. Counting stopped after 2 seconds." in page


def test_notes_of_guidelines_leave_the_checks_as_they_were(cast) -> None:
    arcs(cast.pair.source)
    declared(cast, "note PP: the object may be a clause")
    assert rules.rules_of(cast.corpus).notes == (("PP", "the object may be a clause"),)
    assert names(rules.check(cast.corpus)) == [["unknown-relation", "contradiction"]]
    declared(cast, "note PP: the object may be a clause\nud: 0", seen=1)
    assert names(rules.check(cast.corpus)) == [["contradiction"]]
