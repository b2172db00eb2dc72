"""The ninth condition of a table: weights fitted on people's judgments, by a job."""

from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest
from annotator.models import (
    Campaign,
    Instance,
    Item,
    Job,
    Judgment,
    ParaphraseTable,
    ParaphraseWeights,
    RatingScale,
)
from annotator.models.projects import Anybody
from annotator.services import jobs
from annotator.services.paraphrases import tables
from annotator.services.projects import adopting
from core.data.tokens import Sentence
from core.forests.kbest import trees_of
from core.parsing import registry
from core.pivoting.labels import ccg_labels
from core.protocols import Step

if TYPE_CHECKING:
    from core.pivoting.weighting import JudgedSubstitute, Site, Weights

KIND = "paraphrase_weights"


def start(
    table: ParaphraseTable, campaign: Campaign, *, by: Anybody, enqueue: bool = True
) -> Job:
    """A job that fits one more version of the table's weights.

    Raises NotAllowed; BadRequest on a campaign of another project, or without answers
    on an ordinal scale; Conflict while the table is being built, or its weights are
    being fitted.
    """
    access.require(by, "manage", table.project)
    tables.made_at(table)
    if campaign.project_id != table.project_id:
        raise BadRequest(_("Choose a campaign of this project."), field="campaign")
    if not _scales(campaign):
        reason = _("%(name)s has no ordinal scale.")
        raise BadRequest(reason % {"name": campaign.name}, field="campaign")
    if not Judgment.objects.of(campaign).counted().exists():
        reason = _("No judgments in %(name)s yet.")
        raise BadRequest(reason % {"name": campaign.name}, field="campaign")
    return jobs.start(
        table.project,
        KIND,
        title=f"Weights of {table.name} from {campaign.name}",
        by=by,
        params={"table": table.code, "campaign": campaign.code},
        enqueue=enqueue,
    )


def run(job: Job) -> Generator[Step, None, dict[str, Any]]:
    """Fit, and store as the next version: once, also if it is done again."""
    from core.pivoting.weighting import fit_weights

    table = job.project.tables.get(code=job.params["table"])
    campaign = job.project.campaigns.get(code=job.params["campaign"])
    yield Step(note=f"reading what people said in {campaign.name}")
    means = _means(campaign)
    backend = registry.load(registry.DEFAULT)
    yield Step(note=f"parsing the sentences of {len(means)} judged substitutes")
    judged = _judged(campaign, means, backend)
    yield Step(note="fitting")
    number = adopted(table)
    now = current(table) if number else None
    facts = {"campaign": campaign.name, "parser": backend.info.name, "before": number}
    with tables.opened(table, model=True) as files:
        fitted = fit_weights(
            files.table,
            judged,
            model=files.model,
            backend=backend,
            facts=facts,
            now=now[1] if now else None,
        )
    made = _store(job, table, campaign, fitted)
    return {"table": table.code, "version": made.number, **_shown(fitted)}


def current(table: ParaphraseTable) -> "tuple[ParaphraseWeights, Weights] | None":
    """The version that was adopted, else the newest, as a row and to be used; None
    without any."""
    from core.pivoting.weighting import Weights

    number = adopted(table)
    rows = table.weights.filter(number=number) if number else table.weights.all()
    row = rows.first()
    return (row, Weights.of_json(row.model)) if row else None


def adopted(table: ParaphraseTable) -> int:
    """The version that ranks searches of the table unless another condition is chosen;
    0 where the baseline does."""
    there = {str(n) for n in table.weights.values_list("number", flat=True)}
    names = [x for x in adopting.names(table.project, what(table)) if x in there]
    return int(names[-1]) if names else 0


def is_better(row: ParaphraseWeights) -> bool:
    """Whether it gains more than chance over what ranked when it was fitted."""
    return bool(row.model["facts"].get("compared", {}).get("low", 0) > 0)


def adopt(table: ParaphraseTable, number: int, *, by: Anybody) -> None:
    """Let this version rank searches.

    Raises NotAllowed; BadRequest on one that is adopted, or whose gain may be chance.
    """
    row = table.weights.filter(number=number).first()
    if row is None or number == adopted(table) or not is_better(row):
        raise BadRequest(_("Choose another version that is better."), field="model")
    adopting.adopt(table.project, what(table), str(number), by=by, kind="weights")


def undo_adoption(table: ParaphraseTable, *, by: Anybody) -> None:
    """Return to the version before, or the baseline. Raises NotAllowed; BadRequest if
    none is adopted."""
    if not (last := adopted(table)):
        raise BadRequest(_("No version is adopted."), field="model")
    adopting.undo(table.project, what(table), str(last), by=by, kind="weights")


def what(table: ParaphraseTable) -> str:
    """What a version is adopted as."""
    return f"weights_{table.code}"


def _scales(campaign: Campaign) -> list[RatingScale]:
    return [scale for scale in campaign.scales.all() if scale.is_ordered]


def _means(campaign: Campaign) -> dict[int, float]:
    """By item: what people said on average, over judges and ordered scales, each from
    0 for its lowest point to 1 for its highest."""
    ends = {}
    for scale in _scales(campaign):
        values = scale.values()
        ends[scale.name] = min(values), max(values)
    values_of: dict[int, list[float]] = defaultdict(list)
    rows = Judgment.objects.of(campaign).counted().filter(item__kind=Item.Kind.MAIN)
    for item, values in rows.values_list("item_id", "values").iterator():
        for name, (low, high) in ends.items():
            if values.get(name) is not None and high > low:
                values_of[item].append((float(values[name]) - low) / (high - low))
    return {item: sum(shares) / len(shares) for item, shares in values_of.items()}


def _judged(
    campaign: Campaign, means: dict[int, float], backend: Any
) -> "list[JudgedSubstitute]":
    """Each judged item in its sentence, which is parsed once."""
    from core.pivoting.weighting import JudgedSubstitute

    items = Item.objects.filter(campaign=campaign, pk__in=means)
    rows = list(items.select_related("instance").order_by("pk"))
    sites = dict(_sites({row.instance for row in rows}, backend))
    return [
        JudgedSubstitute(sites[row.instance_id], row.paraphrase, means[row.pk])
        for row in rows
        if row.instance_id in sites
    ]


def _sites(instances: set[Instance], backend: Any) -> "Iterator[tuple[int, Site]]":
    """The positions of each phrase, in tokens; those that split a token are left
    out."""
    from core.pivoting.weighting import Site

    rows = sorted(instances, key=lambda one: one.pk)
    texts = [_tokens(one) for one in rows]
    sentences = [Sentence.of(" ".join(chain.from_iterable(parts))) for parts in texts]
    answers = backend.analyse(sentences, want=frozenset({"constituents", "tags"}))
    for one, (before, phrase, _after), sentence, answer in zip(
        rows, texts, sentences, answers, strict=True
    ):
        if not phrase:
            continue
        start, end = len(before), len(before) + len(phrase)
        tree = None
        if not isinstance(answer, Exception):
            tree = next((tree for _logp, tree in trees_of(answer, 1)), None)
        labels = tuple(ccg_labels(tree, start, end)) if tree else ()
        yield one.pk, Site(tuple(sentence.forms), start, end, labels)


def _tokens(one: Instance) -> Sequence[list[str]]:
    """Tokens before, in and after the phrase; campaigns made from a table have spaces
    between them."""
    phrase = one.sentence[one.start : one.end]
    return [part.split() for part in (one.before, phrase, one.after)]


def _store(
    job: Job, table: ParaphraseTable, campaign: Campaign, fitted: "Weights"
) -> ParaphraseWeights:
    with transaction.atomic():
        ParaphraseTable.objects.select_for_update().get(pk=table.pk)
        if there := ParaphraseWeights.objects.filter(job=job).first():
            return there
        last = table.weights.aggregate(last=Max("number"))["last"] or 0
        return ParaphraseWeights.objects.create(
            table=table,
            number=last + 1,
            campaign=campaign,
            campaign_name=campaign.name,
            model=fitted.to_json(),
            job=job,
            by=job.by,
        )


def _shown(fitted: "Weights") -> dict[str, Any]:
    names = ("judged", "known", "phrases", "placed", "best")
    return {name: fitted.facts[name] for name in names}
