"""Words split and joined: a person's own until the tree is gold, then the sentence's,
its pairs', its other gold tree's and its links'."""

from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, Conflict, StaleEdit
from annotator.models import AlignmentLayer, Origin, Pair, Parse, Sentence
from annotator.services.alignments import layers, links, operations
from annotator.services.parses import arc_drafts, consequences, drafts, gold, parsers
from annotator.services.parses.retyping import FORMERLY, differences
from core.formats import conllu
from core.protocols import BackendInfo
from tests import cast as people
from tests.annotator.parses.test_retyping import (
    DEPS,
    LINES,
    begin,
    gold_arcs,
    play,
    save,
)

pytestmark = pytest.mark.django_db
WORDS = ["The", "nurse", "opened", "the", "win", "dow", "."]
SPLIT = people.SOURCE.replace("(NN window)", "(NN win) (NN dow)")


def split(draft, *forms: str, token: int = 4, rev: int | None = None):
    return play(
        draft, "split", token=token, forms=list(forms or ("win", "dow")), rev=rev
    )


def source(cast) -> Sentence:
    return Sentence.objects.get(pk=cast.pair.source_id)


def linked(cast, layer: AlignmentLayer, *cells: tuple[str, str]) -> AlignmentLayer:
    for s, t in cells:
        layer.refresh_from_db()
        sent = {"uuid": uuid4(), "base_rev": layer.revision, "op": "link"}
        step = operations.LayerStep.read(sent | {"s": s, "t": t})
        links.play(layer, step, by=layer.author or cast.ada)
    layer.refresh_from_db()
    return layer


def cells(layer: AlignmentLayer) -> list[list[str]]:
    layer.refresh_from_db()
    return [row[:2] for row in layer.links["links"]]


def test_a_word_is_split_and_joined_undone_and_done_again(cast) -> None:
    draft = begin(cast, cast.bob)
    split(draft)
    assert draft.text == SPLIT
    assert [(w.number, w.draft, w.sentence, w.is_own) for w in differences(draft)] == [
        (5, "win dow", "window", True)
    ]
    play(draft, "undo")
    assert (draft.text, differences(draft)) == (people.SOURCE, [])
    play(draft, "redo")
    with pytest.raises(StaleEdit):
        split(draft, "a", "b", rev=0)
    play(draft, "join", token=4)
    assert draft.text == people.SOURCE
    play(draft, "undo")
    assert draft.text == SPLIT
    mine = gold.save(draft, by=cast.bob)
    assert mine.waits
    assert mine.parse.to_tree().words == tuple(WORDS)
    assert source(cast).n_tokens == 6


def test_arcs_are_split_and_joined_undone_and_done_again(cast) -> None:
    gold_arcs(cast)
    draft = begin(cast, cast.bob, kind=DEPS)
    split(draft)
    play(draft, "relation", token=5, relation="compound")
    play(draft, "undo")
    play(draft, "undo")
    assert draft.text == LINES
    play(draft, "redo")
    assert list(draft.to_arcs().words) == WORDS
    play(draft, "join", token=4)
    assert draft.text == LINES
    assert arc_drafts.decided(draft) == {}


def test_a_phrase_two_mothers_and_half_a_word_are_refused(cast) -> None:
    draft = begin(cast, cast.bob)
    with pytest.raises(BadRequest, match="Choose a word"):
        play(draft, "split", node=1, forms=["a", "b"])
    with pytest.raises(Conflict, match="different parents"):
        play(draft, "join", token=1)
    with pytest.raises(BadRequest):
        play(draft, "split", token=1, forms=["a"])
    with pytest.raises(Conflict, match="no word"):
        play(draft, "join", token=5)


def test_with_gold_the_sentence_its_pairs_the_arcs_and_all_links_follow(cast) -> None:
    gold_arcs(cast)
    engine = people.parse(cast.pair.source, people.SOURCE, engine="technical")
    Parse.objects.filter(pk=engine.pk).update(version="1")
    Sentence.objects.filter(pk=cast.pair.source_id).update(
        columns={"xpos": ["DT", "NN", "VBD", "DT", "NN", "."], "x": "y"}
    )
    bobs = layers.start(cast.pair, by=cast.bob)
    linked(cast, bobs, ("w4", "w1"), ("w5", "w7"), ("n6", "n1"), ("n1", "n10"))
    done = people.layer(cast.pair, name="done")
    AlignmentLayer.objects.filter(pk=done.pk).update(
        links={"links": [["w5", "w7", "sure"]], "null_source": ["w4"]}, state="done"
    )
    draft = begin(cast, cast.ada)
    split(draft)
    saved = save(draft, cast.ada)
    now = source(cast)
    assert (now.forms, now.n_tokens) == (WORDS, 7)
    assert now.text == "The nurse opened the window ."  # the letters are the same
    assert now.columns == {"xpos": ["DT", "NN", "VBD", "DT", "NN", "NN", "."], "x": "y"}
    assert Pair.objects.get(pk=cast.pair.pk).n_source == 7
    arcs = gold.gold_of(now, DEPS)
    assert [t.form for t in conllu.tokens_of(arcs.text)] == WORDS
    assert cells(bobs) == [["n1", "n10"], ["n6", "n1"], ["w4", "w1"], ["w5", "w1"],
                           ["w6", "w7"]]  # fmt: skip
    assert bobs.source_parse == saved.parse == gold.gold_of(now)
    done.refresh_from_db()
    assert (done.state, cells(done)) == ("done", [["w6", "w7"]])
    assert done.links["null_source"] == ["w4", "w5"]
    engine.refresh_from_db()
    assert engine.version == "1" + FORMERLY
    assert saved.words.typed == {4: ("window", "win dow")}
    assert saved.words.along == arcs
    assert "window → win dow. The gold arcs were carried over." in saved.summary
    assert "parse the corpus again" in saved.summary
    assert differences(draft) == []


def test_undone_and_saved_again_all_is_as_it_was(cast) -> None:
    arcs, tree = gold_arcs(cast), gold.gold_of(cast.pair.source)
    engine = people.parse(cast.pair.source, people.SOURCE, engine="technical")
    layer = layers.start(cast.pair, by=cast.bob)
    linked(cast, layer, ("w4", "w1"), ("n6", "n1"))
    before = layer.links
    draft = begin(cast, cast.ada)
    split(draft)
    save(draft, cast.ada)
    play(draft, "undo")
    save(draft, cast.ada)
    now = source(cast)
    assert (now.tokens, now.text) == (cast.pair.source.tokens, cast.pair.source.text)
    assert (gold.gold_of(now).text, gold.gold_of(now, DEPS).text) == (
        tree.text,
        arcs.text,
    )
    layer.refresh_from_db()
    assert (layer.links, layer.parked) == (before, [])
    engine.refresh_from_db()
    assert engine.version == ""
    assert Pair.objects.get(pk=cast.pair.pk).n_source == 6


def test_a_join_in_the_arcs_goes_to_the_tree_and_phrases_that_go_are_parked(
    cast,
) -> None:
    gold_arcs(cast)
    layer = linked(
        cast, layers.start(cast.pair, by=cast.bob), ("w3", "w0"), ("w4", "w1")
    )
    draft = begin(cast, cast.ada, kind=DEPS)
    play(draft, "join", token=3)
    save(draft, cast.ada)
    now = source(cast)
    assert now.forms == ["The", "nurse", "opened", "thewindow", "."]
    assert now.text == "The nurse opened thewindow ."
    assert Pair.objects.get(pk=cast.pair.pk).source_text == now.text
    assert "(NP (DT thewindow))" in gold.gold_of(now).text
    assert cells(layer) == [["w3", "w0"], ["w3", "w1"]]


def test_words_that_the_other_gold_tree_has_apart_are_refused_with_a_remedy(
    cast,
) -> None:
    gold_arcs(cast)
    draft = begin(cast, cast.ada, kind=DEPS)
    play(draft, "join", token=1)  # nurse opened: an arc, and two phrases
    with pytest.raises(Conflict, match=r"gold constituents .* different parents"):
        save(draft, cast.ada)
    assert source(cast).n_tokens == 6


def test_an_undo_of_links_from_before_is_refused_and_links_go_on(cast) -> None:
    layer = linked(cast, layers.start(cast.pair, by=cast.ada), ("w4", "w1"))
    draft = begin(cast, cast.ada)
    split(draft)
    save(draft, cast.ada)
    layer.refresh_from_db()
    undo = {"uuid": uuid4(), "base_rev": layer.revision, "op": "undo"}
    with pytest.raises(Conflict, match="split or joined since"):
        links.play(layer, operations.LayerStep.read(undo), by=cast.ada)
    linked(cast, layer, ("w6", "w7"))
    undo = {"uuid": uuid4(), "base_rev": layer.revision, "op": "undo"}
    links.play(layer, operations.LayerStep.read(undo), by=cast.ada)
    assert cells(layer) == [["w4", "w1"], ["w5", "w1"]]


def test_trees_from_before_get_the_words_when_they_are_edited_or_chosen(cast) -> None:
    early = begin(cast, cast.bob)
    play(early, "relabel", node=1, label="NX")
    engine = people.parse(cast.pair.source, people.SOURCE, engine="technical")
    draft = begin(cast, cast.ada)
    split(draft)
    save(draft, cast.ada)
    early.sentence.refresh_from_db()
    assert [(w.draft, w.is_own) for w in differences(early)] == [("window", False)]
    late = drafts.tree_at_start(source(cast), engine)
    assert list(late.words) == WORDS
    saved = gold.save(early, by=cast.bob).parse
    seen = gold.gold_of(cast.pair.source).code
    made = gold.save_as_gold(saved, by=cast.ada, seen=seen)
    assert made.parse.text == SPLIT.replace("(NP (DT The)", "(NX (DT The)")
    assert (made.words, source(cast).n_tokens) == (None, 7)


def test_a_saved_tree_with_a_split_becomes_gold_by_a_curator(cast) -> None:
    draft = begin(cast, cast.bob)
    split(draft)
    mine = gold.save(draft, by=cast.bob).parse
    seen = gold.gold_of(cast.pair.source).code
    gold.save_as_gold(mine, by=cast.ada, seen=seen)
    assert source(cast).forms == WORDS


def test_two_who_change_the_same_words_do_not_overwrite_each_other(cast) -> None:
    hers, his = begin(cast, cast.ada), begin(cast, cast.bob)
    split(hers)
    split(his, "wind", "ow")
    cast.project.memberships.filter(user=cast.bob).update(role="curator")
    save(hers, cast.ada)
    his.sentence.refresh_from_db()
    with pytest.raises(Conflict, match="“win” / “wind”; “dow” / “ow”"):
        save(his, cast.bob)
    play(his, "undo")  # theirs
    save(his, cast.bob)
    assert source(cast).forms == WORDS
    play(hers, "undo")
    split(hers, "wind", "ow")
    save(hers, cast.ada)
    assert source(cast).forms[4:6] == ["wind", "ow"]


def test_nothing_follows_from_words_split_nor_is_anything_shaded(cast) -> None:
    people.forest(cast.pair.source, (0.0, people.SOURCE), engine="technical")
    draft = begin(cast, cast.bob)
    play(draft, "split", play=consequences.play, token=4, forms=["win", "dow"])
    play(draft, "relabel", play=consequences.play, node=1, label="NX")
    ops = draft.events.order_by("revision").values_list("op", flat=True)
    assert list(ops) == ["split", "relabel"]
    assert consequences.forest_over(draft) is None


def test_the_page_splits_and_joins_without_a_script(cast, client: Client) -> None:
    gold_arcs(cast)
    client.force_login(cast.ada)
    for name, node in (("tree_edit", 8), ("arcs_edit", 4)):
        url = reverse(name, args=["windows", cast.pair.source.code])
        context = client.get(url).context
        sent = {"uuid": uuid4(), "base_rev": context["revision"], "op": "split"}
        sent |= {"node": node, "form": "win dow", "gold": context["gold"]}
        page = client.post(url, sent, follow=True).content.decode()
        assert "edited here; the sentence gets it" in page
        refused = client.post(url, sent | {"uuid": uuid4(), "form": "window"})
        assert "one space between" in refused.content.decode()
        sent |= {"uuid": uuid4(), "base_rev": 1, "op": "join", "form": "x y"}
        page = client.post(url, sent, follow=True).content.decode()
        assert "edited here" not in page
    seen = gold.gold_of(cast.pair.source, DEPS).code
    sent = {"uuid": uuid4(), "base_rev": 2, "op": "gold", "gold": seen}
    page = client.post(url, sent, follow=True).content.decode()
    assert "These are the gold arcs now" in page


def test_pages_hold_while_drafts_and_sentence_have_other_words(
    cast, client: Client
) -> None:
    gold_arcs(cast)
    bobs = begin(cast, cast.bob)
    play(bobs, "relabel", node=1, label="NX")
    begin(cast, cast.bob, kind=DEPS)
    layers.start(cast.pair, by=cast.bob)
    draft = begin(cast, cast.ada)
    split(draft)
    save(draft, cast.ada)
    client.force_login(cast.bob)
    code = cast.pair.source.code
    for name in ("tree_edit", "arcs_edit"):
        assert client.get(reverse(name, args=["windows", code])).status_code == 200
    for path in (f"/p/windows/sentence/{code}/", f"/p/windows/pair/{cast.pair.code}/"):
        assert client.get(path, follow=True).status_code == 200


def test_another_tree_is_taken_on_the_split_words_of_the_draft(
    cast, client: Client
) -> None:
    client.force_login(cast.ada)
    flat = "(S (DT The) (NN nurse) (VBD opened) (DT the) (NN window) (. .))"
    other = people.parse(cast.pair.source, flat, engine="technical")
    draft = begin(cast, cast.ada)
    split(draft)
    url = reverse("tree_edit", args=["windows", cast.pair.source.code])
    sent = {"uuid": uuid4(), "base_rev": 1, "op": "begin", "source": other.code}
    client.post(url, sent, follow=True)
    draft.refresh_from_db()
    assert draft.text == flat.replace("(NN window)", "(NN win) (NN dow)")


def test_programs_split_and_join_and_hear_what_followed(cast, client: Client) -> None:
    gold_arcs(cast)
    layer = linked(cast, layers.start(cast.pair, by=cast.bob), ("w4", "w1"))
    client.force_login(cast.ada)
    path = f"/api/sentences/{cast.pair.source.code}/arc-draft/"
    begun = client.post(path, {}, "application/json").json()
    sent = {"uuid": str(uuid4()), "base_rev": 0, "op": "split", "token": 4}
    sent |= {"forms": ["win", "dow"], "relation": "compound"}
    ops = f"/api/arc-drafts/{begun['code']}/ops/"
    after = client.post(ops, sent, "application/json").json()
    assert after["arcs"][5] == {
        "token": 5, "form": "dow", "head": 4, "relation": "compound"
    }  # fmt: skip
    wrong = sent | {"uuid": str(uuid4()), "base_rev": 1, "forms": ["one"]}
    assert client.post(ops, wrong, "application/json").status_code == 400
    lines = {"uuid": str(uuid4()), "base_rev": 1, "op": "restore", "lines": LINES}
    assert client.post(ops, lines, "application/json").status_code == 400
    seen = gold.gold_of(cast.pair.source, DEPS).code
    save = f"/api/tree-drafts/{begun['code']}/save/"
    made = client.post(save, {"role": "gold", "gold": seen}, "application/json").json()
    assert made["words"] == {
        "typed": {"4": ["window", "win dow"]},
        "along": gold.gold_of(cast.pair.source).code,
        "keeping": 0,
        "in_text": True,
        "layers": [{"pair": str(layer.pair), "kept": 2, "parked": 0}],
    }


def test_a_parser_reads_the_sentence_again(cast) -> None:
    row = people.parse(cast.pair.source, people.SOURCE, engine="technical")
    Parse.objects.filter(pk=row.pk).update(version="1", meta={"nbest": 1})
    info = BackendInfo("technical", "1", "", ("en",), frozenset())
    assert cast.pair.source not in parsers._lacking(cast.corpus, info, 1)
    draft = begin(cast, cast.ada)
    split(draft)
    save(draft, cast.ada)
    assert cast.pair.source in parsers._lacking(cast.corpus, info, 1)
    assert Parse.objects.get(pk=row.pk).origin == Origin.ENGINE
