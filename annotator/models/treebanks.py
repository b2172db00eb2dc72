"""Operations on many trees at once, and the rules that a treebank declares."""

from uuid import uuid4

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotator.models.analyses import Parse
from annotator.models.authorship import account
from annotator.models.codes import CodeField
from annotator.models.corpora import Corpus, Sentence
from core.data.tree import Tree
from core.formats import treetext
from core.trees.arc_lines import Arcs


class TreeDraft(models.Model):
    """One person's tree of one sentence, of either kind, while it is being edited.

    ``base``: the parse it began as; ``text`` and ``meta`` as those of a ``Parse``. It
    becomes a parse, which never changes, when the person saves it.
    """

    code = CodeField()
    sentence = models.ForeignKey(Sentence, models.CASCADE, related_name="drafts")
    author = account(related_name="+")
    kind = models.CharField(
        max_length=12, choices=Parse.Kind, default=Parse.Kind.CONSTITUENCY
    )
    base = models.ForeignKey(Parse, models.SET_NULL, null=True, related_name="+")
    text = models.TextField()
    meta = models.JSONField(default=dict, blank=True)
    revision = models.PositiveIntegerField(default=0)  # +1 with every operation
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["sentence_id", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["sentence", "author", "kind"], name="draft_a_person_a_kind"
            )
        ]

    def __str__(self) -> str:
        return f"draft {self.code} by {self.author}"

    def to_tree(self) -> Tree:
        """The constituent tree; raises FormatError on a draft of arcs."""
        return treetext.load(self.text, self.meta)

    def to_arcs(self) -> Arcs:
        """The dependency tree; raises FormatError on a draft of constituents."""
        return Arcs(self.text)


class TreeEvent(models.Model):
    """One operation on a draft. Rows are only ever added.

    ``uuid`` comes from the browser: the same operation sent twice counts once.
    ``done``: the operation, ``back``: the one that restores the tree before it, both as
    ``core.trees`` writes them. ``undoes``: the event that this one undoes.
    """

    draft = models.ForeignKey(TreeDraft, models.CASCADE, related_name="events")
    uuid = models.UUIDField(default=uuid4)
    revision = models.PositiveIntegerField()  # of the draft after this operation
    op = models.CharField(max_length=24)
    by = account(related_name="+")
    at = models.DateTimeField(default=timezone.now)
    done = models.JSONField(default=dict)
    back = models.JSONField(default=dict)
    undoes = models.ForeignKey("self", models.PROTECT, null=True, related_name="+")

    class Meta:
        ordering = ["draft_id", "revision"]
        constraints = [
            models.UniqueConstraint(fields=["draft", "uuid"], name="tree_step_once"),
            models.UniqueConstraint(
                fields=["draft", "revision"], name="tree_step_a_revision"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.op} at revision {self.revision} of {self.draft_id}"


class TreeBatch(models.Model):
    """Nodes that a query names, relabelled or rewritten in one step, undone in one.

    ``node``: the name of the query's node that is meant, "" for the first one.
    ``label``: the new one, or commands. ``as_drafts``: drafts changed alone, no gold.
    """

    code = CodeField()
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="batches")
    query = models.CharField(max_length=1000)
    node = models.CharField(max_length=40, blank=True)
    label = models.CharField(max_length=500)
    as_drafts = models.BooleanField(default=False)
    keeps_functions = models.BooleanField(default=False)
    by = account(related_name="+")
    at = models.DateTimeField(default=timezone.now)
    undone_by = account(null=True, related_name="+")
    undone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.query} → {self.label}"


class BatchTree(models.Model):
    """One sentence of a batch, and the step in the ledger that changed its tree.

    ``before``: the tree as the batch found it; ``after``: the gold tree that it
    became. ``labels``: node and label, a list each, as in ``core.trees.editing``; of a
    tree that was rewritten one step in a list.
    WAITING -> DONE | LEFT; DONE -> UNDONE | KEPT. ``note``: why LEFT, or KEPT.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("Waiting")
        DONE = "done", _("Relabelled")
        LEFT = "left", _("Left as it was")
        UNDONE = "undone", _("Undone")
        KEPT = "kept", _("Not undone")

    batch = models.ForeignKey(TreeBatch, models.CASCADE, related_name="trees")
    sentence = models.ForeignKey(Sentence, models.CASCADE, related_name="+")
    before = models.ForeignKey(Parse, models.CASCADE, related_name="+")
    after = models.ForeignKey(Parse, models.CASCADE, null=True, related_name="+")
    event = models.ForeignKey(TreeEvent, models.CASCADE, null=True, related_name="+")
    labels = models.JSONField(default=list)
    state = models.CharField(max_length=8, choices=State, default=State.WAITING)
    note = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["batch_id", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "sentence"], name="batch_tree_a_sentence"
            )
        ]

    def __str__(self) -> str:
        return f"{self.sentence_id} in batch {self.batch_id}"


class TreebankRules(models.Model):
    """The rules that a corpus declares, as ``core.validation.declared`` reads them."""

    corpus = models.OneToOneField(Corpus, models.CASCADE, related_name="rules")
    text = models.TextField()
    revision = models.PositiveIntegerField(default=1)  # +1 with every change
    by = account(related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["corpus_id"]

    def __str__(self) -> str:
        return f"rules of {self.corpus_id}"
