"""Trees under someone's hands, and the append-only ledger of what was done to them."""

from uuid import uuid4

from django.conf import settings
from django.db import models
from django.utils import timezone

from annotator.models.analyses import Parse
from annotator.models.codes import CodeField
from annotator.models.corpora import Sentence
from core.data.tree import Tree
from core.formats import treetext
from core.trees.arcs import Arcs


class TreeDraft(models.Model):
    """One person's tree of one sentence, of either kind, while it is being edited.

    ``base``: the parse it began as; ``text`` and ``meta`` as those of a ``Parse``. It
    becomes a parse, which never changes, when the person saves it.
    """

    code = CodeField()
    sentence = models.ForeignKey(Sentence, models.CASCADE, related_name="drafts")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+"
    )
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
    ``done``: the operation, ``back``: the one that takes it back, both as
    ``core.trees`` writes them. ``undoes``: the event that this one undoes.
    """

    draft = models.ForeignKey(TreeDraft, models.CASCADE, related_name="events")
    uuid = models.UUIDField(default=uuid4)
    revision = models.PositiveIntegerField()  # of the draft after this operation
    op = models.CharField(max_length=24)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
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
