"""Tasks to start from: each runs from its template to its report, best-worst scaling
and whole sentences included."""

from collections import Counter
from itertools import pairwise

import pytest
from django.test import Client
from django.urls import reverse

from annotator.errors import Conflict
from annotator.exchange import items as codec
from annotator.models import Campaign, Item
from annotator.services.campaigns import items, participants, scales, setup, simulation
from annotator.services.campaigns.scales import templates
from annotator.services.reports import exports
from annotator.services.reports.judged_data import read_campaign
from core.agreement.judgments.report import ReportOptions, build
from tests.annotator.campaigns_cast import draw, upload
from tests.cast import Cast

PAIRS = "sentence\tparaphrase\tcondition\n" + "".join(
    f"The cook number {n} peeled all onions.\tOnions were peeled by cook {n}{end}.\t"
    f"system {end or 'plain'}\n"
    for n in range(8)
    for end in ("", " slowly", " twice")
)


def started(cast: Cast, task: str) -> Campaign:
    made = items.begin(cast.project, f"My {task}", task, by=cast.ada)
    list(items.load(made, upload(made, cast.ada, PAIRS), by=cast.ada))
    made.refresh_from_db()
    return made


TASKS = {name: one for name, one in templates().items() if one.guideline}


@pytest.mark.parametrize("task", TASKS)
def test_each_task_runs_from_its_template_to_its_report(cast: Cast, task: str) -> None:
    made = started(cast, task)
    assert made.n_items == 24
    assert made.n_training == len(TASKS[task].training)
    assert made.guideline_number == 1
    for item in made.items.filter(kind="training"):  # they can be passed
        closed = scales.closed_scales(made)
        assert set(item.gold) == {scale.name for scale in closed}
        assert all(item.gold[scale.name] in scale.values() for scale in closed)
    *_steps, copy = _run(simulation.rehearse(made, people=3, seed=2, by=cast.ada))
    read = read_campaign(copy)
    assert read.data.n == sum(copy.items.main().values_list("n_done", flat=True))
    report = build(read.data, ReportOptions(replicates=20))
    assert [one["name"] for one in (*report["scales"], *report["open"])] == [
        scale["name"] for scale in TASKS[task].scales
    ]
    assert all(one["judges"] for one in report["scales"])
    assert all(one["f1"]["value"] > 0.3 for one in report["open"])


def _run(going):
    while True:
        try:
            yield next(going)
        except StopIteration as end:
            yield end.value
            return


def test_guidelines_of_tasks_have_a_line_for_each_paragraph() -> None:
    for task in TASKS.values():
        lines = task.guideline.splitlines()
        broken = [
            one
            for one, after in pairwise(lines)
            if one and after and after[0].isalpha()
        ]
        assert broken == []


def test_whole_sentences_are_compared_where_no_column_holds_a_phrase() -> None:
    rows = [(1, {"sentence": " Ada slept well. ", "paraphrase": "Ada rested."}, "")]
    (one,) = codec.read(rows)
    assert (one.sentence, one.phrase) == ("Ada slept well.",) * 2
    assert (one.start, one.end) == (0, len("Ada slept well."))


def test_an_empty_phrase_in_its_column_is_an_error_as_before() -> None:
    row = {"sentence": "Ada slept.", "phrase": "", "paraphrase": "rested"}
    (bad,) = codec.read([(1, row, "")])
    assert "phrase is empty" in bad.reason


def test_best_and_worst_need_all_paraphrases_at_once(cast: Cast) -> None:
    made = started(cast, "best")
    participants.add_people(made, [cast.bob], by=cast.ada)
    for wrong in ({"mode": "single"}, {"overlap_share": 0.5, "overlap_k": 3}):
        setup.change(made, wrong, by=cast.ada)
        with pytest.raises(Conflict, match="best and the worst"):
            setup.open_campaign(made, by=cast.ada)
        setup.change(made, TASKS["best"].settings, by=cast.ada)
    setup.open_campaign(made, by=cast.ada)
    drawn = draw(made, cast.bob)
    assert Counter(one.item.instance_id for one in drawn).most_common() == [
        (drawn[0].item.instance_id, 3)
    ]


def test_simulated_judges_choose_one_best_and_one_worst_of_a_phrase(
    cast: Cast, client: Client
) -> None:
    made = started(cast, "best")
    *_steps, copy = _run(simulation.rehearse(made, people=2, seed=2, by=cast.ada))
    chosen: dict[tuple[int, int], list[int]] = {}
    for item in copy.items.prefetch_related("judgments"):
        for one in item.judgments.all():
            key = one.participant_id, item.instance_id
            chosen.setdefault(key, []).append(one.values["best"])
    assert len(chosen) == 16
    assert all(sorted(values) == [-1, 0, 1] for values in chosen.values())
    table = exports.items(copy, by=cast.ada)
    column = table.columns.index("best_best")
    by_code = {row[0]: row[column] for row in table.rows}
    for item in Item.objects.filter(campaign=copy):
        values = [one.values["best"] for one in item.judgments.all()]
        assert by_code[item.code] == pytest.approx(sum(values) / len(values))
    client.force_login(cast.ada)
    page = client.get(reverse("report", args=["windows", "campaign", copy.code])).text
    assert "Split-half reliability is" in page
    assert "Best-worst scores by condition" in page
    assert "Conditions in pairs" in page
    assert "Bradley-Terry strength" in page
