"""A whole study by programs alone: judges, a careless one replaced, curation."""

from collections.abc import Iterator
from uuid import uuid4
from zlib import crc32

import numpy as np
import pytest
from django.core.management import call_command

from annotator.models import Campaign, Judgment
from annotator.services import accounts
from core.releases.verifying import verify
from gemel_client import Client, Refused
from tests.annotator.campaigns_cast import HEADER, campaign, judges, rows
from tests.cast import Cast
from tests.running import WAIT_S

ITEMS, CHECKS = 20, 4


@pytest.fixture
def people(transactional_db, live_server) -> Cast:
    return Cast()


def program(url: str, user, scope: str) -> Client:
    made = accounts.make_token(user, name="study", scope=scope, days=1)
    return Client(url, made[1], timeout=WAIT_S)


def judge_all(judge: Client, made: Campaign, *, seed: int, seconds: float) -> int:
    """Answer whatever is handed out; how many answers. Seed 0: always 1."""
    n = 0
    for card in _cards(judge, made):
        of_item = np.random.default_rng(crc32(card["paraphrase"].encode()))
        truth = 4 if "gold" in card["paraphrase"] else of_item.integers(2, 6)
        own = np.random.default_rng([seed, n]).integers(-1, 1)
        value = int(np.clip(truth + own, 1, 5)) if seed else 1
        card["values"] = {"meaning": value, "grammar": value}
        card["active_ms"] = int(1000 * seconds)
        n += 1
    return n


def _cards(judge: Client, made: Campaign) -> Iterator[dict]:
    held = judge.call("GET", f"/api/judge/{made.code}/")["next"]
    while held:
        card = held.pop(0)
        yield card
        known = [other["code"] for other in held]
        sent = {"uuid": str(uuid4()), "judgment": card["code"], "verb": "save"}
        sent |= {"seen": card["revision"], "held": known, "want": 4}
        sent |= {name: card[name] for name in ("values", "active_ms")}
        answer = judge.call("POST", f"/api/judge/{made.code}/answers/", sent)
        known = [*known, card["code"]]
        held += [new for new in answer["next"] if new["code"] not in known]


def test_a_study_by_programs_from_its_judges_to_its_release(
    live_server, people: Cast, tmp_path
) -> None:
    text = HEADER + rows(ITEMS) + rows(CHECKS, kind="gold", gold="4")
    made = campaign(people, text=text, people=3, k=2, check_every=5)
    users = list(judges(people, 4))
    hands = [program(live_server.url, user, "annotate") for user in users]
    manager = program(live_server.url, people.ada, "manage")
    at = f"/api/campaigns/{made.code}"

    assert judge_all(hands[2], made, seed=0, seconds=0.3) == ITEMS + CHECKS
    for seed, hand in enumerate(hands[:2], 1):
        judge_all(hand, made, seed=seed, seconds=6)
    told = {
        one["name"]: one for one in manager.call("GET", f"{at}/progress/")["people"]
    }
    assert told["judge2"]["checks_failed"] == CHECKS
    assert told["bob"]["checks_failed"] == told["judge1"]["checks_failed"] == 0

    who = manager.call("GET", f"{at}/people/")["people"]
    careless = next(one["code"] for one in who if one["name"] == "judge2")
    aside = manager.call("POST", f"{at}/aside/", {"person": careless})
    assert aside["n"] == ITEMS + CHECKS
    with pytest.raises(Refused, match="needs manage"):
        hands[0].call("POST", f"{at}/people/", {"usernames": ["judge3"]})
    manager.call("POST", f"{at}/people/", {"usernames": ["judge3"]})
    judge_all(hands[3], made, seed=3, seconds=7)
    progress = manager.call("GET", f"{at}/progress/")
    assert progress["done"] == progress["need"] == 2 * ITEMS

    manager.call("POST", f"{at}/act/", {"action": "accept_majority"})
    decided = manager.call("GET", f"{at}/agreement/")
    assert decided
    assert Judgment.objects.of(made).counted().count() == 2 * ITEMS
    path = tmp_path / "study.zip"
    how = {"licence": "CC BY 4.0"}
    call_command("release", "make", people.project.slug, out=path, **how)
    assert verify(path).faults == ()
