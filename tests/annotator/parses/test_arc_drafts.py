"""Arcs edited by hand: steps, the ledger, saving, gold, and who may do what."""

from uuid import uuid4

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import Conflict, NotAllowed, StaleEdit
from annotator.models import Origin, Parse, Sentence, TreeDraft
from annotator.pages import arc_editor
from annotator.services.parses import arc_drafts, drafts, gold
from core.formats.forest_npz import StoredForest
from core.trees import arcs
from core.trees.arc_lines import Arcs
from tests import cast as people
from tests.oracles.strategies import ambiguous_forest

pytestmark = pytest.mark.django_db
LINES = (
    "1\tThe\tthe\tDET\tDT\t_\t2\tdet\t2:det\t_\n"
    "2\tnurse\tnurse\tNOUN\tNN\t_\t3\tobj\t_\t_\n"
    "3\topened\topen\tVERB\tVBD\t_\t0\troot\t_\t_\n"
    "4\tthe\tthe\tDET\tDT\t_\t5\tdet\t_\t_\n"
    "5\twindow\twindow\tNOUN\tNN\t_\t3\tobj\t_\t_\n"
    "6\t.\t.\tPUNCT\t.\t_\t3\tpunct\t_\t_"
)
MENDED = LINES.replace("3\tobj\t_\t_\n3", "3\tnsubj\t_\t_\n3")


def parsed(of: Sentence, lines: str = LINES, *, origin: str = Origin.GOLD) -> Parse:
    return Parse.objects.create(
        sentence=of,
        kind=Parse.Kind.DEPENDENCY,
        origin=origin,
        text=lines,
        digest=Sentence.key_of(lines),
        meta={"comments": ["# sent_id = n1"]},
    )


@pytest.fixture
def draft(cast) -> TreeDraft:
    parsed(cast.pair.source)
    return arc_drafts.start(cast.pair.source, by=cast.bob)


def play(draft: TreeDraft, *, rev: int | None = None, **sent):
    base = draft.revision if rev is None else rev
    sent = {"uuid": uuid4(), "base_rev": base} | sent
    step = arc_drafts.read_step(sent, draft.to_arcs())
    return drafts.play(draft, step, by=draft.author)


def text(draft: TreeDraft) -> str:
    return TreeDraft.objects.get(pk=draft.pk).text


def test_steps_are_kept_undone_and_done_again(draft) -> None:
    play(draft, op="relation", token=1, relation="nsubj")
    assert text(draft) == MENDED
    play(draft, op="attach", token=3, head=2)
    play(draft, op="undo")
    play(draft, op="undo")
    assert text(draft) == LINES
    play(draft, op="redo")
    assert text(draft) == MENDED
    tree = Arcs(LINES)
    for event in draft.events.all():
        tree = arcs.read(event.done).on(tree).tree
    assert tree.lines == text(draft)


def test_an_old_step_is_refused_with_what_is_there_and_a_circle_with_a_remedy(
    draft,
) -> None:
    play(draft, op="relation", token=1, relation="nsubj")
    with pytest.raises(StaleEdit) as refused:
        play(draft, rev=0, op="attach", token=3, head=2)
    there = refused.value.facts["draft"]
    assert there["arcs"][1]["relation"] == "nsubj"
    with pytest.raises(Conflict, match="another head first"):
        play(draft, op="attach", token=2, head=4)
    assert text(draft) == MENDED


def test_a_person_has_a_draft_of_each_kind(cast, draft) -> None:
    tree = drafts.start(cast.pair.source, by=cast.bob)
    assert tree.pk != draft.pk
    assert arc_drafts.start(cast.pair.source, by=cast.bob) == draft
    assert drafts.start(cast.pair.source, by=cast.bob) == tree
    with pytest.raises(NotAllowed):
        arc_drafts.start(cast.pair.source, by=cast.cyd)


def test_a_sentence_without_arcs_begins_with_its_words(cast) -> None:
    draft = arc_drafts.start(cast.pair.target, by=cast.bob)
    assert draft.to_arcs().words == tuple(cast.pair.target.forms)
    assert draft.to_arcs().deps.heads[:2] == (-1, 0)


def test_saved_arcs_are_one_s_own_and_gold_takes_the_former_s_place(
    cast, draft
) -> None:
    play(draft, op="relation", token=1, relation="nsubj")
    mine = gold.save(draft, by=cast.bob).parse
    assert (mine.kind, mine.origin) == ("dependency", "annotator")
    assert mine.meta["comments"] == ["# sent_id = n1"]
    assert drafts.starting(cast.pair.source, cast.bob, "", arc_drafts.KIND) == mine
    hers = arc_drafts.start(cast.pair.source, by=cast.ada)
    play(hers, op="relation", token=1, relation="nsubj")
    former = gold.gold_of(cast.pair.source, Parse.Kind.DEPENDENCY)
    tree = gold.gold_of(cast.pair.source)
    saved = gold.save_as_gold(hers, by=cast.ada, seen=former.code)
    former.refresh_from_db()
    assert (former.origin, saved.parse.text) == (Origin.FORMER, MENDED)
    assert gold.gold_of(cast.pair.source) == tree


def url(cast) -> str:
    return reverse("arcs_edit", args=["windows", cast.pair.source.code])


def form(page, **more) -> dict:
    context = page.context
    return {"uuid": uuid4(), "base_rev": context["revision"], "base": "", "gold":
            context["gold"]} | more  # fmt: skip


def test_the_page_edits_without_a_script(cast, client: Client) -> None:
    parsed(cast.pair.source)
    client.force_login(cast.ada)
    page = client.get(url(cast))
    page = client.post(
        url(cast), form(page, op="relation", node=1, label="nsubj"), follow=True
    )
    assert TreeDraft.objects.get().text == MENDED
    page = client.post(url(cast), form(page, op="attach", node=3, other=2), follow=True)
    assert page.context["rows"][3]["head"] == 3
    page = client.post(url(cast), form(page, op="root", node=4), follow=True)
    assert page.context["rows"][4]["label"] == "root"
    typed = LINES.replace("window\twindow", "windows\twindow")
    page = client.post(url(cast), form(page, op="replace", text=typed))
    body = page.content.decode()
    assert page.status_code == 400
    assert "word 5 is &#x27;windows&#x27; and should be &#x27;window&#x27;" in body
    assert 'data-line="5"' in body
    assert "windows\twindow" in body
    page = client.post(url(cast), form(client.get(url(cast)), op="gold"), follow=True)
    assert "These are the gold arcs now" in page.content.decode()


def test_strangers_see_no_arcs_and_viewers_change_none(cast, client: Client) -> None:
    client.force_login(cast.cyd)
    assert client.get(url(cast)).status_code == 404
    cast.project.memberships.filter(user=cast.bob).update(role="viewer")
    client.force_login(cast.bob)
    page = client.get(url(cast))
    assert 'value="attach"' not in page.content.decode()
    sent = form(page, op="attach", node=3, other=2)
    assert client.post(url(cast), sent).status_code == 403


def test_programs_edit_and_save(cast, client: Client) -> None:
    parsed(cast.pair.source)
    client.force_login(cast.ada)
    path = f"/api/sentences/{cast.pair.source.code}/arc-draft/"
    begun = client.post(path, {}, "application/json").json()
    assert begun["arcs"][1] == {
        "token": 1, "form": "nurse", "head": 2, "relation": "obj"
    }  # fmt: skip
    ops = f"/api/arc-drafts/{begun['code']}/ops/"
    sent = {"uuid": str(uuid4()), "base_rev": 0, "op": "relation", "token": 1}
    after = client.post(ops, sent | {"relation": "nsubj"}, "application/json").json()
    assert (after["revision"], after["text"]) == (1, MENDED)
    assert client.get(path).json() == after
    wrong = f"/api/tree-drafts/{begun['code']}/ops/"
    sent = {"uuid": str(uuid4()), "base_rev": 1, "op": "delete", "node": 1}
    assert client.post(wrong, sent, "application/json").status_code == 404
    save = f"/api/tree-drafts/{begun['code']}/save/"
    seen = gold.gold_of(cast.pair.source, Parse.Kind.DEPENDENCY).code
    made = client.post(save, {"role": "gold", "gold": seen}, "application/json").json()
    now = gold.gold_of(cast.pair.source, Parse.Kind.DEPENDENCY)
    assert (now.code, now.text) == (made["parse"], MENDED)


def test_the_parser_s_doubt_of_arcs_is_that_under_what_is_decided(draft) -> None:
    weights = np.full((7, 7), -4.0)
    weights[3, [1, 2, 4, 5, 6]] = weights[0, 3] = 0.0
    weights[2, 1] = -1.0
    stored = StoredForest(*ambiguous_forest(), weights)
    before = arc_drafts.chances(draft.to_arcs(), stored, arc_drafts.decided(draft))
    assert before[0] < 0.3
    assert before[1] < 0.95
    play(draft, op="attach", token=0, head=1)
    play(draft, op="relation", token=1, relation="nsubj")
    assert arc_drafts.decided(draft) == {0: 1, 1: 2}
    after = arc_drafts.chances(draft.to_arcs(), stored, arc_drafts.decided(draft))
    assert (after[0], after[1]) == (1.0, 1.0)
    assert after[2] > before[2]  # word 2 may no longer hang from word 1
    play(draft, op="undo")
    play(draft, op="retype", token=3, form="a")
    assert arc_drafts.decided(draft) == {0: 1}


def test_arcs_that_no_tree_of_the_parser_has_leave_it_its_doubt(draft) -> None:
    stored = StoredForest(*ambiguous_forest(), np.zeros((7, 7)))
    window = "window\tNOUN\tNN\t_\t"
    two = draft.text.replace(f"{window}3\tobj", f"{window}0\troot")
    play(draft, op="replace", text=two)
    decided = {4: -1, 2: -1}
    sure = arc_drafts.chances(draft.to_arcs(), stored, decided)
    assert (sure[4], sure[2]) == (1.0, 1.0)
    assert 0 < sure[0] < 0.5


RICH = """\
1\tShe\tshe\tPRON\tPRP\tCase=Nom\t2\tnsubj\t2:nsubj\tNote=a
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdo\tdo\tAUX\tVBP\t_\t0\troot\t0:root\t_
3\tn't\tnot\tPART\tRB\tPolarity=Neg\t2\tadvmod\t1:extra|2:advmod\t_"""
BARE = """\
1\tShe\t_\tNOUN\tNN\t_\t3\tdep\t_\t_
2\tdo\t_\tVERB\tVB\t_\t3\taux\t_\t_
3\tn't\t_\tPART\tRB\t_\t0\troot\t_\t_"""
TAKEN = """\
1\tShe\tshe\tPRON\tPRP\tCase=Nom\t3\tdep\t3:dep\tNote=a
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdo\tdo\tAUX\tVBP\t_\t3\taux\t3:aux\t_
3\tn't\tnot\tPART\tRB\tPolarity=Neg\t0\troot\t0:root|1:extra\t_"""


def test_taking_a_parsers_arcs_keeps_all_that_gold_lines_say_besides(cast) -> None:
    row = people.sentence(cast.corpus, "She do n't")
    rows = {"kind": "dependency", "sentence": row}
    gold_row = Parse.objects.create(
        **rows, origin="gold", text=RICH, digest=Sentence.key_of(RICH)
    )
    theirs = Parse.objects.create(
        **rows, origin="engine", engine="toy", text=BARE, digest=Sentence.key_of(BARE)
    )
    assert arc_editor.lines_of(row, cast.ada, theirs.code) == TAKEN
    draft = arc_drafts.start(row, by=cast.ada, base=theirs.code)
    assert draft.text == TAKEN
    saved = gold.save_as_gold(draft, by=cast.ada, seen=gold_row.code)
    assert saved.parse.text == TAKEN
    assert arc_editor.lines_of(row, cast.ada, gold_row.code) == RICH
