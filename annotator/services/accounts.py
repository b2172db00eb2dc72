"""What people keep of their own: API tokens."""

from django.contrib.auth.models import User
from django.db import transaction
from rest_framework.authtoken.models import Token

__all__ = ["new_token"]


@transaction.atomic
def new_token(user: User) -> str:
    """A fresh API token; the one before stops working."""
    Token.objects.filter(user=user).delete()
    return str(Token.objects.create(user=user).key)
