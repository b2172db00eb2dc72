"""What a browser does that signs in by the provider, without showing anything."""

import urllib.error
import urllib.request
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def followed(address: str) -> str:
    """Where the provider sends a browser that comes to this address."""
    with pytest.raises(urllib.error.HTTPError, match="302") as answer:
        urllib.request.build_opener(_Stay).open(address, timeout=60)
    return answer.value.headers["Location"]


def sent_back(client: Client, wanted: str = "") -> str:
    """The address here to which the provider sends this browser."""
    start = client.get("/sign-in/oidc/", {"next": wanted} if wanted else {})
    assert start.status_code == 302
    back = followed(start["Location"])
    assert back.startswith("http://testserver/sign-in/oidc/back/?")
    return back


def sign_in(client: Client, wanted: str = "") -> Any:
    return client.get(sent_back(client, wanted))


def who_is(client: Client) -> str:
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key).username if key else ""
