"""Setting up: items with credits, settings, scales, plan, progress, rehearsal."""

from io import StringIO

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.exchange.written import FORMS
from annotator.models import Campaign, Credit, Item, Judgment, Participant
from annotator.services.campaigns import (
    item_files,
    items,
    needed,
    participants,
    preferences,
    progress,
    scales,
    setup,
    simulation,
)
from annotator.services.reports import exports
from tests.annotator.campaigns_cast import (
    HEADER,
    campaign,
    draw,
    judge,
    judges,
    rows,
    upload,
)
from tests.cast import Cast

SAME = (
    HEADER
    + "He left early.\tleft\twent\tA\t1\t\t\t\t\n"
    + "He left early.\tleft\twent\tB\t3\t\t\t\t\n"
    + "He left early.\tleft\twent\tB\t2\t\t\t\t\n"
    + "He left early.\tleft\tparted\tB | C\t1\t\t\t\t\n"
    + "She left early.\tleft\twent\tA\t1\t\t\t\t\n"
)


def test_the_same_rendering_is_judged_once_and_credited_to_all(cast: Cast) -> None:
    made = campaign(cast, text=SAME)
    assert made.items.count() == 3
    assert made.instances.count() == 2
    shared = Credit.objects.filter(item__paraphrase="went")
    shared = shared.filter(item__instance__sentence__startswith="He")
    ranks = shared.values_list("condition__name", "rank").order_by("condition__name")
    assert list(ranks) == [("A", 1), ("B", 2)]
    assert made.conditions.get(is_baseline=True).name == "A"


def test_the_dry_run_stores_nothing_and_counts_all(cast: Cast) -> None:
    made = campaign(cast, n=1, is_open=False)
    kept = upload(made, cast.ada, SAME + "bad\n")
    preview = item_files.dry_run(made, kept, item_files.TableReading())
    assert (preview.n_rows, preview.n_items, preview.n_merged, preview.n_bad) == (
        5,
        3,
        2,
        1,
    )
    assert preview.conditions == {"A": 2, "B": 3, "C": 1}
    assert preview.bad[0].line == 7
    assert made.items.count() == 1


def test_loading_twice_adds_nothing(cast: Cast) -> None:
    made = campaign(cast, text=SAME, is_open=False)
    list(items.load(made, upload(made, cast.ada, SAME), by=cast.ada))
    assert made.items.count() == 3
    assert Credit.objects.count() == 5
    assert made.batches.get().n_items == 3


def test_items_added_to_an_open_campaign_are_given_out(cast: Cast) -> None:
    made = campaign(cast, n=1)
    judge(draw(made, cast.bob)[0])
    assert draw(made, cast.bob) == []
    more = upload(
        made, cast.ada, HEADER + rows(2, kind="gold", gold="4") + SAME[len(HEADER) :]
    )
    list(items.load(made, more, by=cast.ada))
    assert len(draw(made, cast.bob, 3)) == 3


def test_a_gold_value_off_the_scale_is_a_bad_row(cast: Cast) -> None:
    made = campaign(cast, n=1, is_open=False)
    kept = upload(made, cast.ada, HEADER + rows(1, kind="gold", gold="7"))
    preview = item_files.dry_run(made, kept, item_files.TableReading())
    assert (preview.n_rows, preview.n_bad) == (0, 1)
    assert "'7' is not one of 1, 2, 3, 4, 5" in preview.bad[0].reason


def test_opening_needs_items_and_people(cast: Cast) -> None:
    made = setup.create(cast.project, "Empty", by=cast.ada)
    with pytest.raises(Conflict, match="no items"):
        setup.open_campaign(made, by=cast.ada)
    list(items.load(made, upload(made, cast.ada, SAME), by=cast.ada))
    with pytest.raises(Conflict, match="No annotators yet"):
        setup.open_campaign(made, by=cast.ada)


def test_only_members_who_annotate_can_judge(cast: Cast) -> None:
    made = campaign(cast, n=1, is_open=False)
    with pytest.raises(BadRequest):
        participants.add_people(made, [cast.cyd], by=cast.ada)
    with pytest.raises(NotAllowed):
        participants.add_people(made, [cast.ada], by=cast.bob)


@pytest.mark.parametrize(
    "values",
    [{"k": 0}, {"k": "x"}, {"overlap_share": 2}, {"lease_s": "nan"}, {"owner": 1}],
)
def test_settings_out_of_range_are_refused(cast: Cast, values: dict) -> None:
    made = campaign(cast, n=1, is_open=False)
    with pytest.raises(BadRequest):
        setup.change(made, values, by=cast.ada)


def test_what_the_screen_shows_is_fixed_once_open(cast: Cast) -> None:
    made = campaign(cast, n=1)
    with pytest.raises(Conflict):
        setup.change(made, {"mode": "grid"}, by=cast.ada)
    setup.change(made, {"lease_s": 60}, by=cast.ada)


def test_each_guideline_has_a_number_and_stays(cast: Cast) -> None:
    made = campaign(cast, n=1, is_open=False)
    first = setup.write_guideline(made, "One.", by=cast.ada)
    assert setup.write_guideline(made, "One.\r\n", by=cast.ada) == first
    setup.write_guideline(made, "Two.", by=cast.ada)
    texts = made.guidelines.values_list("number", "text").order_by("number")
    assert list(texts) == [(1, "One."), (2, "Two.")]


@pytest.mark.parametrize("template", scales.templates())
def test_every_template_makes_scales_that_take_answers(
    cast: Cast, template: str
) -> None:
    made = setup.create(cast.project, "T", by=cast.ada, template=template)
    rated = [scale for scale in made.scales.all() if not scale.is_open]
    values = {scale.name: scale.values()[0] for scale in rated}
    values |= {scale.name: "" for scale in made.scales.all() if scale.is_open}
    assert scales.check_values(made, values) == values
    for scale in rated:
        assert scale.to_core().size == len(scale.values())


def test_anchors_may_change_after_answers_but_values_may_not(cast: Cast) -> None:
    made = campaign(cast, n=1)
    judge(draw(made, cast.bob)[0])
    wanted = [
        {"name": s.name, "title": s.title, "kind": s.kind, "points": s.points}
        for s in made.scales.all()
    ]
    wanted[0]["points"][0]["anchor"] = "Quite the same."
    scales.set_scales(made, wanted, by=cast.ada)
    assert made.scales.first().points[0]["anchor"] == "Quite the same."
    with pytest.raises(Conflict):
        scales.set_scales(made, wanted[:1], by=cast.ada)


def test_the_plan_counts_what_will_be_paid_for(cast: Cast) -> None:
    made = campaign(
        cast, n=40, people=3, overlap_share=0.5, seconds_per_item=9, is_open=False
    )
    before = needed.design(made, needed.Guess())
    assert (before.plan.judgments, before.plan.overlapping) == (60, 20)
    assert before.plan.hours == pytest.approx(60 * 9 / 3600)
    assert before.common == 20
    setup.open_campaign(made, by=cast.ada)
    after = needed.design(made, needed.Guess())
    assert after.plan == before.plan
    alone = needed.design(made, needed.Guess(people=1))
    assert alone.plan.impossible == 20


def test_progress_by_person_batch_and_condition(cast: Cast) -> None:
    made = campaign(cast, n=6, people=2)
    bob, _ = judges(cast, 2)
    for judgment in draw(made, bob, 3):
        judge(judgment)
    report = progress.of(made)
    assert (report.done, report.need) == (3, 6)
    assert [row.done for row in report.people] == [3, 0]
    assert report.people[0].seconds == pytest.approx(0.9)
    assert [(b.complete, b.items) for b in report.batches] == [(3, 6)]
    assert sum(c.done for c in report.conditions) == 3
    assert report.hours_left == pytest.approx(3 * 0.9 / 3600)


def test_a_rehearsal_fills_a_marked_copy_and_nothing_else(cast: Cast) -> None:
    text = HEADER + rows(20) + rows(3, kind="gold", gold="4")
    made = campaign(cast, text=text, k=1, overlap_k=2, overlap_share=0.5, check_every=5)
    out = StringIO()
    call_command("simulate", made.code, people=3, seed=5, stdout=out)
    copy = Campaign.objects.get(is_simulated=True)
    assert copy.code in out.getvalue()
    done = Judgment.objects.of(copy).counted()
    assert done.count() == 30
    assert not Judgment.objects.of(made).exists()
    assert copy.items.filter(kind="gold").count() == 3
    assert Credit.objects.filter(item__campaign=copy).count() == 23
    assert {p.user_id for p in copy.participants.all()} == {None}


def test_a_finished_campaign_counts_its_people_and_predicts_no_end(
    client: Client, cast: Cast
) -> None:
    made = campaign(cast, n=3, k=1)
    call_command("simulate", made.code, people=2, stdout=StringIO())
    copy = Campaign.objects.get(is_simulated=True)
    client.force_login(cast.ada)
    page = client.get(reverse("campaign", args=["windows", copy.code])).content.decode()
    assert "3 of 3 judgments (100 %)." in page
    assert "it ends about" not in page
    plan = client.get(reverse("campaign_design", args=["windows", made.code]))
    assert "Only one annotator" in plan.content.decode()
    people = client.get(reverse("campaign_people", args=["windows", copy.code]))
    assert "2 annotators so far." in people.content.decode()


def test_two_rehearsals_with_one_seed_answer_alike(cast: Cast) -> None:
    made = campaign(cast, n=12)
    both = []
    for _ in range(2):
        steps = simulation.rehearse(made, people=2, seed=3, by=cast.ada)
        try:
            while True:
                next(steps)
        except StopIteration as end:
            copy = end.value
            assert copy.name.endswith(f" · simulation {len(both) + 1}")
            rows_ = Judgment.objects.of(copy).counted()
            both.append(
                sorted(
                    (j.item.instance.sentence, str(j.values))
                    for j in rows_.select_related("item__instance")
                )
            )
    assert both[0] == both[1]


def test_keys_collide_only_when_two_commands_share_one(cast: Cast) -> None:
    args = {"has_single_keys": True, "auto_advance": False}
    with pytest.raises(BadRequest, match="would mean both"):
        preferences.set_preference(cast.bob, keys={"diff": "g"}, **args)
    row = preferences.set_preference(
        cast.bob, keys={"diff": "g", "guideline": "D"}, **args
    )
    assert row.keys == {"diff": "g", "guideline": "d"}
    for bad in ({"nothing": "x"}, {"diff": "<img>"}, {"diff": "3"}, {"diff": 1}):
        with pytest.raises(BadRequest):
            preferences.set_preference(cast.bob, keys=bad, **args)


def test_a_withdrawn_item_is_complete_with_what_it_has(cast: Cast) -> None:
    made = campaign(cast, n=2)
    items.withdraw(made.items.first(), by=cast.ada)
    assert progress.of(made).need == 1
    assert Item.objects.filter(is_withdrawn=True).count() == 1


def test_a_comment_is_no_formula_in_the_table_of_judgments(cast: Cast) -> None:
    made = campaign(cast, n=1)
    for judgment in draw(made, cast.bob, 1):
        judge(judgment)
    comment = '\n=HYPERLINK("http://evil.example")'
    Judgment.objects.of(made).update(comment=comment)
    head, first, *_ = tsv_lines(made, cast)
    cell = first.split("\t")[head.split("\t").index("comment")]
    assert cell == "'" + comment.strip()


def test_the_table_of_judgments_is_read_back_as_ratings(cast: Cast) -> None:
    from core.data.ratings import RatingRecord
    from core.formats.ratings import LAYOUTS, read

    made = campaign(cast, text=SAME)
    for judgment in draw(made, cast.bob, 3):
        judge(judgment)
    lines = tsv_lines(made, cast)
    records = list(read(lines, LAYOUTS["long"]))
    assert all(isinstance(one, RatingRecord) for one in records)
    assert len(records) == 6
    shared = {
        c for one in records if isinstance(one, RatingRecord) for c in one.conditions
    }
    assert shared == {"A", "B", "C"}
    with pytest.raises(NotAllowed):
        exports.judgments(made, by=cast.bob)


def tsv_lines(made: Campaign, cast: Cast) -> list[str]:
    table = exports.judgments(made, by=cast.ada)
    return [line.decode() for line in FORMS["tsv"].write(table)]


def test_many_people_are_shown_a_page_at_a_time(cast: Cast) -> None:
    made = campaign(cast, n=1)
    names = [f"judge{i:03}" for i in range(120)]
    users = User.objects.bulk_create([User(username=name) for name in names])
    Participant.objects.bulk_create(
        [Participant(campaign=made, user=user, label=user.username) for user in users]
    )
    client = Client()
    client.force_login(cast.ada)
    address = reverse("campaign", args=[cast.project.slug, made.code])
    pages = [client.get(address, {"people": n}).content.decode() for n in (1, 2)]
    shown = [{name for name in names if name in page} for page in pages]
    assert shown[0] | shown[1] == set(names)
    assert not shown[0] & shown[1]
    assert "101 to 121 of 121" in pages[1]
