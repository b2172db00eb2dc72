"""Trees relabelled or rewritten where a query matches: a plan, a step, its undo."""

import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, override

from annotator import access
from annotator.errors import BadRequest, Conflict, Refusal, StaleEdit
from annotator.models import (
    BatchTree,
    Corpus,
    Job,
    Origin,
    Parse,
    Sentence,
    TreeBatch,
    TreeDraft,
    TreeEvent,
)
from annotator.models.projects import Anybody, id_of
from annotator.services import jobs
from annotator.services.parses import drafts, gold
from annotator.services.parses.drafts import DraftStep
from annotator.services.queries import running
from annotator.services.queries.running import Hit, Search
from core.data.tree import Tree
from core.errors import InvalidValue
from core.formats import treetext
from core.protocols import Step
from core.queries.labels import basic
from core.queries.rows import Kind
from core.trees import rewriting
from core.trees.editing import RelabelAll, Retype
from core.trees.rewriting import Command, rewritten
from core.trees.stepping import Replace, TreeEdit, checked_label

MOST, PORTION = 20_000, 500  # sentences of a batch; matches read at a time
LOOK_SECONDS = 5.0
NOT_GOLD = gettext_noop(
    "trees of a parser, which are relabelled only if they become gold trees"
)
SOMEBODYS = gettext_noop("trees that are someone's own, or former gold")
SAME = gettext_noop("trees in which the nodes have this label already")
UNREADABLE = gettext_noop("trees that cannot be read")


@dataclass(frozen=True, slots=True)
class Order:
    """What someone wants relabelled or rewritten.

    ``label``: the new one, or commands as in ``core.trees.rewriting``. ``node``: the
    name of one of the query's nodes, "" for its first. ``keeps_functions``: NP-SBJ
    becomes NX-SBJ. ``with_parsed``: a parser's tree becomes gold, where a sentence has
    no gold tree. ``as_drafts``: the person's drafts change alone, and no gold tree.
    """

    query: str
    label: str
    node: str = ""
    keeps_functions: bool = False
    with_parsed: bool = False
    as_drafts: bool = False

    @property
    def commands(self) -> tuple[Command, ...]:
        """None where it is a label. Raises BadRequest."""
        if len(self.label.split()) < 2:
            return ()
        try:
            return rewriting.read(self.label)
        except InvalidValue as error:
            raise BadRequest(str(error), field="label") from error


@dataclass(frozen=True, slots=True)
class Change:
    """One sentence: its tree, and the nodes that get another label, or what is done
    at them; ``new``: the whole tree where it is rewritten."""

    parse: Parse
    labels: tuple[tuple[int, str], ...]
    new: Tree | None = None

    @property
    def operation(self) -> RelabelAll | Replace:
        return RelabelAll(self.labels) if self.new is None else Replace(self.new)

    @property
    def stored(self) -> list[Any]:
        """As ``BatchTree.labels``."""
        done = self.operation.to_json()
        return done["labels"] if self.new is None else [done]


@dataclass
class Plan:
    """``pairs``: how many nodes go from one label to another. ``left``: how many
    trees stay as they are, by reason. ``digest``: of all that would be done."""

    order: Order
    changes: list[Change] = field(default_factory=list)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    left: Counter[str] = field(default_factory=Counter)

    @property
    def n_nodes(self) -> int:
        return sum(self.pairs.values())

    @property
    def digest(self) -> str:
        rows = [(one.parse.code, one.stored) for one in self.changes]
        return sha256(repr((self.order, rows)).encode()).hexdigest()[:32]


def planned(corpus: Corpus, order: Order, *, by: Anybody) -> Plan:
    """The nodes of the corpus that the order is about, in the order of their trees.

    Raises NotAllowed, BadRequest (the query, the label, or too much), QueryTooSlow.
    """
    access.require(by, "manage", corpus.project)
    search = running.search(order.query, [corpus], by)
    _check(search, order)
    plan, commands = Plan(order), order.commands
    names = [name for one in commands for name in one.names] or [order.node]
    for parse, bound in _with_parses(_bindings(search, names)):
        reason = _reason(parse, order)
        tree = None if reason else parse.readable_tree()
        if tree is None:
            plan.left[reason or UNREADABLE] += 1
            continue
        if commands:
            made = rewritten(tree, commands, bound)
            plan.left.update(made.left)
            change = Change(
                parse, tuple((v, order.label) for v in made.nodes), made.tree
            )
        else:
            nodes = sorted({match[order.node] for match in bound})
            change = Change(parse, _labels(tree, nodes, order))
        if not change.labels or change.new == tree:
            plan.left[SAME] += 1
            continue
        plan.changes.append(change)
        plan.pairs.update((tree.labels[node], label) for node, label in change.labels)
    return plan


def _check(search: Search, order: Order) -> None:
    if not order.commands:
        try:
            checked_label(order.label)
        except InvalidValue as error:
            raise BadRequest(str(error), field="label") from error
    if search.query.kind == "dependency":
        raise BadRequest(
            _(
                "This query is about dependency arcs; only nodes of constituent trees "
                "are relabelled at once."
            ),
            field="q",
        )
    if search.waiting:
        reason = ngettext(
            "%(n)s tree or layer is not indexed yet, so nodes may be "
            "missed. Index it first on the search page.",
            "%(n)s trees or layers are not indexed yet, so nodes may be "
            "missed. Index them first on the search page.",
            search.waiting,
        )
        raise BadRequest(reason % {"n": search.waiting}, field="q")


Bindings = dict[int, list[dict[str, int]]]


def _bindings(search: Search, names: Iterable[str]) -> Bindings:
    """By tree what nodes these names have in each match. Raises BadRequest."""
    wanted = tuple(dict.fromkeys(names))
    by_tree: Bindings = {}
    ends = time.monotonic() + LOOK_SECONDS
    for page in search.pages(PORTION):
        for match in page.matches:
            hits = {name: _meant(match.hits, name) for name in wanted}
            if any(hit.kind not in (Kind.PHRASE, Kind.TAG) for hit in hits.values()):
                raise BadRequest(_word(), field="q")
            found = {name: hit.node for name, hit in hits.items()}
            by_tree.setdefault(hits[wanted[0]].tree, []).append(found)
        if page.after and (len(by_tree) > MOST or time.monotonic() > ends):
            raise BadRequest(_too_much(), field="q")
    return by_tree


def _word() -> str:
    return _(
        "The node is a word; only phrases and tags are relabelled. Name the tag above "
        "it: NN=n < door."
    )


def _too_much() -> str:
    reason = _(
        "This takes more than %(seconds)s seconds, or covers more than "
        "%(most)s sentences. Narrow the query: where length < 20."
    )
    return reason % {"seconds": f"{LOOK_SECONDS:g}", "most": MOST}


def _meant(hits: Iterable[Hit], name: str) -> Hit:
    for hit in hits:
        if not name or hit.name == name:
            return hit
    reason = _("No node of the query is called %(quoted)s: write it as NP=%(name)s.")
    raise BadRequest(reason % {"quoted": repr(name), "name": name}, field="node")


def _with_parses(
    nodes: Bindings,
) -> Iterator[tuple[Parse, list[dict[str, int]]]]:
    keys = sorted(nodes)
    for start in range(0, len(keys), PORTION):
        part = keys[start : start + PORTION]
        rows = Parse.objects.select_related("sentence").in_bulk(part)
        yield from ((rows[key], nodes[key]) for key in part if key in rows)


def _reason(parse: Parse, order: Order) -> str:
    """Why the tree stays as it is; "" if it does not."""
    if parse.kind != Parse.Kind.CONSTITUENCY:
        return UNREADABLE
    if parse.origin == Origin.ENGINE:
        return "" if order.with_parsed and not _has_gold(parse) else NOT_GOLD
    return "" if parse.origin == Origin.GOLD else SOMEBODYS


def _has_gold(parse: Parse) -> bool:
    rows = Parse.objects.filter(sentence=parse.sentence_id, kind=parse.kind)
    return rows.filter(origin=Origin.GOLD).exists()


def _labels(tree: Tree, nodes: list[int], order: Order) -> tuple[tuple[int, str], ...]:
    """The nodes that are not called so already, with their new labels."""
    changes = []
    for node in nodes:
        old = tree.labels[node]
        tail = old[len(basic(old)) :] if order.keeps_functions else ""
        if old != order.label + tail:
            changes.append((node, order.label + tail))
    return tuple(changes)


MEANWHILE = gettext_noop("Another gold tree was saved in the meantime.")
STOPPED = gettext_noop("The job was stopped before this one.")
CHANGED = gettext_noop("The draft was changed since.")
UNSAVED = gettext_noop(
    "You have an unsaved draft of this sentence. Save it, or undo "
    "its steps, then relabel again."
)

AT_ONCE_S = 2.0  # of a request; the rest is a job's
State = BatchTree.State
Work = Callable[[BatchTree, Anybody], None]


def apply(
    corpus: Corpus, order: Order, *, seen: str, by: Anybody
) -> tuple[TreeBatch, Job | None]:
    """Relabel what the preview of the digest ``seen`` showed; the job does what takes
    longer than two seconds.

    Raises NotAllowed, BadRequest; StaleEdit if it would be something else by now,
    Conflict if it is nothing.
    """
    plan = planned(corpus, order, by=by)
    if plan.digest != seen:
        raise StaleEdit(
            _(
                "The trees have changed since this preview, so nothing was done. Look "
                "at the preview again."
            ),
            digest=plan.digest,
        )
    if not plan.changes:
        raise Conflict(_("There is nothing to relabel."))
    with transaction.atomic():
        batch = TreeBatch.objects.create(
            corpus=corpus,
            query=order.query,
            node=order.node,
            label=order.label,
            keeps_functions=order.keeps_functions,
            as_drafts=order.as_drafts,
            by_id=id_of(by),
        )
        BatchTree.objects.bulk_create(
            BatchTree(
                batch=batch,
                sentence_id=one.parse.sentence_id,
                before=one.parse,
                labels=one.stored,
            )
            for one in plan.changes
        )
    return batch, _begin(batch, "apply", by)


def undo(batch: TreeBatch, *, by: Anybody) -> Job | None:
    """Take the whole batch back, but for trees that have been changed since.

    Raises NotAllowed; Conflict if it is undone already, or still being applied.
    """
    access.require(by, "manage", batch.corpus.project)
    of_batch = Job.objects.active().filter(kind="relabel", params__batch=batch.code)
    if of_batch.exists():
        raise Conflict(
            _("This is still being applied. Wait for its job, or cancel it.")
        )
    cut_off = batch.trees.filter(state=State.WAITING)
    cut_off.update(state=State.LEFT, note=STOPPED)
    here = TreeBatch.objects.filter(pk=batch.pk, undone_at=None)
    if not here.update(undone_by_id=by.pk, undone_at=timezone.now()):
        raise Conflict(_("This was already undone."))
    return _begin(batch, "undo", by)


def counts(batch: TreeBatch) -> dict[str, int]:
    """The number of sentences in each state."""
    by_state = {str(state): 0 for state in State.values}
    for state in batch.trees.order_by().values_list("state", flat=True):
        by_state[state] += 1
    return by_state


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Apply or undo the rest of a batch, one sentence per step."""
    batch = TreeBatch.objects.select_related("corpus__project").get(
        code=job.params["batch"], corpus__project=job.project
    )
    do = str(job.params["do"])
    yield Step(total=_rows(batch, do).count())
    for _step in _steps(batch, do, job.by):
        yield Step(done=1)
    return {"batch": batch.code} | counts(batch)


def _begin(batch: TreeBatch, do: str, by: Anybody) -> Job | None:
    """Two seconds of the work now, and a job for the rest if there is one."""
    ends = time.monotonic() + AT_ONCE_S
    for _step in _steps(batch, do, by):
        if time.monotonic() > ends:
            break
    if not _rows(batch, do).exists():
        return None
    title = f"{'Relabel' if do == 'apply' else 'Undo'}: {batch}"
    params = {"batch": batch.code, "do": do, "corpus": batch.corpus.code}
    return jobs.create(
        batch.corpus.project, "relabel", title=title, by=by, params=params
    )


def _rows(batch: TreeBatch, do: str) -> Any:
    wanted = State.WAITING if do == "apply" else State.DONE
    rows = batch.trees.filter(state=wanted).order_by("pk")
    return rows.select_related(
        "sentence__corpus__project", "before", "after", "event", "batch"
    )


def _steps(batch: TreeBatch, do: str, by: Anybody | None) -> Iterator[None]:
    """Each sentence in its own transaction; refusals are recorded, in English like
    everything stored."""
    work, refused = (_relabel, State.LEFT) if do == "apply" else (_restore, State.KEPT)
    assert by is not None
    for pk in list(_rows(batch, do).values_list("pk", flat=True)):
        row = _rows(batch, do).filter(pk=pk).first()
        if row is None:  # another worker was faster
            continue
        try:
            with transaction.atomic(), override("en"):
                work(row, by)
        except Refusal as error:
            batch.trees.filter(pk=pk).update(state=refused, note=str(error)[:300])
        yield


def _relabel(row: BatchTree, by: Anybody) -> None:
    """One sentence: a step in the ledger of the person's draft, saved as gold."""
    former = _held(row)
    if former is not None and former.pk != row.before_id:
        raise Conflict(MEANWHILE)
    draft = _draft_at(row, by)
    operation = _operation_of(row)
    step = DraftStep(uuid4(), draft.revision, operation.op, operation)
    event = drafts.play(draft, step, by=by)
    draft.refresh_from_db()
    if row.batch.as_drafts:
        BatchTree.objects.filter(pk=row.pk).update(state=State.DONE, event=event)
        return
    seen = former.code if former else ""
    saved = gold.save_as_gold(draft, by=by, seen=seen)
    BatchTree.objects.filter(pk=row.pk).update(
        state=State.DONE, event=event, after=saved.parse
    )


def _operation_of(row: BatchTree) -> TreeEdit:
    if row.labels and isinstance(row.labels[0], dict):
        return Replace.read(row.labels[0])
    return RelabelAll(tuple((int(node), str(label)) for node, label in row.labels))


def _held(row: BatchTree) -> Parse | None:
    """The gold tree of the sentence, which no one else changes meanwhile."""
    sentence = Sentence.objects.select_for_update().get(pk=row.sentence_id)
    return gold.gold_of(sentence)


def _draft_at(row: BatchTree, by: Anybody) -> TreeDraft:
    """The person's draft, standing at the tree that is relabelled, on the words that
    the sentence has now. Raises Conflict if it holds work that is saved nowhere."""
    draft = drafts.start(row.sentence, by=by, base=row.before.code)
    draft.sentence = row.sentence
    tree = drafts.tree_at_start(row.sentence, row.before)
    if draft.to_tree() == tree:
        return draft
    digest = Sentence.key_of(*treetext.parts(draft.text, draft.meta))
    saved = row.sentence.parses.filter(digest=digest)
    if draft.revision and not saved.exists():
        raise Conflict(UNSAVED)
    words = enumerate(zip(draft.to_tree().words, tree.words, strict=True))
    steps: list[TreeEdit] = [Retype(i, form) for i, (was, form) in words if was != form]
    for operation in (*steps, Replace(tree)):
        step = DraftStep(uuid4(), draft.revision, operation.op, operation)
        drafts.play(draft, step, by=by)
        draft.refresh_from_db()
    return draft


def _restore(row: BatchTree, by: Anybody) -> None:
    """The tree from before is what it was, if the batch's is still the gold one, or
    the last step of the draft."""
    if row.batch.as_drafts:
        event = row.event
        is_last = event and drafts.steps_of(event.draft).undo == event
        if event is None or event.by_id != by.pk or not is_last:
            raise Conflict(CHANGED)
        _step_back(row, by)
        BatchTree.objects.filter(pk=row.pk).update(state=State.UNDONE)
        return
    now = _held(row)
    if now is None or now.pk != row.after_id:
        who = f" by {now.author}" if now is not None and now.author_id else ""
        raise Conflict(f"Another gold tree was saved in the meantime{who}.")
    now.origin = Origin.FORMER
    now.save(update_fields=["origin"])
    before = row.before
    if before.origin == Origin.FORMER:
        before.origin = Origin.GOLD
        before.save(update_fields=["origin"])
    gold.follow_gold(before, by=by)
    _step_back(row, by)
    BatchTree.objects.filter(pk=row.pk).update(state=State.UNDONE)


def _step_back(row: BatchTree, by: Anybody) -> None:
    """In the person's own draft, too, if the batch's was the last step there."""
    event: TreeEvent | None = row.event
    if event is None or event.by_id != by.pk:
        return
    draft = event.draft
    if drafts.steps_of(draft).undo == event:
        drafts.play(draft, DraftStep(uuid4(), draft.revision, "undo"), by=by)
