"""The servers that Gemel stands on go away and come back: it says so, loses nothing,
and goes on by itself. A real web server and a real worker, as ``up`` starts them."""

import json
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from lab.bench.judging import Client
from tests.annotator.durability.servers import Postgres, Redis, postgres, redis
from tests.annotator.durability.test_crash import ask
from tests.running import Running, running, wait

__all__ = ["postgres", "redis"]  # fixtures

pytestmark = [pytest.mark.slow, pytest.mark.once]

FEW, MANY = 200, 6_000  # rows of an import
PEOPLE = """
import json
from tests.annotator import campaigns_cast
from tests.annotator.fuzzed import world
from tests.cast import Cast
from annotator.services import accounts
c = Cast()
campaign = campaigns_cast.campaign(c, n=1500, people=1)
token = accounts.make_token(c.bob, name="judge", scope="annotate")[1]
print(json.dumps([campaign.code, token, world.session(c.ada)["cookies"]["sessionid"]]))
"""
IMPORT = """
from django.core.files.base import ContentFile
from annotator.models import Project
from django.contrib.auth.models import User
from annotator.services.corpora import imports, storing
ada = User.objects.get(username="ada")
project = Project.objects.get(slug="windows")
rows = "".join(f"m{{i}}\\tRow {{i}} has a door\\tA door is in row {{i}}\\n" for i in range({n}))
file = ContentFile(("id\\tsource\\ttarget\\n" + rows).encode())
upload = storing.keep(project, "many.tsv", file, by=ada)
print(imports.start(project, [upload], kind="pairs", corpus="{name}", by=ada,
                    dry_run=False).code)
"""  # noqa: E501
JOB = """
import json
from annotator.models import Job, Pair
job = Job.objects.get(code="{code}")
pairs = Pair.objects.filter(corpus__name=job.params["corpus"])
print(json.dumps([job.state, pairs.count(), pairs.values("ref").distinct().count(),
                  job.result.get("new", {{}}).get("pairs")]))
"""
ANSWERS = """
import json
from annotator.models import JudgmentEvent
print(json.dumps([str(one) for one in JudgmentEvent.objects.filter(
    verb="save").values_list("uuid", flat=True)]))
"""


@dataclass
class Workplace:
    """A running Gemel in which Bob judges and Ada looks at pages."""

    gemel: Running
    session: str
    judge: Client

    def get(self, path: str) -> tuple[int, str]:
        asked = urllib.request.Request(f"{self.gemel.base}{path}")
        asked.add_header("Cookie", f"sessionid={self.session}")
        try:
            with urllib.request.urlopen(asked, timeout=600) as answer:
                return answer.status, " ".join(answer.read().decode().split())
        except urllib.error.HTTPError as error:
            return error.code, " ".join(error.read().decode().split())

    def job_page(self, code: str) -> str:
        status, page = self.get(f"/p/windows/jobs/{code}/")
        assert status == 200, page
        return page

    def starts_import(self, name: str, n: int) -> str:
        return ask(self.gemel, IMPORT.format(name=name, n=n))

    def job(self, code: str) -> list:
        return json.loads(ask(self.gemel, JOB.format(code=code)))

    def judges_on(self) -> None:
        """Until five more judgments are acknowledged."""
        n = len(self.judge.acknowledged)
        wait(lambda: len(self.judge.acknowledged) >= n + 5, self.gemel.output)

    def is_whole(self, code: str, n: int) -> None:
        """The import ends, and each row is there once."""
        over = ("done", "failed", "cancelled")
        wait(lambda: self.job(code)[0] in over, self.gemel.output)
        assert self.job(code) == ["done", n, n, n]


@contextmanager
def place(home: Path, **more: str) -> Iterator[Workplace]:
    home.mkdir()
    with running(home, "--no-sample", GEMEL_JOB_STALE_S="12", **more) as gemel:
        campaign, token, session = json.loads(ask(gemel, PEOPLE))
        judge = Client(
            token=f"Token {token}", port=gemel.port, campaign=campaign,
            until=float("inf"), due=time.perf_counter(), every=0.5,
        )  # fmt: skip
        thread = threading.Thread(target=judge.run, daemon=True)
        thread.start()
        there = Workplace(gemel, session, judge)
        there.judges_on()
        wait((home / "worker.alive").exists, gemel.output)
        yield there
        there.judges_on()
        judge.until = 0.0
        thread.join(600)
        kept = json.loads(ask(gemel, ANSWERS))
        assert sorted(kept) == sorted(judge.acknowledged)


def test_a_database_that_is_away_is_told_and_all_goes_on(
    postgres: Postgres, tmp_path: Path
) -> None:
    with place(tmp_path / "home", DATABASE_URL=postgres.url) as there:
        running_one = there.starts_import("Running", MANY)
        waiting_one = there.starts_import("Waiting", FEW)
        wait(lambda: there.job(running_one)[1] > 0, there.gemel.output)
        with postgres.away():
            for path in ("/", f"/p/windows/jobs/{waiting_one}/"):
                status, page = there.get(path)
                assert (status, "The database does not respond" in page) == (503, True)
                assert "Traceback" not in page
            status, text = there.get("/api/projects/")
            assert (status, json.loads(text)["error"]["code"]) == (503, "not_ready")
            told = there.judge.statuses[503]
            wait(lambda: there.judge.statuses[503] > told, there.gemel.output)
        there.judges_on()
        assert set(there.judge.statuses) == {200, 503}
        there.is_whole(running_one, MANY)
        there.is_whole(waiting_one, FEW)
        assert there.get(f"/p/windows/jobs/{waiting_one}/")[0] == 200


AWAY = "The job queue cannot be reached"


def test_jobs_sent_while_the_broker_is_away_wait_and_end_once(
    redis: Redis, tmp_path: Path
) -> None:
    with place(tmp_path / "home", CELERY_BROKER_URL=redis.url) as there:
        redis.kill()
        code = there.starts_import("Waiting", FEW)
        wait(lambda: AWAY in there.job_page(code), there.gemel.output)
        assert there.job(code)[:2] == ["queued", 0]
        there.judges_on()
        redis.start()
        there.is_whole(code, FEW)
        wait(lambda: AWAY not in there.job_page(code), there.gemel.output)


def test_jobs_whose_message_the_broker_lost_end_once(
    redis: Redis, tmp_path: Path
) -> None:
    with place(tmp_path / "home", CELERY_BROKER_URL=redis.url) as there:
        running_one = there.starts_import("Running", MANY)
        waiting = [there.starts_import(f"Waiting {i}", FEW) for i in range(3)]
        wait(lambda: there.job(running_one)[1] > 0, there.gemel.output)
        redis.kill()
        there.is_whole(running_one, MANY)  # it needs no broker
        redis.start()
        for code in waiting:
            there.is_whole(code, FEW)
