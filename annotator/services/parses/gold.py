"""Storing an edited tree: as the person's own parse, or as gold."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotator import access
from annotator.errors import StaleEdit
from annotator.exchange.rows import FILE, RAW
from annotator.models import AlignmentLayer, Origin, Parse, Sentence, TreeDraft
from annotator.models.projects import Anybody
from annotator.services.alignments import links, operations
from annotator.services.alignments.links import Followed
from annotator.services.parses import parsers, retyping, steps
from annotator.services.parses.retyping import (
    BEGAN,
    CUT_FROM,
    RETYPED,
    Settled,
    Typed,
)
from core.errors import GemelError
from core.formats import tigerxml, treetext

TREES = Parse.Kind.CONSTITUENCY
IDS = "ids"  # of a parse's meta: the id of each node in the file it came from
ACCOUNT = (RETYPED, CUT_FROM)


@dataclass(frozen=True, slots=True)
class NewWords:
    """Words of the sentence edited, split or joined. ``along``: gold arcs, or the
    gold tree, that went along; ``keeping``: other trees, which keep the former words;
    ``in_text``: whether the raw text held the words, and was changed, too; ``layers``:
    all layers of links, if words were split or joined, as each is now."""

    typed: Typed
    along: Parse | None
    keeping: int
    in_text: bool
    layers: tuple[Followed, ...] = ()
    is_cut: bool = False

    @property
    def summary(self) -> str:
        """For people: what is new, what followed, what did not."""
        shown = ", ".join(f"{was} → {word}" for was, word in self.typed.values())
        what = (
            _("Words of the sentence split, joined or edited: %(words)s.")
            if self.is_cut
            else _("Words of the sentence edited: %(words)s.")
        )
        parts = [what % {"words": shown}]
        if self.along and self.along.kind == Parse.Kind.DEPENDENCY:
            parts.append(_("The gold arcs were carried over."))
        elif self.along:
            parts.append(_("The gold constituents were carried over."))
        if self.keeping:
            kept = _("Other trees that keep the former words: %(n)s.")
            parts.append(kept % {"n": self.keeping})
        if not self.in_text:
            parts.append(
                _("The raw text does not contain these words, so it stays as it is.")
            )
        if self.is_cut:
            n, parked = len(self.layers), sum(one.parked for one in self.layers)
            links = _(
                "Alignments carried over, with links to every part of a word: %(n)s; "
                "decisions on hold in them: %(parked)s. Trees and forests of parsers "
                "still have the former words: parse the corpus again."
            )
            parts.append(links % {"n": n, "parked": parked})
        return " ".join(parts)


@dataclass(frozen=True, slots=True)
class Saved:
    """``done``: layers on the former tree that are done, and so were left on it."""

    parse: Parse
    followed: tuple[Followed, ...]
    done: int = 0
    words: NewWords | None = None
    waits: bool = False  # on its own words, which links do not have yet

    @property
    def summary(self) -> str:
        """For people: what happened to the links."""
        if self.waits:
            return _("Links stay where they are until these words are gold.")
        parts = [one.summary for one in self.followed]
        if self.done:
            text = ngettext(
                "%(n)s finished alignment keeps the earlier tree",
                "%(n)s finished alignments keep the earlier tree",
                self.done,
            )
            parts.append(text % {"n": self.done})
        said = "; ".join(parts)
        return f"{self.words.summary} {said}".strip() if self.words else said


@transaction.atomic
def save(draft: TreeDraft, *, by: Anybody) -> Saved:
    """The draft as the person's own parse; their open layers use it from now on.

    The same tree saved twice is one row. Raises NotAllowed.
    """
    access.require(by, "annotate", draft.sentence.corpus.project)
    waits = len(retyping.words_of(draft)) != draft.sentence.n_tokens
    began = {BEGAN: list(retyping.began_on(draft))} if waits else {}
    parse, _is_new = Parse.objects.get_or_create(
        sentence=draft.sentence,
        kind=draft.kind,
        origin=Origin.ANNOTATOR,
        engine="",
        version=str(by.pk),  # two people's trees may be the same
        rank=1,
        digest=Sentence.key_of(*treetext.parts(draft.text, draft.meta)),
        defaults={
            "text": draft.text,
            "meta": draft.meta
            | retyping.note(retyping.of(draft, draft.sentence))
            | began,
            "author_id": by.pk,
        },
    )
    parsers.mark_parsed(draft.sentence.corpus)
    if waits:
        return Saved(parse, (), waits=True)
    own = Q(origin=Origin.ANNOTATOR, author_id=by.pk)
    return Saved(parse, _follow(parse, own, by))


def gold_of(sentence: Sentence, kind: str = TREES) -> Parse | None:
    """The gold tree of a sentence, if it has one."""
    return sentence.parses.filter(kind=kind, origin=Origin.GOLD).order_by("pk").first()


@transaction.atomic
def save_as_gold(made: TreeDraft | Parse, *, by: Anybody, seen: str) -> Saved:
    """A draft, or the tree that someone or a parser made, as the gold tree; the one
    before stays as "former gold", and may be gold again.

    ``seen``: the code of the gold tree that the person saw, "" for none. Raises
    NotAllowed, StaleEdit if it is another by now.
    """
    access.require(by, "curate", made.sentence.corpus.project)
    sentence = Sentence.objects.select_for_update().get(pk=made.sentence_id)
    former = gold_of(sentence, made.kind)
    if (former.code if former else "") != seen:
        raise stale(made, former)
    settled = retyping.settled(made, sentence)
    tree = treetext.parts(settled.text, settled.meta)
    digest = Sentence.key_of(*tree)
    if former and treetext.parts(former.text, former.meta) == tree:
        return Saved(former, ())
    parse = _put(Parse(sentence=sentence, kind=made.kind, digest=digest,
                       text=settled.text, meta=settled.meta),
                 former, settled, by)  # fmt: skip
    words = _new_words(parse, settled, by) if settled.typed else None
    parsers.mark_parsed(made.sentence.corpus)
    followed = follow_gold(parse, by=by)
    if words and words.along:
        followed += follow_gold(words.along, by=by)
    if words:
        made.sentence.refresh_from_db(fields=["tokens", "n_tokens", "text", "columns"])
    on_former = Q(source_parse=former) | Q(target_parse=former)
    left = AlignmentLayer.objects.filter(on_former).exclude(origin=Origin.ENGINE)
    return Saved(parse, followed, left.count() if former else 0, words)


def stale(made: TreeDraft | Parse, former: Parse | None) -> StaleEdit:
    """Another gold tree than someone saw, with both, for anyone who chooses."""
    facts: dict[str, Any] = {"gold": former.code if former else ""}
    with suppress(GemelError):  # one that cannot be read is not shown
        facts["mine"] = steps.state(retyping.tree_of(made))
        facts["theirs"] = steps.state(retyping.tree_of(former)) if former else {}
    reason = _(
        "Someone else saved another gold tree in the meantime. Choose "
        "which one to keep."
    )
    return StaleEdit(reason, **facts)


def _put(made: Parse, former: Parse | None, new: Settled, by: Anybody) -> Parse:
    """The tree in the place of the former. One that was gold before is gold again;
    else a new row, with the account of words edited."""
    golds = Parse.objects.filter(
        sentence=made.sentence, kind=made.kind, origin=Origin.GOLD
    )
    golds.update(origin=Origin.FORMER)
    kept = {} if former is None else former.meta
    own = retyping.account(kept, new)
    again = Parse.objects.filter(
        sentence=made.sentence, kind=made.kind, origin=Origin.FORMER, digest=made.digest
    ).first()
    if again is not None:
        known = {k: v for k, v in again.meta.items() if k not in ACCOUNT}
        again.origin, again.meta = Origin.GOLD, known | own
        again.save(update_fields=["origin", "meta"])
        return again
    file = (
        {FILE: kept[FILE]} if FILE in kept else {}
    )  # it goes out where that came from
    meta = {name: value for name, value in made.meta.items() if name not in ACCOUNT}
    meta |= _named(made, former)
    made.meta, made.origin, made.author_id = meta | file | own, Origin.GOLD, by.pk
    made.save()
    return made


def _named(made: Parse, former: Parse | None) -> dict[str, Any]:
    """The ids of its nodes, where the tree before came with some: alignments in files
    of their own name them. And the text it came as, which says more of these nodes."""
    ids = former.meta.get(IDS) if former and made.kind == TREES else None
    if not ids:
        return {}
    assert former is not None
    with suppress(GemelError):  # one that cannot be read names nothing
        before = former.to_tree()
        if len(ids) == len(before):  # a bundle from elsewhere may bring any
            tree = made.to_tree()
            named = {IDS: tigerxml.kept_ids(tree, before, ids)}
            source = former.meta.get(RAW) or former.meta.get(tigerxml.SOURCE)
            is_cut = tree.n_tokens != before.n_tokens
            if not source or is_cut:
                return named
            own = made.meta.get("secondary", [])  # said even if none: see ``lifted``
            return named | {tigerxml.SOURCE: source, "secondary": own}
    return {}


def _new_words(parse: Parse, new: Settled, by: Anybody) -> NewWords:
    """The sentence gets the words, and so does its gold tree of the other kind."""
    sentence, former, typed = parse.sentence, parse.sentence.text, new.typed
    is_in_text = retyping.store(sentence, typed, new.cut)
    comments = former, sentence.text
    _comment_text(parse, *comments)
    parse.save(update_fields=["meta"])
    others = [kind for kind in Parse.Kind if kind != parse.kind]
    other = gold_of(sentence, others[0])
    along = _along(other, sentence, new, by) if other else None
    if along:
        _comment_text(along, *comments)
        along.save(update_fields=["meta"])
    rest = sentence.parses.exclude(origin=Origin.FORMER).exclude(pk=parse.pk)
    if not new.cut:
        keeping = sum(_keeps(one, typed) for one in rest)
        return NewWords(typed, along, keeping, is_in_text)
    keeping = sum(len(retyping.words_of(one)) != sentence.n_tokens for one in rest)
    tree = parse if parse.kind == TREES else gold_of(sentence)
    followed = links.follow(sentence, new.cut, tree, by=by)
    retyping.name_engines(sentence)
    return NewWords(typed, along, keeping, is_in_text, followed, is_cut=True)


def _along(gold: Parse, sentence: Sentence, new: Settled, by: Anybody) -> Parse | None:
    """The other gold tree on the new words; None if it is of other words anyhow.

    Raises Conflict where words that were joined cannot be joined in it.
    """
    if not new.cut and not _keeps(gold, new.typed):
        return None
    made = retyping.brought_along(gold, sentence, new)
    if made is None:
        return None
    text, notes = made
    meta = {k: v for k, v in gold.meta.items() if k not in treetext.NOTES} | notes
    digest = Sentence.key_of(*treetext.parts(text, meta))
    row = Parse(
        sentence=sentence, kind=gold.kind, text=text, digest=digest, meta=meta
    )  # fmt: skip
    return _put(row, gold, new, by)


def _keeps(parse: Parse, typed: Typed) -> bool:
    """Whether a tree has one of the words that were edited as it was."""
    words = retyping.words_of(parse)
    return any(i < len(words) and words[i] == was for i, (was, _) in typed.items())


def _comment_text(parse: Parse, former: str, text: str) -> None:
    """The comment of CoNLL-U that gives the raw text."""
    comments = parse.meta.get("comments", [])
    new = [f"# text = {text}" if c == f"# text = {former}" else c for c in comments]
    if new != comments:
        parse.meta = parse.meta | {"comments": new}


def follow_gold(parse: Parse, *, by: Anybody) -> tuple[Followed, ...]:
    """Open gold layers go to this tree."""
    return _follow(parse, Q(origin=Origin.GOLD), by)


def _follow(parse: Parse, whose: Q, by: Anybody) -> tuple[Followed, ...]:
    """Open layers of the sentence's pairs go to this tree; links keep their nodes.

    Links to words refer to the sentence, whatever its arcs.
    """
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
            followed.append(Followed.of(layer, layer.to_core(), len(layer.parked)))
    return tuple(followed)
