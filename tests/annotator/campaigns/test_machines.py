"""Machine annotators: what is asked, what becomes of each kind of answer, and that
nothing counts them among people."""

import json
import shutil
import ssl
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from annotator import env
from annotator.errors import BadRequest, Conflict, NotAllowed
from annotator.models import (
    Campaign,
    Issue,
    Job,
    Judgment,
    MachineJudge,
    MachineJudgment,
)
from annotator.services import jobs
from annotator.services.campaigns import items, machines, progress, setup
from annotator.services.reports import agreement
from annotator.services.reports.agreement import ReportSource
from annotator.serving import language_model as client
from tests.annotator.campaigns.llm import (
    KEY,
    Answer,
    StubEndpoint,
    completion,
    endpoint,
)
from tests.annotator.campaigns_cast import GOOD, HEADER, campaign, draw, judge, rows
from tests.cast import Cast

pytestmark = pytest.mark.django_db
JSON = "application/json"


@pytest.fixture
def serve(settings) -> Any:
    """Starts a stub and points the settings at it: ``serve(answer)``."""
    open_ones = []

    def start(answer: Callable[[dict[str, Any]], Answer]) -> StubEndpoint:
        opened = endpoint(answer)
        stub = opened.__enter__()
        open_ones.append(opened)
        settings.MACHINE = {"url": stub.url, "key": KEY}
        return stub

    yield start
    for one in open_ones:
        one.__exit__(None, None, None)


@pytest.fixture
def made(cast: Cast) -> Campaign:
    return campaign(cast, n=4)


def good(_asked: Any) -> Answer:
    return completion(GOOD)


def run(made: Campaign, by: Any, **more: Any) -> Job:
    job = machines.start(made, "small-model", by=by, **more)
    jobs.run(job.pk)
    job.refresh_from_db()
    return job


def test_every_item_is_judged_once_with_the_guidelines_as_prompt(
    cast: Cast, made: Campaign, serve
) -> None:
    setup.write_guideline(made, "Read **twice**.", by=cast.ada)
    made.refresh_from_db()
    stub = serve(good)
    job = run(made, cast.ada, seed=7)
    assert (job.state, job.done, job.total, job.failed) == ("done", 4, 4, 0)
    assert MachineJudgment.objects.filter(values=GOOD).count() == 4
    assert stub.paths == ["/v1/chat/completions"] * 4
    assert {asked["seed"] for asked in stub.asked} == {7}
    assert {asked["temperature"] for asked in stub.asked} == {0}
    assert {asked["model"] for asked in stub.asked} == {"small-model"}
    system, user = stub.asked[0]["messages"]
    assert "Read **twice**." in system["content"]
    for scale in made.scales.all():
        assert f'"{scale.name}": {scale.title}' in system["content"]
        assert all(point["anchor"] in system["content"] for point in scale.points)
    item = json.loads(user["content"])
    assert (
        item["sentence"].replace(item["phrase"], item["paraphrase"])
        == (item["sentence_with_paraphrase"])
    )
    texts = {json.loads(a["messages"][1]["content"])["paraphrase"] for a in stub.asked}
    assert texts == set(made.items.values_list("paraphrase", flat=True))


def test_the_machine_reads_no_more_than_an_annotator(cast: Cast, serve) -> None:
    text = HEADER + rows(2) + rows(1, kind="gold", gold="5", why="SECRET-why")
    made = campaign(cast, text=text)
    stub = serve(good)
    run(made, cast.ada)
    for asked in stub.asked:
        words = json.dumps(asked)
        for secret in ("SECRET", "system 0", "system 1", "rank", "condition"):
            assert secret not in words
    assert len(stub.asked) == 3  # checks are judged like items


def test_no_judgment_of_a_machine_is_counted_among_people(
    cast: Cast, made: Campaign, serve
) -> None:
    before = progress.of(made)
    serve(good)
    run(made, cast.ada)
    assert not Judgment.objects.exists()
    assert made.participants.count() == 1
    after = progress.of(made)
    assert (after.done, after.need) == (before.done, before.need)
    assert set(made.items.values_list("n_taken", "n_done")) == {(0, 0)}


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(GOOD),
        f"Sure!\n```json\n{json.dumps(GOOD)}\n```",
        '{"meaning": "4", "grammar": 5.0, "why": "because"}',
    ],
)
def test_values_are_found_among_other_words(made: Campaign, reply: str) -> None:
    assert machines.read(made, reply) == GOOD


@pytest.mark.parametrize(
    "reply",
    [
        "", "4 and 5", "[4, 5]", "{", '{"meaning": 4}', '{"meaning": 9, "grammar": 5}',
        '{"meaning": true, "grammar": 5}', '{"meaning": null, "grammar": 5}',
        '{"meaning": [4], "grammar": 5}', '{"meaning": 4.5, "grammar": 5}',
        "{" * 100_000 + "}", '{"meaning": NaN, "grammar": 5}',
    ],
)  # fmt: skip
def test_a_reply_without_valid_values_is_refused(made: Campaign, reply: str) -> None:
    with pytest.raises(BadRequest):
        machines.read(made, reply)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html>", b"null", b"[]", b"{}", b'{"choices": []}', b"\xff\xfe",
        b'{"choices": [{"message": {"content": null}}], "usage": "many"}',
        b'{"choices": {"0": 1}, "usage": {"prompt_tokens": -4}}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_malformed_answer_is_asked_again_and_then_an_issue(
    cast: Cast, made: Campaign, serve, body: bytes
) -> None:
    bad = made.items.order_by("pk")[1].paraphrase

    def answer(asked: dict[str, Any]) -> Answer:
        is_bad = bad in asked["messages"][1]["content"]
        return (200, {}, body) if is_bad else completion(GOOD)

    stub = serve(answer)
    job = run(made, cast.ada, seed=5)
    assert (job.state, job.done, job.failed) == ("done", 3, 1)
    assert len(stub.asked) == 3 + machines.TRIES
    assert bad not in str(MachineJudgment.objects.values_list("item__paraphrase"))
    assert "no JSON object" in Issue.objects.get(job=job).reason
    seeds = [asked["seed"] for asked in stub.asked]
    assert sorted(seeds) == [5, 5, 5, 5, 6, 7]  # another seed for another try


def test_a_malformed_item_can_be_asked_again_later(
    cast: Cast, made: Campaign, serve
) -> None:
    serve(lambda _asked: completion("I would rather not."))
    run(made, cast.ada)
    machine = MachineJudge.objects.get()
    assert machine.judgments.count() == 0
    stub = serve(good)
    jobs.run(machines.go_on(machine, by=cast.ada).pk)
    assert (machine.judgments.count(), len(stub.asked)) == (4, 4)


def test_a_busy_endpoint_is_asked_again_when_it_says(
    cast: Cast, made: Campaign, serve
) -> None:
    times: list[float] = []

    def answer(_asked: Any) -> Answer:
        times.append(time.monotonic())
        if len(times) == 1:
            return 429, {"Retry-After": "1"}, b"slow down"
        if len(times) == 3:
            return 503, {"Retry-After": "0"}, b""
        return completion(GOOD)

    serve(answer)
    job = run(made, cast.ada)
    assert (job.state, job.done, len(times)) == ("done", 4, 6)
    assert times[1] - times[0] >= 1


def test_a_silent_endpoint_is_asked_again(
    cast: Cast, made: Campaign, serve, monkeypatch
) -> None:
    monkeypatch.setattr(client, "TIMEOUT_S", 2.0)
    calls: list[int] = []
    again = threading.Event()

    def answer(_asked: Any) -> Answer:
        calls.append(1)
        if len(calls) == 1:
            monkeypatch.setattr(client, "TIMEOUT_S", 600.0)
            again.wait(600)
        again.set()
        return completion(GOOD)

    serve(answer)
    job = run(made, cast.ada)
    assert (job.state, job.done) == ("done", 4)
    assert len(calls) == 5


def test_an_endpoint_that_stays_away_ends_the_job_and_keeps_the_work(
    cast: Cast, made: Campaign, serve, monkeypatch
) -> None:
    monkeypatch.setattr(machines, "MOST_WAIT_S", 1.5)
    calls: list[int] = []

    def answer(_asked: Any) -> Answer:
        calls.append(1)
        return completion(GOOD) if len(calls) < 3 else (500, {}, b"broken")

    serve(answer)
    job = run(made, cast.ada)
    assert job.state == "failed"
    assert "did not answer (HTTP 500)" in job.note
    assert MachineJudgment.objects.count() == 2


@pytest.mark.parametrize("status", [301, 302, 400, 401, 403, 404, 204])
def test_a_refusal_ends_the_job_without_the_key(
    cast: Cast, made: Campaign, serve, status: int, caplog
) -> None:
    other: list[int] = []
    elsewhere = serve(lambda _asked: (other.append(1), completion(GOOD))[1])
    said = json.dumps({"error": {"message": f"no model for {KEY}"}}).encode()
    stub = serve(lambda _asked: (status, {"Location": elsewhere.url}, said))
    job = run(made, cast.ada)
    assert job.state == "failed"
    assert f"HTTP {status}" in job.note
    assert (len(stub.asked), other) == (1, [])  # no redirect is followed
    assert stub.keys == [f"Bearer {KEY}"]
    kept = f"{job.note} {job.error} {job.params} {job.result} {caplog.text}"
    kept += str(list(MachineJudge.objects.values()))
    assert KEY not in kept


def test_tokens_and_cost_are_counted(cast: Cast, made: Campaign, serve) -> None:
    serve(lambda _asked: completion(GOOD, 1000, 50))
    job = run(made, cast.ada, price_in=2.0, price_out=10.0)
    machine = MachineJudge.objects.get()
    counts = (machine.n_requests, machine.tokens_in, machine.tokens_out)
    assert counts == (4, 4000, 200)
    assert machine.cost == pytest.approx(4000 * 2 / 1e6 + 200 * 10 / 1e6)
    assert job.note == "4,200 tokens, 0.01"
    run(made, cast.ada)
    assert MachineJudge.objects.get(label="M2").cost is None


def test_a_job_goes_on_where_its_worker_died(cast: Cast, made: Campaign, serve) -> None:
    stub = serve(good)
    job = machines.start(made, "small-model", by=cast.ada)
    steps = machines.run(job)
    while MachineJudgment.objects.count() < 2:
        next(steps)
    steps.close()  # the worker is gone
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == ("done", 4, 4)
    assert len(stub.asked) == 4  # none was asked for twice
    assert MachineJudgment.objects.count() == 4


def test_a_cancelled_job_keeps_what_was_judged(
    cast: Cast, made: Campaign, serve
) -> None:
    serve(lambda _asked: (429, {"Retry-After": "600"}, b""))
    job = machines.start(made, "small-model", by=cast.ada)
    began = time.monotonic()
    jobs.run(job.pk, on_step=lambda row: jobs.cancel(row, by=cast.ada))
    job.refresh_from_db()
    assert job.state == "cancelled"
    assert time.monotonic() - began < 500


def test_withdrawn_items_and_training_are_not_judged(cast: Cast, serve) -> None:
    text = HEADER + rows(2) + rows(1, kind="training", gold="5", why="So.")
    made = campaign(cast, text=text)
    stub = serve(good)
    items.withdraw(made.items.filter(kind="main").first(), by=cast.ada)
    run(made, cast.ada)
    assert len(stub.asked) == 1


def test_only_managers_start_and_only_where_an_endpoint_is_set(
    cast: Cast, made: Campaign, serve, settings
) -> None:
    settings.MACHINE = {}
    with pytest.raises(Conflict, match="GEMEL_LLM_URL"):
        machines.start(made, "m", by=cast.ada)
    serve(good)
    with pytest.raises(NotAllowed):
        machines.start(made, "m", by=cast.bob)
    for wrong in (
        {"model": " "},
        {"seed": -1},
        {"price_in": -1.0},
        {"price_out": float("nan")},
    ):
        with pytest.raises(BadRequest):
            machines.start(made, **({"model": "m", "by": cast.ada} | wrong))
    assert not MachineJudge.objects.exists()


def test_a_machine_is_deleted_with_what_it_said(
    cast: Cast, made: Campaign, serve
) -> None:
    serve(good)
    run(made, cast.ada)
    machine = MachineJudge.objects.get()
    job = machines.go_on(machine, by=cast.ada)
    with pytest.raises(Conflict):
        machines.delete(machine, by=cast.ada)
    jobs.run(job.pk)
    with pytest.raises(NotAllowed):
        machines.delete(machine, by=cast.bob)
    machines.delete(machine, by=cast.ada)
    assert not MachineJudgment.objects.exists()


@pytest.mark.parametrize(
    "url",
    [
        "http://llm.example/v1",
        "ftp://x",
        "https://",
        "https://u:p@x/v1",
        "https://x/?a=b",
    ],
)
def test_an_address_that_is_not_safe_stops_the_start(url: str, monkeypatch) -> None:
    monkeypatch.setenv("GEMEL_LLM_URL", url)
    with pytest.raises(ImproperlyConfigured, match="GEMEL_LLM_URL"):
        env.machine()


def test_the_key_comes_from_the_environment_or_a_file(monkeypatch, tmp_path) -> None:
    monkeypatch.delenv("GEMEL_LLM_URL", raising=False)
    assert env.machine() == {}
    monkeypatch.setenv("GEMEL_LLM_URL", "https://llm.example/v1/")
    assert env.machine() == {"url": "https://llm.example/v1", "key": ""}
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    monkeypatch.setenv("GEMEL_LLM_KEY_FILE", str(file))
    assert env.machine()["key"] == KEY
    monkeypatch.setenv("GEMEL_LLM_KEY", KEY)
    with pytest.raises(ImproperlyConfigured):
        env.machine()


def judged_by_people(made: Campaign, cast: Cast) -> None:
    for user in (cast.bob, User.objects.get(username="judge1")):
        for judgment in draw(made, user, 20):
            points = 1 + judgment.item_id % 5
            judge(judgment, {"meaning": points, "grammar": 6 - points})


@pytest.fixture
def both(cast: Cast, serve) -> Campaign:
    """Judged by two people who agree, and a machine that agrees on meaning only."""
    made = campaign(cast, n=20, people=2, overlap_share=1, prefetch=20)
    judged_by_people(made, cast)
    values = {item.paraphrase: 1 + item.pk % 5 for item in made.items.all()}

    def answer(asked: dict[str, Any]) -> Answer:
        text = json.loads(asked["messages"][1]["content"])["paraphrase"]
        return completion({"meaning": values[text], "grammar": 1})

    serve(answer)
    run(made, cast.ada, price_in=1.0)
    made.refresh_from_db()
    return made


def test_the_report_compares_the_machine_with_people(
    cast: Cast, both: Campaign
) -> None:
    source = ReportSource(cast.project, "campaign", both)
    body, _read = agreement.report(source, agreement.parse(QueryDict("")))
    [machine] = body["machines"]
    meaning, grammar = machine["scales"]
    assert (machine["model"], machine["items"]) == ("small-model", 20)
    assert meaning["agreement"]["value"] == pytest.approx(1)
    assert grammar["agreement"]["value"] < 0.5
    assert meaning["people"] == [1, 1]
    assert grammar["bias"]["value"] == pytest.approx(-2)
    assert body["facts"]["judgments"] == 40
    assert body["facts"]["annotators"] == 2
    assert all(len(scale["judges"]) == 2 for scale in body["scales"])
    asked, _read = agreement.report(source, agreement.parse(QueryDict("machines=1")))
    assert asked["facts"]["judgments"] == 60
    assert asked["facts"]["annotators"] == 3
    assert asked["facts"]["machines"] == {"M1": "small-model"}
    json.dumps([body, asked], allow_nan=False)


def test_figures_without_machines_stay_as_they_were(cast: Cast, both: Campaign) -> None:
    source = ReportSource(cast.project, "campaign", both)
    spec = agreement.parse(QueryDict(""))
    with_machine, _read = agreement.report(source, spec)
    machines.delete(MachineJudge.objects.get(), by=cast.ada)
    without, _read = agreement.report(source, spec)
    assert "machines" not in without
    assert {k: v for k, v in with_machine.items() if k != "machines"} == without


def test_pages_and_exports_mark_what_a_machine_said(
    client: Client, cast: Cast, both: Campaign
) -> None:
    client.force_login(cast.ada)
    place = {"slug": cast.project.slug, "code": both.code}
    page = client.get(reverse("campaign", kwargs=place)).content.decode()
    assert "small-model" in page
    assert "127.0.0.1" in page
    assert KEY not in page
    report = reverse("report", args=[place["slug"], "campaign", both.code])
    plain = client.get(report).content.decode()
    assert "They count in no other figure of this report." in " ".join(plain.split())
    assert "M1 (machine, small-model)" not in plain
    asked = client.get(f"{report}?machines=1").content.decode()
    assert "M1 (machine, small-model)" in asked
    assert "Machine annotators count among people in these figures." in asked
    item = both.items.first()
    curating = reverse("curate_item", args=[place["slug"], both.code, item.code])
    assert "small-model" in client.get(curating).content.decode()
    people = b"".join(client.get(table(both, "campaign_table")).streaming_content)
    said = b"".join(
        client.get(table(both, "campaign_machines_table")).streaming_content
    )
    assert b"small-model" not in people
    assert b"M1" not in people
    assert said.count(b"\tsmall-model\t") == 40
    pay = client.get(table(both, "campaign_participants"))
    assert b"M1" not in b"".join(pay.streaming_content)
    client.force_login(cast.bob)
    assert client.get(table(both, "campaign_machines_table")).status_code == 403


def table(made: Campaign, name: str) -> str:
    return reverse(name, args=[made.project.slug, made.code, "tsv"])


def test_a_manager_starts_continues_and_deletes_on_the_page(
    client: Client, cast: Cast, made: Campaign, serve
) -> None:
    serve(good)
    client.force_login(cast.ada)
    act = reverse("campaign_act", args=[cast.project.slug, made.code])
    sent = {"what": "machine", "model": "m", "seed": "3", "price_in": "0,5"}
    client.post(act, sent | {"price_out": "much"})
    assert not MachineJudge.objects.exists()
    client.post(act, sent)
    machine = MachineJudge.objects.get()
    assert (machine.seed, machine.price_in, machine.price_out) == (3, 0.5, None)
    jobs.run(Job.objects.get().pk)
    client.post(act, {"what": "machine", "go_on": machine.code})
    assert Job.objects.count() == 2
    jobs.run(Job.objects.latest("pk").pk)
    client.post(act, {"what": "machine", "delete": machine.code})
    assert not MachineJudge.objects.exists()


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes certificates")
def test_a_program_starts_continues_and_deletes(
    cast: Cast, made: Campaign, serve, client: Client
) -> None:
    serve(good)
    url = f"/api/campaigns/{made.code}/machines/"
    client.force_login(cast.ada)
    sent = client.post(url, {"model": "small-model", "price_in": 2.5}, JSON)
    assert sent.status_code == 201
    jobs.run(Job.objects.get(code=sent.json()["code"]).pk)
    [machine] = client.get(url).json()
    assert (machine["label"], machine["n_judged"], machine["n_left"]) == ("M1", 4, 0)
    assert machine["cost"] > 0
    assert KEY not in client.get(url).content.decode()
    one = f"{url}{machine['code']}/"
    assert client.post(one).status_code == 201
    client.force_login(cast.bob)  # a judge
    for method, place in (("get", url), ("post", url), ("post", one), ("delete", one)):
        assert getattr(client, method)(place).status_code in (403, 404)
    client.force_login(cast.ada)
    assert client.delete(one).status_code == 409  # it judges
    jobs.run(Job.objects.get(state="queued").pk)
    assert client.delete(one).status_code == 204
    assert not MachineJudge.objects.exists()


def test_only_a_valid_certificate_gets_the_key(
    cast: Cast, made: Campaign, serve, settings, tmp_path, monkeypatch
) -> None:
    pytest.importorskip("ldap3")  # whose tests make certificates, too
    from tests.annotator.security.ldap_directory import certificate

    stub = serve(good)
    file, key = certificate(tmp_path)
    there = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    there.load_cert_chain(file, key)
    stub.server.socket = there.wrap_socket(stub.server.socket, server_side=True)
    url = stub.url.replace("http://127.0.0.1", "https://localhost")
    settings.MACHINE = {"url": url, "key": KEY}
    job = run(made, cast.ada)
    assert job.state == "failed"
    assert "The certificate is not valid" in job.note
    assert stub.keys == []
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    jobs.run(machines.go_on(MachineJudge.objects.get(), by=cast.ada).pk)
    assert (len(stub.keys), set(stub.keys)) == (4, {f"Bearer {KEY}"})
