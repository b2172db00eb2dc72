"""The interface to Authlib: signing in at an OpenID provider.

OpenID Connect Core 1.0, the authorization code flow with PKCE (RFC 7636). Authlib keeps
state, nonce and verifier in the session and checks what comes back: the token's
signature, issuer, audience, times and nonce. The provider's addresses are read from its
own description at each sign-in.
"""

import contextlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from annotator.errors import BadRequest, NotReady

log = logging.getLogger(__name__)
# Signed with the provider's private key: "none" and what a client's secret signs are
# never taken, whatever a description says.
ALGORITHMS = {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384"}
TIMEOUT_S = 10
LEEWAY_S = 60  # between the clocks
# JSON of another shape than the standards say.
_NO_SUCH_ANSWER = (ValueError, KeyError, TypeError, AttributeError)
_NAMES = ("preferred_username", "name", "nickname", "email")


@dataclass(frozen=True, slots=True)
class Claims:
    """A person by the provider's claims: ``subject`` never changes, ``name`` may."""

    issuer: str
    subject: str
    name: str


def name() -> str:
    """The text of the sign-in button; "" if there is no provider."""
    return str(settings.OIDC.get("name", ""))


def leave(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider. Raises NotReady if it cannot be reached."""
    address = settings.SITE_URL or request.build_absolute_uri("/").rstrip("/")
    with _in_words():
        answer: HttpResponse = _provider().authorize_redirect(
            request, address + reverse("oidc_back")
        )
    return answer


def returned(request: HttpRequest) -> Claims:
    """The person who came back. Raises BadRequest if the provider, or a check of its
    token, refuses, and NotReady if it cannot be reached."""
    with _in_words():
        provider = _provider()
        token = provider.authorize_access_token(request, leeway=LEEWAY_S)
        told = token.get("userinfo")
        if not told:
            raise ValueError("there is no ID token in the answer")
        subject = str(told["sub"])
        return Claims(str(told["iss"]), subject, _called(provider, token, told))


def _provider() -> Any:
    from authlib.integrations.django_client import OAuth

    chosen = settings.OIDC
    provider = OAuth().register(
        "oidc",
        client_id=chosen["client_id"],
        client_secret=chosen["client_secret"],
        server_metadata_url=chosen["issuer"].rstrip("/")
        + "/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid profile email",
            "code_challenge_method": "S256",
            "default_timeout": TIMEOUT_S,
        },
    )
    described = provider.load_server_metadata()
    issuer = str(described.get("issuer", ""))
    if issuer.rstrip("/") != chosen["issuer"].rstrip("/"):
        raise ValueError(f"it describes another issuer, {issuer[:200]!r}")
    offered = described.get("id_token_signing_alg_values_supported") or ["RS256"]
    described["id_token_signing_alg_values_supported"] = [
        one for one in offered if one in ALGORITHMS
    ]
    return provider


def _called(provider: Any, token: Any, told: Any) -> str:
    """What the person is called, in the token or, where that says nothing, as asked."""
    if not any(told.get(one) for one in _NAMES):
        more = provider.userinfo(token=token)
        told = more if more.get("sub") == told["sub"] else {}
    claim = next((str(told[one]) for one in _NAMES if told.get(one)), "")
    return claim.partition("@")[0]


@contextlib.contextmanager
def _in_words() -> Iterator[None]:
    """Why no one signed in, for people; the details go to the log."""
    from authlib.common.errors import AuthlibBaseError
    from joserfc.errors import JoseError

    words = {"name": name()}
    try:
        yield
    except OSError as error:  # of requests, too
        log.warning("OIDC: %.500r", error)
        raise NotReady(_("%(name)s cannot be reached now.") % words) from error
    except (AuthlibBaseError, JoseError, RuntimeError, *_NO_SUCH_ANSWER) as error:
        log.warning("OIDC: %.500r", error)
        problem = _("%(name)s did not identify you reliably.")
        raise BadRequest(problem % words) from error
