"""Trees edited by hand: one draft per person and sentence, its steps, and its end.

The ledger is append-only. A step is idempotent by its uuid; one that was made from an
older revision is refused with what is there now (StaleEdit): nothing is overwritten.
Undo appends the inverse of one's own last step.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict, StaleEdit
from annotator.models import Parse, Sentence, TreeDraft, TreeEvent
from annotator.models.projects import Anybody
from annotator.services.alignments import layers
from annotator.services.changes import hold
from annotator.services.parses import retyping, steps
from annotator.services.parses.steps import AnyEdit, read_edit, snapshot, steps_of
from core.data.tree import Tree, TreeBuilder
from core.errors import FormatError, InvalidValue
from core.formats import treetext
from core.trees import brackets, editing
from core.trees.arc_lines import Arcs
from core.trees.phrases import JoinPhrases, SplitPhrase
from core.trees.splitting import Join, Split
from core.trees.stepping import Replace, Restore, TreeEdit

WALKS = ("undo", "redo")
FOLLOW = "follow"  # automatic consequences of a person's step
GONE = "secondary_gone"  # in TreeEvent.done
OF_WORDS = (editing.Retype.op, Split.op, Join.op)
NEUTRAL = (*OF_WORDS, editing.AddSecondary.op, editing.RemoveSecondary.op)
"""Steps that decide no brackets."""
_OWN = {editing.RelabelAll.op, Restore.op}
OPS = (*(op for op in editing.OPS if op not in _OWN), *WALKS)
"""What a person sends; several nodes at once are relabelled by a query, and a tree is
restored by undo and redo."""


@dataclass(frozen=True, slots=True)
class DraftStep:
    """A requested step; ``base_rev``: the revision that the person saw.

    ``operation`` is None for "undo" and "redo": the ledger knows which step that is.
    """

    uuid: UUID
    base_rev: int
    op: str
    operation: AnyEdit | None = None
    focus: int | None = None  # the node that it is about, if not the operation's own

    @classmethod
    def read(cls, sent: Mapping[str, Any], tree: Tree) -> "DraftStep":
        """The step that was sent, read against the ``tree`` that the person saw.

        Raises BadRequest, in brackets with ``line`` and ``column``.
        """
        return cls.of(sent, OPS, lambda op: _operation(op, sent, tree))

    @classmethod
    def of(
        cls, sent: Mapping[str, Any], ops: Collection[str], read: Callable[[str], Any]
    ) -> "DraftStep":
        """One of the steps ``ops``, whose operation ``read`` makes; raises BadRequest
        where it raises FormatError or InvalidValue."""
        op = str(sent["op"])
        if op not in ops:
            raise BadRequest(
                _("There is no operation %(op)s.") % {"op": repr(op)}, field="op"
            )
        try:
            operation = None if op in WALKS else read(op)
        except FormatError as error:
            place = {"line": error.line, "column": error.column}
            raise BadRequest(str(error), field="text", **place) from error
        except InvalidValue as error:
            raise BadRequest(str(error), field="op") from error
        return cls(sent["uuid"], sent["base_rev"], op, operation)


def _operation(op: str, sent: Mapping[str, Any], tree: Tree) -> TreeEdit:
    if op == "replace":
        return Replace(brackets.typed(str(sent.get("text", "")), tree))
    more = {**sent, "gap": False}  # that is for the corpus to say
    if op in OF_WORDS:
        more = _at_token(more, tree)
    if op == SplitPhrase.op:
        more = _before_child(more, tree)
    if op == JoinPhrases.op:
        more = _with_next(more, tree)
    return editing.read(more)


def _at_token(sent: dict[str, Any], tree: Tree) -> dict[str, Any]:
    """A word may be named as a node, too. Raises InvalidValue on a phrase."""
    node = sent.get("node")
    if node is None or sent.get("token") is not None:
        return sent
    if node >= len(tree) or tree.tokens[node] < 0:
        reason = _("Only words can be edited, split or joined. Choose a word.")
        raise InvalidValue(reason)
    return {**sent, "token": tree.tokens[node]}


def _before_child(sent: dict[str, Any], tree: Tree) -> dict[str, Any]:
    """A phrase may be split before a child of it, named instead. Raises InvalidValue on
    the root."""
    node = sent.get("node")
    if node is None or sent.get("at") is not None or not 0 <= node < len(tree):
        return sent
    mother = tree.parents[node]
    if mother < 0:
        reason = _("Choose the child with which the second phrase begins.")
        raise InvalidValue(reason)
    return {**sent, "node": mother, "at": tree.children[mother].index(node)}


def _with_next(sent: dict[str, Any], tree: Tree) -> dict[str, Any]:
    """A phrase alone is joined with the sibling after it. Raises InvalidValue if there
    is none."""
    first, last = sent.get("first"), sent.get("last")
    if first is None or last not in (None, first) or not 0 < first < len(tree):
        return sent
    siblings = tree.children[tree.parents[first]]
    after = siblings[siblings.index(first) + 1 :]
    if not after:
        raise InvalidValue(
            _("There is no sibling after it. Choose the first of the two.")
        )
    return {**sent, "last": after[0]}


def draft_of(
    sentence: Sentence, by: Anybody, kind: Parse.Kind = Parse.Kind.CONSTITUENCY
) -> TreeDraft | None:
    drafts = TreeDraft.objects.filter(sentence=sentence, author_id=by.pk)
    return drafts.filter(kind=kind).first()


def starting(
    sentence: Sentence,
    by: Anybody,
    code: str = "",
    kind: Parse.Kind = Parse.Kind.CONSTITUENCY,
) -> Parse | None:
    """The parse that a draft begins as: that of ``code``, else one's own, gold, an
    engine's best. Raises BadRequest on one that there is not, or not for this person.
    """
    rows = Parse.objects.readable_by(by, sentence.corpus.project)
    rows = rows.filter(sentence=sentence, kind=kind)
    if code:
        parse = rows.filter(code=code).first()
        if parse is None or not _can_begin(parse, sentence):
            raise BadRequest(_("There is no such tree of this sentence."), field="base")
        return parse
    own = rows.filter(author_id=by.pk).order_by("-pk").first()
    chosen = own or layers.first_of(kind, rows).get(sentence.pk)
    return chosen if chosen and _can_begin(chosen, sentence) else None


def _can_begin(parse: Parse, sentence: Sentence) -> bool:
    """Whether there is a tree of it over the words that the sentence has now."""
    try:
        retyping.up_to_date(sentence, parse, retyping.tree_of(parse))
    except (FormatError, InvalidValue):
        return False
    return True


def tree_at_start(sentence: Sentence, base: Parse | None) -> Tree:
    """The tree of ``base``, on the words that the sentence has now; without one all
    words side by side, to be bracketed."""
    if base is not None:
        made: Tree = retyping.up_to_date(sentence, base, base.to_tree())
        return made
    tags = sentence.columns.get("xpos") or sentence.columns.get("upos") or []
    builder = TreeBuilder()
    builder.open("S")
    for i, form in enumerate(sentence.forms):
        builder.leaf((tags[i] if i < len(tags) else "") or "X", form)
    builder.close()
    return builder.freeze()


@transaction.atomic
def start(sentence: Sentence, *, by: Anybody, base: str = "") -> TreeDraft:
    """The person's draft of this sentence, created if there is none.

    Raises NotAllowed, BadRequest; Conflict if the sentence was undone.
    """

    def made(parse: Parse | None) -> tuple[str, dict[str, Any]]:
        return treetext.dump(tree_at_start(sentence, parse))

    return begin(sentence, Parse.Kind.CONSTITUENCY, made, by=by, base=base)


def begin(
    sentence: Sentence,
    kind: Parse.Kind,
    made: Callable[[Parse | None], tuple[str, dict[str, Any]]],
    *,
    by: Anybody,
    base: str,
) -> TreeDraft:
    """The person's draft of this kind; ``made``: text and meta of a new one.

    Within a transaction. Raises as ``start``.
    """
    access.require(by, "annotate", sentence.corpus.project)
    there = draft_of(sentence, by, kind)
    if there is not None:
        return there
    parse = starting(sentence, by, base, kind)
    text, meta = made(parse)
    for stands_on in (sentence, parse):
        hold(stands_on)
    draft, _is_new = TreeDraft.objects.get_or_create(
        sentence=sentence,
        author_id=by.pk,
        kind=kind,
        defaults={"base": parse, "text": text, "meta": meta},
    )
    return draft


@transaction.atomic
def play(draft: TreeDraft, step: DraftStep, *, by: Anybody) -> TreeEvent:
    """Do one step; the event that records it, also if it was done before.

    Raises NotAllowed, Conflict (not with this tree, or nothing to undo), StaleEdit.
    """
    seen = TreeEvent.objects.filter(draft=draft, uuid=step.uuid).first()
    if seen is not None:
        return seen
    access.require(by, "annotate", draft.sentence.corpus.project)
    fresh = TreeDraft.objects.get(pk=draft.pk, author_id=by.pk)
    if step.base_rev != fresh.revision:
        raise _stale(fresh)
    operation, undoes = _operation_of(fresh, step)
    tree = retyping.tree_of(fresh)
    try:
        operation = steps.allowed(operation, tree, draft.sentence.corpus)
        edited = operation.on(tree)
    except InvalidValue as error:
        raise Conflict(str(error)) from error
    _store(fresh, edited.tree, step)
    draft.refresh_from_db()
    focus = edited.at if step.focus is None else step.focus
    done = operation.to_json() | {"focus": focus} | _gone(tree, edited.tree, step)
    if undoes is not None:
        done["focus"] = _focus(undoes, edited.tree)
    return TreeEvent.objects.create(
        draft=fresh,
        uuid=step.uuid,
        revision=step.base_rev + 1,
        op=step.op,
        by_id=fresh.author_id,
        done=done,
        back=steps.restoring(tree).to_json(),
        undoes=undoes,
    )


def _gone(before: Tree | Arcs, now: Tree | Arcs, step: DraftStep) -> dict[str, int]:
    """How many secondary edges a step took along with their nodes, if any."""
    if isinstance(before, Arcs) or isinstance(now, Arcs):
        return {}
    n = len(before.secondary) - len(now.secondary)
    return {GONE: n} if n > 0 and step.op not in (*WALKS, *NEUTRAL) else {}


def _operation_of(
    draft: TreeDraft, step: DraftStep
) -> tuple[AnyEdit, TreeEvent | None]:
    if step.operation is not None:
        return step.operation, None
    event = steps_of(draft).of(step.op)
    return read_edit(draft, event.back), event


def _focus(event: TreeEvent, tree: Tree | Arcs) -> int:
    """The node or word of the person's step that undoing ``event`` takes back, or does
    again; ``tree``: as it is then."""
    first = event
    while first.undoes is not None:
        first = first.undoes
    done: Mapping[str, Any] = first.done
    if event.op == "undo":
        return int(done.get("focus", 0))
    if isinstance(tree, Tree) and "token" in done:
        return tree.leaf_of[done["token"]]
    return int(next((done[k] for k in ("node", "first", "token") if k in done), 0))


def _store(draft: TreeDraft, tree: Tree | Arcs, step: DraftStep) -> None:
    """Compare and set on the revision."""
    if isinstance(tree, Arcs):
        text, notes = tree.lines, draft.meta
    else:
        text, notes = treetext.dump(tree)
    rows = TreeDraft.objects.filter(pk=draft.pk, revision=step.base_rev)
    now = timezone.now()
    new = {"text": text, "meta": notes, "updated_at": now}
    if not rows.update(revision=step.base_rev + 1, **new):
        draft.refresh_from_db()
        raise _stale(draft)


def _stale(draft: TreeDraft) -> StaleEdit:
    return StaleEdit(
        _(
            "This tree was changed in the meantime, in another tab or by a program. "
            "Your step was not applied. This is the tree as it is now."
        ),
        revision=draft.revision,
        draft=snapshot(draft),
    )
