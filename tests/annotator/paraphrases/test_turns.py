"""Progress of a job that does one kind of work after the other."""

from annotator.services.paraphrases.tables import by_stage, in_turn
from core.protocols import Step


def sums(steps: list[Step]) -> list[tuple[int, int | None]]:
    """Done and total, as a job would show them after each step."""
    done, total, shown = 0, None, []
    for step in steps:
        done += step.done + step.failed
        total = total if step.total is None else step.total
        shown.append((done, total))
    return shown


def test_a_total_stands_on_top_of_what_was_done_before() -> None:
    linking = [Step(total=24), Step(done=24)]
    parsing = [Step(total=10), Step(done=7), Step(done=2, failed=1)]
    counts = sums(list(in_turn([linking, parsing])))
    assert counts == [(0, 24), (24, 24), (24, 34), (31, 34), (34, 34)]


def test_a_stage_counts_once_it_is_left_and_those_without_work_too() -> None:
    stages = ("prepare", "extract", "share", "done")
    notes = ["prepare 1", "prepare 2", "share 1", "done"]
    counts = sums(list(by_stage([Step(1, note=note) for note in notes], stages)))
    assert counts == [(0, 4), (0, 4), (0, 4), (2, 4), (3, 4), (4, 4)]
