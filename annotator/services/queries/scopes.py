"""Which corpora, trees and layers a search is about: what the person may see of what
the query asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from annotator.errors import BadRequest
from annotator.models import Corpus, Membership, Origin
from annotator.models.projects import SEE_OTHERS, Anybody, id_of
from annotator.services.queries.compiling import Body
from annotator.services.queries.rows import among
from core.queries import labels
from core.queries.syntax import Query, WhereCondition

_TREE_OF_SOMEBODY_ELSE = (  # a visible layer may stand on one that is not
    "SELECT 1 FROM annotator_parse q WHERE q.id IN (v.tree, v.other)"
    " AND q.origin = 'annotator' AND (q.author_id IS NULL OR q.author_id <> %s)"
)
_OPS = {"=": "=", "!=": "<>", "<": "<", ">": ">", "<=": "<=", ">=": ">="}


@dataclass(frozen=True, slots=True)
class SearchScope:
    """``corpora``: to search, in this order. ``user``: 0 is whoever runs a command,
    who sees everything."""

    corpora: tuple[Corpus, ...]
    user: int
    sees_others: bool

    def narrow(self, body: Body, query: Query) -> None:
        """Add who may see what, and the conditions of ``where``."""
        conditions = {one.key: one for one in query.where}
        trees = conditions["trees"].value if "trees" in conditions else ""
        if query.has_links:
            self._layers(body, conditions.get("layer"))
            if trees:
                self._trees(body, "v.tree", trees)
        else:
            self._trees(body, "v.parse", trees or "best")
        sentence = "v.sentence"
        if query.has_links:
            body.tables.append("search_tree vt")
            body.add("vt.parse = v.tree")
            sentence = "vt.sentence"
        of_sentence = [one for one in query.where if one.key in ("id", "length")]
        if of_sentence:
            body.tables.append("annotator_sentence s")
            body.add(f"s.id = {sentence}")
        for one in of_sentence:
            self._sentence(body, one)

    def _layers(self, body: Body, condition: WhereCondition | None) -> None:
        body.tables.append("annotator_alignmentlayer l")
        body.add("l.id = v.layer")
        if not self.sees_others:
            body.add("(l.origin <> 'annotator' OR l.author_id = %s)", [self.user])
            body.add(f"NOT EXISTS ({_TREE_OF_SOMEBODY_ELSE})", [self.user])
        if condition is None:
            return
        name = condition.value
        if name in ("gold", "engine"):
            body.add("l.origin = %s", [name])
        elif name == "mine":
            body.add("l.author_id = %s", [self.user])
        else:
            who = "SELECT id FROM auth_user WHERE username = %s"
            body.add(f"(l.engine = %s OR l.author_id IN ({who}))", [name, name])

    def _trees(self, body: Body, column: str, which: str) -> None:
        if which == "best":
            if column == "v.parse":
                body.add("v.chosen = 1")
                return
            chosen = (
                "SELECT 1 FROM search_tree c WHERE c.parse = v.tree AND c.chosen = 1"
            )
            body.add(f"EXISTS ({chosen})")
            return
        body.tables.append("annotator_parse p")
        body.add(f"p.id = {column}")
        if which == "gold":
            body.add("p.origin = %s", [Origin.GOLD])
        elif which == "parser":
            body.add("p.origin = %s AND p.rank = 1", [Origin.ENGINE])
        elif which == "mine":
            body.add("p.author_id = %s", [self.user])
        if not self.sees_others:
            body.add("(p.origin <> 'annotator' OR p.author_id = %s)", [self.user])

    def _sentence(self, body: Body, one: WhereCondition) -> None:
        if one.key == "length":
            body.add(f"s.n_tokens {_OPS[one.op]} %s", [int(one.value)])
            return
        if not one.is_regex:
            body.add(f"s.ref {_OPS[one.op]} %s", [one.value])
            return
        sql, params = among("s.id", self._named(one.value))
        body.add(sql if one.op == "=" else f"NOT ({sql})", params)

    def _named(self, regex: str) -> list[int]:
        return [
            pk
            for corpus in self.corpora
            for pk, ref in corpus.sentences.values_list("pk", "ref")
            if labels.found(regex, ref)
        ]


def scope_of(
    corpora: Sequence[Corpus], query: Query, user: Anybody | None
) -> SearchScope:
    """The scope of a query of this person over corpora of one project, which the
    person may see; None: who runs the command line. Raises BadRequest if the query
    names a corpus that is not among them."""
    chosen = list(corpora)
    for one in query.where:
        if one.key != "corpus":
            continue
        named = [c for c in corpora if one.value in (c.code, c.name)]
        if not named:
            raise BadRequest(
                _("No corpus %(name)s is searched here.") % {"name": repr(one.value)},
                field="q",
                column=one.column,
            )
        chosen = [c for c in chosen if (c in named) == (one.op == "=")]
    if user is None:
        return SearchScope(tuple(chosen), 0, sees_others=True)
    projects = {corpus.project_id for corpus in corpora}
    member = Membership.objects.filter(user_id=id_of(user), project__in=projects)
    others = set(member.filter(role__in=SEE_OTHERS).values_list("project", flat=True))
    return SearchScope(tuple(chosen), id_of(user), sees_others=projects <= others)
