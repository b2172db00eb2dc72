"""The sample project comes in whole, once, and leaves people's work alone."""

from collections import Counter

from django.contrib.auth.models import User
from django.db.models import F
from django.test import TestCase

from annotator.models import (
    AlignmentLayer,
    Item,
    Judgment,
    Origin,
    Pair,
    Parse,
    Project,
)
from annotator.sample.source import ANNOTATORS, read_pairs
from annotator.services.campaigns import leases
from annotator.services.corpora import sample


class LoadedSampleTest(TestCase):
    """Loaded once for all tests of the class: it takes seconds."""

    owner: User
    project: Project

    @classmethod
    def setUpTestData(cls) -> None:
        cls.owner = User.objects.create_user("owner")
        cls.project = sample.load(cls.owner)

    def test_pairs_come_with_trees_and_three_layers(self) -> None:
        wanted = read_pairs()
        pairs = Pair.objects.filter(corpus__project=self.project, has_parse=True)
        assert pairs.count() == len(wanted)
        assert Parse.objects.count() == 4 * len(wanted)
        alignments = {
            (layer.pair.ref, str(layer.author)): layer.to_core()
            for layer in AlignmentLayer.objects.select_related("pair", "author")
            if layer.origin == Origin.ANNOTATOR
        }
        assert alignments == {
            (pair.id, f"sample-{name}"): alignment
            for pair in wanted
            for name, alignment in pair.layers.items()
        }
        gold = AlignmentLayer.objects.filter(origin=Origin.GOLD, state="open")
        assert gold.count() == sum(not pair.unfinished for pair in wanted)

    def test_nobody_can_sign_in_as_a_sample_annotator(self) -> None:
        people = User.objects.filter(username__startswith="sample-")
        assert people.count() == len(ANNOTATORS)
        assert not any(person.has_usable_password() for person in people)

    def test_the_campaign_is_simulated_and_complete(self) -> None:
        campaign = self.project.campaigns.get(is_simulated=True)
        assert all(campaign.participants.values_list("is_simulated", flat=True))
        main = Item.objects.main().filter(campaign=campaign)
        assert main.count() >= 128
        assert not main.exclude(n_done=F("need")).exists()
        assert not Judgment.objects.exclude(state="done").exists()
        active = campaign.participants.filter(state="active")
        assert active.count() == len(ANNOTATORS)

    def test_the_owner_judges_at_once_after_signing_in(self) -> None:
        self.client.force_login(self.owner)
        campaign = self.project.campaigns.get(is_simulated=False)
        where = f"/p/sample/judge/{campaign.code}/"
        assert f'href="{where}"' in self.client.get("/").content.decode()
        assert self.client.get(where).status_code == 200
        drawn = leases.draw(campaign.participants.get(user=self.owner).pk, want=50)
        kinds = Counter(one.item.kind for one in drawn)
        assert kinds["training"] == 4
        assert not campaign.is_simulated

    def test_loading_again_changes_nothing(self) -> None:
        layer = AlignmentLayer.objects.order_by("pk")[0]
        AlignmentLayer.objects.filter(pk=layer.pk).update(revision=7)
        before = numbers()
        assert sample.load(self.owner) == self.project
        assert numbers() == before
        layer.refresh_from_db()
        assert layer.revision == 7


def numbers() -> list[int]:
    models = (Pair, Parse, AlignmentLayer, Item, Judgment, User)
    return [model.objects.count() for model in models]
