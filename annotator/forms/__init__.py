"""Query parameters of browsers and programs: named fields only."""

from collections.abc import Iterable
from typing import Any

import django_filters
from django import forms
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.text import format_lazy
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from annotator.errors import BadRequest
from annotator.exchange import bitexts
from annotator.exchange.files import ENCODINGS
from annotator.exchange.registry import FORMATS
from annotator.models import JointTree, Pair, TreeChange
from annotator.models.corpora import PairQuerySet
from annotator.models.joint import TreeChangeQuerySet
from annotator.services.alignments import finding
from annotator.services.alignments.operations import LayerStep
from annotator.services.parses import joint, ledger


def sent_by(form: forms.BaseForm) -> dict[str, Any]:
    """What a form was sent; raises BadRequest at the first field that is wrong."""
    if not form.is_valid():
        field, problems = next(iter(form.errors.items()))
        raise BadRequest(f"{field}: {problems[0]}", field=field)
    return form.cleaned_data


class CheckedFilter(django_filters.FilterSet):
    """Named filters of one person's request, the same on the page and in the API.

    What looks at layers or trees asks for those that ``self.request.user`` may see:
    a list must not tell annotators what colleagues did.
    """

    def __init__(self, *, queryset: QuerySet[Any], request: HttpRequest) -> None:
        super().__init__(request.GET, queryset=queryset, request=request)

    @classmethod
    def fields(cls) -> dict[str, forms.Field]:
        """Return the field of each filter, for the API's description."""
        return {name: one.field for name, one in cls.base_filters.items()}

    def rows(self) -> Any:
        """Return the rows that fit; raises BadRequest at a value that is unknown: it
        would filter nothing."""
        sent_by(self.form)
        return self.qs


class PairFilter(CheckedFilter):
    """Filters of the pairs list."""

    q = django_filters.CharFilter(
        method="by_words", label=_("Containing"), max_length=200
    )
    label = django_filters.CharFilter(
        field_name="label", label=_("Label"), max_length=60
    )
    state = django_filters.ChoiceFilter(
        choices=Pair.State, label=_("Alignment"), empty_label=_("any")
    )
    parsed = django_filters.ChoiceFilter(
        method="by_parse",
        label=_("Parsed"),
        choices=[("true", _("yes")), ("false", _("no"))],
        empty_label=_("any"),
    )
    min_words = django_filters.NumberFilter(
        field_name="n_source", lookup_expr="gte", label=_("Words, from"), min_value=0
    )
    max_words = django_filters.NumberFilter(
        field_name="n_source", lookup_expr="lte", label=_("to"), min_value=0
    )

    class Meta:
        model = Pair
        fields: list[str] = []

    def by_words(self, pairs: PairQuerySet, name: str, value: str) -> PairQuerySet:
        return pairs.containing(value)

    def by_parse(self, pairs: PairQuerySet, name: str, value: str) -> PairQuerySet:
        return pairs.filter(has_parse=value == "true")


class ScoreForm(forms.Form):
    """Which scores of a corpus to show, in what order, from and up to which."""

    ORDERS = (
        ("", _("as imported")),
        ("-score", _("highest score first")),
        ("score", _("lowest score first")),
    )
    scores = forms.RegexField(r"[0-9a-f]{16}", required=False, label=_("Scores"))
    sort = forms.ChoiceField(choices=ORDERS, required=False, label=_("Order"))
    min_score = forms.FloatField(required=False, label=_("Score from"))
    max_score = forms.FloatField(required=False, label=_("to"))

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of ``scoring.with_scores``; raises BadRequest."""
        sent = sent_by(self)
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
    """As ``whole``; raises BadRequest with ``problem`` for anything else."""
    value = whole(text, low, high)
    if value is None:
        raise BadRequest(problem, field=field)
    return value


def refuse_unknown(query: Iterable[str], allowed: set[str]) -> None:
    """Raise BadRequest on a parameter no one reads: a typo must not filter nothing."""
    unknown = sorted(set(query) - allowed)
    if unknown:
        known = ", ".join(sorted(allowed)) or gettext("none")
        raise BadRequest(
            gettext("There is no parameter %(name)s. Known here: %(known)s.")
            % {"name": repr(unknown[0]), "known": known},
            field=unknown[0],
            known=sorted(allowed),
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
            raise forms.ValidationError(gettext("choose a row"))
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


class UploadForm(forms.Form):
    """The fields of an import next to its files."""

    format = forms.ChoiceField(
        choices=[
            ("", _("Detect format")),
            *(
                (one.name, format_lazy("{} ({})", _(one.title), one.name))
                for one in FORMATS.values()
            ),
        ],
        required=False,
    )
    corpus = forms.CharField(
        max_length=120, required=False, label=_("Name of the corpus")
    )
    licence = forms.CharField(max_length=200, required=False, label=_("Licence"))
    provenance = forms.CharField(max_length=2000, required=False, label=_("Source"))
    source_language = forms.RegexField(
        r"[A-Za-z0-9-]{2,35}", initial="en", label=_("Language of the source")
    )
    target_language = forms.RegexField(
        r"[A-Za-z0-9-]{2,35}", initial="en", label=_("Language of the target")
    )
    encoding = forms.ChoiceField(
        choices=[("", _("detect")), *((name, name) for name in ENCODINGS)],
        required=False,
        label=_("Encoding"),
    )
    tokenised = forms.BooleanField(
        required=False, label=_("Already tokenised: spaces between all tokens")
    )

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of ``importing.start``."""
        sent = self.cleaned_data
        about = ("licence", "provenance", "source_language", "target_language")
        return {
            "kind": sent["format"],
            "corpus": sent["corpus"],
            "encoding": sent["encoding"],
            "tokenised": sent["tokenised"],
            "about": {name: sent[name] for name in about},
        }


class LanguagesForm(forms.Form):
    """The languages of a new corpus, where others were meant than were said first."""

    source_language = forms.RegexField(r"[A-Za-z0-9-]{2,35}", required=False)
    target_language = forms.RegexField(r"[A-Za-z0-9-]{2,35}", required=False)

    def sent(self) -> dict[str, str]:
        """The given codes; raises BadRequest on anything that is not a code."""
        if not self.is_valid():
            raise BadRequest(
                gettext("Enter a language code such as en or pt-BR."),
                field=next(iter(self.errors)),
            )
        return {name: code for name, code in self.cleaned_data.items() if code}


class ColumnsForm(forms.Form):
    """Which column of a table of pairs is which, counted from 1."""

    source = forms.IntegerField(min_value=1, max_value=100)
    target = forms.IntegerField(min_value=1, max_value=100)
    label = forms.IntegerField(min_value=1, max_value=100, required=False)
    id = forms.IntegerField(min_value=1, max_value=100, required=False)
    no_header = forms.BooleanField(required=False)

    def sent(self) -> dict[str, int]:
        """As ``core.formats.pairs`` has it; raises BadRequest."""
        sent = self.cleaned_data if self.is_valid() else {}
        roles = ("source", "target", "label", "id")
        chosen = {name: sent[name] for name in roles if sent.get(name)}
        if not chosen or len(set(chosen.values())) < len(chosen):
            problem = gettext("Choose different columns for the source and the target.")
            raise BadRequest(problem, field="source")
        return chosen | {"header": int(not sent["no_header"])}


class BitextForm(forms.Form):
    """The fields of a parallel-text upload next to its files."""

    language = r"[A-Za-z0-9-]{2,35}"
    format = forms.ChoiceField(
        choices=[(name, _(title)) for name, title in bitexts.FORMATS.items()]
    )
    name = forms.CharField(max_length=120, label=_("Name"))
    source_language = forms.RegexField(
        language, initial="en", label=_("Language of the source, the one paraphrased")
    )
    target_language = forms.RegexField(language, label=_("Language of the counterpart"))
    raw = forms.BooleanField(
        required=False,
        initial=True,
        label=_("The text is not tokenised yet: tokenise it"),
    )
    linked = forms.BooleanField(
        required=False, label=_("The third column of the table holds links (0-0 1-2)")
    )
    escaped = forms.BooleanField(
        required=False, label=_("Undo &apos; &quot; and the like, as Moses writes them")
    )
    licence = forms.CharField(max_length=200, required=False, label=_("Licence"))
    provenance = forms.CharField(max_length=2000, required=False, label=_("Source"))
    encoding = forms.ChoiceField(
        choices=[("", _("detect")), *((name, name) for name in ENCODINGS)],
        required=False,
        label=_("Encoding"),
    )

    def require_files(self, names: set[str]) -> None:
        """Say what is wrong with the files of these names, sent next to the form."""
        if not names:
            self.add_error(None, gettext("Choose the files."))
        if "raw" in self.data and ("links" in names or "linked" in self.data):
            reason = gettext("Links count the tokens of the file: clear this box.")
            self.add_error("raw", reason)

    def arguments(self) -> dict[str, Any]:
        """Keyword arguments of ``bitexts.start``."""
        sent = self.cleaned_data
        about = ("licence", "provenance", "source_language", "target_language")
        return {
            "name": sent["name"],
            "encoding": sent["encoding"],
            "about": {name: sent[name] for name in about},
            "reading": bitexts.BitextReading(
                **{name: sent[name] for name in bitexts.BitextReading.__slots__}
            ),
        }


class FindForm(forms.Form):
    """What ``finding.start`` takes. ``other``: the code of a corpus, "" for none."""

    name = forms.CharField(max_length=120)
    other = forms.RegexField(r"^[0-9a-f]{16}\Z", required=False)
    least = forms.FloatField(min_value=0, max_value=1)
    sample = forms.IntegerField(min_value=0, max_value=finding.MOST_SAMPLED)


class JointForm(forms.Form):
    """The method and settings of a joint parse of a corpus.

    All else is the method's own; other settings are for programs (the API,
    ``python -m lab reproduce``), which know what they compare.
    """

    method = forms.ChoiceField(
        choices=[(name, _(title)) for name, title in joint.methods().items()]
    )
    sets = forms.BooleanField(required=False)

    def arguments(self) -> dict[str, Any]:
        """Values for ``joint.settings_of``; raises BadRequest."""
        return {name: value for name, value in sent_by(self).items() if name != "sets"}


class VerdictForm(forms.Form):
    """One verdict from a plain form."""

    change = forms.RegexField(r"^[0-9a-f]{16}\Z")
    uuid = forms.UUIDField()
    seen = forms.IntegerField(min_value=0)
    verdict = forms.ChoiceField(choices=TreeChange.Verdict.choices, required=False)

    def sent(self) -> tuple[str, ledger.Verdict]:
        """The code of the change, and what is said of it. Raises BadRequest."""
        if not self.is_valid():
            raise BadRequest(
                gettext("A verdict needs a change, a uuid and the state that you saw.")
            )
        data = self.cleaned_data
        verdict = ledger.Verdict(data["uuid"], data["seen"], data["verdict"])
        return data["change"], verdict


class ChangeFilter(CheckedFilter):
    """Filters of the ledger, in its files too."""

    verdict = django_filters.ChoiceFilter(
        method="by_verdict",
        label=_("Verdict"),
        empty_label=_("any"),
        choices=[
            ("open", pgettext_lazy("not judged", "Open")),
            ("judged", _("Judged")),
            *[choice for choice in TreeChange.Verdict.choices if choice[0]],
        ],
    )
    gold = django_filters.ChoiceFilter(
        method="by_gold",
        label=_("Against gold"),
        empty_label=_("anything"),
        choices=[
            *[choice for choice in TreeChange.Gold.choices if choice[0]],
            ("none", _("No gold tree")),
        ],
    )
    side = django_filters.ChoiceFilter(
        choices=JointTree.Side, label=_("Side"), empty_label=_("both")
    )
    kind = django_filters.ChoiceFilter(
        choices=TreeChange.Kind, label=_("What"), empty_label=_("all")
    )
    label = django_filters.CharFilter(
        method="by_label", label=_("Label"), max_length=60
    )
    domain = django_filters.CharFilter(label=_("Domain"), max_length=60)
    operation = django_filters.CharFilter(
        method="by_operation", label=_("Rewording"), max_length=60
    )

    class Meta:
        model = TreeChange
        fields: list[str] = []

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
