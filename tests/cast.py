"""Ada owns a project, Bob annotates in it, Cyd is a stranger. Plain functions."""

from dataclasses import dataclass, field

from django.contrib.auth.models import User

from annotator.models import (
    AlignmentLayer,
    Corpus,
    Membership,
    Origin,
    PackedForest,
    Pair,
    Parse,
    Project,
    Sentence,
)
from core.forests.mixture import ranked_forest
from core.formats import forest_npz, ptb
from tests import small_pcfg

PASSWORD = "correct horse battery"
SOURCE = (
    "(S (NP (DT The) (NN nurse)) (VP (VBD opened) (NP (DT the) (NN window))) (. .))"
)
TARGET = (
    "(S (NP (DT The) (NN window)) (VP (VBD was) (VP (VBN opened)"
    " (PP (IN by) (NP (DT the) (NN nurse))))) (. .))"
)


def person(name: str) -> User:
    return User.objects.create_user(name, password=PASSWORD)


@dataclass
class Cast:
    """The people and one small project with one aligned pair."""

    ada: User = field(default_factory=lambda: person("ada"))
    bob: User = field(default_factory=lambda: person("bob"))
    cyd: User = field(default_factory=lambda: person("cyd"))

    def __post_init__(self) -> None:
        self.project = Project.objects.create(name="Windows", slug="windows")
        Membership.objects.create(project=self.project, user=self.ada, role="manager")
        Membership.objects.create(project=self.project, user=self.bob, role="annotator")
        self.corpus = corpus(self.project)
        self.pair = pair(self.corpus, SOURCE, TARGET)
        self.layer = layer(self.pair, author=self.bob)


def corpus(project: Project, name: str = "Houses") -> Corpus:
    return Corpus.objects.create(project=project, name=name, licence="CC0")


def sentence(corpus: Corpus, words: str) -> Sentence:
    forms = words.split()
    key = Sentence.key_of(words)
    made, _ = Sentence.objects.get_or_create(
        corpus=corpus,
        key=key,
        defaults={"text": words, "tokens": "\n".join(forms), "n_tokens": len(forms)},
    )
    return made


def ptb_words(brackets: str) -> str:
    """The words of a bracketing."""
    return " ".join(ptb.parse_one(brackets).words)


def parse(of: Sentence, brackets: str, *, rank: int = 1, engine: str = "") -> Parse:
    return Parse.objects.create(
        sentence=of,
        kind=Parse.Kind.CONSTITUENCY,
        origin=Origin.ENGINE if engine else Origin.GOLD,
        engine=engine,
        rank=rank,
        text=brackets,
        digest=Sentence.key_of(brackets),
    )


def forest(of: Sentence, *trees: tuple[float, str], engine: str) -> PackedForest:
    """A stored forest that has these trees, weights in nats, and no other."""
    ranked = ranked_forest([(weight, ptb.parse_one(text)) for weight, text in trees])
    return PackedForest.objects.create(
        sentence=of, engine=engine, data=forest_npz.dump(*ranked)
    )


def pair(corpus: Corpus, source: str, target: str, *, label: str = "") -> Pair:
    """A pair of bracketed sentences with their gold trees."""
    sides = [sentence(corpus, ptb_words(t)) for t in (source, target)]
    for side, brackets in zip(sides, (source, target), strict=True):
        if not side.parses.exists():
            parse(side, brackets)
    made = Pair.objects.create(
        corpus=corpus,
        source=sides[0],
        target=sides[1],
        text=f"{sides[0].text}\n{sides[1].text}",
        n_source=sides[0].n_tokens,
        n_target=sides[1].n_tokens,
        label=label,
        has_parse=True,
        key=Sentence.key_of(sides[0].key, sides[1].key),
    )
    Corpus.objects.filter(pk=corpus.pk).update(n_pairs=corpus.pairs.count())
    return made


def gold_pairs(corpus: Corpus) -> None:
    """15 pairs of the small grammar's sentences, with their 30 trees."""
    texts = [text[2:-2] for text in small_pcfg.bracketings()]
    for first, second in zip(texts[::2], texts[1::2], strict=True):
        pair(corpus, first, second)


def layer(of: Pair, *, author: User | None = None, name: str = "") -> AlignmentLayer:
    origin = Origin.ANNOTATOR if author else Origin.GOLD
    author_id = author.pk if author else None
    return AlignmentLayer.objects.create(
        pair=of,
        origin=origin,
        author=author,
        name=name,
        slot=AlignmentLayer.slot_of(origin, author_id=author_id, name=name),
        source_parse=of.source.parses.first(),
        target_parse=of.target.parses.first(),
    )
