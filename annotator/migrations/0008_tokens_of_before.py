"""Tokens that were kept as they are become digests, and live 90 days more.

Their table is read by its name: to depend on its migrations would put them before those
of the accounts, whose order decides which content types a new database has.
"""

import hashlib
from datetime import timedelta

from django.db import migrations
from django.utils import timezone

TABLE = "authtoken_token"


def move(apps, schema_editor):
    there = schema_editor.connection
    new = apps.get_model("annotator", "ApiToken").objects.using(there.alias)
    expires = timezone.now() + timedelta(days=90)
    with there.cursor() as cursor:
        if TABLE not in there.introspection.table_names(cursor):
            return
        if there.vendor == "sqlite":
            cursor.execute("PRAGMA secure_delete=ON")  # what is deleted is overwritten
        cursor.execute("SELECT key, user_id FROM authtoken_token")
        for key, user in cursor.fetchall():
            new.create(
                user_id=user,
                name="Made before tokens had names",
                scope="manage",
                digest=hashlib.sha256(key.encode()).hexdigest(),
                expires_at=expires,
            )
        cursor.execute("DELETE FROM authtoken_token")


class Migration(migrations.Migration):
    dependencies = [("annotator", "0007_api_tokens")]

    operations = [migrations.RunPython(move, migrations.RunPython.noop)]
