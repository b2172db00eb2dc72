"""Checks on judges: gold and attention items, training, and when two are far apart."""

from collections.abc import Mapping
from typing import Any

from django.db.models import F

from annotator.models import Campaign, Item, Judgment, Participant
from annotator.services.campaigns.scales import closed_scales


def is_passed(campaign: Campaign, item: Item, values: Mapping[str, Any]) -> bool:
    """Whether the answer is near enough to the expected values.

    Ordered scales: at most ``check_tolerance`` points away, none for an attention
    check. Labels must be equal. Scales without an expected value do not matter.
    """
    strict = item.kind == Item.Kind.ATTENTION
    tolerance = 0.0 if strict else campaign.check_tolerance
    for scale in closed_scales(campaign):
        if scale.name not in item.gold or scale.name not in values:
            continue
        expected, given = item.gold[scale.name], values[scale.name]
        if expected == given:
            continue
        if not scale.is_ordered or abs(expected - given) > tolerance:
            return False
    return True


def note(judgment: Judgment, old_values: Mapping[str, Any] | None) -> None:
    """Count the answer to a check or training item; stop a judge who fails too many.

    ``old_values``: the answer it replaces, None if it is the first. Training counts
    the first answer only, since its feedback gives the right one away.
    """
    campaign, item = judgment.participant.campaign, judgment.item
    passed = is_passed(campaign, item, judgment.values)
    if item.kind == Item.Kind.TRAINING:
        if old_values is None:
            _note_training(judgment, passed=passed)
        return
    n, failed = (1, int(not passed)) if old_values is None else (0, int(not passed))
    if old_values is not None:
        failed -= int(not is_passed(campaign, item, old_values))
    rows = Participant.objects.filter(pk=judgment.participant_id)
    rows.update(
        n_checks=F("n_checks") + n, n_checks_failed=F("n_checks_failed") + failed
    )
    if failed > 0:
        _stop_if_failing(judgment)


def _stop_if_failing(judgment: Judgment) -> None:
    """Block a judge whose share of failed checks is over the limit.

    After a reinstatement only later checks count.
    """
    person, campaign = judgment.participant, judgment.participant.campaign
    person.refresh_from_db(fields=["n_checks", "n_checks_failed", "forgiven", "state"])
    n = person.n_checks - person.forgiven
    failed = person.n_checks_failed - person.forgiven_failed
    if n >= campaign.check_min and failed > campaign.check_fail_share * n:
        rows = Participant.objects.filter(pk=person.pk, state=Participant.State.ACTIVE)
        rows.update(state=Participant.State.BLOCKED)


def _note_training(judgment: Judgment, *, passed: bool) -> None:
    """Count it; after the last one let the judge in, try again, or stop them."""
    person, campaign = judgment.participant, judgment.participant.campaign
    rows = Participant.objects.filter(pk=person.pk)
    rows.update(
        n_training=F("n_training") + 1,
        n_training_passed=F("n_training_passed") + int(passed),
    )
    person.refresh_from_db(fields=["n_training", "n_training_passed", "n_tries"])
    if person.n_training < campaign.n_training:
        return
    share = person.n_training_passed / max(person.n_training, 1)
    if share >= campaign.training_pass_share:
        rows.update(is_trained=True)
    elif person.n_tries + 1 < campaign.training_tries:
        _begin_again(person)
    else:
        rows.update(state=Participant.State.BLOCKED)


def _begin_again(person: Participant) -> None:
    """Hand all training items out once more; what was answered is in the ledger."""
    rows = person.judgments.filter(item__kind=Item.Kind.TRAINING)
    rows.update(state=Judgment.State.EXPIRED, values={}, comment="")
    Participant.objects.filter(pk=person.pk).update(
        n_tries=F("n_tries") + 1, n_training=0, n_training_passed=0
    )


def feedback(judgment: Judgment) -> dict[str, Any] | None:
    """The feedback after a training item; None for every other."""
    item = judgment.item
    if item.kind != Item.Kind.TRAINING:
        return None
    person = judgment.participant
    person.refresh_from_db(fields=["n_training", "n_tries", "is_trained"])
    return {
        "passed": is_passed(person.campaign, item, judgment.values),
        "expected": item.gold,
        "why": item.why,
        "again": bool(person.n_tries) and not person.n_training,
    }


def is_apart(
    campaign: Campaign, one: Mapping[str, Any], two: Mapping[str, Any]
) -> bool:
    """Whether two answers differ enough to ask a third judge.

    On an ordered scale by ``adaptive_gap`` points or on different sides of its
    threshold; on labels by being different. Open answers do not count.
    """
    for scale in closed_scales(campaign):
        a, b = one[scale.name], two[scale.name]
        if a == b:
            continue
        if not scale.is_ordered or abs(a - b) >= campaign.adaptive_gap:
            return True
        line = scale.threshold
        if line is not None and (a >= line) != (b >= line):
            return True
    return False
