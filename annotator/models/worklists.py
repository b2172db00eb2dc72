"""Worklists: trees and pairs assigned to people in an order, with progress."""

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from annotator.models.analyses import Parse
from annotator.models.authorship import account
from annotator.models.codes import CodeField
from annotator.models.corpora import Corpus, Pair, Sentence
from annotator.models.projects import Project


class Worklist(models.Model):
    """The results of a query, ranked and cut to a size: work for people.

    ``n_each``: by how many people each item is done. ``query`` "": all of the corpus.
    """

    class Unit(models.TextChoices):
        TREE = "tree", _("Trees")
        PAIR = "pair", _("Pairs")

    class Ranking(models.TextChoices):
        UNCERTAINTY = "uncertainty", _("Least certain first")
        DISAGREEMENT = "disagreement", _("Where annotators disagree most first")
        JOINT = "joint", _("Where the joint parse differs most first")
        LONGEST = "longest", _("Longest first")
        SHORTEST = "shortest", _("Shortest first")
        RANDOM = "random", _("Random, with a seed")

    code = CodeField()
    corpus = models.ForeignKey(Corpus, models.CASCADE, related_name="worklists")
    name = models.CharField(max_length=80)
    query = models.CharField(max_length=1000, blank=True)
    unit = models.CharField(max_length=4, choices=Unit)
    ranking = models.CharField(max_length=12, choices=Ranking)
    seed = models.PositiveIntegerField(default=0)
    n_each = models.PositiveSmallIntegerField(default=1)
    by = account(related_name="+")
    at = models.DateTimeField(default=timezone.now)
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name


class WorkPerson(models.Model):
    """Someone who works on a list; what they did stays when they are removed."""

    worklist = models.ForeignKey(Worklist, models.CASCADE, related_name="people")
    user = account(related_name="+")
    removed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["worklist_id", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["worklist", "user"], name="work_person")
        ]

    def __str__(self) -> str:
        return f"{self.user} on {self.worklist_id}"


class WorkItem(models.Model):
    """A sentence or a pair of a list. ``value``: what it was ranked by, if known."""

    worklist = models.ForeignKey(Worklist, models.CASCADE, related_name="items")
    place = models.PositiveIntegerField()  # from 1
    sentence = models.ForeignKey(Sentence, models.CASCADE, null=True, related_name="+")
    pair = models.ForeignKey(Pair, models.CASCADE, null=True, related_name="+")
    value = models.FloatField(null=True)

    class Meta:
        ordering = ["worklist_id", "place"]
        constraints = [
            models.UniqueConstraint(fields=["worklist", "place"], name="work_place")
        ]

    def __str__(self) -> str:
        return f"{self.place} of {self.worklist_id}"


class WorkShare(models.Model):
    """One person's work on one item. ``parse``: the tree that they saved with it."""

    class State(models.TextChoices):
        OPEN = "open", _("In progress")
        DONE = "done", _("Done")
        SKIPPED = "skipped", _("Skipped")

    code = CodeField()
    item = models.ForeignKey(WorkItem, models.CASCADE, related_name="shares")
    user = account(related_name="+")
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    note = models.CharField(max_length=300, blank=True)
    parse = models.ForeignKey(Parse, models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["item_id", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["item", "user"], name="work_share_once")
        ]

    def __str__(self) -> str:
        return f"{self.user} on {self.item_id}: {self.state}"


class SavedQuery(models.Model):
    """A query of ``core.queries``, by a name that the whole project sees."""

    code = CodeField()
    project = models.ForeignKey(Project, models.CASCADE, related_name="queries")
    name = models.CharField(max_length=80)
    text = models.CharField(max_length=1000)
    by = account(null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["project", "name"], name="saved_query_name")
        ]

    def __str__(self) -> str:
        return self.name
