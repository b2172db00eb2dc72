"""The page that searches trees: matches between their words, counts, saved queries."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from django.utils.html import format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotator import access
from annotator.errors import BadRequest, Refusal
from annotator.models import Corpus, Parse, Project
from annotator.models.projects import Anybody
from annotator.numbers import as_number, as_percent, local
from annotator.pages.lengths import refuse_long
from annotator.services.parses import retyping
from annotator.services.parses.accuracy import engines_of
from annotator.services.queries import grouping, running
from annotator.services.queries.contexts import ConcordanceLine, lines
from annotator.services.queries.grouping import ComparedGroup, ComparedMatches
from annotator.services.queries.running import Hit
from annotator.svg import charts
from annotator.svg import parse as svg
from annotator.svg.parse import Note
from core.agreement.paired import g_test, mcnemar_p
from core.data.deps import DepTree
from core.data.tree import Tree
from core.layout.charts import bar_chart
from core.layout.links import LinkedSide, parse_scene
from core.layout.measure import GlyphTable
from core.queries.checking import CONDITIONS
from core.queries.labels import CLASSES
from core.queries.rows import Kind
from core.queries.syntax import RELATIONS, WhereCondition

PAGE = 25  # matches
COUNT_SECONDS = 2.0  # for the counts of a page
MOST_LABELS = 12
GROUPS, BARS = 50, 15  # shown, and drawn
EXAMPLES = (
    ("NP ~ PP", _("noun phrases linked to prepositional phrases")),
    ("VP << VBN ~ VP !<< VBN", _("a participle on one side alone")),
    ("[deprel=nsubj:pass] ~ [deprel=nsubj]", _("passive and active subjects")),
    ("verb ~ null", _("verbs decided to have no counterpart")),
    ("NP !~ __ where length < 20", _("unlinked noun phrases of short sentences")),
    ("NP < (PP <, (IN < of))", _("of-phrases within noun phrases")),
)

Json = dict[str, Any]


def searched(
    project: Project,
    corpus: Corpus | None,
    corpora: Sequence[Corpus],
    params: Mapping[str, str],
    by: Anybody,
) -> Json:
    """The content of the page; a query that cannot be read, or takes too long, is shown
    with its error."""
    text = params.get("q", "")
    page: Json = {
        "project": project,
        "corpus": corpus,
        "q": text,
        "examples": EXAMPLES,
        "relations": RELATIONS.values(),
        "words": format_html_join(", ", "<code>{}</code>", ((one,) for one in CLASSES)),
        "conditions": CONDITIONS,
        "saved": project.queries.select_related("by"),
        "may_save": access.may(by, "annotate", project),
        "may_run": access.may(by, "run", project),
        "may_export": access.may(by, "export", project),
        "may_manage": access.may(by, "manage", project),
        "user_id": by.pk,
        "query": urlencode({"q": text}),
        "by": params.get("by", ""),
        "groupings": grouping.GROUPINGS.items(),
        "others": _offered(project, corpus) if corpus and text.strip() else [],
        "versus": params.get("versus", ""),
    }
    if not text.strip():
        return page
    try:
        return page | _results(text, corpora, params, by)
    except BadRequest as refusal:
        if refusal.facts.get("field") != "q":
            raise
        return page | {"refusal": refusal, "at": _marked(text, refusal)}
    except Refusal as refusal:
        return page | {"refusal": refusal}


def _results(
    text: str, corpora: Sequence[Corpus], params: Mapping[str, str], by: Anybody
) -> Json:
    after = params.get("after", "")
    versus = second_of(text, corpora, params.get("versus", ""), by)
    group = params.get("by", "") or ("label" if versus else "")
    search = running.search(text, corpora, by)
    page = search.page(after, size=PAGE)
    counts = None if after else search.counts(COUNT_SECONDS)
    if counts and not counts.is_whole:
        counts.cover(page.matches)
    shows = group and page.matches and not after
    return {
        "rows": [_row(line, text) for line in lines(page.matches)],
        "groups": _groups(search, group) if shows and not versus else None,
        "compared": _compared(search, group, *versus) if shows and versus else None,
        "by": group,
        "counts": counts,
        "labels": counts.by_label.most_common(MOST_LABELS) if counts else [],
        "by_corpus": counts.by_corpus.most_common() if counts else [],
        "after": after,
        "more": page.after,
        "waiting": page.waiting,
        "has_links": search.query.has_links,
        "unknown": [] if after else search.unknown(is_found=bool(page.matches)),
    }


def _groups(search: running.Search, by: str) -> Json:
    """The groups of matches: a table and its drawing; raises BadRequest."""
    made = grouping.grouped(search, by, COUNT_SECONDS)
    title = str(grouping.GROUPINGS[by].title)
    rows = [
        {"name": name, "n": n, "share": as_percent(n / made.total)}
        for name, n in made.rows[:GROUPS]
    ]
    others = made.rows[GROUPS:]
    bars = [(name, n, f"{n}") for name, n in made.rows[:BARS]]
    first = "; ".join(f"{name}: {n}" for name, n in made.rows[:BARS])
    return {
        "title": title,
        "rows": rows,
        "n_rows": len(made.rows),
        "n_others": len(others),
        "others": sum(n for _name, n in others),
        "total": made.total,
        "is_whole": made.is_whole,
        "svg": charts.draw(
            bar_chart(bars, measure=GlyphTable()),
            title=gettext("Matches by %(group)s") % {"group": title.lower()},
            desc=first,
        ),
    }


def second_of(
    text: str, corpora: Sequence[Corpus], versus: str, user: Anybody
) -> tuple[running.Search, str] | None:
    """What one corpus is compared with, and its name: another corpus of the project,
    its gold trees, or those of a parser. Raises BadRequest where there is none."""
    if not versus:
        return None
    kind, _sep, parser = versus.partition(":")
    if len(corpora) == 1 and (kind == "gold" or parser):
        key, value = ("parser", parser) if parser else ("trees", "gold")
        name = parser or gettext("Gold")
        trees = WhereCondition(key, "=", value)
        return running.search(text, corpora, user, trees=trees), name
    rows = Corpus.objects.filter(project__in={one.project_id for one in corpora})
    other = rows.filter(code=versus).first() if len(corpora) == 1 else None
    if other is None:
        raise BadRequest(
            gettext("Compare a corpus with one of its project."), field="versus"
        )
    return running.search(text, [other], user), other.name


def _offered(project: Project, corpus: Corpus) -> list[tuple[str, str]]:
    """What a corpus may be compared with: value and name."""
    parsers = dict.fromkeys(one.name for one in engines_of(corpus))
    return [
        *((one.code, one.name) for one in project.corpora.exclude(pk=corpus.pk)),
        *([("gold", gettext("Gold trees"))] if parsers else []),
        *((f"parser:{name}", gettext("Parser: %s") % name) for name in parsers),
    ]


def _compared(
    search: running.Search, by: str, second: running.Search, name: str
) -> Json:
    """The same groups in two searches, and how many sentences have a match: for the
    same sentences, McNemar's test of those that only one of the two has."""
    made = grouping.compared(
        grouping.grouped(search, by, COUNT_SECONDS),
        grouping.grouped(second, by, COUNT_SECONDS),
    )
    counts = [one.counts(COUNT_SECONDS) for one in (search, second)]
    corpora = search.scope.corpora[0], second.scope.corpora[0]
    is_same, found = corpora[0] == corpora[1], [count.sentences for count in counts]
    sentences = [  # one may be deleted between the two counts
        max(corpus.sentences.count(), n)
        for corpus, n in zip(corpora, found, strict=True)
    ]
    g2, p = g_test(found[0], sentences[0], found[1], sentences[1])
    alone = [len(a.found_in - b.found_in) for a, b in (counts, counts[::-1])]
    sides = [
        {"name": side, "sentences": total, "found": n, "alone": m}
        for side, total, n, m in zip(
            (corpora[0].name, name), sentences, found, alone, strict=True
        )
    ]
    wholes = [made.first.is_whole, made.second.is_whole]
    return {
        "title": str(grouping.GROUPINGS[by].title),
        "sides": sides,
        "is_same": is_same,
        "g2": as_number(g2),
        "p": _p(mcnemar_p(*alone) if is_same else p),
        "rows": [_compared_row(one, made) for one in made.rows[:GROUPS]],
        "n_others": max(0, len(made.rows) - GROUPS),
        "is_whole": all(wholes + [one.is_whole for one in counts]),
    }


def _compared_row(one: ComparedGroup, made: ComparedMatches) -> Json:
    totals = made.first.total, made.second.total
    sides = [
        {"n": n, "share": as_percent(n / total) if total else "–"}
        for n, total in zip((one.first, one.second), totals, strict=True)
    ]
    return {"name": one.name, "sides": sides, "g2": as_number(one.g2), "p": _p(one.p)}


def _p(p: float) -> str:
    return local(f"{p:.3f}" if p >= 0.001 else "< 0.001")


def _marked(text: str, refusal: BadRequest) -> Json | None:
    """The query cut where it goes wrong."""
    column = refusal.facts.get("column")
    if not isinstance(column, int):
        return None
    return {"before": text[: column - 1], "after": text[column - 1 :], "column": column}


def _row(line: ConcordanceLine, query: str) -> Json:
    """A line, where each of its trees is drawn with its nodes marked, and the address
    of the match."""
    drawn, address = [], {"q": query}
    for is_near, parse in zip((True, False), line.parses, strict=True):
        if parse is not None:
            hits = [hit for hit in line.match_of.hits if hit.is_near == is_near]
            params = {"parse": parse.code, "marks": ",".join(map(_ref, hits))}
            drawn.append(urlencode(params))
            before = "" if is_near else "other_"
            address |= {f"{before}{name}": text for name, text in params.items()}
    return {"line": line, "drawn": drawn, "address": urlencode(address)}


def _ref(hit: Hit) -> str:
    """As boxes of a drawing are called."""
    return f"{'w' if hit.kind in (Kind.TOKEN, Kind.WORD) else 'n'}{max(hit.node, 0)}"


def drawing(parse: Parse, marks: str) -> Json:
    """The tree of a match. Raises BadRequest on marks that are none, TooLarge."""
    refuse_long(parse.sentence)
    refs = marks.split(",") if marks else []
    if len(refs) > 40 or not all(_is_ref(ref) for ref in refs):
        raise BadRequest(gettext("Marks are nodes: n5,w3."), field="marks")
    tree: Tree | None = None
    deps: DepTree | None = None
    if parse.kind == Parse.Kind.DEPENDENCY:
        deps = parse.to_deps()
    else:
        tree = parse.to_tree()
    notes = {_box(ref, tree): Note(is_match=True) for ref in refs}
    words = retyping.words_of(parse)
    title = gettext("Tree of: %(text)s") % {"text": parse.sentence.text}
    scene = parse_scene(LinkedSide(words, tree, deps))
    drawn = svg.draw(scene, title=title, phrases=notes, arcs=notes if deps else None)
    return {"parse": parse, "sentence": parse.sentence, "svg": drawn}


def _is_ref(ref: str) -> bool:
    digits = ref[1:]
    return ref[:1] in ("n", "w") and digits.isascii() and digits.isdigit()


def _box(ref: str, tree: Tree | None) -> str:
    """A tag is drawn with its word: w3 for the n5 above it."""
    node = int(ref[1:])
    if tree is not None and ref[0] == "n" and node < len(tree) and tree.is_leaf(node):
        return f"w{tree.tokens[node]}"
    return ref
