"""The full-text index over pairs, in the database's own way."""

from django.db import migrations

SQLITE = [
    """CREATE VIRTUAL TABLE annotator_pair_fts USING fts5(
        text, content='annotator_pair', content_rowid='id', tokenize='unicode61')""",
    """CREATE TRIGGER annotator_pair_fts_in AFTER INSERT ON annotator_pair BEGIN
        INSERT INTO annotator_pair_fts(rowid, text) VALUES (new.id, new.text); END""",
    """CREATE TRIGGER annotator_pair_fts_out AFTER DELETE ON annotator_pair BEGIN
        INSERT INTO annotator_pair_fts(annotator_pair_fts, rowid, text)
        VALUES ('delete', old.id, old.text); END""",
    """CREATE TRIGGER annotator_pair_fts_change AFTER UPDATE OF text ON annotator_pair
        BEGIN INSERT INTO annotator_pair_fts(annotator_pair_fts, rowid, text)
        VALUES ('delete', old.id, old.text);
        INSERT INTO annotator_pair_fts(rowid, text) VALUES (new.id, new.text); END""",
]
POSTGRES = [
    "CREATE INDEX annotator_pair_words ON annotator_pair"
    " USING gin (to_tsvector('simple', text))",
    # Which values go together: else the planner walks a million rows for a
    # combination of filters that nothing fits.
    "CREATE STATISTICS annotator_pair_mix (mcv)"
    " ON corpus_id, state, has_parse, label FROM annotator_pair",
]


def make(apps, schema_editor):
    wanted = SQLITE if schema_editor.connection.vendor == "sqlite" else POSTGRES
    for statement in wanted:
        schema_editor.execute(statement)


def drop(apps, schema_editor):
    if schema_editor.connection.vendor == "sqlite":
        for name in ("in", "out", "change"):
            schema_editor.execute(f"DROP TRIGGER annotator_pair_fts_{name}")
        schema_editor.execute("DROP TABLE annotator_pair_fts")
    else:
        schema_editor.execute("DROP INDEX annotator_pair_words")
        schema_editor.execute("DROP STATISTICS annotator_pair_mix")


class Migration(migrations.Migration):
    dependencies = [("annotator", "0001_initial")]
    operations = [migrations.RunPython(make, drop)]
