"""Every call that the description knows, as everybody, with real codes and hostile
values: no fault of the server, and each answer as described."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode

from tests.annotator.fuzzed import world

OPERATIONS = [operation.ok() for operation in world.described().get_all_operations()]
EXAMPLES = 6 if settings.default.max_examples >= 100 else 2  # more in CI


@pytest.fixture(scope="module")
def there(django_db_setup, django_db_blocker) -> Iterator[world.World]:
    """Filled once: what a call does is taken back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield world.filled()
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def _quiet(db, calm: None) -> None:
    """No job is woken, nobody is told to wait."""


def test_each_parameter_of_a_query_is_described(there: world.World) -> None:
    """What a call says that it knows is what its description says that it reads."""
    client, differ = Client(), {}
    client.cookies["sessionid"] = there.people["manager"]["cookies"]["sessionid"]
    for operation in OPERATIONS:
        if operation.method != "get":
            continue
        codes = {one.name: there.meant(operation.path, one.name)[0]
                 for one in operation.path_parameters}  # fmt: skip
        answer = client.get(operation.path.format(**codes), {"no_such_name": "1"})
        assert answer.status_code == 400, operation.path
        known = answer.json()["error"]["facts"]["known"]
        described = sorted(one.name for one in operation.query)
        if known != described:
            differ[operation.path] = (known, described)
    assert differ == {}


def test_a_value_that_no_filter_knows_is_refused(there: world.World) -> None:
    client = Client()
    client.cookies["sessionid"] = there.people["manager"]["cookies"]["sessionid"]
    (corpus, *_) = there.meant("/api/corpora/{code}/", "code")
    for wrong in ("state=nonsense", "min_words=-1"):
        answer = client.get(f"/api/corpora/{corpus}/pairs/?{wrong}")
        assert answer.status_code == 400, wrong


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.label)
def test_each_call_answers_everybody_as_described(
    operation: Any, there: world.World
) -> None:
    @settings(max_examples=EXAMPLES)
    @given(_sent(operation), st.data())
    def call(case: Any, data: st.DataObject) -> None:
        there.name_real(case, data)
        accept = data.draw(st.sampled_from(["*/*", "*/*", "image/png"]), label="accept")
        for who, credentials in there.people.items():
            answer = world.asked(case, credentials, accept)
            try:
                case.validate_response(answer, checks=world.CHECKS)
            except Exception as error:
                error.add_note(f"asked by: {who}")
                raise

    call()


def _sent(operation: Any) -> st.SearchStrategy[Any]:
    """What fits the description, and what does not."""
    modes = (GenerationMode.POSITIVE, GenerationMode.NEGATIVE)
    return st.one_of(operation.as_strategy(generation_mode=mode) for mode in modes)
