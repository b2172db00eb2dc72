"""A provider of identities for tests of signing in by one."""

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture
def provider(settings) -> Iterator[Any]:
    from tests.annotator.security import oidc_provider  # needs the oidc extra

    with oidc_provider.running() as one:
        settings.OIDC = {
            "issuer": one.issuer,
            "client_id": oidc_provider.CLIENT,
            "client_secret": oidc_provider.SECRET,
            "name": "University",
        }
        yield one
