"""Forms that request a paraphrase table or a test set."""

from dataclasses import dataclass
from typing import Self

from django.http import QueryDict
from django.utils.translation import gettext as _

from annotator.forms import whole
from annotator.models import ParaphraseTable, Project
from annotator.services.paraphrases import tables, test_sets


@dataclass(frozen=True, slots=True)
class TableForm:
    """``bitexts``, ``corpora``: codes; ``length``: of the longest phrases, 0 if none
    was meant; ``prepare``: link and parse first what is not."""

    name: str
    bitexts: tuple[str, ...]
    corpora: tuple[str, ...]
    length: int
    prepare: bool

    @classmethod
    def empty(cls, project: Project) -> Self:
        codes = project.bitexts.values_list("code", flat=True)
        length = tables.LENGTHS[0]
        return cls(project.name, tuple(codes), (), length, prepare=True)

    @classmethod
    def sent(cls, sent: QueryDict) -> Self:
        return cls(
            sent.get("name", ""),
            tuple(sent.getlist("bitexts")),
            tuple(sent.getlist("corpora")),
            whole(sent.get("length", "5"), 1, 99) or 0,
            prepare=sent.get("prepare") == "yes",
        )


@dataclass(frozen=True, slots=True)
class TestSetForm:
    """``text``: a corpus's code, or "bitext:" and a bitext's; ``phrases`` as typed;
    ``known``: only phrases that the table knows; ``weighted``: the ninth condition."""

    name: str
    text: str
    phrases: str
    known: bool
    weighted: bool

    @classmethod
    def empty(cls, table: ParaphraseTable) -> Self:
        name = _("Substitutions from %(name)s") % {"name": table.name}
        of = {name: table.rules.get(name) for name in ("bitexts", "corpora")}
        text = f"bitext:{of['bitexts'][0]}" if of["bitexts"] else ""
        text = text or (of["corpora"] or [""])[0]
        return cls(name[:120], text, "100", known=True, weighted=True)

    @classmethod
    def sent(cls, sent: QueryDict, table: ParaphraseTable) -> Self:
        blank = cls.empty(table)
        return cls(
            sent.get("name", blank.name)[:120],
            sent.get("text", blank.text),
            sent.get("phrases", blank.phrases),
            known=sent.get("known") == "yes",
            weighted=sent.get("weighted") == "yes",
        )

    @property
    def n_phrases(self) -> int:
        """0 if that is not a number from 1 to the maximum."""
        return whole(self.phrases, 1, test_sets.MOST) or 0
