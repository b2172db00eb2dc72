"""Pairs parsed together: the runs, their trees, and the ledger of what they changed."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotator.models.analyses import Parse
from annotator.models.authorship import account
from annotator.models.codes import CodeField
from annotator.models.corpora import Corpus, Pair
from annotator.models.projects import Anybody


class JointRunQuerySet(models.QuerySet["JointRun"]):
    def visible_to(self, user: Anybody) -> "JointRunQuerySet":
        return self.filter(corpus__project__memberships__user_id=user.pk)


class JointRun(models.Model):
    """One engine with its settings over the pairs of one corpus; resumable.

    ``parameters``: all that decides what comes out, the parser by name and version;
    ``digest`` makes two runs of the same settings one. ``version`` is also that of the
    run's parses, so that those of other settings stay apart. ``gold_at``: when its
    changes were last compared with gold.
    """

    code = CodeField()
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="joint_runs")
    engine = models.CharField(max_length=60)
    version = models.CharField(max_length=60)
    method = models.CharField(max_length=20)
    label = models.CharField(max_length=120)
    parameters = models.JSONField(default=dict)
    digest = models.CharField(max_length=32)
    n_pairs = models.PositiveIntegerField(default=0)
    n_changes = models.PositiveIntegerField(default=0)
    gold_at = models.DateTimeField(default=timezone.now)
    by = account(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    objects = JointRunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["corpus", "digest"], name="joint_run_once")
        ]

    def __str__(self) -> str:
        return self.label


class JointPair(models.Model):
    """The result of one pair in one run.

    ``rounds``: dual and primal value in nats (None: not finite) and the disagreements,
    a list of three per round; empty where the method has none. ``before``, ``after``:
    c(a, b), arcs between linked words that only one side has, of the separate and the
    joint trees. ``exact``, ``gap``: proved best, or how far from it at most (nats),
    None where no pair of trees satisfies all constraints. ``gate``: the probability
    that the joint parse is the better one, None if the gate was not used; ``kept``:
    whether the joint parse is kept. ``links``: source, target, probability.
    """

    run = models.ForeignKey(JointRun, models.CASCADE, related_name="results")
    pair = models.ForeignKey(Pair, models.CASCADE, related_name="joint_results")
    rounds = models.JSONField(default=list, blank=True)
    links = models.JSONField(default=list, blank=True)
    before = models.PositiveIntegerField(default=0)
    after = models.PositiveIntegerField(default=0)
    exact = models.BooleanField(default=True)
    gap = models.FloatField(null=True, blank=True)
    gate = models.FloatField(null=True, blank=True)
    kept = models.BooleanField(default=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["run_id", "pair_id"]
        constraints = [
            models.UniqueConstraint(fields=["run", "pair"], name="joint_pair_once")
        ]

    def __str__(self) -> str:
        return f"{self.pair_id} in {self.run_id}"


class JointTree(models.Model):
    """One side of a pair before and after, in one kind of tree.

    ``errors_before``, ``errors_after``: against gold, wrong heads of a dependency
    tree, or brackets missed and made up of a constituency tree; None without gold.
    """

    class Side(models.TextChoices):
        SOURCE = "s", _("Source")
        TARGET = "t", _("Target")

    result = models.ForeignKey(JointPair, models.CASCADE, related_name="trees")
    side = models.CharField(max_length=1, choices=Side)
    kind = models.CharField(max_length=12, choices=Parse.Kind)
    before = models.ForeignKey(Parse, models.CASCADE, related_name="+")
    after = models.ForeignKey(Parse, models.CASCADE, related_name="+")
    errors_before = models.PositiveIntegerField(null=True, blank=True)
    errors_after = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["result", "side", "kind"], name="joint_tree_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of side {self.side} in {self.result_id}"


class TreeChangeQuerySet(models.QuerySet["TreeChange"]):
    def visible_to(self, user: Anybody) -> "TreeChangeQuerySet":
        return self.filter(run__corpus__project__memberships__user_id=user.pk)


class TreeChange(models.Model):
    """One arc, or one bracket, that a run changed, and what people say of it.

    Of an arc, ``start`` is the word whose head changed (``end`` = start + 1), ``-1`` as
    a head is ROOT. Of a bracket, tokens ``start`` to ``end - 1``; the label before is
    empty if it is new, the label after if it was removed. ``because``: the supporting
    links (of a bracket, those of its words): source, target, probability. Probabilities
    are the parser's own, without the other sentence; ``confidence`` is the second minus
    the first. ``domain`` and ``operations`` (``|lex|reorder|``) are the pair's, here
    for the filters.
    """

    class Kind(models.TextChoices):
        ARC = "arc", _("Arc")
        BRACKET = "bracket", _("Bracket")

    class Gold(models.TextChoices):
        NONE = "", _("No gold tree")
        FIXED = "fixed", _("Fixed")
        BROKEN = "broken", _("Broken")
        NEUTRAL = "neutral", _("Wrong before and after")

    class Verdict(models.TextChoices):
        NONE = "", _("Open")
        FIX = "fix", _("Real fix")
        ERROR = "error", _("Real error")
        BOTH = "both", _("Both right")
        BAD = "bad", _("Bad input")

    code = CodeField()
    run = models.ForeignKey(
        JointRun, models.CASCADE, related_name="changes", db_index=False
    )
    result = models.ForeignKey(JointPair, models.CASCADE, related_name="changes")
    side = models.CharField(max_length=1, choices=JointTree.Side)
    kind = models.CharField(max_length=7, choices=Kind)
    start = models.PositiveIntegerField()
    end = models.PositiveIntegerField()
    head_before = models.IntegerField(null=True, blank=True)
    head_after = models.IntegerField(null=True, blank=True)
    label_before = models.CharField(max_length=60, blank=True)
    label_after = models.CharField(max_length=60, blank=True)
    prob_before = models.FloatField(null=True, blank=True)
    prob_after = models.FloatField(null=True, blank=True)
    confidence = models.FloatField(default=0.0)
    because = models.JSONField(default=list, blank=True)
    domain = models.CharField(max_length=60, blank=True)
    operations = models.CharField(max_length=200, blank=True)
    gold = models.CharField(max_length=7, choices=Gold, blank=True)
    verdict = models.CharField(max_length=5, choices=Verdict, blank=True)
    revision = models.PositiveIntegerField(default=0)  # +1 with every verdict
    judged_by = account(null=True, related_name="+")
    judged_at = models.DateTimeField(null=True, blank=True)
    objects = TreeChangeQuerySet.as_manager()

    class Meta:
        ordering = ["run_id", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=[
                    "result",
                    "side",
                    "kind",
                    "start",
                    "end",
                    "label_before",
                    "label_after",
                ],
                name="tree_change_once",
            )
        ]
        indexes = [
            models.Index(fields=["run", "id"]),
            models.Index(fields=["run", "confidence", "id"]),
            models.Index(fields=["run", "verdict", "id"]),
            models.Index(fields=["run", "gold", "id"]),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.start} of side {self.side} in {self.result_id}"


class VerdictEvent(models.Model):
    """One verdict on a change, or one undone. Rows are only ever added.

    ``uuid`` comes from the browser: the same message sent twice counts once.
    """

    change = models.ForeignKey(TreeChange, models.CASCADE, related_name="events")
    uuid = models.UUIDField(unique=True)
    revision = models.PositiveIntegerField()  # of the change after this
    before = models.CharField(max_length=5, choices=TreeChange.Verdict, blank=True)
    after = models.CharField(max_length=5, choices=TreeChange.Verdict, blank=True)
    by = account(null=True)
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["change_id", "revision"]
        constraints = [
            models.UniqueConstraint(
                fields=["change", "revision"], name="one_verdict_a_revision"
            )
        ]

    def __str__(self) -> str:
        return f"{self.after or 'taken back'} at revision {self.revision}"
