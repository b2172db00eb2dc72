"""Everything that is wrong with the trees of one sentence: what and where."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.data.deps import DepTree
from core.data.tokens import Token
from core.data.tree import Tree
from core.errors import InvalidValue
from core.queries import matching
from core.queries.labels import basic
from core.queries.rows import Kind, NodeRow
from core.validation.declared import Children, Pattern, Rules


@dataclass(frozen=True, slots=True)
class Problem:
    """``rule``: a short name that stays. ``node``: the number of a node of a
    constituent tree, or -1; ``words``: positions that it is about, ascending."""

    rule: str
    text: str
    remedy: str
    words: tuple[int, ...] = ()
    node: int = -1

    @property
    def about(self) -> str:
        """tree, arcs or both."""
        if self.rule == "contradiction":
            return "both"
        return "tree" if self.node >= 0 else "arcs"


NEAR = 3  # labels that a remedy names


def of_tree(tree: Tree, rules: Rules) -> list[Problem]:
    """Problems of the tree, by its nodes in preorder.

    A pattern that takes too many steps is a problem itself: nothing passes unseen.
    """
    problems = [
        problem
        for v in range(len(tree))
        for problem in (*_label(tree, v, rules), *_below(tree, v, rules))
    ]
    ground = matching.ground_of(tree)
    for pattern in rules.patterns:
        if pattern.query.kind != "dependency":
            problems += _matched(ground, pattern, tree)
    return sorted(problems, key=lambda one: (one.node, one.rule))


def of_deps_patterns(
    deps: DepTree, tokens: tuple[Token, ...], rules: Rules
) -> list[Problem]:
    """The patterns about arcs that match, by their tokens."""
    ground = matching.ground_of_deps(deps, tokens)
    problems = [
        problem
        for pattern in rules.patterns
        if pattern.query.kind == "dependency"
        for problem in _matched(ground, pattern, None)
    ]
    return sorted(problems, key=lambda one: one.words)


def _label(tree: Tree, v: int, rules: Rules) -> Iterator[Problem]:
    leaf, label = tree.is_leaf(v), tree.labels[v]
    allowed = rules.tags if leaf else rules.labels
    if not allowed or tree.is_trace(v) or (v == 0 and not label):
        return
    if label not in allowed and basic(label) not in allowed:
        what = "tag" if leaf else "label"
        near = ", ".join(sorted(allowed, key=lambda one: _distance(one, label))[:NEAR])
        yield Problem(
            f"unknown-{what}",
            f"{label or 'A phrase without a label'} is not a {what} of this treebank.",
            f"Use a declared {what}, such as {near}; or declare {label or 'it'}.",
            tree.yield_of(v),
            v,
        )


def _distance(a: str, b: str) -> tuple[int, str]:
    """The distance between two labels: characters not shared at the front; then
    alphabetical."""
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
    shared = min(len(a), len(b)) if same is None else same
    return len(a) + len(b) - 2 * shared, a


def _fits(label: str, name: str) -> bool:
    return name in (label, basic(label))


def _below(tree: Tree, v: int, rules: Rules) -> Iterator[Problem]:
    if tree.is_leaf(v):
        return
    for rule in rules.children:
        if _fits(tree.labels[v], rule.parent):
            yield from _children(tree, v, rule)


def _children(tree: Tree, v: int, rule: Children) -> Iterator[Problem]:
    hits = [
        u
        for u in tree.children[v]
        if any(_fits(tree.labels[u], name) for name in rule.labels)
    ]
    names, why = " or ".join(rule.labels), f" ({rule.reason})" if rule.reason else ""
    if rule.needed and not hits:
        text = f"{tree.labels[v]} has no child {names}{why}."
        remedy = f"Move or relabel a child to be {names}, or relabel the phrase."
        yield Problem("needed-child", text, remedy, tree.yield_of(v), v)
    for u in () if rule.needed else hits:
        text = f"{tree.labels[u]} may not be a child of {tree.labels[v]}{why}."
        remedy = "Move it to another parent, or relabel one of the two."
        yield Problem("forbidden-child", text, remedy, tree.yield_of(u), u)


def _matched(
    ground: matching.Ground, pattern: Pattern, tree: Tree | None
) -> Iterator[Problem]:
    try:
        rows = matching.matches_in(ground, pattern.query)
    except InvalidValue as error:
        remedy = "Make the pattern simpler: name labels instead of any node."
        yield Problem("slow-pattern", f"{pattern.text}: {error}.", remedy)
        return
    for row in rows:
        node, words = _place(row, tree)
        reason = pattern.reason or "a pattern that must not match"
        text = f"{row.label or 'The root'}: {reason} ({pattern.text})."
        remedy = "Change the tree so that the pattern no longer matches."
        yield Problem("pattern", text, remedy, words, node)


def _place(row: NodeRow, tree: Tree | None) -> tuple[int, tuple[int, ...]]:
    if tree is None:
        return -1, (row.node,)
    if row.kind == Kind.WORD:
        return (-1, ()) if row.node < 0 else (tree.leaf_of[row.node], (row.node,))
    return row.node, tree.yield_of(row.node)


PUNCT = frozenset({"punct"})


def leaving(words: frozenset[int], deps: DepTree) -> list[int]:
    """The words of a phrase whose heads are outside, punctuation left out."""
    return [
        m
        for m in sorted(words)
        if deps.heads[m] not in words and _relation(deps.labels[m]) not in PUNCT
    ]


def between(tree: Tree, deps: DepTree) -> list[Problem]:
    """The phrases that an arc contradicts, by their numbers; of unary chains the first.

    Raises InvalidValue if the two have sentences of different lengths.
    """
    if tree.n_tokens != len(deps):
        raise InvalidValue(
            f"the tree has {tree.n_tokens} words, the arcs have {len(deps)}"
        )
    problems, seen = [], set()
    for v in range(1, len(tree)):
        words = frozenset(tree.yield_of(v))
        if tree.is_leaf(v) or len(words) < 2 or words in seen:
            continue
        seen.add(words)
        out = leaving(words, deps)
        if len(out) > 1:
            problems.append(_problem(tree, deps, v, out))
    return problems


def _relation(label: str) -> str:
    return label.partition(":")[0]


def _problem(tree: Tree, deps: DepTree, v: int, out: list[int]) -> Problem:
    arcs = [f"{tree.words[m]} on {_head(tree, deps.heads[m])}" for m in out]
    text = (
        f"The phrase {tree.labels[v]} “{_words(tree, v)}” has {len(out)} words that "
        f"depend on words outside it: {', '.join(arcs)}."
    )
    remedy = (
        "Only one of its words may: attach the others within the phrase, or take "
        "them out of it."
    )
    return Problem("contradiction", text, remedy, tuple(out), v)


def _head(tree: Tree, head: int) -> str:
    return "the root" if head < 0 else tree.words[head]


def _words(tree: Tree, v: int) -> str:
    words = [tree.words[token] for token in tree.yield_of(v)]
    return " ".join(words if len(words) < 9 else [*words[:4], "…", *words[-2:]])


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


UPOS = _set(
    "ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X"
)
RELATIONS = _set(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det"
    " discourse dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod"
    " obj obl orphan parataxis punct reparandum root vocative xcomp"
)
NEEDED_UPOS = {
    "det": _set("DET PRON"),
    "nummod": _set("NUM NOUN SYM"),
    "advmod": _set("ADV ADJ CCONJ DET PART SYM"),
    "expl": _set("PRON DET PART"),
    "aux": _set("AUX"),
    "cop": _set("AUX PRON DET SYM"),
    "punct": _set("PUNCT"),
}
"""By relation: the only parts of speech that it is for."""
FORBIDDEN_UPOS = {
    "case": _set("PROPN ADJ PRON DET NUM AUX"),
    "mark": _set("NOUN PROPN ADJ PRON DET NUM VERB AUX INTJ"),
    "cc": _set("NOUN PROPN ADJ PRON DET NUM VERB AUX INTJ"),
}
AFTER_HEAD = _set("conj fixed flat goeswith appos")
_JOINED = _set("goeswith fixed reparandum conj cc punct")
LEAVES = {
    "mark": _JOINED | {"advmod", "obl"},
    "case": _JOINED | {"advmod", "obl"},
    "aux": _JOINED,
    "cop": _JOINED,
    "cc": _JOINED - {"cc"},
    "fixed": _set("goeswith reparandum conj punct"),
    "goeswith": _set(""),
    "punct": _set("punct"),
}
"""By relation of a word: the relations that its own dependents may have."""
ORPHANS = _set("conj parataxis root csubj ccomp advcl acl reparandum")


def check(
    heads: Sequence[int],
    relations: Sequence[str],
    tokens: Sequence[Token],
    *,
    level: int,
) -> list[Problem]:
    """Problems up to this level (1 to 3), by words. ``heads``: -1 for the root.

    Where arcs do not form a tree, the third level reports nothing.
    """
    arcs = _Arcs(heads, relations, tokens)
    problems = list(arcs.written())
    if level >= 2:
        problems += arcs.shaped()
    if level >= 3 and not any(one.rule in _NO_TREE for one in problems):
        for m in range(len(heads)):
            problems += arcs.meant(m)
    return sorted(problems, key=lambda one: (one.words, one.rule))


_NO_TREE = {"head-range", "cycle", "root-number"}


class _Arcs:
    """The arcs of a sentence, with the dependents of each word."""

    def __init__(
        self, heads: Sequence[int], relations: Sequence[str], tokens: Sequence[Token]
    ) -> None:
        self.heads, self.tokens = heads, tokens
        self.labels = relations
        self.names = [one.partition(":")[0] for one in relations]
        self.below: list[list[int]] = [[] for _ in heads]
        for m, head in enumerate(heads):
            if 0 <= head < len(heads):
                self.below[head].append(m)

    def written(self) -> Iterator[Problem]:
        n = len(self.heads)
        for m, head in enumerate(self.heads):
            if not -1 <= head < n or head == m:
                text = f"{self._word(m)} has no head in this sentence."
                yield self._at(
                    "head-range", m, text, "Choose another word as its head."
                )
            if not self.labels[m]:
                text = f"{self._word(m)} has no relation to its head."
                yield self._at("no-relation", m, text, "Give the arc a relation.")

    def shaped(self) -> Iterator[Problem]:
        yield from self._roots()
        yield from self._cycles()
        for m, token in enumerate(self.tokens):
            if self.names[m] and self.names[m] not in RELATIONS:
                text = f"{self.labels[m]} is no relation of Universal Dependencies."
                remedy = "Use one of the 37 universal relations, or dep."
                yield self._at("unknown-relation", m, text, remedy)
            if token.upos and token.upos not in UPOS:
                text = f"{token.upos} is no universal part of speech."
                remedy = "Use one of the 17 of UD, or X."
                yield self._at("unknown-upos", m, text, remedy)

    def _roots(self) -> Iterator[Problem]:
        roots = tuple(m for m, head in enumerate(self.heads) if head == -1)
        if len(roots) != 1:
            text = f"{len(roots)} words hang from the root; one should."
            remedy = "Attach all but one to another word." if roots else "Choose one."
            yield Problem("root-number", text, remedy, roots)
        for m, head in enumerate(self.heads):
            if (head == -1) != (self.names[m] == "root"):
                text = f"{self._word(m)}: the relation root and the root itself differ."
                remedy = "The word that hangs from the root is root, and no other."
                yield self._at("root-relation", m, text, remedy)

    def _cycles(self) -> Iterator[Problem]:
        n, state = len(self.heads), [0] * len(self.heads)
        for start in range(n):
            path, m = [], start
            while 0 <= m < n and not state[m]:
                state[m] = 1
                path.append(m)
                m = self.heads[m]
            if 0 <= m < n and state[m] == 1 and m in path:
                ring = tuple(sorted(path[path.index(m) :]))
                if len(ring) > 1:  # one alone has no head, which level 1 says
                    words = ", ".join(self._word(one) for one in ring)
                    text = f"These words depend on each other in a ring: {words}."
                    remedy = "Attach one of them to a word outside."
                    yield Problem("cycle", text, remedy, ring)
            for one in path:
                state[one] = 2

    def meant(self, m: int) -> Iterator[Problem]:
        """The third level, of one word and its own arc."""
        yield from self._part_of_speech(m)
        yield from self._order(m)
        yield from self._dependents(m)
        if self.names[m] == "punct":
            yield from self._crossing(m)

    def _part_of_speech(self, m: int) -> Iterator[Problem]:
        name, upos = self.names[m], self.tokens[m].upos
        if not upos:
            return
        if upos == "PUNCT" and name not in ("punct", "root"):
            text = f"{self._word(m)} is PUNCT, but its relation is {self.labels[m]}."
            yield self._at("upos-punct", m, text, "Relabel the arc punct, or the UPOS.")
        is_fixed = any(self.names[one] == "fixed" for one in self.below[m])
        needed, forbidden = NEEDED_UPOS.get(name), FORBIDDEN_UPOS.get(name, frozenset())
        wrong = (needed and upos not in needed) or upos in forbidden
        if wrong and not (is_fixed and name != "punct"):
            text = f"{self._word(m)} is {upos}, which cannot be {name}."
            remedy = f"Change the relation or the UPOS of {self.tokens[m].form}."
            if needed:
                remedy = f"{name} is for {', '.join(sorted(needed))}. {remedy}"
            yield self._at("relation-upos", m, text, remedy)

    def _order(self, m: int) -> Iterator[Problem]:
        name, head = self.names[m], self.heads[m]
        if name in AFTER_HEAD and m < head:
            text = f"{self._word(m)} is {name} of a word that follows it."
            remedy = f"{name} goes from left to right: make the first word the head."
            yield self._at("left-to-right", m, text, remedy)
        if name == "orphan" and head >= 0 and self.names[head] not in ORPHANS:
            text = f"{self._word(m)} is orphan of a word that is no clause or conjunct."
            remedy = "Attach it to the word that stands for the missing predicate."
            yield self._at("orphan-parent", m, text, remedy)

    def _dependents(self, m: int) -> Iterator[Problem]:
        allowed = LEAVES.get(self.names[m])
        for one in self.below[m] if allowed is not None else ():
            if allowed is not None and self.names[one] not in allowed:
                name = self.names[m]
                text = f"{self._word(one)} depends on {self._word(m)}, which is {name}."
                remedy = f"{name} has no such dependents: attach it to the head of it."
                yield self._at("leaf", one, text, remedy)
        for kind in (("nsubj", "csubj"), ("obj", "ccomp")):
            hits = [one for one in self.below[m] if self.names[one] in kind]
            hits = [one for one in hits if not self.labels[one].endswith(":outer")]
            if len(hits) > 1:
                what = "subjects" if kind[0] == "nsubj" else "objects"
                text = f"{self._word(m)} has {len(hits)} {what}."
                remedy = "One is left; relabel or attach the others."
                yield Problem(f"many-{what}", text, remedy, tuple(hits))

    def _crossing(self, m: int) -> Iterator[Problem]:
        low, high = sorted((m, self.heads[m]))
        for other, head in enumerate(self.heads):
            a, b = sorted((other, head))
            inside = low < a < high, low < b < high
            outside = not low <= a <= high, not low <= b <= high
            crosses = (inside[0] and outside[1]) or (inside[1] and outside[0])
            if other != m and self.names[other] != "punct" and crosses:
                text = (
                    f"The arc of {self._word(m)} crosses that of {self._word(other)}."
                )
                remedy = "Attach the punctuation to a word that crosses nothing."
                yield Problem("punct-crossing", text, remedy, (m,))
                return

    def _word(self, m: int) -> str:
        return f"“{self.tokens[m].form}” (word {m + 1})"

    def _at(self, rule: str, m: int, text: str, remedy: str) -> Problem:
        return Problem(rule, text, remedy, (m,))


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
        problems += of_tree(tree, rules)
    if deps is not None:
        problems += _relations(deps, tokens, rules)
        if rules.level:
            level = rules.level
            problems += check(deps.heads, deps.labels, tokens, level=level)
        problems += of_deps_patterns(deps, tuple(tokens), rules)
    if tree is not None and deps is not None and tree.n_tokens == len(deps):
        problems += between(tree, deps)
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
