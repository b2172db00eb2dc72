"""Everything that is wrong with the trees of one sentence."""

from collections.abc import Sequence

from core.data.deps import DepTree
from core.data.tokens import Token
from core.data.tree import Tree
from core.validation import constituents, contradictions, universal
from core.validation.declared import Rules
from core.validation.problems import Problem


def problems_of(
    tree: Tree | None,
    deps: DepTree | None,
    tokens: Sequence[Token],
    rules: Rules,
) -> list[Problem]:
    """First of the constituent tree, then of the arcs, then what contradicts.

    ``tokens``: those of the arcs; empty without arcs. Trees of different lengths are
    not compared.
    """
    problems: list[Problem] = []
    if tree is not None:
        problems += constituents.of_tree(tree, rules)
    if deps is not None:
        problems += _relations(deps, tokens, rules)
        if rules.level:
            level = rules.level
            problems += universal.check(deps.heads, deps.labels, tokens, level=level)
        problems += constituents.of_deps_patterns(deps, tuple(tokens), rules)
    if tree is not None and deps is not None and tree.n_tokens == len(deps):
        problems += contradictions.between(tree, deps)
    return problems


def _relations(deps: DepTree, tokens: Sequence[Token], rules: Rules) -> list[Problem]:
    allowed = rules.relations
    return [
        Problem(
            "undeclared-relation",
            f"“{tokens[m].form}” (word {m + 1}): {label or 'no relation'} is no "
            "relation of this treebank.",
            f"Use a declared relation, or declare {label or 'it'}.",
            (m,),
        )
        for m, label in enumerate(deps.labels)
        if allowed and label not in allowed and label.partition(":")[0] not in allowed
    ]
