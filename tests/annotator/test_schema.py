"""The OpenAPI description: complete, without warnings, and changed only on purpose."""

import re
from io import StringIO

from django.core.management import call_command

# How large a whole number may be is the database's affair, not the API's.
RANGE = re.compile(
    r"^ +(maximum|minimum|format): (-?\d{10,}|-?3276[78]|int64)\n", re.MULTILINE
)
# Which formats there are, the codecs say.
FORMATS = re.compile(r"^( +)ImportFormatEnum:\n(?:\1 .*\n)+", re.MULTILINE)


def test_the_schema_is_valid_and_as_reviewed(db, golden) -> None:
    out, complaints = StringIO(), StringIO()
    call_command("spectacular", validate=True, stdout=out, stderr=complaints)
    assert "Warning" not in complaints.getvalue(), complaints.getvalue()
    golden("openapi.yaml", FORMATS.sub("", RANGE.sub("", out.getvalue())))
