"""What a browser or a program may send in a query: named fields, nothing else."""

from collections.abc import Iterable
from typing import Any

import django_filters
from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.models import User
from django.db.models import Q
from django.http import HttpRequest, QueryDict

from annotator.errors import BadRequest
from annotator.exchange import bitexts
from annotator.exchange.files import ENCODINGS
from annotator.exchange.registry import FORMATS
from annotator.models import JointRun, JointTree, Pair, TreeChange
from annotator.models.corpora import PairQuerySet
from annotator.models.joint import TreeChangeQuerySet
from annotator.models.tokens import Scope
from annotator.services.alignments.operations import LayerStep
from annotator.services.corpora.trees import MAX_TEXT
from annotator.services.parses import joint, ledger
from annotator.services.parses.drafts import OPS as TREE_OPS

__all__ = [
    "BitextForm",
    "ChangeFilter",
    "JointForm",
    "LinkForm",
    "OldPasswordForm",
    "PairFilter",
    "ScoreForm",
    "TokenForm",
    "TreeForm",
    "UploadForm",
    "VerdictForm",
    "refuse_unknown",
]


class PairFilter(django_filters.FilterSet):
    """Filters of the pairs list, the same on the page and in the API."""

    q = django_filters.CharFilter(method="by_words", label="Containing", max_length=200)
    label = django_filters.CharFilter(field_name="label", label="Label", max_length=60)
    state = django_filters.ChoiceFilter(
        choices=Pair.State, label="Alignment", empty_label="any"
    )
    parsed = django_filters.BooleanFilter(
        field_name="has_parse",
        label="Parsed",
        widget=forms.Select(choices=[("", "any"), ("true", "yes"), ("false", "no")]),
    )
    min_words = django_filters.NumberFilter(
        field_name="n_source", lookup_expr="gte", label="Words, from", min_value=0
    )
    max_words = django_filters.NumberFilter(
        field_name="n_source", lookup_expr="lte", label="to", min_value=0
    )

    class Meta:
        model = Pair
        fields: list[str] = []

    def by_words(self, pairs: PairQuerySet, name: str, value: str) -> PairQuerySet:
        return pairs.containing(value)


class ScoreForm(forms.Form):
    """Which scores of a corpus to show, in what order, from and up to which."""

    ORDERS = (
        ("", "as imported"),
        ("-score", "highest score first"),
        ("score", "lowest score first"),
    )
    scores = forms.RegexField(r"[0-9a-f]{16}", required=False, label="Scores")
    sort = forms.ChoiceField(choices=ORDERS, required=False, label="Order")
    min_score = forms.FloatField(required=False, label="Score from")
    max_score = forms.FloatField(required=False, label="to")

    def asked(self) -> dict[str, Any]:
        """Keyword arguments of ``scoring.with_scores``; raises BadRequest."""
        if not self.is_valid():
            field, problems = next(iter(self.errors.items()))
            raise BadRequest(f"{field}: {problems[0]}", field=field)
        sent = self.cleaned_data
        return {
            "code": sent["scores"],
            "sort": sent["sort"],
            "at_least": sent["min_score"],
            "at_most": sent["max_score"],
        }


def whole(text: str, low: int, high: int) -> int | None:
    """The whole number from ``low`` to ``high`` that plain digits write, or None.

    ``str.isdigit`` alone lets pass what ``int`` cannot read, like "²".
    """
    digits = text.isascii() and text.isdigit() and len(text) <= 18
    return int(text) if digits and low <= int(text) <= high else None


def number(text: str, low: int, high: int, *, field: str, problem: str) -> int:
    """As ``whole``; raises BadRequest with ``problem`` where that has no answer."""
    found = whole(text, low, high)
    if found is None:
        raise BadRequest(problem, field=field)
    return found


def refuse_unknown(query: Iterable[str], allowed: set[str]) -> None:
    """Raise BadRequest on a parameter nobody reads: a typo must not filter nothing."""
    unknown = sorted(set(query) - allowed)
    if unknown:
        known = ", ".join(sorted(allowed)) or "none"
        raise BadRequest(
            f"There is no parameter {unknown[0]!r}. Known here: {known}.",
            field=unknown[0],
            known=sorted(allowed),
        )


class OldPasswordForm(PasswordChangeForm):
    """A new password for whoever knows the old one; guesses count as at sign-in."""

    def __init__(self, request: HttpRequest, data: Any) -> None:
        assert isinstance(request.user, User)
        super().__init__(request.user, data)
        self._request = request

    def clean_old_password(self) -> str:
        old = str(self.cleaned_data["old_password"])
        if not authenticate(self._request, username=str(self.user), password=old):
            raise forms.ValidationError(self.error_messages["password_incorrect"])
        return old


class TokenForm(forms.Form):
    """A token of a program."""

    name = forms.CharField(max_length=60, label="For which program")
    scope = forms.ChoiceField(choices=Scope, label="It may", initial=Scope.READ)
    days = forms.TypedChoiceField(
        choices=[(7, "a week"), (30, "30 days"), (90, "90 days"), (365, "a year")],
        coerce=int,
        label="It works for",
        initial=90,
    )


class LinkForm(forms.Form):
    """One command of the editor's table: a row of each side and a button."""

    COMMANDS = (
        "link add unlink null clear sure possible crossing composed undo redo open done"
    )
    op = forms.ChoiceField(choices=[(name, name) for name in COMMANDS.split()])
    uuid = forms.UUIDField()
    base_rev = forms.IntegerField(min_value=0)
    s = forms.RegexField(r"^[wn][0-9]{1,5}\Z", required=False)
    t = forms.RegexField(r"^[wn][0-9]{1,5}\Z", required=False)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        ends = [end for end in ("s", "t") if cleaned.get(end)]
        wanted = {"null": 1, "clear": 1, "undo": 0, "redo": 0, "open": 0, "done": 0}
        if len(ends) < wanted.get(cleaned.get("op", ""), 2):
            raise forms.ValidationError("choose a row")
        return cleaned

    def to_step(self) -> LayerStep:
        """Raises BadRequest."""
        sent = self.cleaned_data
        op = {"sure": "kind", "possible": "kind", "composed": "crossing"}
        rest = {
            "op": op.get(sent["op"], sent["op"]),
            "kind": sent["op"],
            "crossing": sent["op"] == "crossing",
        }
        return LayerStep.read(sent | rest)


class TreeForm(forms.Form):
    """One step of the tree editor: one or two nodes, a label or brackets, a button."""

    code = r"^[0-9a-f]{16}\Z"
    op = forms.ChoiceField(
        choices=[(name, name) for name in (*TREE_OPS, "begin", "save", "gold")]
    )
    uuid = forms.UUIDField()
    base_rev = forms.IntegerField(min_value=0)
    base = forms.RegexField(code, required=False)
    gold = forms.RegexField(code, required=False)
    source = forms.RegexField(code, required=False)
    node = forms.IntegerField(min_value=0, max_value=9999, required=False)
    other = forms.IntegerField(min_value=0, max_value=9999, required=False)
    label = forms.CharField(max_length=60, required=False)
    text = forms.CharField(max_length=MAX_TEXT, required=False, strip=False)

    def asked(self) -> dict[str, Any]:
        """What ``DraftStep.read`` takes, and what goes with it; raises BadRequest."""
        if not self.is_valid():
            field, problems = next(iter(self.errors.items()))
            raise BadRequest(f"{field}: {problems[0]}", field=field)
        sent = dict(self.cleaned_data)
        node, other = sent["node"], sent.pop("other")
        if sent["op"] in ("relabel", "insert", "delete", "move") and node is None:
            raise BadRequest("Choose a node first.", field="node")
        if sent["op"] == "move" and other is None:
            raise BadRequest("Choose its new mother as the second node.", field="other")
        if node is None:
            return sent
        last = node if other is None else other
        ends = {"first": min(node, last), "last": max(node, last)}
        return sent | ends | {"mother": other}


class UploadForm(forms.Form):
    """What goes with the files of an import; the files themselves are beside it."""

    format = forms.ChoiceField(
        choices=[(one.name, f"{one.title} ({one.name})") for one in FORMATS.values()]
    )
    corpus = forms.CharField(max_length=120, label="Name of the corpus")
    licence = forms.CharField(max_length=200, required=False, label="Licence")
    provenance = forms.CharField(
        max_length=2000, required=False, label="Where it is from"
    )
    source_language = forms.RegexField(
        r"[A-Za-z0-9-]{2,35}", initial="en", label="Language of the source"
    )
    target_language = forms.RegexField(
        r"[A-Za-z0-9-]{2,35}", initial="en", label="Language of the target"
    )
    encoding = forms.ChoiceField(
        choices=[("", "find out"), *((name, name) for name in ENCODINGS)],
        required=False,
        label="Encoding",
    )

    def asked(self) -> dict[str, Any]:
        """Keyword arguments of ``importing.start``."""
        sent = self.cleaned_data
        about = ("licence", "provenance", "source_language", "target_language")
        return {
            "kind": sent["format"],
            "corpus": sent["corpus"],
            "encoding": sent["encoding"],
            "about": {name: sent[name] for name in about},
        }


class BitextForm(forms.Form):
    """What goes with the files of parallel text."""

    language = r"[A-Za-z0-9-]{2,35}"
    format = forms.ChoiceField(choices=list(bitexts.FORMATS.items()))
    name = forms.CharField(max_length=120, label="Name")
    source_language = forms.RegexField(
        language, initial="en", label="Language of the source, the one paraphrased"
    )
    target_language = forms.RegexField(language, label="Language of the counterpart")
    raw = forms.BooleanField(
        required=False,
        initial=True,
        label="The text is not cut into tokens yet: cut it",
    )
    linked = forms.BooleanField(
        required=False, label="The third column of the table holds links (0-0 1-2)"
    )
    escaped = forms.BooleanField(
        required=False, label="Undo &apos; &quot; and the like, as Moses writes them"
    )
    licence = forms.CharField(max_length=200, required=False, label="Licence")
    provenance = forms.CharField(
        max_length=2000, required=False, label="Where it is from"
    )
    encoding = forms.ChoiceField(
        choices=[("", "find out"), *((name, name) for name in ENCODINGS)],
        required=False,
        label="Encoding",
    )

    def asked(self) -> dict[str, Any]:
        """Keyword arguments of ``bitexts.start``."""
        sent = self.cleaned_data
        about = ("licence", "provenance", "source_language", "target_language")
        return {
            "name": sent["name"],
            "encoding": sent["encoding"],
            "about": {name: sent[name] for name in about},
            "reading": bitexts.Reading(
                **{name: sent[name] for name in bitexts.Reading.__slots__}
            ),
        }


class JointForm(forms.Form):
    """By which method a corpus is to be parsed jointly.

    All else is the method's own; other settings are for programs (the API,
    ``python -m core reproduce``), which know what they compare.
    """

    method = forms.ChoiceField(choices=list(joint.methods().items()))

    def asked(self) -> dict[str, Any]:
        """Values for ``joint.settings_of``; raises BadRequest."""
        if not self.is_valid():
            field, problems = next(iter(self.errors.items()))
            raise BadRequest(f"{field}: {problems[0]}", field=field)
        return dict(self.cleaned_data)


class VerdictForm(forms.Form):
    """One verdict from a plain form."""

    change = forms.RegexField(r"^[0-9a-f]{16}\Z")
    uuid = forms.UUIDField()
    seen = forms.IntegerField(min_value=0)
    verdict = forms.ChoiceField(choices=TreeChange.Verdict.choices, required=False)


class ChangeFilter(django_filters.FilterSet):
    """Filters of the ledger, the same on the page, in its files and in the API."""

    verdict = django_filters.ChoiceFilter(
        method="by_verdict",
        label="Verdict",
        empty_label="any",
        choices=[
            ("open", "Open"),
            ("judged", "Judged"),
            *[choice for choice in TreeChange.Verdict.choices if choice[0]],
        ],
    )
    gold = django_filters.ChoiceFilter(
        method="by_gold",
        label="Gold says",
        empty_label="anything",
        choices=[
            *[choice for choice in TreeChange.Gold.choices if choice[0]],
            ("none", "No gold tree"),
        ],
    )
    side = django_filters.ChoiceFilter(
        choices=JointTree.Side, label="Side", empty_label="both"
    )
    kind = django_filters.ChoiceFilter(
        choices=TreeChange.Kind, label="What", empty_label="all"
    )
    label = django_filters.CharFilter(method="by_label", label="Label", max_length=60)
    domain = django_filters.CharFilter(label="Domain", max_length=60)
    operation = django_filters.CharFilter(
        method="by_operation", label="Rewording", max_length=60
    )

    class Meta:
        model = TreeChange
        fields: list[str] = []

    @classmethod
    def of(cls, query: QueryDict, run: JointRun) -> "ChangeFilter":
        """The filter over the run's changes; raises BadRequest on a value unknown."""
        found = cls(query, queryset=ledger.rows_of(run))
        if not found.form.is_valid():
            field, problems = next(iter(found.form.errors.items()))
            raise BadRequest(f"{field}: {problems[0]}", field=field)
        return found

    def by_verdict(
        self, rows: TreeChangeQuerySet, name: str, value: str
    ) -> TreeChangeQuerySet:
        if value == "judged":
            return rows.exclude(verdict="")
        return rows.filter(verdict="" if value == "open" else value)

    def by_gold(
        self, rows: TreeChangeQuerySet, name: str, value: str
    ) -> TreeChangeQuerySet:
        return rows.filter(gold="" if value == "none" else value)

    def by_label(
        self, rows: TreeChangeQuerySet, name: str, value: str
    ) -> TreeChangeQuerySet:
        return rows.filter(Q(label_before=value) | Q(label_after=value))

    def by_operation(
        self, rows: TreeChangeQuerySet, name: str, value: str
    ) -> TreeChangeQuerySet:
        return rows.filter(operations__contains=f"|{value}|")
