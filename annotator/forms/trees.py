"""Forms of the tree editors and of worklists."""

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.forms import number, sent_by
from annotator.services.corpora.trees import MAX_TEXT
from annotator.services.parses.arc_drafts import OPS as ARC_OPS
from annotator.services.parses.drafts import OPS
from annotator.services.parses.steps import KEEP, VIEW
from annotator.services.treebanks.worklists import MAX_EACH, MAX_SIZE, Wanted
from core.trees.arc_lines import MAX_FIELD
from core.trees.words import MAX_FORM

TYPED = ("relabel", "insert", "join_phrases", "replace")
OF_WORDS = ("retype", "split", "join")
OF_PHRASES = ("split_phrase", "join_phrases")
OF_NODES = (
    *("relabel", "insert", "delete", "move", "edge", "trace", "add_secondary"),
    *OF_PHRASES,
    *OF_WORDS,
)
AGAIN = "parse_again"
BUTTONS = ("begin", "save", "gold", VIEW, KEEP)


def _of_words(sent: dict[str, Any]) -> dict[str, Any]:
    """The two words of a split, typed with a space between; BadRequest on any others.

    Words are joined as they are: anyone who wants another form types it again.
    """
    if sent["op"] == "join":
        return sent | {"form": ""}
    if sent["op"] != "split":
        return sent
    parts = sent["form"].split()
    if len(parts) != 2:
        raise BadRequest(
            _("Type the two words with one space between, such as “can not”."),
            field="form",
        )
    return sent | {"forms": parts}


class StepForm(forms.Form):
    """The fields that the editors of trees and of arcs share: one script sends both."""

    code = r"^[0-9a-f]{16}\Z"
    field_order = ("op",)
    uuid = forms.UUIDField()
    base_rev = forms.IntegerField(min_value=0)
    base = forms.RegexField(code, required=False)
    gold = forms.RegexField(code, required=False)
    source = forms.RegexField(code, required=False)
    node = forms.IntegerField(min_value=0, max_value=9999, required=False)
    other = forms.IntegerField(min_value=0, max_value=9999, required=False)
    label = forms.CharField(max_length=60, required=False)
    form = forms.CharField(max_length=MAX_FORM, required=False)
    text = forms.CharField(max_length=MAX_TEXT, required=False, strip=False)


class TreeForm(StepForm):
    """One step of the tree editor: one or two nodes, a label or brackets, a button."""

    op = forms.ChoiceField(
        choices=[(name, name) for name in (*OPS, *BUTTONS, AGAIN, "check")]
    )
    what = forms.ChoiceField(  # of a check: what is being typed
        choices=[(name, name) for name in TYPED], required=False
    )
    until = forms.IntegerField(min_value=0, max_value=9999, required=False)
    edge = forms.CharField(max_length=60, required=False)
    second = forms.CharField(max_length=60, required=False)  # label of a new edge
    secedge = forms.RegexField(r"^\d{1,4} \d{1,4} .*\Z", required=False)
    trace = forms.CharField(max_length=60, required=False)
    after = forms.BooleanField(required=False)  # of a trace: behind the node
    asked = forms.BooleanField(required=False)  # the label of joined phrases, too
    follow = forms.BooleanField(required=False)

    def arguments(self) -> dict[str, Any]:
        """The arguments of ``DraftStep.read``; raises BadRequest."""
        sent = _of_words(dict(sent_by(self)))
        node, other, until = sent["node"], sent.pop("other"), sent.pop("until")
        if sent["op"] in OF_NODES and node is None:
            raise BadRequest(_("Choose a node first."), field="node")
        if sent["op"] == "move" and other is None:
            raise BadRequest(
                _("Choose its new parent as the second node."), field="other"
            )
        if sent["op"] == "remove_secondary":
            if not sent["secedge"]:
                raise BadRequest(_("Choose a secondary edge first."), field="secedge")
            v, target, label = sent["secedge"].split(" ", 2)
            return sent | {"node": int(v), "target": int(target), "edge": label}
        if node is None:
            return sent
        if sent["op"] == "add_secondary":
            if other is None:
                reason = _("Choose the node that it leads to as the second node.")
                raise BadRequest(reason, field="other")
            return sent | {"target": other, "edge": sent["second"]}
        if sent["op"] == "trace":
            return sent | {"form": sent["trace"], "label": ""}
        if sent["op"] == "move":  # of several siblings, with what that empties
            return sent | {"mother": other, "last": until, "tidy": True}
        if sent["op"] == "join_phrases" and not sent["asked"]:
            sent["label"] = None
        last = node if other is None else other
        ends = {"first": min(node, last), "last": max(node, last)}
        return sent | ends


class ArcForm(StepForm):
    """One step of the editor of arcs: one or two words, a relation or lines, a
    button."""

    op = forms.ChoiceField(
        choices=[(name, name) for name in (*ARC_OPS, *BUTTONS, "root")]
    )
    column = forms.CharField(max_length=10, required=False)
    value = forms.CharField(max_length=MAX_FIELD, required=False)

    def arguments(self) -> dict[str, Any]:
        """The arguments of ``arc_drafts.read_step``; raises BadRequest."""
        sent = _of_words(dict(sent_by(self)))
        node, other, label = sent.pop("node"), sent.pop("other"), sent.pop("label")
        if (
            sent["op"] in ("attach", "relation", "root", "field", *OF_WORDS)
            and node is None
        ):
            raise BadRequest(_("Choose a word first."), field="node")
        if sent["op"] == "attach" and other is None:
            raise BadRequest(
                _("Choose its new head as the second word."), field="other"
            )
        if sent["op"] == "root":
            return sent | {"op": "attach", "token": node, "head": -1}
        if sent["op"] == "relation":
            return sent | {"token": node, "relation": label}
        return sent | {"token": node, "head": other}


def wanted(sent: QueryDict) -> Wanted:
    """The worklist to create; raises BadRequest."""

    def whole(name: str, low: int, high: int) -> int:
        problem = _("%(name)s must be a whole number from %(low)s to %(high)s.")
        problem %= {"name": name, "low": low, "high": high}
        return number(sent.get(name, ""), low, high, field=name, problem=problem)

    words = {name: sent.get(name, "") for name in ("name", "unit", "ranking", "query")}
    return Wanted(
        **words,
        people=tuple(sent.getlist("people")),
        size=whole("size", 1, MAX_SIZE),
        n_each=whole("n_each", 1, MAX_EACH),
        seed=whole("seed", 0, 2**31 - 1),
    )
