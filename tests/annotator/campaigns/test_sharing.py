"""How many people judge each item: asked before the start, raised afterwards."""

from collections import Counter

import pytest
from django.test import Client
from django.urls import reverse

from annotator.models import Campaign, Item, Judgment
from annotator.services.campaigns import needed, progress, setup, sharing
from tests.annotator.campaigns_cast import HEADER, campaign, draw, judge, judges
from tests.cast import Cast


def needs(of: Campaign) -> dict[int, int]:
    return dict(Counter(of.items.main().values_list("need", flat=True)))


def judge_all(of: Campaign, people: list, most: int = 1000) -> int:
    """Everyone judges what they get; how many answers."""
    n = 0
    for user in people:
        while n < most and (drawn := draw(of, user, 4)):
            for judgment in drawn:
                judge(judgment)
                n += 1
    return n


def test_every_choice_says_what_it_costs_and_what_precision_it_buys(cast: Cast) -> None:
    made = campaign(cast, n=40, people=2, is_open=False, overlap_share=0.2)
    by_key = {one.key: one for one in sharing.choices(made)}
    assert list(by_key) == ["1-0-2", "1-0.2-2", "2-0-2", "3-0-3"]
    assert [one.judgments for one in by_key.values()] == [40, 48, 80, 120]
    assert [one.shared for one in by_key.values()] == [0, 8, 40, 40]
    assert by_key["1-0-2"].precision is None
    assert by_key["2-0-2"].precision < by_key["1-0.2-2"].precision
    assert sharing.chosen(made).key == "1-0.2-2"
    Campaign.objects.update(k=4, overlap_share=0.5, overlap_k=6)
    made.refresh_from_db()
    assert sharing.choices(made)[-1].key == sharing.chosen(made).key == "4-0.5-6"


def test_the_precision_of_a_choice_is_that_of_the_plan(cast: Cast) -> None:
    text = HEADER + "".join(
        f"The cook {n} peeled onions.\tpeeled\tcut {m}\tsystem {m}\t1\t\t\t\t\n"
        for n in range(8)
        for m in range(3)
    )
    made = campaign(cast, text=text, people=2, is_open=False, k=2)
    plan = needed.design(made, needed.Guess())
    assert sharing.chosen(made).precision == max(plan.kappa.values()) / 2


@pytest.mark.parametrize("where", ["campaign", "campaign_design"])
def test_the_number_of_judges_is_asked_before_the_start(
    cast: Cast, client: Client, where: str
) -> None:
    made = campaign(cast, n=40, people=2, is_open=False)
    client.force_login(cast.ada)
    here = [cast.project.slug, made.code]
    page = client.get(reverse(where, args=here)).text
    assert "How many people judge each item?" in page
    assert page.count('name="judges"') == 4
    assert "Agreement cannot be measured." in page
    client.post(reverse("campaign_act", args=here), {"what": "open", "judges": "2-0-2"})
    made.refresh_from_db()
    assert made.is_open
    assert needs(made) == {2: 40}


def test_an_answer_that_was_not_offered_is_refused(cast: Cast, client: Client) -> None:
    made = campaign(cast, n=4, is_open=False)
    client.force_login(cast.ada)
    url = reverse("campaign_act", args=[cast.project.slug, made.code])
    client.post(url, {"what": "open", "judges": "9-9-9"})
    made.refresh_from_db()
    assert made.state == "draft"


def test_more_judges_later_means_new_assignments_for_what_exists(cast: Cast) -> None:
    made = campaign(cast, n=10, people=3, k=1, overlap_share=0)
    people = list(judges(cast, 3))
    assert judge_all(made, people) == 10
    assert [draw(made, user) for user in people] == [[], [], []]
    setup.change(made, {"k": 3}, by=cast.ada)
    assert needs(made) == {3: 10}
    assert judge_all(made, people) == 20
    pairs = Judgment.objects.of(made).counted().values_list("item", "participant")
    assert len(set(pairs)) == len(pairs) == 30
    now = progress.of(made)
    assert (now.done, now.need) == (30, 30)


def test_a_larger_share_keeps_what_is_shared_already(cast: Cast) -> None:
    made = campaign(cast, n=20, people=3, overlap_share=0.2)
    first = set(made.items.filter(need=2).values_list("pk", flat=True))
    setup.change(made, {"overlap_share": 0.5}, by=cast.ada)
    assert needs(made) == {1: 10, 2: 10}
    assert first <= set(made.items.filter(need=2).values_list("pk", flat=True))


def test_fewer_judges_never_go_below_what_was_done(cast: Cast) -> None:
    made = campaign(cast, n=6, people=2, k=2, overlap_share=0)
    judge_all(made, list(judges(cast, 2)), most=8)
    done = made.items.filter(n_taken=2).count()
    assert 0 < done < 6
    setup.change(made, {"k": 1}, by=cast.ada)
    assert needs(made) == {1: 6 - done, 2: done}
    assert Judgment.objects.of(made).counted().count() == sum(
        made.items.values_list("n_done", flat=True)
    )


def test_third_judges_and_withdrawn_items_stay_as_they_are(cast: Cast) -> None:
    made = campaign(cast, n=3, people=3, k=2, overlap_share=0)
    first, second, _ = made.items.order_by("pk")
    Item.objects.filter(pk=first.pk).update(need=3, n_extra=1)
    Item.objects.filter(pk=second.pk).update(is_withdrawn=True, need=0)
    setup.change(made, {"k": 3}, by=cast.ada)
    assert list(made.items.order_by("pk").values_list("need", flat=True)) == [4, 0, 3]


def test_the_rules_change_the_number_of_judges_while_people_judge(
    cast: Cast, client: Client
) -> None:
    made = campaign(cast, n=4, k=1, overlap_share=0)
    client.force_login(cast.ada)
    url = reverse("campaign_rules", args=[cast.project.slug, made.code])
    assert "never below the judgments that an item already has" in " ".join(
        client.get(url).text.split()
    )
    assert client.post(url, {"k": "2"}).status_code == 302
    assert needs(made) == {2: 4}
