"""The ninth condition of a table: weights fitted on people's judgments, by a job."""

from collections import defaultdict
from collections.abc import Generator, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from annotator import access
from annotator.errors import BadRequest, Conflict
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
    if table.made_at is None:
        reason = _("%(name)s has not been created yet; see its job.")
        raise Conflict(reason % {"name": table.name})
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
    facts = {"campaign": campaign.name, "parser": backend.info.name}
    with tables.opened(table, model=True) as files:
        fitted = fit_weights(
            files.table, judged, model=files.model, backend=backend, facts=facts
        )
    made = _store(job, table, campaign, fitted)
    return {"table": table.code, "version": made.number, **_shown(fitted)}


def newest(table: ParaphraseTable) -> "tuple[ParaphraseWeights, Weights] | None":
    """The last version that there is, as a row and to be used; None without any."""
    from core.pivoting.weighting import Weights

    row = table.weights.first()
    return (row, Weights.of_json(row.model)) if row else None


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
