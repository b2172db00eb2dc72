"""Pages of a campaign's items: the list, and how a file is read."""

import csv
import io
import json
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Prefetch, Q
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotator.exchange import items as codec
from annotator.exchange.files import ENCODINGS
from annotator.exchange.peers.registry import PEERS
from annotator.exchange.tables import DELIMITERS
from annotator.models import Campaign, Credit, Item, Judgment, Upload
from annotator.services.campaigns.item_files import SHOWN, DryRun, TableReading
from annotator.services.campaigns.scales import closed_scales
from annotator.services.kept_counts import kept

PER_PAGE = 50
STATES = {"": _("All"), "in": _("Assigned"), "withdrawn": _("Withdrawn")}
LABELS = {
    "sentence": _("Sentence"),
    "phrase": _("Original phrase"),
    "paraphrase": _("Paraphrase"),
    "condition": _("Condition (system)"),
    "rank": _("Rank in its condition"),
    "score": _("Score"),
    "start": _("Start (character)"),
    "end": _("End (character)"),
    "id": _("Your own ID"),
    "batch": _("Batch"),
    "kind": _("Kind"),
    "why": _("Explanation (training)"),
}
KINDS = {
    "main": _("Ordinary items"),
    "gold": _("Gold"),
    "attention": _("Attention"),
    "training": _("Training"),
}
SIGNS = (_("tab"), _("comma"), _("semicolon"), _("bar"))  # names in DELIMITERS
NOUNS = {  # missing parts, within a sentence
    "sentence": _("sentence"),
    "paraphrase": _("paraphrase"),
}
SAMPLES = {
    "tsv": "text/tab-separated-values; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
EXAMPLES = (
    ("The committee put off the vote.", "put off", "postponed", "system A", 1),
    ("The committee put off the vote.", "put off", "delayed", "system B", 1),
    ("She ran out of patience.", "ran out of", "lost", "system A", 1),
)


@dataclass(frozen=True, slots=True)
class FieldChoice:
    """One field of an item, and the column that holds it ("": none)."""

    name: str
    label: str
    column: str
    is_needed: bool


def listed(campaign: Campaign, sent: QueryDict) -> dict[str, Any]:
    """The items that fit the search, a page of them, and what may be searched by."""
    text, kind = sent.get("q", "").strip(), sent.get("kind", "")
    state, condition = sent.get("state", ""), sent.get("condition", "")
    rows = campaign.items.all()
    if text:
        in_sentence = Q(instance__sentence__icontains=text)
        rows = rows.filter(in_sentence | Q(paraphrase__icontains=text) | Q(ref=text))
    if kind in Item.Kind.values:
        rows = rows.filter(kind=kind)
    if state in ("in", "withdrawn"):
        rows = rows.filter(is_withdrawn=state == "withdrawn")
    if condition:
        rows = rows.filter(credits__condition__name=condition)
    credits = Credit.objects.select_related("condition").order_by("condition__position")
    judged = Judgment.objects.filter(item=OuterRef("pk"))
    rows = rows.select_related("instance").prefetch_related(
        Prefetch("credits", credits)
    )
    listed = rows.with_answers().annotate(is_judged=Exists(judged)).order_by("pk")
    is_filtered = any((text, kind, state, condition))
    n_all = kept(f"all-items-{campaign.pk}", campaign.n_items, campaign.items.count)
    pages = Paginator(listed, PER_PAGE)
    if not is_filtered:
        pages.count = n_all
    return {
        "project": campaign.project,
        "campaign": campaign,
        "page": pages.get_page(sent.get("page")),
        "sent": sent,
        "is_filtered": is_filtered,
        "n_all": n_all,
        "kinds": Item.Kind.choices,
        "states": STATES.items(),
        "conditions": campaign.conditions.values_list("name", flat=True),
        "scales": closed_scales(campaign),
        "samples": list(SAMPLES),
        "is_closed": campaign.state == Campaign.State.CLOSED,
    }


def cells_of(campaign: Campaign, sent: QueryDict) -> dict[str, str]:
    """A form's item, by the columns of a file."""
    gold = (f"gold_{scale.name}" for scale in closed_scales(campaign))
    known = {*codec.COLUMNS, *gold}
    return {name: str(sent[name]) for name in sent if name in known}


def reading_of(sent: QueryDict) -> TableReading:
    """How to read the file, from the form. Raises BadRequest."""
    named = {key[6:]: sent.get(key, "") for key in sent if key.startswith("field-")}
    return TableReading(
        {name: column for name, column in named.items() if column},
        sent.get("encoding", ""),
        sent.get("delimiter", ""),
        has_header=not sent.get("headless"),
        tool=sent.get("tool", ""),
    )


def check(
    campaign: Campaign, upload: Upload, reading: TableReading, trial: DryRun
) -> dict[str, Any]:
    """The file's content, and which column holds which field."""
    names = [*codec.COLUMNS, *(f"gold_{s.name}" for s in closed_scales(campaign))]
    wanted = sorted(names, key=lambda name: _place(name))
    return {
        "project": campaign.project,
        "campaign": campaign,
        "upload": upload,
        "reading": reading,
        "found": trial,
        "shown": SHOWN,
        "fields": [
            FieldChoice(
                name, _label(name), trial.fields.get(name, ""), name in codec.NEEDED
            )
            for name in wanted
        ],
        "tool": trial.tool if trial.report else "",
        "tools": [(name, tool.LABEL) for name, tool in PEERS.items()],
        "encodings": ENCODINGS,
        "delimiters": [(sign, gettext(name)) for sign, name in DELIMITERS.items()],
        "lacking_words": gettext(" and ").join(str(NOUNS[n]) for n in trial.lacking),
        "is_whole": "phrase" not in trial.fields,
        "kinds": [(KINDS.get(kind, kind), n) for kind, n in trial.kinds.items()],
    }


def _place(name: str) -> int:
    order = list(LABELS)
    return order.index(name) if name in order else len(order)


def _label(name: str) -> str:
    if name in LABELS:
        return str(LABELS[name])
    return gettext("Expected %(scale)s") % {"scale": name.removeprefix("gold_")}


def sample(campaign: Campaign, form: str) -> bytes:
    """A file as it may be sent, with a gold item for the campaign's own scales."""
    scales = [scale.name for scale in closed_scales(campaign)]
    head = ["sentence", "phrase", "paraphrase", "condition", "rank"]
    head += ["kind", *(f"gold_{name}" for name in scales)]
    best = [str(scale.to_core().labels[-1]) for scale in closed_scales(campaign)]
    rows = [[*map(str, row), "main", *("" for _ in scales)] for row in EXAMPLES]
    gold = ["He bought a car.", "bought", "purchased", "", "", "gold", *best]
    return _written([head, *rows, gold] if scales else [head, *rows], form)


def _written(rows: list[list[str]], form: str) -> bytes:
    if form == "xlsx":
        from openpyxl import Workbook  # when it is used

        book = Workbook(write_only=True)
        sheet = book.create_sheet("Items")
        for row in rows:
            sheet.append(row)
        file = io.BytesIO()
        book.save(file)
        return file.getvalue()
    if form == "jsonl":
        head, *rest = rows
        objects = (dict(zip(head, row, strict=True)) for row in rest)
        lines = (
            json.dumps({k: v for k, v in one.items() if v}, ensure_ascii=False)
            for one in objects
        )
        return "".join(line + "\n" for line in lines).encode()
    text = io.StringIO()
    sign = "\t" if form == "tsv" else ","
    csv.writer(text, delimiter=sign, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()
