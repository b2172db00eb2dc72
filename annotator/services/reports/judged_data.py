"""The input of a report: a campaign, or a set of imported ratings, as one
``Dataset``."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from django.db.models import Count, Max, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext

from annotator.errors import BadRequest
from annotator.exchange import ratings as files
from annotator.exchange.peers.registry import TABLE
from annotator.exchange.rating_tables import RatingsReading
from annotator.models import (
    Adjudication,
    Campaign,
    Credit,
    Instance,
    Item,
    Judgment,
    JudgmentEvent,
    MachineJudgment,
    RatingScale,
    RatingSet,
)
from annotator.services.campaigns.scales import (
    closed_scales,
    scales_for,
    sentences_of,
)
from annotator.services.kept_counts import LastAnswers
from annotator.services.reports import rating_tables
from core.agreement.judgments.dataset import Dataset, Objects, Question
from core.agreement.judgments.open_answers import (
    MarkedSpan,
    OpenQuestion,
    marked_words,
    read_marks,
    words_of,
)
from core.data.check import Ints
from core.data.ratings import PAPER_SCALES
from core.errors import GemelError

PAPER_THRESHOLDS = {"meaning": 3.0, "grammar": 4.0}  # Callison-Burch 2008
_held: "LastAnswers[Read]" = LastAnswers(8)


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """``names``: the person of each label; ``simulated``: labels of simulated
    annotators.

    ``texts``: what an outside item says, by item; empty for a campaign. ``stamp``:
    changes when the data may have. ``machines``: model of each machine annotator, by
    label; ``with_machines``: the data with their judgments, which are not in ``data``.
    """

    data: Dataset
    names: dict[str, str]
    simulated: frozenset[str]
    texts: dict[str, str]
    stamp: tuple[Any, ...]
    machines: dict[str, str] = field(default_factory=dict)
    with_machines: Dataset | None = None


def last_event() -> int:
    """The newest entry of the ledger; 0 if there is none."""
    return int(JudgmentEvent.objects.aggregate(last=Max("pk"))["last"] or 0)


def read_campaign(campaign: Campaign) -> Read:
    """All finished judgments of the campaign, training apart."""
    last = Adjudication.objects.aggregate(last=Max("pk"))["last"] or 0
    said = MachineJudgment.objects.filter(machine__campaign=campaign)
    stamp = (
        "c",
        campaign.code,
        campaign.revision,
        campaign.n_items,
        last_event(),
        last,
        *said.aggregate(n=Count("pk"), last=Max("pk")).values(),
    )
    return _held.of(stamp, lambda: _campaign(campaign, stamp))


def read_set(ratings: RatingSet) -> Read:
    """The ratings of a file that was uploaded."""
    stamp = ("s", ratings.code)
    return _held.of(stamp, lambda: _set(ratings, stamp))


def _campaign(campaign: Campaign, stamp: tuple[Any, ...]) -> Read:
    questions = [
        Question(
            scale.to_core(),
            scale.title,
            scale.threshold,
            is_best_worst=scale.kind == RatingScale.Kind.BEST,
        )
        for scale in closed_scales(campaign)
    ]
    known = [Item.Kind.MAIN, Item.Kind.GOLD, Item.Kind.ATTENTION]
    rows = campaign.items.filter(kind__in=known, is_withdrawn=False).order_by("pk")
    items = list(
        rows.values_list("pk", "code", "kind", "instance_id", "n_extra", "need", "gold")
    )
    place = {row[0]: at for at, row in enumerate(items)}
    people = list(
        campaign.participants.order_by("pk").values_list(
            "pk", "label", "user__username", "is_simulated"
        )
    )
    who = {row[0]: at for at, row in enumerate(people)}
    columns, answers = _judgments(campaign, questions, place, who)
    opened = _open(campaign, place, columns["item"], answers)
    instance, cluster = _instances(campaign, [row[3] for row in items])
    spare = np.array([row[5] - row[4] for row in items], np.int32)
    columns["is_extra"] = _extra(columns, spare, {row[0] for row in items if row[4]})
    data = Dataset.of(
        questions,
        [row[1] for row in items],
        [row[1] for row in people],
        **columns,
        instance=instance,
        cluster=cluster,
        is_check=np.array([row[2] != Item.Kind.MAIN for row in items], bool),
        gold=_codes(questions, [row[6] for row in items]),
        adjudicated=_decided(campaign, questions, place),
        **_credits(campaign, place),
        **opened,
    )
    names = {label: name or label for _, label, name, _ in people}
    simulated = frozenset(label for _, label, _, is_simulated in people if is_simulated)
    machines = dict(campaign.machines.values_list("label", "model"))
    both = _with_machines(campaign, data, place) if machines else None
    return Read(data, names, simulated, {}, stamp, machines, both)


def _with_machines(campaign: Campaign, data: Dataset, place: dict[int, int]) -> Dataset:
    """The data with what machines said, as of further annotators."""
    labels = list(campaign.machines.values_list("label", flat=True))
    who = {label: len(data.annotators) + at for at, label in enumerate(labels)}
    rows = MachineJudgment.objects.filter(
        machine__campaign=campaign, item__in=place
    ).order_by("pk")
    fields = ("item_id", "machine__label", "values", "at", "machine__guideline")
    said = list(rows.values_list(*fields))
    n = len(said)
    more = {
        "item": np.array([place[row[0]] for row in said], np.int32),
        "annotator": np.array([who[row[1]] for row in said], np.int32),
        "values": _codes(list(data.questions), [row[2] for row in said]),
        "round": np.ones(n, np.int32),
        "is_extra": np.zeros(n, bool),
        "at": np.array([row[3].timestamp() for row in said], np.float64),
        "active_ms": np.zeros(n, np.int32),
        "guideline": np.array([row[4] for row in said], np.int32),
        "written": np.full((n, len(data.open)), None, object),
    }
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(data, name), column])
        for name, column in more.items()
    }
    return replace(data, annotators=(*data.annotators, *labels), **columns)


def _judgments(
    campaign: Campaign,
    questions: list[Question],
    place: dict[int, int],
    who: dict[int, int],
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The columns of the answers, and what each says."""
    rows = Judgment.objects.of(campaign).answered().order_by("pk")
    # as text: ten thousand answers have only a few dozen distinct values to parse
    rows = rows.annotate(answers=Cast("values", TextField()))
    fields = ("item_id", "participant_id", "answers", "round", "saved_at")
    rows_read = [
        row
        for row in rows.values_list(*fields, "active_ms", "guideline")
        if row[0] in place
    ]
    times = [row[4].timestamp() if row[4] else 0.0 for row in rows_read]
    answers = _parsed([row[2] for row in rows_read])
    columns = {
        "item": np.array([place[row[0]] for row in rows_read], np.int32),
        "annotator": np.array([who[row[1]] for row in rows_read], np.int32),
        "values": _codes(questions, answers),
        "round": np.array([row[3] for row in rows_read], np.int32),
        "at": np.array(times, np.float64),
        "active_ms": np.array([row[5] for row in rows_read], np.int32),
        "guideline": np.array([row[6] for row in rows_read], np.int32),
    }
    return columns, answers


def _open(
    campaign: Campaign,
    place: dict[int, int],
    item: Ints,
    answers: list[dict[str, Any]],
) -> dict[str, Any]:
    """The questions without a scale, and the answers to them."""
    opened = [scale for scale in scales_for(campaign) if scale.is_open]
    is_marked = any(scale.kind == RatingScale.Kind.SPANS for scale in opened)
    texts, words = _texts(campaign, place) if is_marked else ([], [])
    sizes = tuple(map(len, words))
    written: Objects = np.full((len(answers), len(opened)), None, object)
    for column, scale in enumerate(opened):
        for row, answer in enumerate(answers):
            value = answer.get(scale.name)
            if scale.kind == RatingScale.Kind.SPANS and value is not None:
                value = _marked(value, texts[item[row]], words[item[row]])
            written[row, column] = value
    questions = tuple(
        OpenQuestion(
            scale.name,
            scale.title,
            sizes if scale.kind == RatingScale.Kind.SPANS else (),
        )
        for scale in opened
    )
    return {"open": questions, "written": written}


def _texts(
    campaign: Campaign, place: dict[int, int]
) -> tuple[list[tuple[str, str]], list[list[MarkedSpan]]]:
    """Both sentences of every item, and their words."""
    rows = campaign.items.select_related("instance").in_bulk(list(place))
    texts = [sentences_of(rows[pk]) for pk in place]
    return texts, [words_of(both) for both in texts]


def _marked(
    value: str, texts: tuple[str, str], words: list[MarkedSpan]
) -> tuple[int, ...]:
    marks = read_marks(value, (len(texts[0]), len(texts[1])))
    return marked_words(marks, words)


def _parsed(texts: list[str]) -> list[dict[str, Any]]:
    known = {text: json.loads(text) for text in set(texts)}
    return [known[text] for text in texts]


def _codes(questions: list[Question], values: list[dict[str, Any]]) -> Ints:
    """Codes of stored values: int32 ``(n, q)``, -1 where there is none."""
    table = np.full((len(values), len(questions)), -1, np.int32)
    for column, question in enumerate(questions):
        labels, name = question.scale.labels, question.scale.name
        codes = {label: code for code, label in enumerate(labels)}
        table[:, column] = [codes.get(str(row.get(name)), -1) for row in values]
    return table


def _instances(campaign: Campaign, of_items: list[int]) -> tuple[Ints, Ints]:
    """Instance and source phrase of each item, as codes."""
    phrases = dict(
        Instance.objects.filter(campaign=campaign).values_list("pk", "phrase")
    )
    instances: dict[int, int] = {}
    clusters: dict[str, int] = {}
    instance = [instances.setdefault(pk, len(instances)) for pk in of_items]
    cluster = [
        clusters.setdefault(phrases[pk].casefold(), len(clusters)) for pk in of_items
    ]
    return np.array(instance, np.int32), np.array(cluster, np.int32)


def _extra(columns: dict[str, Any], spare: Ints, with_extra: set[int]) -> Any:
    """First looks beyond the places planned: judges who came as two others differed."""
    extra = np.zeros(len(columns["item"]), bool)
    if not with_extra:
        return extra
    order = np.lexsort((columns["at"], columns["item"]))
    rank: dict[int, int] = {}
    for row in order:
        item = int(columns["item"][row])
        if columns["round"][row] == 1:
            rank[item] = rank.get(item, 0) + 1
            extra[row] = rank[item] > max(int(spare[item]), 1)
    return extra


def _credits(campaign: Campaign, place: dict[int, int]) -> dict[str, Any]:
    conditions = list(campaign.conditions.values_list("pk", "name", "is_baseline"))
    at = {pk: number for number, (pk, _, _) in enumerate(conditions)}
    rows = Credit.objects.filter(condition__campaign=campaign).values_list(
        "condition_id", "item_id", "rank"
    )
    table = [(at[c], place[i], rank) for c, i, rank in rows if i in place]
    base = [number for number, row in enumerate(conditions) if row[2]]
    return {
        "conditions": tuple(name for _, name, _ in conditions),
        "baseline": base[0] if base else 0,
        "credit": np.array(table, np.int32).reshape(-1, 3),
    }


def _decided(
    campaign: Campaign, questions: list[Question], place: dict[int, int]
) -> Ints:
    """The last decision on each item; -1 where there is none."""
    rows = Adjudication.objects.filter(item__campaign=campaign).order_by("number")
    last = dict(rows.values_list("item_id", "values"))
    values: list[dict[str, Any]] = [{} for _ in place]
    for pk, decided in last.items():
        if pk in place:
            values[place[pk]] = decided
    return _codes(questions, values)


def _set(ratings: RatingSet, stamp: tuple[Any, ...]) -> Read:
    form, upload = ratings.format, ratings.upload
    reading = RatingsReading(**({"tool": TABLE} | ratings.reading))
    try:
        if form == rating_tables.TABLE:
            parsed = rating_tables.parsed(upload, reading)
        else:
            parsed = rating_tables.parsed_as(form, upload)
    except (GemelError, OSError) as error:
        text = gettext("The file can no longer be read: %(why)s") % {"why": error}
        raise BadRequest(text) from error
    return set_of(parsed, stamp, thresholds=reading.thresholds)


def set_of(
    parsed: files.RatingFile,
    stamp: tuple[Any, ...] = (),
    *,
    thresholds: Mapping[str, float] | None = None,
) -> Read:
    """A dataset of outside ratings; annotators become A1, A2 … in order of name."""
    tables = list(parsed.tables.values())
    items = list(dict.fromkeys(item for table in tables for item in table.items))
    people = sorted({name for table in tables for name in table.annotators})
    place = {item: at for at, item in enumerate(items)}
    who = {name: at for at, name in enumerate(people)}
    rows: dict[tuple[int, int, int], list[int]] = {}
    for column, table in enumerate(tables):
        own = [place[item] for item in table.items], [who[n] for n in table.annotators]
        for item, judge, value in zip(
            table.item, table.annotator, table.value, strict=True
        ):
            key = own[0][item], own[1][judge], 1
            rows.setdefault(key, [-1] * len(tables))[column] = int(value)
        for item, judge, _, value in table.repeats:
            key = own[0][item], own[1][judge], 2
            rows.setdefault(key, [-1] * len(tables))[column] = int(value)
    keys = np.array(list(rows), np.int32).reshape(-1, 3)
    data = Dataset.of(
        [_question(table.scale, thresholds or {}) for table in tables],
        items,
        [f"A{at + 1}" for at in range(len(people))],
        keys[:, 0],
        keys[:, 1],
        np.array(list(rows.values()), np.int32).reshape(len(keys), len(tables)),
        round=keys[:, 2],
        **_outside(parsed, items),
        **_times(parsed, items, people, keys),
        gold=_outside_gold(parsed, place),
    )
    names = {f"A{at + 1}": name for at, name in enumerate(people)}
    texts = {item: parsed.sources.get(item, "") for item in items}
    return Read(data, names, frozenset(), texts, stamp)


def _question(scale: Any, thresholds: Mapping[str, float]) -> Question:
    if scale.name in thresholds:
        return Question(scale, scale.name, thresholds[scale.name])
    known = scale.name in PAPER_SCALES and scale.labels == ("1", "2", "3", "4", "5")
    threshold = PAPER_THRESHOLDS[scale.name] if known else None
    return Question(scale, scale.name, threshold)


def _outside(parsed: files.RatingFile, items: list[str]) -> dict[str, Any]:
    clusters: dict[str, int] = {}
    sources = [parsed.sources.get(item) or item for item in items]
    cluster = [clusters.setdefault(source, len(clusters)) for source in sources]
    made = [parsed.credits.get(item, ()) for item in items]
    conditions = list(dict.fromkeys(name for names in made for name in names))
    at = {name: number for number, name in enumerate(conditions)}
    table = [(at[name], place, 1) for place, names in enumerate(made) for name in names]
    return {
        "cluster": np.array(cluster, np.int32),
        "conditions": tuple(conditions),
        "credit": np.array(table, np.int32).reshape(-1, 3),
    }


def _times(
    parsed: files.RatingFile, items: list[str], people: list[str], keys: Ints
) -> dict[str, Any]:
    """When each look was, if the file says it of all; how long, where it says so."""
    if not parsed.times:
        return {}
    times = [
        _time(parsed.times.get((items[item], people[judge]), []), number)
        for item, judge, number in keys.tolist()
    ]
    active = np.array([min(seconds * 1000, 2**31 - 1) for _, seconds in times])
    columns: dict[str, Any] = {"active_ms": active.astype(np.int32)}
    if all(at for at, _ in times):
        columns["at"] = np.array([at for at, _ in times], np.float64)
    return columns


def _time(times: list[tuple[float, float]], number: int) -> tuple[float, float]:
    return times[min(number, len(times)) - 1] if times else (0.0, 0.0)


def _outside_gold(parsed: files.RatingFile, place: dict[str, int]) -> Ints:
    table = np.full((len(place), len(parsed.tables)), -1, np.int32)
    for column, (name, ratings) in enumerate(parsed.tables.items()):
        if name in parsed.gold:
            table[[place[item] for item in ratings.items], column] = parsed.gold[name]
    return table
