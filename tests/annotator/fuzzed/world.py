"""A filled installation, everybody who may call its API, and its real codes."""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import schemathesis
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from annotator import models
from annotator.models import Issue, Job, Membership
from annotator.services import accounts
from annotator.services.paraphrases import tables as paraphrase_tables
from annotator.services.parses import arc_drafts, drafts
from annotator.services.projects import removals
from annotator.services.reports import layers as layer_reports
from annotator.services.reports import rating_tables
from annotator.services.treebanks import worklists
from annotator.wsgi import application
from tests.annotator import campaigns_cast, joint_cast
from tests.annotator.fuzzed import links
from tests.cast import Cast, person
from tests.core.pivoting import small_bitext

TABLES = {
    "corpora": models.Corpus,
    "campaigns": models.Campaign,
    "judge": models.Campaign,
    "changes": models.TreeChange,
    "imports": models.Job,
    "items": models.Item,
    "jobs": models.Job,
    "joint-runs": models.JointRun,
    "layers": models.AlignmentLayer,
    "pairs": models.Pair,
    "ratings": models.RatingSet,
    "removals": models.Removal,
    "reports": models.Report,
    "sentences": models.Sentence,
    "bitexts": models.Bitext,
    "tables": models.ParaphraseTable,
    "arc-drafts": models.TreeDraft,
    "tree-drafts": models.TreeDraft,
    "tree-batches": models.TreeBatch,
    "worklists": models.Worklist,
    "work": models.WorkShare,
}
FIELDS = {
    "judgment": models.Judgment,
    "held": models.Judgment,
    "judgments": models.Judgment,
    "person": models.Participant,
    "change": models.TreeChange,
    "layer": models.AlignmentLayer,
    "with": models.AlignmentLayer,
    "parse": models.Parse,
    "source_parse": models.Parse,
    "target_parse": models.Parse,
    "scores": models.ScoreRun,
}
"""By first part of the path, and by name of a field, whose codes are meant."""
NAMES = {
    "slug": ["windows"],
    "username": ["bob", "ada", "viewer"],
    "judge": ["A1", "A2"],
    "kind": ["pairs", "gemel", "jsonl", "conllu"],
}
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]


def described() -> Any:
    """The project's own description over the project's own front door."""
    raw = SchemaGenerator().get_schema(request=None, public=True)
    schema = schemathesis.openapi.from_dict(links.linked(raw))
    schema.app = application
    schema.config.update(base_url="http://localhost")
    return schema


Credentials = dict[str, dict[str, str]]
"""Headers and cookies of a request."""


@dataclass
class World:
    people: dict[str, Credentials]
    """By role, what makes a request somebody's."""
    codes: dict[type, list[str]]

    def name_real(self, case: Any, data: st.DataObject) -> None:
        """Put real codes where the case names a row: nearly always in its path, half
        the time elsewhere."""
        for name in case.path_parameters or {}:
            if data.draw(st.integers(0, 9)):
                meant = st.sampled_from(self.meant(case.path, name))
                case.path_parameters[name] = data.draw(meant, label=name)
        for sent in (case.body, case.query):
            if isinstance(sent, dict):
                for name in FIELDS.keys() & sent.keys():
                    if data.draw(st.booleans()):
                        codes = self.codes[FIELDS[name]]
                        value = data.draw(st.sampled_from(codes), label=name)
                        sent[name] = [value] if name == "held" else value

    def meant(self, path: str, name: str) -> list[str]:
        """Real values of a parameter of the path."""
        if name in NAMES:
            return NAMES[name]
        parts = path.strip("/").split("/")[1:]
        is_item = parts[2:3] == ["items"] and name == "code"
        is_pair = parts[2:3] == ["pairs"] and name == "code"
        table = "items" if is_item else "pairs" if is_pair else parts[0]
        return self.codes[TABLES[table]]


def filled() -> World:
    """Two of everything that a call can name, and one account of each role."""
    cast = Cast()
    _corpus(cast)
    _campaigns(cast)
    _paraphrases(cast)
    drafts.start(cast.pair.source, by=cast.bob)
    arc_drafts.start(cast.pair.source, by=cast.bob)
    models.TreeBatch.objects.create(
        corpus=cast.corpus, query="NP", label="NX", by=cast.ada
    )
    _worklist(cast)
    gone = campaigns_cast.campaign(cast, n=2, is_open=False)
    removals.remove(gone, by=cast.ada)
    tables = {*TABLES.values(), *FIELDS.values()}
    codes = {  # in the order in which they were made: what is removed comes last
        table: list(table.objects.order_by("pk").values_list("code", flat=True))
        for table in tables
    }
    empty = [table.__name__ for table, names in codes.items() if not names]
    assert not empty, f"nothing to call by name: {empty}"
    return World(_people(cast), codes)


def _worklist(cast: Cast) -> None:
    wanted = worklists.Wanted("All", "tree", "random", ("ada", "bob"), n_each=2)
    made = worklists.make(cast.corpus, wanted, by=cast.ada)
    worklists.next_share(made, by=cast.bob)


def _corpus(cast: Cast) -> None:
    joint_cast.ledger(cast)
    params = {"corpus": "Houses", "uploads": [], "dry_run": True}
    for kind in ("import", "parse"):
        job = Job.objects.create(
            project=cast.project, kind=kind, title="x", by=cast.ada, params=params
        )
        Issue.objects.create(job=job, file="a.tsv", line=3, reason="No tab.")
    models.ScoreRun.objects.create(
        corpus=cast.corpus, scorer="bleu", label="BLEU", version="1", digest="x"
    )
    layer_reports.freeze(cast.corpus, title="Layers", by=cast.ada)


def _paraphrases(cast: Cast) -> None:
    """Parallel text with links and trees, and a table made of it."""
    with tempfile.TemporaryDirectory() as place:
        for source in small_bitext.sources(Path(place)):
            row = models.Bitext.objects.create(
                project=cast.project, name=source.pairs.stem, target_language="de",
                aligner="hmm", parser="english", n_pairs=6,
            )  # fmt: skip
            row.folder.mkdir(parents=True)
            shutil.copy(source.pairs, row.pairs_path)
            shutil.copy(source.parses[0], row.parses_path)
    codes = list(models.Bitext.objects.values_list("code", flat=True))
    made = paraphrase_tables.start(
        cast.project, "Sea", codes, by=cast.ada, enqueue=False
    )
    for _ in paraphrase_tables.run(made.job):
        pass
    Job.objects.filter(pk=made.job.pk).update(state=Job.State.DONE)


def _campaigns(cast: Cast) -> None:
    made = campaigns_cast.campaign(cast, n=6, people=2)
    for held in campaigns_cast.draw(made, cast.bob, 3)[:2]:
        campaigns_cast.judge(held)
    campaigns_cast.campaign(cast, n=2, is_open=False)
    rows = [
        f"i{i}\tA{j}\tmeaning\t{1 + (i + j) % 5}" for i in (1, 2, 3) for j in (1, 2)
    ]
    text = "\n".join(["item\tannotator\tscale\tvalue", *rows, ""])
    sent = SimpleUploadedFile("r.tsv", text.encode())
    rating_tables.add_as("long", cast.project, sent, name="There", by=cast.ada)


def _people(cast: Cast) -> dict[str, Credentials]:
    owner = User.objects.create_superuser("owner", password="correct horse battery")
    people = {"stranger": cast.cyd, "owner": owner}
    people |= {"manager": cast.ada, "annotator": cast.bob}
    for role in ("curator", "viewer"):
        people[role] = person(role)
        Membership.objects.create(project=cast.project, user=people[role], role=role)
    credentials = {"nobody": {"headers": {}, "cookies": {}}}
    credentials |= {name: session(one) for name, one in people.items()}
    for scope in models.tokens.Scope.values:
        _, secret = accounts.make_token(cast.ada, name=scope, scope=scope)
        sent = {"Authorization": f"Token {secret}"}
        credentials[f"token: {scope}"] = {"headers": sent, "cookies": {}}
    return credentials


def asked(case: Any, who: Credentials, accept: str) -> Any:
    """The answer to the case, sent as this person; it leaves no row."""
    case.cookies = {}
    case.headers = {"Accept": accept}
    with transaction.atomic():
        answer = case.call(**who)
        transaction.set_rollback(True)
    return answer


def session(user: User) -> Credentials:
    client = Client()
    client.force_login(user)
    csrf = "a" * 32
    key = client.session.session_key
    return {
        "headers": {"X-CSRFToken": csrf},
        "cookies": {"sessionid": str(key), "csrftoken": csrf},
    }
