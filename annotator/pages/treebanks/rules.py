"""The page of a corpus's rules: their lines, and the sentences that break them."""

from typing import Any

from annotator import access
from annotator.models import Corpus, TreebankRules
from annotator.models.projects import Anybody
from annotator.services.treebanks import rules
from annotator.services.treebanks.rules import Checked
from core.validation.declared import EXAMPLE
from core.validation.sentences import Problem

Json = dict[str, Any]
PAGE = 25  # sentences with problems


def shown(corpus: Corpus, *, after: str, by: Anybody) -> Json:
    """The rules, and a look through the trees; raises BadRequest as ``rules.check``."""
    row = TreebankRules.objects.filter(corpus=corpus).select_related("by").first()
    report = rules.check(corpus, after=after, most=PAGE, counts=not after)
    project = corpus.project
    return {
        "project": project,
        "corpus": corpus,
        "row": row,
        "text": row.text if row else "",
        "revision": row.revision if row else 0,
        "example": EXAMPLE,
        "may_manage": access.may(by, "manage", project),
        "may_edit": access.may(by, "annotate", project),
        "report": report,
        "total": report.total,
        "after": after,
        "counts": report.total.by_rule.most_common(),
        "rows": [_row(one) for one in report.checked],
    }


def _row(checked: Checked) -> Json:
    problems = [problem_json(one, checked) for one in checked.problems]
    return {"sentence": checked.sentence, "tree": checked.tree, "problems": problems}


def problem_json(problem: Problem, checked: Checked) -> Json:
    """A problem with its words, as pages and programs show it."""
    forms = checked.sentence.forms
    return {
        "rule": problem.rule,
        "about": problem.about,
        "text": problem.text,
        "remedy": problem.remedy,
        "node": problem.node if problem.node >= 0 else None,
        "words": list(problem.words),
        "forms": [forms[m] for m in problem.words if m < len(forms)],
    }
