"""A report in a few plain sentences, made from its figures by rules.

The statements: how well people agree, who rates higher or lower than the rest, who does
not repeat their own answers or misses the gold items, whose ratings drift, which items
cost most, and the results of the conditions. Differences within chance are left out, or
marked so. Each rule has whole sentences, so that another language can order its words.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from annotator.numbers import as_number, local
from annotator.pages.agreement.words import BAND_WORDS, in_words
from core.agreement.judgments.verdicts import band

Body = Mapping[str, Any]
Name = Callable[[str], str]

MARKED = 0.5  # points that someone rates higher or lower, to be named
MIN_REPEATS, LOW_REPEAT = 10, 0.6  # share of repeated items with the same value
MIN_GOLD, LOW_GOLD = 5, 0.6
DRIFTED = 0.75  # points between the first fifth of someone's time and the last
SURE = 0.05  # p after Holm


@dataclass(frozen=True, slots=True)
class Statement:
    """``section``: the section of the report with the figures behind it."""

    text: str
    section: str


def summary(body: Body, name: Name = str) -> list[Statement]:
    """The sentences about a report's body; ``name``: how an annotator is shown."""
    made: list[Statement] = []
    for scale in body["scales"]:
        made += _scale(scale, name)
    return made + list(_conditions(body))


def _scale(scale: Body, name: Name) -> Iterator[Statement]:
    title = within(scale["title"])
    if not scale["shared"]:
        text = _("Agreement on %(scale)s is unknown: no item has two judgments.")
        yield Statement(text % {"scale": title}, "headline")
        return
    yield Statement(_agreement(scale, title), "headline")
    if text := _same_side(scale):
        yield Statement(text, "headline")
    yield from (Statement(text, "judges") for text in _biased(scale, title, name))
    yield from (Statement(text, "judges") for text in _drifting(scale, title, name))
    yield from (Statement(text, "judges") for text in _unsteady(scale, title, name))
    if text := _costly(scale, title):
        yield Statement(text, "disagreements")


def within(title: str) -> str:
    """A scale's title within a sentence: lower case in English."""
    is_english = (get_language() or "en").startswith("en")
    return title[:1].lower() + title[1:] if is_english else title


def _agreement(scale: Body, title: str) -> str:
    key = "alpha_ordinal" if scale["is_ordered"] else "alpha_nominal"
    rows = [*scale["headline"], *scale["more"]]
    figure = next(row["figure"] for row in rows if row["key"] == key)
    text = _how_well(figure, title)
    if not scale["few"]:
        return text
    n = scale["shared"]
    few = ngettext(
        "It is based on only %(n)s item.", "It is based on only %(n)s items.", n
    )
    return f"{text} {few % {'n': local(f'{n:,}')}}"


def _how_well(figure: Body, title: str) -> str:
    if "undefined" in figure:
        return _("Agreement on %(scale)s is undefined: %(reason)s.") % {
            "scale": title,
            "reason": in_words(figure["undefined"]),
        }
    values = {
        "scale": title,
        "band": _band(figure),
        "value": as_number(figure["value"]),
    }
    if figure["low"] is None:
        return _("Agreement on %(scale)s is %(band)s, alpha %(value)s.") % values
    values |= {"low": as_number(figure["low"]), "high": as_number(figure["high"])}
    return (
        _("Agreement on %(scale)s is %(band)s, alpha %(value)s (%(low)s to %(high)s).")
        % values
    )


def _band(figure: Body) -> str:
    """The band of the value; those that the interval spans, if they are several."""
    ends = [figure["value"]]
    if figure["low"] is not None:
        ends = [figure["low"], figure["high"]]
    first, last = _word(ends[0]), _word(ends[-1])
    if first == last:
        return first
    return _("between %(low)s and %(high)s") % {"low": first, "high": last}


def _word(value: float) -> str:
    return str(BAND_WORDS[band(value)])


def _same_side(scale: Body) -> str:
    raw = next((row for row in scale["cut"] or () if row["key"] == "raw"), None)
    if raw is None or "undefined" in raw["figure"]:
        return ""
    text = _(
        "Two annotators are on the same side of the threshold (≥ %(at)s) %(share)s of"
        " the time."
    )
    share = _percent(raw["figure"]["value"])
    return text % {"at": f"{scale['threshold']:g}", "share": share}


def _biased(scale: Body, title: str, name: Name) -> Iterator[str]:
    """Who rates higher or lower than the rest, beyond chance."""
    if high := _beyond(scale, name, 1):
        text = ngettext(
            "%(who)s rates %(scale)s %(points)s higher than the rest.",
            "%(who)s rate %(scale)s %(points)s higher than the rest.",
            len(high),
        )
        yield text % _values(high, title)
    if low := _beyond(scale, name, -1):
        text = ngettext(
            "%(who)s rates %(scale)s %(points)s lower than the rest.",
            "%(who)s rate %(scale)s %(points)s lower than the rest.",
            len(low),
        )
        yield text % _values(low, title)


def _beyond(scale: Body, name: Name, sign: int) -> dict[str, float]:
    """Who rates so in this direction, and by how many points."""
    biases = {}
    for row in scale["judges"]:
        bias = row["bias"]
        if bias.get("low") is None or abs(bias["value"]) < MARKED:
            continue
        if min(sign * bias["low"], sign * bias["high"]) > 0:
            biases[name(row["annotator"])] = abs(bias["value"])
    return biases


def _values(judges: Mapping[str, float], title: str) -> dict[str, str]:
    points = _range(list(judges.values()))
    return {"who": _list(list(judges)), "scale": title, "points": points}


def _drifting(scale: Body, title: str, name: Name) -> Iterator[str]:
    for row in scale["judges"]:
        means = [mean for _n, mean in row["drift"]]
        move = row.get("moved", {})  # older frozen reports do not have it
        if len(means) > 1 and move is not None and has_drifted(means, move):
            yield drift_in_words(name(row["annotator"]), title, means)


def has_drifted(means: Sequence[float], move: Body) -> bool:
    """Whether the last mean is far from the first, and further than chance; ``move``:
    their difference with its interval, where that is known."""
    is_chance = bool(move) and move["low"] <= 0 <= move["high"]
    return abs(means[-1] - means[0]) >= DRIFTED and not is_chance


def drift_in_words(who: str, title: str, means: Sequence[float]) -> str:
    """The sentence about someone whose ratings of a scale move."""
    higher = _(
        "%(who)s rated %(scale)s higher over time, compared with the "
        "others: from %(first)s to %(last)s points."
    )
    lower = _(
        "%(who)s rated %(scale)s lower over time, compared with the "
        "others: from %(first)s to %(last)s points."
    )
    return (higher if means[-1] > means[0] else lower) % {
        "who": who,
        "scale": title,
        "first": _signed(means[0]),
        "last": _signed(means[-1]),
    }


def _unsteady(scale: Body, title: str, name: Name) -> Iterator[str]:
    for row in scale["judges"]:
        repeat, gold = row["repeat"], row["gold"]
        values = {"who": name(row["annotator"]), "scale": title}
        if repeat["n"] >= MIN_REPEATS and repeat.get("value", 1) < LOW_REPEAT:
            text = ngettext(
                "%(who)s repeated the same value of %(scale)s in only "
                "%(share)s of %(n)s repeat.",
                "%(who)s repeated the same value of %(scale)s in only "
                "%(share)s of %(n)s repeats.",
                repeat["n"],
            )
            yield text % (values | _share_of(repeat))
        if gold["n"] >= MIN_GOLD and gold.get("value", 1) < LOW_GOLD:
            text = ngettext(
                "%(who)s matched the expected %(scale)s in only %(share)s of "
                "%(n)s gold item.",
                "%(who)s matched the expected %(scale)s in only %(share)s of "
                "%(n)s gold items.",
                gold["n"],
            )
            yield text % (values | _share_of(gold))


def _share_of(figure: Body) -> dict[str, str]:
    return {"share": _percent(figure["value"]), "n": local(f"{figure['n']:,}")}


def _costly(scale: Body, title: str) -> str:
    """The fewest items that carry half of the disagreement; "" where it is spread."""
    half = scale.get("half")  # reports that were frozen earlier do not have it
    if not half or 4 * half >= scale["shared"]:
        return ""
    text = ngettext(
        "%(n)s item of %(all)s carries half of the disagreement on %(scale)s.",
        "%(n)s items of %(all)s carry half of the disagreement on %(scale)s.",
        half,
    )
    return text % {"n": local(f"{half:,}"), "all": scale["shared"], "scale": title}


def _conditions(body: Body) -> Iterator[Statement]:
    table = body["conditions"]
    if not table or len(table["rows"]) < 2:
        return
    rows = table["rows"]
    base = next(row for row in rows if row["tests"] is None)
    better = [row for row in rows if _is_sure(row, 1)]
    worse = [row for row in rows if _is_sure(row, -1)]
    if not better and not worse and any(_is_tested(row) for row in rows):
        text = _("No condition differs from %(base)s beyond chance.")
        yield Statement(text % {"base": base["condition"]}, "conditions")
    if better:
        text = ngettext(
            "%(names)s is better than %(base)s (%(share)s correct).",
            "%(names)s are better than %(base)s (%(share)s correct).",
            len(better),
        )
        yield Statement(text % _against(better, base), "conditions")
    if worse:
        text = ngettext(
            "%(names)s is worse than %(base)s (%(share)s correct).",
            "%(names)s are worse than %(base)s (%(share)s correct).",
            len(worse),
        )
        yield Statement(text % _against(worse, base), "conditions")


def _against(rows: Sequence[Body], base: Body) -> dict[str, str]:
    names = _list([f"{row['condition']} ({_share(row)})" for row in rows])
    return {"names": names, "base": base["condition"], "share": _share(base)}


def _is_tested(row: Body) -> bool:
    """Whether there is something that both this condition and the baseline made."""
    if not row["tests"]:
        return False
    test = row["tests"][-1]
    return bool(test["n"]) and "value" in test["figure"]


def _is_sure(row: Body, sign: int) -> bool:
    """Whether the last column, all scales together, differs in this direction."""
    if not _is_tested(row):
        return False
    test = row["tests"][-1]
    return bool(test["p_holm"] < SURE) and sign * test["figure"]["value"] > 0


def _share(row: Body) -> str:
    figure = row["cells"][-1]["figure"]
    return _percent(figure["value"]) if "value" in figure else _("unknown")


def _list(names: Sequence[str]) -> str:
    if len(names) == 1:
        return names[0]
    return _("%(names)s and %(last)s") % {
        "names": ", ".join(names[:-1]),
        "last": names[-1],
    }


def _range(points: Sequence[float]) -> str:
    low, high = (f"{point:.1f}" for point in (min(points), max(points)))
    if low != high:
        return _("%(low)s to %(high)s points") % {
            "low": local(low),
            "high": local(high),
        }
    return _("a point") if low == "1.0" else _("%(n)s points") % {"n": local(low)}


def _percent(value: float) -> str:
    return f"{100 * value:.0f}\N{NO-BREAK SPACE}%"


def _signed(value: float) -> str:
    return local(f"{value:+.1f}")
