"""Calls that follow from each other, by the links of the description: what is made is
read, changed and read again, and nothing on the way is a fault of the server."""

from typing import Any

import pytest
from django.db import transaction
from drf_spectacular.generators import SchemaGenerator
from hypothesis import settings

from tests.annotator.fuzzed import links, world

SEQUENCES, STEPS = (40, 120, 360), 12
MADE = ("GET /api/projects/{slug}/ 200", "GET /api/jobs/{code}/ 200")
"""Some that the links lead to, so that a test that leads nowhere fails."""


def test_every_link_names_a_parameter_of_the_call_it_leads_to() -> None:
    schema = SchemaGenerator().get_schema(request=None, public=True)
    names = {
        call["operationId"]: {one["name"] for one in call.get("parameters", [])}
        for verbs in schema["paths"].values()
        for call in verbs.values()
    }
    wrong = [
        (source, target)
        for source, _, target, link in links.every_link()
        if not link.get("parameters", {}).keys() <= names[target]
    ]
    assert wrong == []


@pytest.mark.slow
@pytest.mark.once
def test_what_is_made_can_be_read_and_acted_on(db, calm: None) -> None:
    there = world.filled()
    followed: list[str] = []

    class Sequence(
        world.described()
        .exclude(path_regex="/(bitexts|tables|tree-drafts)/")
        .as_state_machine()
    ):  # type: ignore[misc]
        def setup(self) -> None:
            self.calls = 0
            self.taken_back = transaction.atomic()
            self.taken_back.__enter__()

        def before_call(self, case: Any) -> None:
            case.headers, case.cookies = {}, {}
            self.calls += 1  # of this sequence: equal draws must make equal calls
            for name, value in (case.path_parameters or {}).items():
                meant = there.meant(case.path, name)
                if len(str(value)) != 16 or str(value).startswith("0000"):
                    case.path_parameters[name] = meant[self.calls % len(meant)]

        def get_call_kwargs(self, case: Any) -> Any:
            return there.people["manager"]

        def after_call(self, response: Any, case: Any) -> None:
            followed.append(f"{case.operation.label} {response.status_code}")

        def validate_response(self, response: Any, case: Any, **_: Any) -> None:
            case.validate_response(response, checks=world.CHECKS)

        def teardown(self) -> None:
            transaction.set_rollback(True)
            self.taken_back.__exit__(None, None, None)

    for n in SEQUENCES:  # the same every time; more where chance missed the links
        Sequence.run(
            settings=settings(
                max_examples=n,
                stateful_step_count=STEPS,
                deadline=None,
                derandomize=True,
            )
        )
        if set(MADE) <= set(followed):
            return
    raise AssertionError(f"never called: {set(MADE) - set(followed)}")
