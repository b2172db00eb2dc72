"""A database of the first release, with rows in every table, is used by this one."""

import json
from pathlib import Path

import pytest

from tests.annotator.durability.test_archives_whole import ask, manage, server_url
from tests.annotator.durability.test_releases import FIRST
from tests.running import variables

__all__ = ["server_url"]  # a fixture

pytestmark = [pytest.mark.slow, pytest.mark.once]

FILL_THEN = f"""
import json
from django.apps import apps
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from tests.annotator.durability import every_table

executor = MigrationExecutor(connection)
executor.loader = MigrationLoader(connection, replace_migrations=False)
others = [n for n in executor.loader.graph.leaf_nodes() if n[0] != "annotator"]
then = executor.migrate([*others, ("annotator", "{FIRST}")]).apps
every_table.fill(then)
rows = {{m._meta.label: m._base_manager.count() for m in every_table.tables(then)}}
texts = list(then.get_model("annotator", "Pair").objects.values_list("pk", "text"))
print(json.dumps([rows, texts]))
"""
COUNT_NOW = """
import json
from annotator.models import Pair
from tests.annotator.durability import every_table

rows = {m._meta.label: m._base_manager.count() for m in every_table.tables()}
print(json.dumps([rows, list(Pair.objects.values_list("pk", "text"))]))
"""


@pytest.mark.parametrize("database", ["SQLite", "PostgreSQL"])
def test_it_is_brought_up_to_date_where_it_is(
    database: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    env = variables(tmp_path)
    if database == "PostgreSQL":
        env |= {"DATABASE_URL": request.getfixturevalue("server_url")}
    then, texts = json.loads(ask(FILL_THEN, env))
    manage(env, "migrate", "-v0")
    manage(env, "migrate", "--check")
    now, texts_now = json.loads(ask(COUNT_NOW, env))
    assert texts_now == texts
    tokens = then.pop("authtoken.Token")  # kept as digests since
    then.pop("authtoken.TokenProxy", None)
    assert now["annotator.ApiToken"] == tokens
    for name in ("contenttypes.ContentType", "auth.Permission"):  # Django adds to them
        assert now[name] > then.pop(name)
    kept = then.keys() & now.keys()
    assert {"annotator.Judgment", "annotator.LinkEvent", "auth.User"} <= kept
    assert {name: now[name] for name in kept} == {name: then[name] for name in kept}
    assert set(then) - kept == set()
