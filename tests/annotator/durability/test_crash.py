"""kill -9 while people work: what was acknowledged is there, nothing is there twice."""

import json
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from uuid import uuid4

import pytest

from tests.running import ROOT, Running, running, wait

pytestmark = [pytest.mark.slow, pytest.mark.once]

SETUP = """
from django.contrib.auth.models import User
from annotator.services import accounts
from annotator.models import Pair
owner = User.objects.get(username="owner")
pair = Pair.objects.order_by("pk").first()
print(accounts.make_token(owner, name="crash", scope="manage")[1], pair.code)
"""
LEDGER = """
import json
from annotator.models import AlignmentLayer, LinkEvent
layer = AlignmentLayer.objects.get(code="{code}")
uuids = [str(u) for u in layer.events.values_list("uuid", flat=True)]
print(json.dumps([layer.revision, uuids]))
"""
PAIRS = """
import json
from annotator.models import Job, Pair, Sentence
job = Job.objects.filter(kind="import", title__contains="many").order_by("-pk").first()
print(json.dumps([
    job.state if job else "", job.attempts if job else 0,
    Pair.objects.filter(corpus__name="Many").count(),
    Pair.objects.filter(corpus__name="Many").values("ref").distinct().count(),
    job.result.get("new", {}) if job else {},
]))
"""
START = """
from django.contrib.auth.models import User
from annotator.models import Project
from annotator.services.corpora import imports, storing
owner = User.objects.get(username="owner")
project = Project.objects.get(slug="sample")
with open({path!r}, "rb") as file:
    upload = storing.keep(project, "many.tsv", file, by=owner)
imports.start(project, [upload], kind="pairs", corpus="Many", by=owner, dry_run=False)
"""


def ask(gemel: Running, code: str) -> str:
    """What this code prints inside the installation."""
    done = subprocess.run(
        [sys.executable, "manage.py", "shell", "--no-imports", "-c", code],
        cwd=ROOT,
        env=gemel.env,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def post(url: str, token: str, body: object) -> dict:
    request = urllib.request.Request(url, json.dumps(body).encode(), method="POST")
    request.add_header("Authorization", f"Token {token}")
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def persist(url: str, token: str, body: object) -> dict:
    """Send until it is acknowledged, as the editor does."""
    answer: dict = {}

    def sent() -> bool:
        try:
            answer.update(post(url, token, body))
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error
        except OSError:
            return False
        return True

    wait(sent)
    return answer


def test_links_survive_the_death_of_the_web_server(tmp_path: Path) -> None:
    with running(tmp_path) as gemel:
        token, pair = ask(gemel, SETUP).split()
        layer = persist(f"{gemel.base}/api/pairs/{pair}/layers/", token, {})
        ops = f"{gemel.base}/api/layers/{layer['code']}/ops/"
        revision, uuids = layer["revision"], []
        for i in range(500):
            if i in (120, 340):
                gemel.kill("gunicorn")
            uuid = str(uuid4())
            body = {"uuid": uuid, "base_rev": revision, "op": "clear", "s": "w0"}
            if i % 2 == 0:
                body |= {"op": "link", "t": f"w{i % 4}"}
            revision = persist(ops, token, body)["revision"]
            uuids.append(uuid)
        kept_revision, kept = json.loads(ask(gemel, LEDGER.format(code=layer["code"])))
    assert len(kept) == len(set(kept))
    assert set(kept) == set(uuids)
    assert kept_revision == revision == len(kept)


STORED = """SELECT COUNT(*) FROM annotator_pair JOIN annotator_corpus AS corpus
ON corpus.id = corpus_id WHERE corpus.name = 'Many'"""
STATE = """SELECT state FROM annotator_job WHERE kind = 'import'
AND title LIKE '%many%' ORDER BY id DESC LIMIT 1"""


def test_an_import_survives_the_death_of_its_worker(tmp_path: Path) -> None:
    n = 15_000
    many = tmp_path / "many.tsv"
    rows = (f"m{i}\tRow {i} has a door\tA door is in row {i}\n" for i in range(n))
    many.write_text("id\tsource\ttarget\n" + "".join(rows))
    with running(tmp_path, GEMEL_JOB_STALE_S="12") as gemel:
        wait((tmp_path / "worker.alive").exists, gemel.output)
        ask(gemel, START.format(path=str(many)))
        wait(lambda: gemel.select(STORED) > 0, gemel.output)
        gemel.kill("celery")
        assert gemel.select(STORED) < n
        wait(lambda: gemel.select(STATE) in ("done", "failed"), gemel.output)
        state, attempts, pairs, refs, new = json.loads(ask(gemel, PAIRS))
    assert (state, attempts, pairs, refs) == ("done", 2, n, n)
    assert (new["pairs"], new["sentences"]) == (n, 2 * n), "what both runs wrote"
