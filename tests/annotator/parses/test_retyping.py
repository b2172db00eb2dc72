"""Words typed anew: a person's own until the tree is gold, then the sentence's."""

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, Conflict, StaleEdit
from annotator.models import Origin, Parse, Sentence
from annotator.services.alignments import layers, links, operations
from annotator.services.parses import arc_drafts, consequences, drafts, gold
from annotator.services.parses.retyping import RETYPED, differences
from core.formats import conllu
from tests import cast as people
from tests.annotator.corpora.test_importing import BRACKETS, bring_in

pytestmark = pytest.mark.django_db
DEPS = Parse.Kind.DEPENDENCY
LINES = "\n".join(
    f"{i}\t{form}\t_\t{tag}\t_\t_\t{head}\t{name}\t_\t_"
    for i, (form, tag, head, name) in enumerate(
        [
            ("The", "DET", 2, "det"),
            ("nurse", "NOUN", 3, "nsubj"),
            ("opened", "VERB", 0, "root"),
            ("the", "DET", 5, "det"),
            ("window", "NOUN", 3, "obj"),
            (".", "PUNCT", 3, "punct"),
        ],
        1,
    )
)


def begin(cast, by, *, kind=Parse.Kind.CONSTITUENCY):
    sentence = Sentence.objects.get(pk=cast.pair.source_id)
    return (arc_drafts if kind == DEPS else drafts).start(sentence, by=by)


def play(
    draft, op: str = "retype", *, play=drafts.play, rev: int | None = None, **more
):
    base = draft.revision if rev is None else rev
    sent = {"uuid": uuid4(), "base_rev": base, "op": op} | more
    is_arcs = draft.kind == DEPS
    step = (
        arc_drafts.read_step(sent, draft.to_arcs())
        if is_arcs
        else drafts.DraftStep.read(sent, draft.to_tree())
    )
    return play(draft, step, by=draft.author)


def retype(draft, form: str, token: int = 1):
    return play(draft, token=token, form=form)


def save(draft, by):
    former = gold.gold_of(draft.sentence, draft.kind)
    return gold.save_as_gold(draft, by=by, seen=former.code if former else "")


def gold_arcs(cast) -> Parse:
    return Parse.objects.create(
        sentence=cast.pair.source, kind=DEPS, origin=Origin.GOLD, text=LINES,
        digest=Sentence.key_of(LINES),
        meta={"comments": [f"# text = {cast.pair.source.text}"]},
    )  # fmt: skip


def test_a_word_typed_anew_is_the_person_s_own_undone_and_done_again(cast) -> None:
    draft = begin(cast, cast.bob)
    retype(draft, "doctor")
    assert draft.to_tree().words[1] == "doctor"
    assert [(w.number, w.draft, w.sentence, w.is_own) for w in differences(draft)] == [
        (2, "doctor", "nurse", True)
    ]
    assert begin(cast, cast.ada).to_tree().words[1] == "nurse"
    play(draft, "undo")
    assert (draft.text, differences(draft)) == (people.SOURCE, [])
    play(draft, "redo")
    with pytest.raises(StaleEdit):
        play(draft, token=1, form="surgeon", rev=0)
    assert draft.to_tree().words[1] == "doctor"
    mine = gold.save(draft, by=cast.bob).parse
    assert mine.meta[RETYPED] == [[1, "nurse", "doctor"]]
    cast.pair.source.refresh_from_db()
    assert cast.pair.source.forms[1] == "nurse"


def test_a_word_is_named_as_a_node_and_a_phrase_is_refused(cast) -> None:
    draft = begin(cast, cast.bob)
    play(draft, node=3, form="doctor")
    assert draft.to_tree().words[1] == "doctor"
    with pytest.raises(BadRequest, match="Choose a word"):
        play(draft, node=1, form="doctor")


def test_with_the_gold_tree_the_sentence_its_pairs_and_gold_arcs_get_the_word(
    cast,
) -> None:
    gold_arcs(cast)
    people.parse(cast.pair.source, people.SOURCE, engine="technical")
    draft = begin(cast, cast.ada)
    retype(draft, "doctor")
    saved = save(draft, cast.ada)
    source = Sentence.objects.get(pk=cast.pair.source_id)
    assert source.forms == ["The", "doctor", "opened", "the", "window", "."]
    assert source.text == "The doctor opened the window ."
    cast.pair.refresh_from_db()
    assert cast.pair.source_text == source.text
    arcs = gold.gold_of(source, DEPS)
    assert arcs.text == LINES.replace("nurse", "doctor")
    assert arcs.meta["comments"] == [f"# text = {source.text}"]
    assert conllu.deps_of(arcs.text) == conllu.deps_of(LINES)
    assert saved.words.along == arcs
    assert saved.words.keeping == 1
    assert (
        "nurse → doctor. The gold arcs were carried over. Other trees" in saved.summary
    )
    assert (differences(draft), draft.sentence.forms) == ([], source.forms)


def test_a_word_typed_in_the_arcs_goes_to_the_gold_tree_and_links_stay(cast) -> None:
    layer = layers.start(cast.pair, by=cast.bob)
    type(layer).objects.filter(pk=layer.pk).update(origin=Origin.GOLD)
    layer.refresh_from_db()
    sent = {"uuid": uuid4(), "base_rev": layer.revision, "op": "link"}
    step = operations.LayerStep.read(sent | {"s": "n1", "t": "n10"})
    links.play(layer, step, by=cast.ada)
    layer.refresh_from_db()
    before = layer.links
    gold_arcs(cast)
    draft = begin(cast, cast.ada, kind=DEPS)
    retype(draft, "doctor")
    saved = save(draft, cast.ada)
    tree = gold.gold_of(draft.sentence)
    assert tree.text == people.SOURCE.replace("nurse", "doctor")
    layer.refresh_from_db()
    assert (layer.source_parse, layer.links, layer.parked) == (tree, before, [])
    assert [one.parked for one in saved.followed] == [0]


def test_undone_and_saved_again_all_is_as_it_was(cast) -> None:
    arcs, tree = gold_arcs(cast), gold.gold_of(cast.pair.source)
    draft = begin(cast, cast.ada)
    retype(draft, "doctor")
    save(draft, cast.ada)
    play(draft, "undo")
    assert differences(draft)[0].is_own
    assert save(draft, cast.ada).words.typed == {1: ("doctor", "nurse")}
    source = Sentence.objects.get(pk=cast.pair.source_id)
    assert source.tokens == cast.pair.source.tokens
    assert source.text == cast.pair.source.text
    assert (gold.gold_of(source), gold.gold_of(source, DEPS)) == (tree, arcs)


def test_trees_from_before_get_the_word_when_they_are_edited(cast) -> None:
    early = begin(cast, cast.bob)
    play(early, "relabel", node=1, label="NX")
    draft = begin(cast, cast.ada)
    retype(draft, "doctor")
    save(draft, cast.ada)
    early.sentence.refresh_from_db()
    assert [(w.draft, w.is_own) for w in differences(early)] == [("nurse", False)]
    saved = gold.save(early, by=cast.bob).parse
    assert saved.to_tree().words[1] == "nurse"
    seen = gold.gold_of(cast.pair.source).code
    made = gold.save_as_gold(saved, by=cast.ada, seen=seen)
    labelled = people.SOURCE.replace("(NP (DT The)", "(NX (DT The)")
    assert made.parse.text == labelled.replace("nurse", "doctor")
    assert made.words is None
    engine = people.parse(cast.pair.source, people.SOURCE, engine="technical")
    late = drafts.tree_at_start(Sentence.objects.get(pk=cast.pair.source_id), engine)
    assert late.words[1] == "doctor"


def test_two_who_type_the_same_word_anew_do_not_overwrite_each_other(cast) -> None:
    hers = begin(cast, cast.ada)
    arcs = begin(cast, cast.ada, kind=DEPS)
    retype(hers, "doctor")
    retype(arcs, "surgeon")
    save(hers, cast.ada)
    with pytest.raises(Conflict, match="“doctor” now, and “surgeon” here"):
        save(arcs, cast.ada)
    retype(arcs, "doctor")
    assert save(arcs, cast.ada).words is None
    assert gold.gold_of(arcs.sentence, DEPS).to_deps() == arcs.to_arcs().deps


def test_raw_text_that_does_not_hold_the_words_stays_and_that_is_said(cast) -> None:
    Sentence.objects.filter(pk=cast.pair.source_id).update(text="Something else")
    draft = begin(cast, cast.ada)
    retype(draft, "doctor")
    saved = save(draft, cast.ada)
    draft.sentence.refresh_from_db()
    assert (draft.sentence.text, draft.sentence.forms[1]) == (
        "Something else",
        "doctor",
    )
    assert "raw text does not contain" in saved.summary


def test_nothing_follows_from_a_word_typed_anew(cast) -> None:
    people.forest(cast.pair.source, (0.0, people.SOURCE), engine="technical")
    draft = begin(cast, cast.bob)
    play(draft, play=consequences.play, token=1, form="doctor")
    play(draft, "relabel", play=consequences.play, node=1, label="NX")
    ops = draft.events.order_by("revision").values_list("op", flat=True)
    assert list(ops)[:2] == ["retype", "relabel"]
    assert draft.to_tree().words[1] == "doctor"


def test_the_page_types_a_word_anew_without_a_script(cast, client: Client) -> None:
    client.force_login(cast.ada)
    for name, node in (("tree_edit", 3), ("arcs_edit", 4)):
        url = reverse(name, args=["windows", cast.pair.source.code])
        context = client.get(url).context
        sent = {"uuid": uuid4(), "base_rev": context["revision"], "op": "retype"}
        sent |= {"node": node, "form": "doctor", "gold": context["gold"]}
        page = client.post(url, sent, follow=True)
        assert "edited here; the sentence gets it" in page.content.decode()
    refused = client.post(url, sent | {"uuid": uuid4(), "base_rev": 1, "form": ""})
    assert "is not a word" in refused.content.decode()


def test_another_tree_is_taken_on_the_words_of_the_draft(cast, client: Client) -> None:
    client.force_login(cast.ada)
    flat = "(S (DT The) (NN nurse) (VBD opened) (DT the) (NN window) (. .))"
    other = people.parse(cast.pair.source, flat, engine="technical")
    draft = begin(cast, cast.ada)
    retype(draft, "doctor")
    url = reverse("tree_edit", args=["windows", cast.pair.source.code])
    sent = {"uuid": uuid4(), "base_rev": 1, "op": "begin", "source": other.code}
    client.post(url, sent, follow=True)
    draft.refresh_from_db()
    assert draft.text == flat.replace("nurse", "doctor")


def test_programs_type_words_anew_and_hear_what_followed(cast, client: Client) -> None:
    gold_arcs(cast)
    client.force_login(cast.ada)
    path = f"/api/sentences/{cast.pair.source.code}/draft/"
    begun = client.post(path, {}, "application/json").json()
    sent = {"uuid": str(uuid4()), "base_rev": 0, "op": "retype", "token": 1}
    ops = f"/api/tree-drafts/{begun['code']}/ops/"
    after = client.post(ops, sent | {"form": "doctor"}, "application/json").json()
    assert after["nodes"][3]["form"] == "doctor"
    seen = gold.gold_of(cast.pair.source).code
    save = f"/api/tree-drafts/{begun['code']}/save/"
    made = client.post(save, {"role": "gold", "gold": seen}, "application/json").json()
    assert made["words"] == {
        "typed": {"1": ["nurse", "doctor"]},
        "along": gold.gold_of(cast.pair.source, DEPS).code,
        "keeping": 0,
        "in_text": True,
        "layers": [],
    }


def test_the_file_imported_again_leaves_the_sentence_on_its_words(cast) -> None:
    bring_in(cast, BRACKETS, kind="ptb", name="rain.ptb", corpus="Rain")
    draft = drafts.start(Sentence.objects.get(text="It rained"), by=cast.ada)
    retype(draft, "poured")
    save(draft, cast.ada)
    job = bring_in(cast, BRACKETS, kind="ptb", name="rain.ptb", corpus="Rain")
    assert job.result["new"]["sentences"] == 0
    draft.sentence.refresh_from_db()
    assert (draft.sentence.text, draft.sentence.tokens) == ("It poured", "It\npoured")
    (kept,) = draft.sentence.parses.filter(origin=Origin.GOLD)
    assert "poured" in kept.text
