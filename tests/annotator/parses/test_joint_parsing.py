"""Parsing pairs jointly as a job: stored once, with what produced it, and resumed."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import Job, JointPair, JointRun, JointTree, Origin, Parse
from annotator.models import TreeChange as Change
from annotator.pages import joint as pages
from annotator.services import jobs
from annotator.services.parses import accuracy, joint, ledger
from core.joint_parsing import gate as joint_weights
from core.joint_parsing.values import JointSettings
from tests import cast as people
from tests.annotator import joint_cast
from tests.annotator.joint_cast import INFO
from tests.cast import Cast

PAIRS = (
    (
        "(S (NP (DT The) (NN man)) (VP (VBD saw) (NP (DT the) (NN dog)) (PP (IN with)"
        " (NP (DT a) (NN telescope)))) (. .))",
        "(S (NP (DT The) (NN dog)) (VP (VBD was) (VP (VBN seen) (PP (IN by) (NP (DT"
        " the) (NN man))) (PP (IN with) (NP (DT a) (NN telescope))))) (. .))",
    ),
    (
        "(S (NP (DT The) (NN cook)) (VP (VBD burnt) (NP (DT the) (NN soup))) (. .))",
        "(S (NP (DT The) (NN soup)) (VP (VBD was) (VP (VBN burnt) (PP (IN by) (NP (DT"
        " the) (NN cook))))) (. .))",
    ),
)


AGAIN = (
    "(S (PP (IN With) (NP (DT a) (NN telescope))) (NP (DT the) (NN man)) (VP (VBD"
    " watched) (NP (DT the) (NN dog))) (. .))"
)


@pytest.fixture
def three(cast: Cast) -> Cast:
    for sides in PAIRS:
        people.pair(cast.corpus, *sides)
    cast.corpus.refresh_from_db()
    return cast


def start(cast: Cast, **settings: object) -> Job:
    wanted = JointSettings(**settings)
    return joint.start(cast.corpus, wanted, by=cast.ada, enqueue=False)


def do(cast: Cast, **settings: object) -> Job:
    job = start(cast, **settings)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    return job


def test_joint_parses_are_stored_apart_with_what_made_them(three: Cast) -> None:
    job = do(three)
    assert (job.done, job.failed, job.total) == (3, 0, 3)
    run = JointRun.objects.get()
    assert job.result["run"] == run.code
    assert (run.n_pairs, run.n_changes) == (3, Change.objects.count())
    assert run.parameters["parser"] == "english-gum"
    assert run.parameters["vectors"]
    assert len(run.parameters["weights"]) == 12
    mine = Parse.objects.filter(engine="joint", version=run.version)
    assert mine.values("sentence").distinct().count() == 6
    assert {row.origin for row in mine} == {Origin.ENGINE}
    assert {row.meta["run"] for row in mine} == {run.code}
    trees = JointTree.objects.filter(result__run=run, kind="dependency")
    assert trees.count() == 6
    assert {tree.before.engine for tree in trees} == {"english-gum"}


def test_the_changes_are_the_difference_of_the_two_trees(three: Cast) -> None:
    do(three)
    for tree in JointTree.objects.filter(kind="dependency"):
        old, new = tree.before.to_deps(), tree.after.to_deps()
        arcs = zip(old.heads, old.labels, new.heads, new.labels, strict=True)
        wanted = {m: arc for m, arc in enumerate(arcs) if arc[:2] != arc[2:]}
        rows = tree.result.changes.filter(side=tree.side, kind="arc")
        changes = {
            c.start: (c.head_before, c.label_before, c.head_after, c.label_after)
            for c in rows
        }
        assert changes == wanted


@pytest.mark.parametrize("method", joint.methods())
def test_every_method_leaves_trees_that_can_be_shown(three: Cast, method: str) -> None:
    job = do(three, method=method)
    run = JointRun.objects.get()
    assert (job.result["parsed"], run.n_pairs) == (3, 3)
    for result in run.results.select_related("pair__source", "pair__target", "run"):
        sides = pages.sides_of(result, result.pair)
        assert len(sides) == 2
        for side, name in zip(sides, "st", strict=True):
            assert len(side.changes) == result.changes.filter(side=name).count()
    page = Client()
    page.force_login(three.bob)
    url = reverse("ledger", args=["windows", run.code])
    assert page.get(url).status_code == 200
    page.force_login(three.ada)  # the job is hers; annotators see their own
    job_page = page.get(reverse("job", args=["windows", job.code]))
    assert url in job_page.content.decode()


def test_all_paraphrases_of_a_sentence_are_parsed_together(
    three: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(joint, "BATCH", 2)  # the set reaches into the second batch
    people.pair(three.corpus, PAIRS[0][0], AGAIN)
    assert joint.has_sets(three.corpus)
    job = joint.start(
        three.corpus, JointSettings(), sets=True, by=three.ada, enqueue=False
    )
    jobs.run(job.pk)
    job.refresh_from_db()
    assert job.state == Job.State.DONE, job.error
    assert (job.done, job.total, job.result["parsed"]) == (4, 4, 4)
    run = JointRun.objects.get()
    assert run.parameters["sets"]
    assert "sets" in run.label
    both = JointPair.objects.filter(run=run, pair__source__text__startswith="The man")
    sides = JointTree.objects.filter(result__in=both, side="s", kind="dependency")
    assert (both.count(), len({tree.after_id for tree in sides})) == (2, 1)
    (tree, _same) = sides
    old, new = tree.before.to_deps(), tree.after.to_deps()
    arcs = zip(old.heads, old.labels, new.heads, new.labels, strict=True)
    n = sum(arc[:2] != arc[2:] for arc in arcs)
    changes = Change.objects.filter(result__in=both, side="s", kind="arc")
    assert changes.count() == n  # once, whichever pair has it
    do(three)
    assert JointRun.objects.count() == 2
    how = JointSettings(method="spans")
    with pytest.raises(BadRequest, match="pairs only"):
        joint.start(three.corpus, how, sets=True, by=three.ada)


def test_the_form_offers_sets_where_a_sentence_has_several_paraphrases(
    three: Cast,
) -> None:
    page = Client()
    page.force_login(three.ada)
    url = reverse("joint", args=["windows", three.corpus.code])
    assert "paraphrases of a sentence together" not in page.get(url).content.decode()
    people.pair(three.corpus, PAIRS[0][0], AGAIN)
    assert "paraphrases of a sentence together" in page.get(url).content.decode()
    page.post(url, {"method": "bp", "sets": "on"})
    assert Job.objects.get().params["sets"]


def test_the_run_is_scored_against_gold_beside_its_parser(three: Cast) -> None:
    cast_pair = joint_cast.pair(three)
    job = do(three)
    assert job.result["uas"] > 50
    engines = accuracy.engines_of(three.corpus)
    run = JointRun.objects.get()
    mine = next(one for one in engines if one.name == "joint")
    assert (mine.version, mine.scores["uas"]) == (run.version, job.result["uas"])
    assert cast_pair.joint_results.count() == 1


def test_run_again_nothing_is_done_twice(three: Cast) -> None:
    do(three)
    parses, results = Parse.objects.count(), JointPair.objects.count()
    job = do(three)
    assert (job.done, job.result["parsed"]) == (3, 0)
    assert (Parse.objects.count(), JointPair.objects.count()) == (parses, results)
    assert JointRun.objects.count() == 1
    do(three, method="soft", slack=0.3)
    assert JointRun.objects.count() == 2
    assert JointPair.objects.count() == 2 * results


def test_killed_worker_leaves_a_job_that_goes_on(three: Cast, monkeypatch) -> None:
    monkeypatch.setattr(joint, "BATCH", 1)
    job = start(three)
    steps = joint.run(job)
    next(steps)
    next(steps)
    steps.close()  # as if the worker had died: one pair is stored
    first = JointPair.objects.get()
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.result["parsed"]) == (Job.State.DONE, 3, 2)
    assert JointPair.objects.order_by("pk")[0] == first
    assert JointRun.objects.get().n_pairs == 3


def test_cancelled_job_keeps_what_it_had(three: Cast, monkeypatch) -> None:
    monkeypatch.setattr(joint, "BATCH", 1)
    monkeypatch.setattr(jobs, "FLUSH_S", 0.0)
    job = start(three)

    def stop(row: Job) -> None:
        if row.done == 1:
            jobs.cancel(row, by=three.ada)

    jobs.run(job.pk, on_step=stop)
    job.refresh_from_db()
    assert job.state == Job.State.CANCELLED
    assert JointPair.objects.count() == 2


def test_other_weights_make_another_run(three: Cast, monkeypatch, tmp_path) -> None:
    do(three)
    weights = tmp_path / "joint.json"
    weights.write_text(joint_weights.WEIGHTS.read_text() + " ")
    monkeypatch.setattr(joint_weights, "WEIGHTS", weights)
    do(three)
    assert [run.n_pairs for run in JointRun.objects.all()] == [3, 3]


def test_a_batch_that_another_worker_stored_adds_nothing(cast: Cast) -> None:
    run = joint_cast.ledger(cast)
    before = Parse.objects.count(), Change.objects.count()
    pair = JointPair.objects.get().pair
    again = joint.JointAnswer(pair, joint_cast.analyses(pair), joint_cast.result())
    assert joint.store(run, [again], INFO) == 0
    run.refresh_from_db()
    assert (Parse.objects.count(), Change.objects.count()) == before
    assert (run.n_pairs, run.n_changes) == (1, 3)


def test_a_sentence_too_long_is_an_issue_and_the_rest_goes_on(three: Cast) -> None:
    words = " ".join(["(X (NN word))"] * 300)
    people.pair(three.corpus, f"(S {words})", PAIRS[0][0])
    job = do(three)
    assert (job.done, job.failed) == (3, 1)
    assert "300" in job.issues.get().reason


def test_gold_says_what_was_fixed_and_what_broken(cast: Cast) -> None:
    run = joint_cast.ledger(cast)
    arc, bracket, label = joint_cast.changes(run)
    assert (arc.gold, label.gold) == ("fixed", "")
    assert bracket.gold == "fixed"  # gold has no such phrase
    assert bracket.because == arc.because == [["w5", "w2", 0.9]]
    tree = JointTree.objects.get(side="s", kind="dependency")
    assert (tree.errors_before, tree.errors_after) == (1, 0)
    other = JointTree.objects.get(side="t", kind="dependency")
    assert (other.errors_before, other.errors_after) == (None, None)


def test_gold_that_came_later_is_compared_by_the_next_run(cast: Cast) -> None:
    run = joint_cast.ledger(cast)
    pair = JointPair.objects.get().pair
    Parse.objects.filter(origin=Origin.GOLD, kind="dependency").delete()
    ledger.compare(list(run.results.all()))
    assert joint_cast.changes(run)[0].gold == ""
    assert not ledger.is_stale(run)
    joint_cast.gold_arcs(pair)
    assert ledger.is_stale(run)
    ledger.refresh(run)
    run.refresh_from_db()
    assert joint_cast.changes(run)[0].gold == "fixed"
    assert not ledger.is_stale(run)


def test_other_languages_are_left_alone(three: Cast) -> None:
    three.corpus.sentences.filter(text__contains="soup").update(language="de")
    job = do(three)
    assert (job.done, job.total) == (2, 2)


@pytest.mark.usefixtures("small_parser")
def test_what_cannot_be_done_is_refused(three: Cast) -> None:
    with pytest.raises(NotAllowed):
        joint.start(three.corpus, JointSettings(), by=three.bob)
    with pytest.raises(BadRequest, match="Parsers:"):
        joint.start(three.corpus, JointSettings(), parser="klingon", by=three.ada)
    with pytest.raises(BadRequest, match="no dependency trees"):
        joint.start(three.corpus, JointSettings(), parser="small", by=three.ada)
    for wrong in ({"rounds": 0}, {"method": "guess"}, {"speed": 1}):
        with pytest.raises(BadRequest):
            joint.settings_of(wrong)
    start(three)
    with pytest.raises(Conflict):
        start(three)
    start(three, method="soft")


def test_storing_costs_the_same_queries_for_any_batch(cast: Cast) -> None:
    made, counts = joint_cast.batch(cast, 12), []
    for n in (1, 12):
        run = joint_cast.run(cast, f"{n} pairs")
        with CaptureQueriesContext(connection) as seen:
            joint.store(run, made[:n], INFO)
        counts.append(len(seen))
    assert counts[1] <= counts[0]
