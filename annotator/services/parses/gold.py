"""What becomes of an edited tree: the person's own parse, or the gold one."""

from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import StaleEdit
from annotator.exchange.rows import FILE
from annotator.models import AlignmentLayer, Origin, Parse, Sentence, TreeDraft
from annotator.models.projects import Anybody
from annotator.services.alignments import links, operations
from annotator.services.parses import parsers

__all__ = [
    "Followed",
    "Saved",
    "choose",
    "follow_gold",
    "gold_of",
    "save",
    "save_as_gold",
]

TREES = Parse.Kind.CONSTITUENCY


@dataclass(frozen=True, slots=True)
class Followed:
    """A layer of links that moved to the new tree; ``parked``: decisions on phrases
    that it does not have."""

    pair: str
    kept: int
    parked: int


@dataclass(frozen=True, slots=True)
class Saved:
    """``done``: layers on the former tree that are done, and so were left on it."""

    parse: Parse
    followed: tuple[Followed, ...]
    done: int = 0

    @property
    def summary(self) -> str:
        """For people: what happened to the links."""
        parts = [
            f"{one.pair}: {one.kept} decisions went along, {one.parked} parked"
            for one in self.followed
        ]
        if self.done:
            parts.append(
                f"{self.done} alignments that are done stay on the former tree"
            )
        return "; ".join(parts)


@transaction.atomic
def save(draft: TreeDraft, *, by: Anybody) -> Saved:
    """The draft as the person's own parse; their open layers stand on it from now on.

    The same tree saved twice is one row. Raises NotAllowed.
    """
    access.require(by, "annotate", draft.sentence.corpus.project)
    parse, _is_new = Parse.objects.get_or_create(
        sentence=draft.sentence,
        kind=draft.kind,
        origin=Origin.ANNOTATOR,
        engine="",
        version=str(by.pk),  # two people's trees may be the same
        rank=1,
        digest=Sentence.key_of(draft.text),
        defaults={"text": draft.text, "meta": draft.meta, "author_id": by.pk},
    )
    parsers.mark_parsed(draft.sentence.corpus)
    own = Q(origin=Origin.ANNOTATOR, author_id=by.pk)
    return Saved(parse, _follow(parse, own, by))


def gold_of(sentence: Sentence, kind: str = TREES) -> Parse | None:
    """The gold tree of a sentence, if it has one."""
    return sentence.parses.filter(kind=kind, origin=Origin.GOLD).order_by("pk").first()


def save_as_gold(draft: TreeDraft, *, by: Anybody, seen: str) -> Saved:
    """The draft as the gold tree; the one before stays as "former gold".

    ``seen``: the code of the gold tree that the person saw, "" for none. Raises
    NotAllowed, StaleEdit if it is another by now.
    """
    return _make_gold(draft, by=by, seen=seen)


def choose(parse: Parse, *, by: Anybody, seen: str) -> Saved:
    """The tree that somebody, or a parser, made as the gold tree, too.

    As ``save_as_gold``. A former gold tree is gold again.
    """
    return _make_gold(parse, by=by, seen=seen)


@transaction.atomic
def _make_gold(made: TreeDraft | Parse, *, by: Anybody, seen: str) -> Saved:
    access.require(by, "curate", made.sentence.corpus.project)
    sentence = Sentence.objects.select_for_update().get(pk=made.sentence_id)
    former = gold_of(sentence, made.kind)
    if (former.code if former else "") != seen:
        raise StaleEdit(
            _(
                "Somebody else saved another gold tree meanwhile: "
                "compare the two first."
            ),
            gold=former.code if former else "",
        )
    digest = Sentence.key_of(made.text)
    if former and former.digest == digest:
        return Saved(former, ())
    golds = sentence.parses.filter(kind=made.kind, origin=Origin.GOLD)
    golds.update(origin=Origin.FORMER)
    parse = _gold(made, former, digest, by)
    parsers.mark_parsed(made.sentence.corpus)
    followed = follow_gold(parse, by=by)
    on_former = Q(source_parse=former) | Q(target_parse=former)
    left = AlignmentLayer.objects.filter(on_former).exclude(origin=Origin.ENGINE)
    return Saved(parse, followed, left.count() if former else 0)


def _gold(
    made: TreeDraft | Parse, former: Parse | None, digest: str, by: Anybody
) -> Parse:
    """A former gold tree that is the same becomes gold again; else a new row."""
    of = {"sentence": made.sentence, "kind": made.kind}
    again = Parse.objects.filter(**of, origin=Origin.FORMER, digest=digest).first()
    if again is not None:
        again.origin = Origin.GOLD
        again.save(update_fields=["origin"])
        return again
    meta: dict[str, Any] = dict(made.meta)
    if former and FILE in former.meta:
        meta[FILE] = former.meta[FILE]  # it goes out where the former came from
    new = {"text": made.text, "digest": digest, "meta": meta, "author_id": by.pk}
    return Parse.objects.create(**of, origin=Origin.GOLD, **new)


def follow_gold(parse: Parse, *, by: Anybody) -> tuple[Followed, ...]:
    """Open gold layers go to this tree."""
    return _follow(parse, Q(origin=Origin.GOLD), by)


def _follow(parse: Parse, whose: Q, by: Anybody) -> tuple[Followed, ...]:
    """Open layers of the sentence's pairs go to this tree; links keep their nodes.

    Links to words stand on the sentence, whatever its arcs are."""
    followed: list[Followed] = []
    if parse.kind != TREES:
        return ()
    for side, name in (("s", "source"), ("t", "target")):
        rows = AlignmentLayer.objects.filter(
            whose, **{f"pair__{name}": parse.sentence_id}
        ).filter(state=AlignmentLayer.State.OPEN)
        for layer in rows.exclude(**{f"{name}_parse": parse}).select_related("pair"):
            sent = {"op": "parse", "side": side, "parse": parse.code}
            step = {"uuid": uuid4(), "base_rev": layer.revision}
            links.play(layer, operations.LayerStep.read(sent | step), by=by)
            layer.refresh_from_db()
            now = layer.to_core()
            kept = len(now.links) + len(now.null_source) + len(now.null_target)
            followed.append(Followed(str(layer.pair), kept, len(layer.parked)))
    return tuple(followed)
