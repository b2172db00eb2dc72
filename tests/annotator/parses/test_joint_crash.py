"""kill -9 while a corpus is parsed jointly: it goes on, and nothing is there twice."""

import json
from pathlib import Path

import pytest

from tests.annotator.durability.test_crash import ask
from tests.running import running, wait

pytestmark = pytest.mark.slow

START = """
from django.contrib.auth.models import User
from annotator.models import Corpus, Pair, Project, Sentence
from annotator.services.parses import joint
owner = User.objects.get(username="owner")
corpus = Corpus.objects.create(project=Project.objects.get(slug="sample"), name="Many")
def sentence(text):
    forms = text.split()
    return Sentence.objects.create(corpus=corpus, text=text, tokens="\\n".join(forms),
        n_tokens=len(forms), key=Sentence.key_of(text))
for i in range({n}):
    s = sentence(f"The cook saw number {{i}} in the garden with a lamp .")
    t = sentence(f"Number {{i}} was seen by the cook with a lamp in the garden .")
    Pair.objects.create(corpus=corpus, source=s, target=t, key=str(i),
        text=f"{{s.text}}\\n{{t.text}}", n_source=s.n_tokens, n_target=t.n_tokens)
joint.start(corpus, joint.settings_of({{"method": "soft"}}), by=owner)
"""
STATE = """
import json
from annotator.models import Job, JointPair, JointRun, JointTree, Parse, TreeChange
job = Job.objects.get(kind="joint")
run = JointRun.objects.filter(corpus__name="Many").first()
results = JointPair.objects.filter(run=run)
mine = Parse.objects.filter(engine="joint", rank=1, kind="dependency")
print(json.dumps({
    "state": job.state, "started": str(job.started_at), "done": job.done,
    "results": results.count(), "pairs": results.values("pair").distinct().count(),
    "trees": JointTree.objects.filter(result__run=run, kind="dependency").count(),
    "parses": mine.values("sentence").distinct().count(), "rows": mine.count(),
    "counted": [run.n_pairs, run.n_changes] if run else [],
    "changes": TreeChange.objects.filter(run=run).count(),
}))
"""


RESULTS = "SELECT COUNT(*) FROM annotator_jointpair"
OF_JOB = "FROM annotator_job WHERE kind = 'joint'"


def test_joint_parsing_survives_the_death_of_its_worker(tmp_path: Path) -> None:
    n = 320
    with running(tmp_path, GEMEL_JOB_STALE_S="12") as gemel:
        wait((tmp_path / "worker.alive").exists, gemel.output)

        ask(gemel, START.format(n=n))
        wait(lambda: gemel.select(RESULTS) > 0, gemel.output)
        first = gemel.select(f"SELECT started_at {OF_JOB}")
        gemel.kill("celery")
        assert gemel.select(RESULTS) < n
        is_over = ("done", "failed")
        wait(lambda: gemel.select(f"SELECT state {OF_JOB}") in is_over, gemel.output)
        end = json.loads(ask(gemel, STATE))
    assert (end["state"], end["done"]) == ("done", n)
    assert end["started"] > first, "taken up again"
    assert end["results"] == end["pairs"] == n
    assert end["trees"] == end["parses"] == end["rows"] == 2 * n
    assert end["counted"] == [n, end["changes"]]
