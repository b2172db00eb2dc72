"""One query about several trees of a sentence: gold, a parser's, a person's, arcs."""

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest
from annotator.models import Origin, Parse, Sentence
from annotator.services.queries import running
from core.errors import InvalidValue
from core.formats import ptb
from core.queries import matching, parser
from tests import cast as people

pytestmark = pytest.mark.django_db
HIGH = "(S (NP (PRP She)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))))"  # fmt: skip  # noqa: E501
LOW = "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat))))))"  # fmt: skip  # noqa: E501
TRACE = "(S (NP (PRP She)) (VP (VBD saw) (NP (-NONE- *)) (NP (DT a) (NN man)) (PP (IN with) (NP (DT a) (NN hat)))))"  # fmt: skip  # noqa: E501
ROWS = [
    ("She", 2, "nsubj"), ("saw", 0, "root"), ("a", 4, "det"), ("man", 2, "obj"),
    ("with", 7, "case"), ("a", 7, "det"), ("hat", 2, "obl"),
]  # fmt: skip
ARCS = "\n".join(
    f"{n}\t{form}\t_\t_\t_\t_\t{head}\t{relation}\t_\t_"
    for n, (form, head, relation) in enumerate(ROWS, 1)
)


def stored(sentence: Sentence, text: str, **more) -> None:
    more = {"kind": Parse.Kind.CONSTITUENCY} | more
    digest = Sentence.key_of(text, "")
    Parse.objects.create(sentence=sentence, text=text, digest=digest, **more)


@pytest.fixture
def corpus(cast):
    made = people.corpus(cast.project, "trees")
    sentence = people.sentence(made, "She saw a man with a hat")
    people.parse(sentence, HIGH)
    people.parse(sentence, LOW, engine="toy")
    stored(sentence, ARCS, kind=Parse.Kind.DEPENDENCY, origin=Origin.GOLD)
    slept = "(S (NP (PRP She)) (VP (VBD slept)))"
    people.parse(people.sentence(made, "She slept"), slept)
    return made


def labels(text: str, corpus, user=None) -> list[tuple[str, int]]:
    page = running.search(text, [corpus], user).page()
    return [(match.hits[0].label, match.hits[0].node) for match in page.matches]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("NP !^[parser] NP where trees = gold", []),
        ("NP !^[gold] NP where trees = parser", [("NP", 5)]),
        ("PP > VP ^[parser] (PP > NP) where trees = gold", [("PP", 8)]),
        ("PP > VP !^[parser] (PP > VP) where trees = gold", [("PP", 8)]),
        ("NP ^[arcs] [deprel=obj]", [("NP", 5)]),
        ("VP < (NP ^[arcs] [deprel=obl])", []),
        ("PP ^[arcs] [deprel=obl]", [("PP", 8)]),
        ("[deprel=obj] ^[tree] (NP $ PP)", [("obj", 3)]),
        ("VP ^[arcs] ([deprel=root] -[obl]-> __)", [("VP", 3)]),
        ("PRP ^[arcs] [deprel=nsubj]", [("PRP", 2)]),
    ],
)
def test_a_node_has_the_words_of_one_in_another_tree(corpus, text, found) -> None:
    assert labels(text, corpus) == found


def test_empty_elements_do_not_shift_the_words(cast) -> None:
    made = people.corpus(cast.project, "traces")
    sentence = people.sentence(made, "She saw a man with a hat")
    people.parse(sentence, TRACE)
    people.parse(sentence, HIGH, engine="toy")
    text = "NP ^[parser] (NP $ PP) where trees = gold"
    assert [label for label, _ in labels(text, made)] == ["NP"]


def test_trees_of_others_are_compared_by_those_who_may_see_them(cast, corpus) -> None:
    sentence = corpus.sentences.first()
    stored(sentence, LOW, origin=Origin.ANNOTATOR, author=cast.ada)
    text = "PP ^[ada] (PP > NP)"
    assert labels(text, corpus, cast.ada) == [("PP", 8)]
    assert labels(text, corpus, cast.bob) == []
    assert labels("PP ^[mine] (PP > NP)", corpus, cast.ada) == [("PP", 8)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("NP ^[arcs] NP", "leads to a dependency tree"),
        ("[upos=NOUN] ^[tree] [upos=NOUN]", "leads to a constituency tree"),
        ("NP < [deprel=obj]", "one query"),
        ("NP ^[gold] (NP ~ NP)", "link beyond"),
        ("NP=a ^[gold] (NP < =a)", "no node is named"),
    ],
)
def test_what_another_tree_cannot_answer_is_refused(corpus, text, said) -> None:
    with pytest.raises(BadRequest, match=said):
        labels(text, corpus)


def test_a_tree_alone_has_no_others() -> None:
    ground = matching.ground_of(ptb.parse_one(HIGH))
    with pytest.raises(InvalidValue, match="single tree"):
        matching.matches_in(ground, parser.parse("NP ^[gold] NP"))


def test_two_parsers_are_compared_over_the_same_sentences(cast, corpus) -> None:
    sentence = corpus.sentences.order_by("pk").first()
    people.parse(sentence, HIGH, engine="other")
    client = Client()
    client.force_login(cast.ada)
    page = reverse("query", args=["windows", corpus.code])
    asked = {"q": "PP > NP where parser = toy", "by": "label", "versus": "parser:other"}
    shown = client.get(page, asked)
    made = shown.context["compared"]
    assert [(one["found"], one["alone"]) for one in made["sides"]] == [(1, 1), (0, 0)]
    assert (made["is_same"], made["p"]) == (True, "1.000")
    assert "Parser: other" in shown.content.decode()
    gold = client.get(page, asked | {"versus": "gold"}).context["compared"]
    assert [one["found"] for one in gold["sides"]] == [1, 0]
    there = reverse("query_groups", args=["windows", corpus.code, "csv"])
    rows = b"".join(client.get(there, asked)).decode()
    assert rows.splitlines()[1].startswith("PP,1,0,")
