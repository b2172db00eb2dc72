"""The installation that ``lab.bench.load`` runs on, and what must hold afterwards."""

from typing import Any, NamedTuple

from django.contrib.auth import (
    BACKEND_SESSION_KEY,
    HASH_SESSION_KEY,
    SESSION_KEY,
)
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.db import connection

from annotator.models import Corpus, Membership, Pair, Project
from annotator.services import jobs
from annotator.services.parses import parsers
from core.parsing import registry
from lab.bench import judging_data
from lab.bench.crash_data import edits
from lab.bench.load_people import Judger, Linker
from tests import cast

SOURCE = (
    "The old gardener watered the roses behind house {} in the evening because the "
    "long summer had been very dry ."
)
TARGET = (
    "In the evening the roses behind house {} were watered by the old gardener , since "
    "it had hardly rained ."
)


class LoadedProject(NamedTuple):
    """Where people go: slug of the project, campaign, and a pair with trees each."""

    project: str
    campaign: str
    pairs: list[tuple[str, tuple[str, str]]]
    sentences: list[str]


def build(
    *,
    items: int,
    judges: int,
    editors: int,
    managers: int,
    password: str,
    researchers: int = 0,
) -> LoadedProject:
    """Create ``annotator0`` …, ``editor0`` …, ``manager0`` …, ``researcher0`` … with
    one password."""
    campaign, _ = judging_data.build(items=items, people=judges, k=3, n=0)
    project = Project.objects.get(campaigns__code=campaign)
    roles = (("editor", editors), ("manager", managers), ("researcher", researchers))
    for role, n in roles:
        for i in range(n):
            user = User.objects.create_user(f"{role}{i}")
            stored = "annotator" if role == "editor" else "manager"
            Membership.objects.create(project=project, user=user, role=stored)
    User.objects.exclude(username="owner").update(password=make_password(password))
    pairs = _pairs(cast.corpus(project), max(editors, researchers))
    sentences = list(
        Pair.objects.filter(corpus__project=project).values_list(
            "source__code", flat=True
        )
    )
    connection.close()  # the server forks; the clients need none meanwhile
    return LoadedProject(project.slug, campaign, pairs[:editors], sentences)


def _pairs(corpus: Corpus, n: int) -> list[tuple[str, tuple[str, str]]]:
    for i in range(n):
        sides = [
            cast.sentence(corpus, words.format(i + 1)) for words in (SOURCE, TARGET)
        ]
        corpus.pairs.create(
            source=sides[0],
            target=sides[1],
            text="\n".join(side.text for side in sides),
            n_source=sides[0].n_tokens,
            n_target=sides[1].n_tokens,
            key=str(i),
        )
    owner = User.objects.get(username="owner")
    parse = parsers.start(corpus, registry.DEFAULT, n=1, by=owner, enqueue=False)
    jobs.run(parse.pk)
    Corpus.objects.filter(pk=corpus.pk).update(n_pairs=n)
    return [_with_trees(pair) for pair in corpus.pairs.order_by("pk")]


def _with_trees(pair: Pair) -> tuple[str, tuple[str, str]]:
    trees = [
        side.parses.filter(kind="constituency").values_list("code", flat=True)[0]
        for side in (pair.source, pair.target)
    ]
    return pair.code, (trees[0], trees[1])


def verify(
    campaign: str, judges: list[Judger], editors: list[Linker]
) -> dict[str, Any]:
    """Return by name whether each condition holds."""
    judging_data.acknowledged(judges)
    worked = [one for one in editors if one.layer]
    counts = edits(worked)  # type: ignore[arg-type]
    return judging_data.verify(campaign, exact=False) | {
        "every acknowledged link is there": not counts.get("lost"),
        "no link twice": not counts.get("doubled"),
        "layers at their last revision": not counts.get("wrong"),
    }


def sessions() -> dict[str, str]:
    """Sign everyone in, without a password; return the key of the session by name."""
    keys = {}
    for user in User.objects.all():
        session = SessionStore()
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = "annotator.http.sessions.Accounts"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
        keys[user.username] = str(session.session_key)
    return keys
