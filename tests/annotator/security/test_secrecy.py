"""No log holds what lets somebody in, however an address is mangled."""

import logging
import secrets

import pytest

from annotator.secrecy import Secrets

TOKEN = secrets.token_urlsafe(32).replace("-", "A")[:42] + "Z"


@pytest.mark.parametrize(
    "path",
    [
        "/join/{}/", "/JOIN/{}", "/join%2F{}", "/join%252f{}", "/join//{}", "/jion/{}/",
        "/join/{} and more", "/x?next=/join/{}", "/join/{}abc", "/{}", "/join\\{}",
        "/join/%20{}",
    ],
)  # fmt: skip
def test_a_token_never_reaches_a_log(path: str) -> None:
    record = logging.LogRecord(
        "django.request", 30, __file__, 1, "Not Found: %s", (path.format(TOKEN),), None
    )
    assert Secrets().filter(record)
    assert TOKEN not in record.getMessage()
    assert TOKEN[5:30] not in record.getMessage()


@pytest.mark.parametrize(
    "text",
    ["joined the words", "a" * 64, "0b1ec6d4-7a5e-4a63-9d83-0f2d8a4b3c1e", "/p/x/"],
)
def test_other_words_stay(text: str) -> None:
    record = logging.LogRecord("a", 30, __file__, 1, text, (), None)
    Secrets().filter(record)
    assert record.getMessage() == text
