"""Pages of joint parses: starting a run, one pair before and after, the duals drawn."""

import re
from dataclasses import asdict

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotator.forms import JointForm
from annotator.models import Job, JointPair, JointRun, Membership
from annotator.pages import joint as pages
from annotator.services.parses import joint
from core.joint_parsing.values import JointSettings
from tests.annotator import joint_cast
from tests.cast import Cast

JSON = "application/json"


def client_of(user: object) -> Client:
    client = Client()
    client.force_login(user)
    return client


def where(cast: Cast) -> str:
    return reverse("joint", args=["windows", cast.corpus.code])


def pair_page(run: JointRun) -> str:
    pair = JointPair.objects.filter(run=run)[0].pair
    return reverse("pair_joint", args=["windows", pair.code])


def test_a_manager_starts_a_run_by_a_method(cast: Cast) -> None:
    sent = {"method": "soft", "rounds": "12"}  # the screen knows no rounds
    answer = client_of(cast.ada).post(where(cast), sent)
    job = Job.objects.get(kind="joint")
    assert answer.status_code == 302
    assert job.code in answer.url
    assert job.params["settings"] == asdict(JointSettings(method="soft"))
    again = client_of(cast.ada).post(where(cast), sent)
    assert again.status_code == 400
    assert "This is already running: Parse" in again.content.decode()
    assert client_of(cast.bob).post(where(cast), sent).status_code == 403
    wrong = client_of(cast.ada).post(where(cast), {"method": "guess"})
    assert wrong.status_code == 400


@pytest.mark.usefixtures("small_parser")
def test_a_parser_without_arcs_is_refused_on_the_form_and_to_programs(
    cast: Cast,
) -> None:
    client = client_of(cast.ada)
    page = re.sub(r"\s+", " ", client.get(where(cast)).content.decode())
    assert 'value="small" disabled>small, no arcs<' in page
    assert "produces constituent trees only and cannot take part" in page
    sent = {"method": "soft", "parser": "small"}
    shown = client.post(where(cast), sent)
    told = client.post(f"/api/corpora/{cast.corpus.code}/joint/", sent, JSON)
    assert (shown.status_code, told.status_code) == (400, 400)
    for answer in (shown, told):
        assert "small produces no dependency trees" in answer.content.decode()
    assert not Job.objects.filter(kind="joint").exists()


def test_every_method_of_the_form_is_one_of_the_engine(cast: Cast) -> None:
    for method in joint.methods():
        settings = joint.settings_of(JointForm({"method": method}).arguments())
        assert settings == JointSettings(method=method)


def test_a_program_may_set_all_that_reproduction_needs(cast: Cast) -> None:
    url = f"/api/corpora/{cast.corpus.code}/joint/"
    sent = {"method": "soft", "slack": 0.5, "gate": False, "projective": False}
    client_of(cast.ada).post(url, sent, content_type=JSON)
    job = Job.objects.get(kind="joint")
    assert job.params["settings"] == asdict(JointSettings(**sent))
    assert job.title.endswith("slack 0.5, without the gate, crossing arcs allowed")


def test_the_runs_are_listed_with_what_gold_and_people_say(cast: Cast) -> None:
    run = joint_cast.ledger(cast)
    page = client_of(cast.bob).get(where(cast)).content.decode()
    assert run.label in page
    assert 'data-name="Gold: fixed">2<' in page
    assert "Parse remaining sentences" not in page  # Bob runs no engines


def test_the_api_starts_a_run_and_lists_runs_and_results(cast: Cast) -> None:
    run = joint_cast.ledger(cast)
    url = f"/api/corpora/{cast.corpus.code}/joint/"
    rows = client_of(cast.bob).get(url).json()
    assert [row["code"] for row in rows] == [run.code]
    sent = {"method": "mbr", "gate": False}
    assert client_of(cast.bob).post(url, sent, JSON).status_code == 403
    answer = client_of(cast.ada).post(url, sent, JSON)
    assert (answer.status_code, answer.json()["kind"]) == (201, "joint")
    wrong = client_of(cast.ada).post(url, {"method": "mbr", "slack": -1}, JSON)
    assert wrong.status_code == 400
    pair = JointPair.objects.get().pair
    (told,) = client_of(cast.bob).get(f"/api/pairs/{pair.code}/joint/").json()
    assert told["rounds"][0] == [12.5, 10.0, 2]
    assert (told["before"], told["after"], told["gate"]) == (2, 0, 0.8)
    assert told["links"] == [["w5", "w2", 0.9]]


def test_a_pair_shows_separate_joint_and_gold_trees(cast: Cast) -> None:
    run = joint_cast.ledger(cast)
    page = client_of(cast.bob).get(pair_page(run))
    text = page.content.decode()
    assert text.count('class="parse"') == 5  # gold has a tree of the source alone
    assert "2 before, 0 after" in text
    assert "1 not in the joint parse" in text
    assert "obl ≠" in text
    source, target = page.context["sides"]
    assert source.errors == [("Dependency", 1, 0)]
    assert (target.gold, target.errors) == (None, [])
    assert [words.text for _, words in target.changes] == ["man"]
    assert source.after.n_differing == source.before.n_differing == 1
    assert source.gold is not None
    assert source.gold.n_differing == 0


def test_the_duals_are_drawn_and_told(cast: Cast) -> None:
    run = joint_cast.ledger(cast)
    text = client_of(cast.bob).get(pair_page(run)).content.decode()
    assert text.count('class="chart"') == 2
    assert "dual: the bound: from 12.50 to 10.75" in text
    assert "10.7500" in text
    result = JointPair.objects.get()
    result.rounds = [[9.0, None, 3]] * 45
    course = pages.course_of(result)
    assert course is not None
    assert len(course.rows) == 45
    result.rounds = []
    assert pages.course_of(result) is None


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0), (0, 3), (-140.2, -131.7), (3.2, 3.2), (-5000, -4999.9)]
)
def test_ticks_hold_all_values(low: float, high: float) -> None:
    ticks = pages._ticks(low, high)
    assert ticks[0] <= low + 1e-9
    assert ticks[-1] >= high - 1e-9
    assert 2 <= len(ticks) <= 9


def test_the_page_of_a_pair_costs_the_same_whatever_has_changed(cast: Cast) -> None:
    run = joint_cast.ledger(cast)
    client, counts = client_of(cast.bob), []
    for _ in range(2):
        client.get(pair_page(run))
        with CaptureQueriesContext(connection) as queries:
            client.get(pair_page(run))
        counts.append(len(queries))
        run.changes.exclude(side="s", kind="arc").delete()
    assert counts[0] == counts[1]


def test_a_pair_without_a_result_says_how_to_get_one(cast: Cast) -> None:
    url = reverse("pair_joint", args=["windows", cast.pair.code])
    page = client_of(cast.ada).get(url).content.decode()
    assert "has not been parsed jointly" in page
    assert client_of(cast.ada).get(f"{url}?run={'0' * 16}").status_code == 404
    assert client_of(cast.cyd).get(url).status_code == 404
    run = joint_cast.ledger(cast)
    other = joint_cast.run(cast, "Another")
    page = client_of(cast.bob).get(f"{pair_page(run)}?run={other.code}")
    assert page.status_code == 404


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"exact": True}, "exact: no other pair of trees is better"),
        ({"exact": False, "gap": 0.5}, "better by at most 0.500 nats"),
        ({"exact": False, "gap": None}, "no pair of trees was found that fits"),
        ({"gate": 0.25, "kept": False}, "better one with probability 0.25"),
        ({"gate": 0.75}, "better one with probability 0.75"),
    ],
)
def test_a_pair_says_how_sure_its_solution_is(
    cast: Cast, fields: dict[str, object], words: str
) -> None:
    run = joint_cast.ledger(cast)
    JointPair.objects.update(**fields)
    assert words in client_of(cast.bob).get(pair_page(run)).content.decode()


@pytest.mark.parametrize("method", ["bp", "mbr", "pairs"])
def test_no_pair_is_called_the_best_of_all_without_a_proof(
    cast: Cast, method: str
) -> None:
    run = joint_cast.ledger(cast)
    assert "no other pair" in client_of(cast.bob).get(pair_page(run)).text
    JointRun.objects.update(method=method)
    page = client_of(cast.bob).get(pair_page(run)).text
    assert "exact" not in page
    assert "no other pair" not in page
    assert ("approximate" in page) == (method == "bp")


def test_who_may_only_look_gets_no_keys(cast: Cast) -> None:
    run = joint_cast.ledger(cast)
    Membership.objects.filter(user=cast.bob).update(role="viewer")
    page = client_of(cast.bob).get(reverse("ledger", args=["windows", run.code]))
    text = page.content.decode()
    assert 'id="single-keys"' not in text
    assert text.count(" disabled>") == 3 * 4
    assert "CSV" not in text


@pytest.mark.slow
def test_every_drawing_can_be_downloaded_as_it_is_shown(cast: Cast) -> None:
    client, page = client_of(cast.bob), pair_page(joint_cast.ledger(cast))
    shown = client.get(page)
    links = re.findall(
        r'href="([^"]+/joint/[a-z-]+\.(?:svg|pdf|png)\?[^"]+)"', shown.text
    )
    assert len(links) == 3 * 7  # two trees a side, gold of one, two charts
    begins = {"svg": b"<?xml", "pdf": b"%PDF", "png": b"\x89PNG"}
    for link in links:
        answer = client.get(link)
        kind = link.partition("?")[0][-3:]
        assert answer.status_code == 200, link
        assert answer.content.startswith(begins[kind])
        assert f'.{kind}"' in answer["Content-Disposition"]
    duals = client.get(next(one for one in links if "/duals.svg" in one)).text
    assert shown.context["course"].values in duals


def test_a_figure_that_there_is_not_is_not_found(cast: Cast) -> None:
    page = pair_page(joint_cast.ledger(cast))
    for name in ("target-gold.svg", "duals.gif", "duals.svg?run=" + "0" * 16):
        assert client_of(cast.bob).get(page + name).status_code == 404
    assert client_of(cast.cyd).get(page + "duals.svg").status_code == 404
