"""A campaign from a table: phrases of parsed sentences, with substitutes of each
condition."""

import io
from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.models import (
    Bitext,
    Campaign,
    Corpus,
    Job,
    Origin,
    ParaphraseTable,
    Parse,
)
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.campaigns import item_files, setup
from annotator.services.campaigns import items as campaign_items
from annotator.services.paraphrases import tables, weights
from core.data.tree import Tree
from core.formats import ptb
from core.parsing import registry
from core.pivoting.bitext import parses_of
from core.protocols import Step

if TYPE_CHECKING:
    from core.pivoting.items import Item, Place

KIND = "paraphrase_items"
MOST = 2000  # phrases of a test set
COLUMNS = ("sentence", "start", "end", "phrase", "paraphrase", "condition", "rank")


@transaction.atomic
def start(
    table: ParaphraseTable,
    text: Corpus | Bitext,
    name: str,
    *,
    n_phrases: int,
    by: Anybody,
    known: bool = True,
    weighted: bool = False,
    seed: int = 2008,
    enqueue: bool = True,
) -> tuple[Campaign, Job]:
    """A draft campaign, and the job that fills it with items.

    ``text``: the source of the test sentences. Those of a bitext of the table are
    easier than new ones. ``known``: only draw phrases for which the table has
    paraphrases, under any label. ``weighted``: with the ninth condition, by the newest
    weights of the table.

    Raises NotAllowed; BadRequest on a number of phrases out of range, or a text
    without trees; Conflict while the table has not been made.
    """
    access.require(by, "manage", table.project)
    _check(table, text, n_phrases)
    fitted = weights.current(table) if weighted else None
    if weighted and fitted is None:
        reason = _("No weights have been fitted for %(name)s yet.")
        raise BadRequest(reason % {"name": table.name}, field="weighted")
    campaign = setup.create(table.project, name, by=by)
    params = {
        "table": table.code,
        "bitext" if isinstance(text, Bitext) else "corpus": text.code,
        "campaign": campaign.code,
        "phrases": n_phrases,
        "known": known,
        "weights": fitted[0].number if fitted else 0,
    }
    job = jobs.create(
        table.project,
        KIND,
        title=f"Items of {campaign.name} from {table.name}",
        by=by,
        params=params,
        seed=seed,
        enqueue=enqueue,
    )
    return campaign, job


def _check(table: ParaphraseTable, text: Corpus | Bitext, n_phrases: int) -> None:
    if not 1 <= n_phrases <= MOST:
        reason = _("Phrases: 1 to %(most)s.") % {"most": MOST}
        raise BadRequest(reason, field="phrases")
    tables.made_at(table)
    if not (text.parser if isinstance(text, Bitext) else _parses(text).exists()):
        reason = _("%(name)s has no trees yet. Parse it first.") % {"name": text.name}
        raise BadRequest(reason, field="text")


def table_of(campaign: Campaign) -> ParaphraseTable | None:
    """The table that the items of a campaign are from, if there is one and it is
    still there."""
    made = Job.objects.filter(project=campaign.project_id, kind=KIND)
    job = made.filter(params__campaign=campaign.code).first()
    if job is None:
        return None
    return campaign.project.tables.ready().filter(code=job.params["table"]).first()


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Draw the places, fill them, take the items in. The same seed, the same items."""
    from core.pivoting.items import items_of  # DuckDB: when it is used

    table = job.project.tables.get(code=job.params["table"])
    campaign = job.project.campaigns.get(code=job.params["campaign"])
    yield Step(note="drawing phrases")
    trees = _trees_for(job)
    places = _places(job, table, trees)
    yield Step(total=len(places), note="filling in")
    items: list[Item] = []
    ninth = _ninth(job, table)
    for place in places:
        with tables.opened(table, model=True) as opened:
            items += items_of(opened.table, trees, [place], model=opened.model, **ninth)
        yield Step(done=1)
    if not items:
        raise BadRequest("No phrase of these sentences has a paraphrase in the table.")
    rows = sum(len(item.credits) for item in items)
    yield Step(total=len(places) + rows, note="taking the items in")
    content = io.BytesIO(_as_table(items, trees))
    upload = item_files.keep(campaign, f"{table.name}.tsv", content, by=_by(job))
    result = yield from campaign_items.load(campaign, upload, by=_by(job))
    return {"campaign": campaign.code, "places": len(places), **(result or {})}


def _ninth(job: Job, table: ParaphraseTable) -> dict[str, Any]:
    """The weights that were chosen, and the parser whose vectors they look at."""
    from core.pivoting.weighting import Weights

    if not (number := job.params.get("weights", 0)):
        return {}
    fitted = Weights.of_json(table.weights.get(number=number).model)
    return {"weights": fitted, "backend": registry.load(fitted.parser)}


def _trees_for(job: Job) -> list[Tree]:
    if "bitext" in job.params:
        bitext = job.project.bitexts.get(code=job.params["bitext"])
        best: dict[str, str] = {}  # a sentence may have several, the likeliest first
        for row in parses_of(bitext.parses_path):
            if row.tree:
                best.setdefault(row.source, row.tree)
        return [ptb.parse_one(tree) for tree in best.values()]
    return list(_trees(job.project.corpora.get(code=job.params["corpus"])))


def _places(job: Job, table: ParaphraseTable, trees: list[Tree]) -> "list[Place]":
    from core.pivoting.items import draw_places, phrases_in

    usable = None
    if job.params.get("known", False):
        with tables.opened(table) as opened:
            usable = opened.table.known(phrases_in(trees)).__contains__
    rng = np.random.default_rng(job.seed)
    return draw_places(trees, job.params["phrases"], rng, usable=usable)


def _by(job: Job) -> Anybody:
    assert job.by is not None  # a job of this kind is started by someone
    return job.by


def _parses(corpus: Corpus) -> Any:
    kind = Parse.Kind.CONSTITUENCY
    return Parse.objects.filter(sentence__corpus=corpus, kind=kind, rank=1)


def _trees(corpus: Corpus) -> Iterator[Tree]:
    """A tree a sentence, gold before an engine's, in the order of the corpus."""
    rows = _parses(corpus).exclude(origin=Origin.ANNOTATOR)
    last = 0
    for parse in rows.order_by("sentence_id", "-origin", "engine").iterator():
        if parse.sentence_id != last:
            last = parse.sentence_id
            yield parse.to_tree()


def _as_table(items: "list[Item]", trees: list[Tree]) -> bytes:
    """As a campaign reads it: a row a credit."""
    rows: list[tuple[Any, ...]] = [COLUMNS]
    for item in items:
        words = trees[item.place.sentence].words
        begin = len(" ".join((*words[: item.place.start], "")))
        phrase = " ".join(words[item.place.start : item.place.end])
        for condition, rank in item.credits:
            row = (" ".join(words), begin, begin + len(phrase), phrase)
            rows.append((*row, item.paraphrase, condition, rank))
    return item_files.plain_table(rows)
