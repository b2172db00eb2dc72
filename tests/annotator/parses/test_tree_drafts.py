"""Trees edited by hand: steps, the ledger, saving, gold, and who may do what."""

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, Conflict, NotAllowed, StaleEdit
from annotator.models import AlignmentLayer, Origin, Parse, Sentence, TreeDraft
from annotator.services.alignments import layers, links, operations
from annotator.services.corpora import exports
from annotator.services.parses import drafts, gold
from core.formats import ptb
from core.trees import editing
from tests import cast as people

pytestmark = pytest.mark.django_db
# S NP DT NN VP VBD NP DT NN . : the numbers of the nodes of the cast's source
RELABELLED = people.SOURCE.replace("(NP (DT The)", "(NX (DT The)")


def step(draft: TreeDraft, op: str, *, rev: int | None = None, **more):
    base = draft.revision if rev is None else rev
    sent = {"uuid": uuid4(), "base_rev": base, "op": op} | more
    return drafts.DraftStep.read(sent, draft.to_tree())


def play(draft: TreeDraft, op: str, **more):
    return drafts.play(draft, step(draft, op, **more), by=draft.author)


@pytest.fixture
def draft(cast) -> TreeDraft:
    return drafts.start(cast.pair.source, by=cast.bob)


def text(draft: TreeDraft) -> str:
    return TreeDraft.objects.get(pk=draft.pk).text


def test_steps_are_kept_undone_and_done_again(draft) -> None:
    play(draft, "relabel", node=1, label="NX")
    play(draft, "delete", node=6)
    flat = people.SOURCE.replace("(NP (DT the) (NN window))", "(DT the) (NN window)")
    assert text(draft) == flat.replace("(NP (DT The)", "(NX (DT The)")
    play(draft, "undo")
    assert text(draft) == RELABELLED
    play(draft, "undo")
    assert text(draft) == people.SOURCE
    play(draft, "redo")
    assert text(draft) == RELABELLED
    play(draft, "relabel", node=1, label="NY")
    with pytest.raises(Conflict, match="nothing to redo"):
        play(draft, "redo")


def test_the_ledger_played_again_gives_the_tree(draft) -> None:
    play(draft, "insert", first=7, last=8, label="NB")
    play(draft, "move", node=6, mother=0)
    play(draft, "undo")
    play(draft, "replace", text=people.SOURCE.replace("VP", "VX"))
    tree = ptb.parse_one(people.SOURCE)
    for event in draft.events.all():
        tree = editing.read(event.done).on(tree).tree
    assert ptb.bracket(tree) == text(draft)
    assert draft.events.count() == draft.revision == 4


def test_a_step_sent_twice_counts_once_and_an_old_one_is_refused(draft) -> None:
    first = step(draft, "relabel", node=1, label="NX")
    event = drafts.play(draft, first, by=draft.author)
    assert drafts.play(draft, first, by=draft.author) == event
    with pytest.raises(StaleEdit) as refused:
        drafts.play(draft, step(draft, "delete", node=6, rev=0), by=draft.author)
    assert refused.value.facts["draft"]["revision"] == 1
    assert text(draft) == RELABELLED


@pytest.mark.parametrize(
    ("typed", "said", "line"),
    [
        ("(S (NP (DT The)", "lacks", 1),
        ("(S\n (DT The) (NN surgeon)\n (VBD opened) (DT the) (NN window) (. .))",
         "word 2 is 'surgeon' and should be 'nurse'", 2),
        ("(S (DT The))", "1 words, and the sentence has 6", 1),
        ("(S (NN a)) (S (NN b))", "expected one tree", 1),
    ],
)  # fmt: skip
def test_brackets_that_do_not_fit_are_refused_at_their_place(
    draft, typed: str, said: str, line: int
) -> None:
    with pytest.raises(BadRequest, match=said) as refused:
        step(draft, "replace", text=typed)
    assert refused.value.facts["line"] == line
    assert not draft.events.exists()


def test_what_the_tree_does_not_allow_changes_nothing(draft) -> None:
    with pytest.raises(Conflict, match="Only phrases can be deleted"):
        play(draft, "delete", node=2)
    assert (text(draft), draft.events.count()) == (people.SOURCE, 0)


def test_a_sentence_without_a_tree_begins_with_its_words(cast) -> None:
    made = people.sentence(cast.corpus, "Tea ( hot )")
    draft = drafts.start(made, by=cast.bob)
    assert draft.text == "(S (X Tea) (X -LRB-) (X hot) (X -RRB-))"
    drafts.play(draft, step(draft, "relabel", node=1, label="NN"), by=cast.bob)
    assert gold.save(draft, by=cast.bob).parse.to_tree().words == made.to_core().forms


def test_drafts_are_a_person_s_own(cast, draft) -> None:
    hers = drafts.start(cast.pair.source, by=cast.ada)
    assert hers.pk != draft.pk
    with pytest.raises(TreeDraft.DoesNotExist):
        drafts.play(draft, step(draft, "delete", node=6), by=cast.ada)
    with pytest.raises(NotAllowed):
        drafts.start(cast.pair.source, by=cast.cyd)


def test_a_saved_tree_carries_the_links_along_and_says_what_is_parked(
    cast, draft
) -> None:
    layer = layers.start(cast.pair, by=cast.bob)
    for s, t in (("n1", "n10"), ("n6", "n1")):
        sent = {
            "uuid": uuid4(),
            "base_rev": layer.revision,
            "op": "link",
            "s": s,
            "t": t,
        }
        links.play(layer, operations.LayerStep.read(sent), by=cast.bob)
        layer.refresh_from_db()
    play(draft, "delete", node=6)
    saved = gold.save(draft, by=cast.bob)
    (followed,) = saved.followed
    assert (followed.kept, followed.parked) == (1, 1)
    layer.refresh_from_db()
    assert (layer.source_parse, len(layer.parked)) == (saved.parse, 1)
    assert "1 decision carried over, 1 on hold" in saved.summary
    assert gold.save(draft, by=cast.bob).parse == saved.parse


def test_two_people_may_save_the_same_tree_and_see_their_own(cast, draft) -> None:
    hers = drafts.start(cast.pair.source, by=cast.ada)
    trees = [gold.save(one, by=one.author).parse for one in (draft, hers)]
    assert trees[0] != trees[1]
    seen = Parse.objects.readable_by(cast.bob, cast.project)
    assert [one in seen for one in trees] == [True, False]
    seen = Parse.objects.readable_by(cast.ada, cast.project)
    assert [one in seen for one in trees] == [True, True]


def test_a_gold_tree_takes_the_place_of_the_former_and_goes_out(cast) -> None:
    draft = drafts.start(cast.pair.source, by=cast.ada)
    drafts.play(draft, step(draft, "relabel", node=1, label="NX"), by=cast.ada)
    before = gold.gold_of(cast.pair.source)
    saved = gold.save_as_gold(draft, by=cast.ada, seen=before.code)
    before.refresh_from_db()
    assert (before.origin, saved.parse.origin) == (Origin.FORMER, Origin.GOLD)
    parts = exports.parts(cast.corpus, "ptb", by=cast.ada)
    written = b"".join(parts[0].chunks()).decode()
    assert written.splitlines() == [RELABELLED, people.TARGET]
    assert AlignmentLayer.objects.get(pk=cast.layer.pk).source_parse == before


def test_the_former_gold_tree_can_become_gold_again(cast) -> None:
    draft = drafts.start(cast.pair.source, by=cast.ada)
    first = gold.gold_of(cast.pair.source)
    drafts.play(draft, step(draft, "relabel", node=1, label="NX"), by=cast.ada)
    second = gold.save_as_gold(draft, by=cast.ada, seen=first.code).parse
    drafts.play(draft, step(draft, "undo"), by=cast.ada)
    assert gold.save_as_gold(draft, by=cast.ada, seen=second.code).parse == first
    golds = cast.pair.source.parses.filter(origin=Origin.GOLD)
    assert [one.pk for one in golds] == [first.pk]


def test_gold_is_for_curators_and_not_over_another_s_head(cast, draft) -> None:
    seen = gold.gold_of(cast.pair.source).code
    with pytest.raises(NotAllowed):
        gold.save_as_gold(draft, by=cast.bob, seen=seen)
    hers = drafts.start(cast.pair.source, by=cast.ada)
    with pytest.raises(StaleEdit):
        gold.save_as_gold(hers, by=cast.ada, seen="")


def url(cast, sentence: Sentence | None = None) -> str:
    return reverse("tree_edit", args=["windows", (sentence or cast.pair.source).code])


def form(draft_page, **more) -> dict:
    context = draft_page.context
    return {"uuid": uuid4(), "base_rev": context["revision"], "base": "", "gold":
            context["gold"]} | more  # fmt: skip


def test_the_page_edits_without_a_script(cast, client: Client) -> None:
    client.force_login(cast.bob)
    page = client.get(url(cast))
    assert not TreeDraft.objects.exists()
    sent = form(page, op="relabel", node=1, label="NX")
    page = client.post(url(cast), sent, follow=True)
    assert TreeDraft.objects.get().text == RELABELLED
    assert page.content.decode().count('class="pp tn"') == 4
    page = client.post(url(cast), form(page, op="save"), follow=True)
    assert "Saved as your tree" in page.content.decode()
    assert 'value="gold"' not in page.content.decode()
    refused = client.post(url(cast), form(page, op="gold"))
    assert refused.status_code == 403


def test_what_was_typed_is_there_when_it_is_refused(cast, client: Client) -> None:
    client.force_login(cast.bob)
    page = client.get(url(cast))
    typed = "(S (NP (DT The) (NN nurse))\n  (VP oops"
    page = client.post(url(cast), form(page, op="replace", text=typed))
    assert page.status_code == 400
    assert typed in page.content.decode()
    assert "line 1, column 1" in page.content.decode().replace("\n ", "")


def test_strangers_see_no_tree_and_viewers_change_none(cast, client: Client) -> None:
    client.force_login(cast.cyd)
    assert client.get(url(cast)).status_code == 404
    cast.project.memberships.filter(user=cast.bob).update(role="viewer")
    client.force_login(cast.bob)
    page = client.get(url(cast))
    assert 'value="relabel"' not in page.content.decode()
    assert client.post(url(cast), form(page, op="delete", node=6)).status_code == 403


def test_programs_edit_and_save(cast, client: Client) -> None:
    client.force_login(cast.ada)
    source = cast.pair.source
    begun = client.post(
        f"/api/sentences/{source.code}/draft/", {}, "application/json"
    ).json()
    assert begun["nodes"][1] == {
        "id": 1, "label": "NP", "mother": 0, "words": [0, 1], "form": ""
    }  # fmt: skip
    ops = f"/api/tree-drafts/{begun['code']}/ops/"
    sent = {"uuid": str(uuid4()), "base_rev": 0, "op": "move", "node": 6, "mother": 0}
    after = client.post(ops, sent, "application/json").json()
    assert (
        after["text"].replace("\n", " ").count("(NP (DT the) (NN window)) (. .))") == 1
    )
    sent = {"uuid": str(uuid4()), "base_rev": 0, "op": "delete", "node": 1}
    stale = client.post(ops, sent, "application/json")
    assert (stale.status_code, stale.json()["error"]["code"]) == (409, "stale_edit")
    save = f"/api/tree-drafts/{begun['code']}/save/"
    seen = gold.gold_of(source).code
    made = client.post(save, {"role": "gold", "gold": seen}, "application/json").json()
    assert gold.gold_of(source).code == made["parse"]
    client.force_login(cast.bob)
    assert client.post(save, {"role": "mine"}, "application/json").status_code == 404


def test_phrases_are_split_and_joined_as_one_step_each(draft) -> None:
    play(draft, "split_phrase", node=3)  # the child that the second begins with
    parted = people.SOURCE.replace(
        "(NP (DT The) (NN nurse))", "(NP (DT The)) (NP (NN nurse))"
    )
    assert text(draft) == parted
    play(draft, "join_phrases", first=1, label="NX")  # with the sibling after it
    assert text(draft) == RELABELLED
    play(draft, "undo")
    assert text(draft) == parted
    play(draft, "redo")
    assert text(draft) == RELABELLED
    done = [event.done["op"] for event in draft.events.all()]
    assert done == ["split_phrase", "join_phrases", "restore", "restore"]
    tree = ptb.parse_one(people.SOURCE)
    for event in draft.events.all():
        tree = editing.read(event.done).on(tree).tree
    assert ptb.bracket(tree) == text(draft)


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"op": "split_phrase", "node": 0}, "Choose the child"),
        ({"op": "split_phrase", "node": 2}, "not the first"),
        ({"op": "join_phrases", "first": 9}, "There is no sibling after it"),
        ({"op": "join_phrases", "first": 5}, "is a word"),
        ({"op": "split_phrase"}, "Not an operation"),
    ],
)
def test_phrases_that_cannot_be_split_or_joined_are_refused(draft, sent, said) -> None:
    with pytest.raises((BadRequest, Conflict), match=said):
        play(draft, **sent)
    assert text(draft) == people.SOURCE


def test_links_of_a_split_phrase_are_parked_and_come_back(cast, draft) -> None:
    layer = layers.start(cast.pair, by=cast.bob)
    sent = {"uuid": uuid4(), "base_rev": 0, "op": "link", "s": "n6", "t": "n1"}
    links.play(layer, operations.LayerStep.read(sent), by=cast.bob)
    play(draft, "split_phrase", node=8)
    saved = gold.save(draft, by=cast.bob)
    assert "0 decisions carried over, 1 on hold" in saved.summary
    play(draft, "join_phrases", first=6, last=8)
    assert text(draft) == people.SOURCE
    assert "1 decision carried over, 0 on hold" in gold.save(draft, by=cast.bob).summary


def came_as(corpus, *formats: str) -> None:
    """As an import notes the files of a corpus."""
    files = [{"format": name, "name": f"{name}.txt"} for name in formats]
    corpus.meta = {"files": files}
    corpus.save()


def test_the_first_gap_is_made_where_a_format_of_the_corpus_holds_gaps(cast) -> None:
    came_as(cast.corpus, "ptb", "tigerxml")
    draft = drafts.start(cast.pair.source, by=cast.bob)
    event = play(draft, "move", node=9, mother=1)  # the full stop, to "The nurse"
    assert event.done == {"op": "move", "node": 9, "mother": 1, "gap": True, "focus": 4}
    tree = TreeDraft.objects.get(pk=draft.pk).to_tree()
    assert tree.yield_of(1) == (0, 1, 5)
    parse = gold.save(draft, by=cast.bob).parse
    assert parse.to_tree() == tree
    play(draft, "undo")
    assert text(draft) == people.SOURCE
    play(draft, "redo")
    assert TreeDraft.objects.get(pk=draft.pk).to_tree() == tree
    again = drafts.tree_at_start(cast.pair.source, parse)
    assert again == tree


@pytest.mark.parametrize(
    ("formats", "named"),
    [(("ptb",), "Penn Treebank brackets"), ((), "brackets"), (("pairs",), "Pairs")],
)
def test_elsewhere_a_gap_is_refused_with_the_format_that_cannot_hold_it(
    cast, formats, named
) -> None:
    came_as(cast.corpus, *formats)
    draft = drafts.start(cast.pair.source, by=cast.bob)
    with pytest.raises(Conflict, match=named) as refused:
        play(draft, "move", node=9, mother=1, gap=True)
    assert "Move it in steps" in str(refused.value)
    assert text(draft) == people.SOURCE


def test_a_tree_with_a_gap_goes_out_and_another_is_begun_from_it(
    cast, client: Client
) -> None:
    came_as(cast.corpus, "tigerxml")
    client.force_login(cast.ada)
    page = client.get(url(cast))
    page = client.post(url(cast), form(page, op="move", node=9, other=1), follow=True)
    assert "discontinuous phrases" in page.content.decode()
    page = client.post(url(cast), form(page, op="gold"), follow=True)
    parts = exports.parts(cast.corpus, "tigerxml", by=cast.ada)
    written = b"".join(parts[0].chunks()).decode()
    nurse = written[written.index('cat="NP"') :].split("</nt>")[0]
    assert nurse.count("<edge") == 3
    code = gold.gold_of(cast.pair.source).code
    page = client.post(url(cast), form(page, op="undo"), follow=True)
    sent = form(page, op="begin", source=code)
    page = client.post(url(cast), sent, follow=True)
    draft = TreeDraft.objects.get()
    assert draft.to_tree() == gold.gold_of(cast.pair.source).to_tree()
    assert 'value="begin"' in page.content.decode()
