"""Secondary edges of TigerXML, so far in the text of the sentence alone, become part of
the tree, also of drafts. Digests tell trees apart by edge labels, too."""

from django.db import migrations

from annotator.models import Sentence
from core.errors import GemelError
from core.formats import tigerxml, treetext

BATCH = 500


def lift(apps, schema_editor):
    parses, drafts = (
        apps.get_model("annotator", name).objects.using(schema_editor.connection.alias)
        for name in ("Parse", "TreeDraft")
    )
    rows = parses.filter(kind="constituency", meta__has_key="ids")
    keys = list(rows.values_list("pk", flat=True))
    for at in range(0, len(keys), BATCH):
        changed = []
        for row in rows.filter(pk__in=keys[at : at + BATCH]):
            raw = row.meta.get("_raw") or row.meta.get(tigerxml.SOURCE, "")
            row.meta = tigerxml.lifted(row.meta, str(raw))
            digest = Sentence.key_of(*treetext.parts(row.text, row.meta))
            if digest != row.digest:
                row.digest = digest
                changed.append(row)
        parses.bulk_update(changed, ["meta", "digest"])
        for draft in drafts.filter(base__in=changed, kind="constituency"):
            lift_draft(draft)


def lift_draft(draft):
    """Give it the edges of the tree it began as, between nodes that it still has."""
    try:
        now, then = (treetext.load(x.text, x.meta) for x in (draft, draft.base))
    except GemelError:
        return
    ids = draft.base.meta["ids"]
    at = {name: v for v, name in enumerate(tigerxml.kept_ids(now, then, ids))}
    ends = ((at.get(ids[v]), at.get(ids[to]), label) for v, to, label in then.secondary)
    if kept := sorted(one for one in ends if None not in one):
        draft.meta["secondary"] = kept
        draft.save(update_fields=["meta"])


class Migration(migrations.Migration):
    dependencies = [("annotator", "0039_open_answers")]

    operations = [migrations.RunPython(lift, migrations.RunPython.noop)]
