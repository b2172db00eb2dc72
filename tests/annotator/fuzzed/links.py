"""Which value of a response is used in which other call, as OpenAPI links: the calls
that the test of sequences makes after each other."""

from collections.abc import Iterator
from typing import Any

Link = dict[str, Any]
_HERE = "$request.path."
_BACK = "$response.body#/"
_JOB = ("jobs_retrieve", "jobs_cancel_create", "jobs_issues_list")
_LAYER = (
    "layers_retrieve",
    "layers_history_list",
    "layers_state_create",
    "layers_proposals_retrieve",
)
_PROJECT = ("projects_retrieve", "projects_members_list", "projects_invitations_create")
_CORPUS = (
    "corpora_retrieve",
    "corpora_alignments_create",
    "corpora_joint_create",
    "corpora_parses_create",
    "corpus_agreement",
)
_CAMPAIGN = (
    "campaigns_retrieve",
    "campaigns_act_create",
    "campaigns_people",
    "campaigns_progress_retrieve",
    "campaign_agreement_freeze",
    "desk_show",
    "desk_next",
)
_PAIR = ("pairs_layers_list", "pairs_layers_create", "pairs_trees_list")
_JOBS_ARE_MADE_BY = (
    ("corpora_parses_create", "201"),
    ("corpora_alignments_create", "201"),
    ("corpora_joint_create", "201"),
    ("corpora_scores_create", "202"),
)
_REPORTS_ARE_MADE_BY = (
    "campaign_agreement_freeze",
    "ratings_agreement_freeze",
    "corpus_agreement_freeze",
)

_REMOVED_BY = (
    "projects_destroy",
    "corpora_destroy",
    "campaigns_destroy",
    "ratings_destroy",
)


def linked(result: dict[str, Any]) -> dict[str, Any]:
    """The description with the links of every answer. Raises KeyError if a call that
    is named here is not there."""
    calls = {
        call["operationId"]: call
        for verbs in result["paths"].values()
        for call in verbs.values()
    }
    for source, status, target, link in every_link():
        assert target in calls, target
        answer = calls[source]["responses"][status]
        answer.setdefault("links", {})[target] = {"operationId": target} | link
    return result


def every_link() -> Iterator[tuple[str, str, str, Link]]:
    """Operation, status, operation that it leads to, and with which values."""
    yield from _jobs()
    yield from _layers()
    yield from _judging()
    for target in (*_PROJECT, "projects_imports_create"):
        yield "projects_create", "201", target, _by("slug", "slug")
        yield "projects_list", "200", target, _by("slug", "results/0/slug")
    for target in _CORPUS:
        yield "corpora_list", "200", target, _by("code", "results/0/code")
    first = _by("corpus", "results/0/code")
    yield "corpora_list", "200", "corpora_pairs_list", first
    yield "corpora_list", "200", "corpora_scores_create", first
    for target in _CAMPAIGN:
        yield "campaigns_list", "200", target, _by("code", "results/0/code")
    yield "campaigns_copy_create", "201", "campaigns_retrieve", _by("code", "code")
    for source in _REMOVED_BY:
        yield source, "200", "removals_restore_create", _by("code", "code")
    for source in _REPORTS_ARE_MADE_BY:
        yield source, "201", "reports_retrieve", _by("code", "code")
    member = {"slug": _HERE + "slug", "username": _BACK + "1/username"}
    yield (
        "projects_members_list",
        "200",
        "projects_members_partial_update",
        {"parameters": member},
    )


def _jobs() -> Iterator[tuple[str, str, str, Link]]:
    imports = (("projects_imports_create", "201"), ("imports_go_on_create", "201"))
    for source, status in (*_JOBS_ARE_MADE_BY, *imports):
        for target in _JOB:
            yield source, status, target, _by("code", "code")
    for source, status in imports:
        yield source, status, "imports_go_on_create", _by("code", "code")
    for target in _JOB:
        yield "jobs_list", "200", target, _by("code", "results/0/code")


def _layers() -> Iterator[tuple[str, str, str, Link]]:
    """An operation starts from the revision that was answered last."""
    for target in _PAIR:
        yield "corpora_pairs_list", "200", target, _by("code", "results/0/code")
    seen = {"requestBody": {"base_rev": _BACK + "revision"}}
    for source in ("pairs_layers_create", "layers_ops_create", "layers_state_create"):
        for target in _LAYER:
            yield source, "200", target, _by("code", "code")
        yield source, "200", "layers_ops_create", _by("code", "code") | seen


def _judging() -> Iterator[tuple[str, str, str, Link]]:
    same = {"parameters": {"code": _HERE + "code"}}
    for source, target in (
        ("campaigns_act_create", "campaigns_retrieve"),
        ("desk_next", "desk_show"),
        ("joint_runs_verdicts_create", "joint_runs_retrieve"),
    ):
        yield source, "200", target, same
    first = {"judgment": _BACK + "next/0/code", "seen": _BACK + "next/0/revision"}
    for source in ("desk_next", "judge_answers_create"):
        yield source, "200", "judge_answers_create", same | {"requestBody": first}
    change = {
        "change": _BACK + "results/0/change",
        "seen": _BACK + "results/0/revision",
    }
    yield (
        "joint_runs_changes_retrieve",
        "200",
        "joint_runs_verdicts_create",
        same | {"requestBody": change},
    )
    number = {"requestBody": {"seen": _BACK + "number"}}
    yield "item_decide", "201", "item_decide", same | number
    yield "item_decide", "201", "items_decisions_list", same


def _by(parameter: str, pointer: str) -> Link:
    return {"parameters": {parameter: _BACK + pointer}}
