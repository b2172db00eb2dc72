"""Someone who corrects a parser's trees to gold through the API, played."""

import pytest

from annotator.models import TreeDraft
from annotator.services.parses import gold
from core.formats import ptb
from core.trees.phrases import SplitPhrase
from gemel_client import Client
from lab.bench import correcting
from lab.tests.evaluation.test_correcting import FLAT, NESTED
from tests import cast as people
from tests.annotator.test_client import token_of
from tests.running import WAIT_S

LOW, HIGH = ptb.bracket(NESTED), ptb.bracket(FLAT)
WANTED = f"(ROOT {LOW})".replace("(NP (PRP She))", "(NP-SBJ (PRP She))")
WANTED = WANTED.replace("(VBD saw)", "(VBN saw)")
SHORT = "(S (NP (NN Rain)) (VP (VBZ falls)))"
CHAIN = "(FRAG (S (NP (NN Rain)) (VP (VBZ falls))))"


@pytest.fixture
def parsed(transactional_db, live_server):
    """A corpus with two parsed sentences, one with a forest; ada curates it."""
    cast = people.Cast()
    corpus = people.corpus(cast.project, "Weather")
    saw = people.sentence(corpus, "She saw a man with a hat in a room")
    people.parse(saw, HIGH, engine="toy")
    people.forest(saw, (0.0, HIGH), (-2.0, LOW), engine="toy")
    rain = people.sentence(corpus, "Rain falls")
    people.parse(rain, SHORT, engine="toy")
    people.sentence(corpus, "Not parsed")
    client = Client(live_server.url, token_of(cast.ada), timeout=WAIT_S)
    return client, corpus


@pytest.mark.parametrize("follow", [True, False])
def test_every_tree_becomes_gold_and_the_ledger_gives_it(parsed, follow: bool) -> None:
    client, corpus = parsed
    golds = [ptb.parse_one(text) for text in (WANTED, CHAIN)]
    counts = correcting.run(client, corpus.code, golds, follow=follow)
    assert (counts["sentences"], counts["left_out"]) == (2, 1)
    assert counts["matched_before"] < counts["matched"]
    assert counts["reached"] == counts["replayed"] == 2
    assert counts["matched"] == counts["brackets"] == counts["guessed"]
    assert counts["followed"] == int(follow)
    texts = [gold.gold_of(one).text for one in corpus.sentences.all()[:2]]
    assert texts == [WANTED, CHAIN]
    assert TreeDraft.objects.count() == 2


def test_sentences_of_the_same_words_take_the_trees_in_order(parsed) -> None:
    client, corpus = parsed
    words = {"text": "Rain falls", "tokens": "Rain\nfalls", "n_tokens": 2}
    again = corpus.sentences.create(key="again", **words)
    people.parse(again, SHORT, engine="toy")
    golds = [ptb.parse_one(text) for text in (CHAIN, SHORT)]
    counts = correcting.run(client, corpus.code, golds, follow=True)
    assert counts["reached"] == counts["sentences"] == 2
    rain = corpus.sentences.filter(text="Rain falls").order_by("pk")
    assert [gold.gold_of(one).text for one in rain] == [CHAIN, SHORT]


def test_what_was_cut_short_goes_on(parsed, tmp_path) -> None:
    client, corpus = parsed
    log = tmp_path / "log.jsonl"
    golds = [ptb.parse_one(text) for text in (WANTED, CHAIN)]
    whole = correcting.run(client, corpus.code, golds, follow=True, log=log)
    lines = log.read_text().splitlines()
    log.write_text(lines[0] + "\n")
    again = correcting.run(client, corpus.code, golds, follow=True, log=log)
    assert again == whole
    assert log.read_text().splitlines() == lines


def test_a_history_is_one_s_own(parsed) -> None:
    client, corpus = parsed
    draft = client.begin_tree(corpus.sentences.first().code)
    draft = client.tree_step(draft, "relabel", node=1, label="NX")
    (event,) = client.tree_history(draft)
    assert event["done"] == {"op": "relabel", "node": 1, "label": "NX", "focus": 1}
    assert event["back"]["op"] == "restore"
    assert client.tree_step(draft, "undo").text != draft.text


def test_parentheses_of_a_gold_file_are_those_of_the_sentence() -> None:
    tree = ptb.parse_one("(S (-LRB- -LRB-) (X a) (-RRB- -RRB-))")
    made = correcting.as_imported(tree)
    assert made.words == ("(", "a", ")")
    assert made.labels == tree.labels


def test_a_split_is_sent_as_the_ledger_has_it(parsed) -> None:
    client, corpus = parsed
    draft = client.begin_tree(corpus.sentences.first().code)
    tree = correcting.tree_of(draft.nodes)
    v = next(v for v in range(1, len(tree)) if len(tree.children[v]) > 1)
    step = SplitPhrase(v, (1,))
    draft = client.tree_step(draft, **step.to_json())
    assert correcting.tree_of(draft.nodes) == step.on(tree).tree
    (event,) = client.tree_history(draft)
    draft = client.tree_step(draft, "undo")
    done = {name: value for name, value in event["done"].items() if name != "focus"}
    draft = client.tree_step(draft, **done)
    assert correcting.tree_of(draft.nodes) == step.on(tree).tree
