"""The chain of acts: any change to what was written is seen, and where."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import FormatError
from core.releases.manifest import HashChain, entries

ACTS = [{"act": "link", "n": n, "text": "Fenster – 窓"} for n in range(5)]


def chained(acts) -> list[str]:
    chain = HashChain()
    return [chain.line(act) for act in acts]


def test_what_is_chained_comes_back_in_order() -> None:
    acts = list(entries(chained(ACTS)))
    assert [act["n"] for act in acts] == [0, 1, 2, 3, 4]
    assert acts[0]["previous"] == "0" * 64
    assert all(b["previous"] == a["digest"] for a, b in pairwise(acts))


def test_equal_acts_have_equal_chains_whatever_the_order_of_their_members() -> None:
    turned = [dict(reversed(act.items())) for act in ACTS]
    assert chained(turned) == chained(ACTS)


@given(st.data())
def test_any_changed_lost_doubled_or_swapped_entry_is_seen(data) -> None:
    lines = chained(ACTS)
    at = data.draw(st.integers(0, 3))
    kind = data.draw(st.sampled_from(["change", "lose", "double", "swap", "garble"]))
    if kind == "change":
        act = json.loads(lines[at])
        lines[at] = json.dumps(act | {"n": act["n"] + 1})
    elif kind == "lose":
        del lines[at]
    elif kind == "double":
        lines.insert(at, lines[at])
    elif kind == "swap":
        lines[at], lines[at + 1] = lines[at + 1], lines[at]
    else:
        lines[at] = lines[at][:-3]
    with pytest.raises(FormatError) as error:
        list(entries(lines))
    assert error.value.line in (at + 1, at + 2)


def test_a_chain_made_anew_after_a_change_has_another_end() -> None:
    changed = [*ACTS[:2], {**ACTS[2], "n": 9}, *ACTS[3:]]
    ends = [list(entries(chained(acts)))[-1]["digest"] for acts in (ACTS, changed)]
    assert ends[0] != ends[1]


def test_an_act_may_not_name_what_is_the_chain_s() -> None:
    with pytest.raises(ValueError, match="digest"):
        HashChain().line({"digest": "mine"})
