"""A parser that reads known words in place of unknown ones.

One answer out of several readings of a sentence, each with other substitutes.

Beyond the paper, which reads a sentence once, with the best substitute: what is due to
one word's habits differs between the readings, what is due to the place does not.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.data.check import Floats
from core.data.forest import Forest
from core.data.tokens import Sentence
from core.errors import Unavailable
from core.forests.derivation import Phrase, tree_of_phrases
from core.forests.inside import forest_marginals
from core.forests.mixture import mixture, ranked_forest
from core.forests.packing import weight_of_phrases
from core.parsing.consensus import of_posteriors
from core.protocols import (
    Advice,
    Analysis,
    BackendInfo,
    Capability,
    ParserBackend,
    TagGuided,
    TrainingCounts,
)
from core.substitution.candidates import (
    Candidate,
    Candidates,
    likely_tags,
    mean_tags,
    reranked,
)
from core.substitution.linking import LinkingCounts, in_case_of, number_shape
from core.substitution.options import Options


def summed(readings: Sequence[Analysis | Exception]) -> Analysis | Exception:
    """The mean of the readings' forests, and the consensus tree of that mean.

    The tree shown has the highest expected number of right brackets, each less 0.4,
    of all trees: where no reading has it as a whole, it counts as one reading more, so
    that it is in the forest. Tags go by their mean probability. Arcs and vectors are
    the first reading's. An error, or no parse, is left out; the first answer if no
    other is left.
    """
    some = [one for one in readings if isinstance(one, Analysis) and _has_parse(one)]
    if not some:
        return readings[0]
    own = [_parts(one) for one in some]
    forest, weights = mixture(own)
    phrases = _consensus(forest, weights)
    answer = _with_tags(some[0], some)
    if weight_of_phrases(forest, weights, phrases) == -np.inf:
        words = answer.sentence.forms
        tags = answer.xpos or ("X",) * len(words)
        tree = tree_of_phrases(phrases, words=words, tags=tags)
        forest, weights = mixture([*own, ranked_forest([(0.0, tree)])])
    best = weight_of_phrases(forest, weights, phrases), phrases
    return replace(answer, forest=forest, edge_weights=weights, best=best)


def _has_parse(answer: Analysis) -> bool:
    return answer.forest is not None and answer.forest.n_nodes > 0


def _parts(answer: Analysis) -> tuple[Forest, Floats]:
    assert answer.forest is not None
    assert answer.edge_weights is not None
    return answer.forest, answer.edge_weights


def _consensus(forest: Forest, weights: Floats) -> tuple[Phrase, ...]:
    """Its phrases, in preorder; the likeliest over the whole if none is likely."""
    names = ("", *sorted({*forest.names} - {""}))
    number = np.array([names.index(name) for name in forest.names])
    p_node, _ = forest_marginals(forest, weights)
    n = forest.n_tokens
    posterior = np.zeros((n + 1, n + 1, len(names)))
    np.add.at(posterior, (forest.starts, forest.ends, number[forest.labels]), p_node)
    phrases = of_posteriors(posterior, names)
    if phrases[:1] and phrases[0][:2] == (0, n):
        return phrases
    top = posterior[0, n, 1:]
    return ((0, n, names[1 + int(top.argmax())]), *phrases) if top.any() else phrases


def _with_tags(answer: Analysis, readings: Sequence[Analysis]) -> Analysis:
    """The answer with mean tags; the readings' commonest if they tell no more."""
    tables = [one.tag_logp for one in readings if one.tag_logp is not None]
    if len(tables) < len(readings):
        votes = zip(*(one.xpos for one in readings), strict=True)
        return replace(
            answer, xpos=tuple(Counter(column).most_common(1)[0][0] for column in votes)
        )
    tag_logp = np.logaddexp.reduce(tables) - np.log(len(tables))
    xpos = tuple(answer.tag_names[x] for x in tag_logp.argmax(1))
    return replace(answer, tag_logp=tag_logp, xpos=xpos)


@dataclass(frozen=True, slots=True)
class QueryWord:
    """A word that the parser hardly knows, and what was found for it.

    ``candidates``: the best first. ``substitute``: the form put in its place, "" if
    it stays. ``tags``: P* of equation 1.
    """

    token: int
    form: str
    counted: str
    training_count: int
    candidates: tuple[Candidate, ...]
    substitute: str
    tags: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class SubstitutionPlan:
    """The substitutions in a sentence. ``note`` says why there are none, otherwise
    ""."""

    sentence: Sentence
    queries: tuple[QueryWord, ...]
    note: str = ""

    @property
    def read(self) -> Sentence:
        """The sentence as the parser reads it: tokens as many, some of other form."""
        tokens = list(self.sentence.tokens)
        for query in self.queries:
            if query.substitute:
                tokens[query.token] = type(tokens[query.token])(query.substitute)
        return Sentence(tuple(tokens))

    def read_with(self, rank: int) -> Sentence:
        """As ``read``, with the candidate of that rank for every query; a query with
        fewer has its last one, one without candidates stays."""
        queries = tuple(
            replace(q, substitute=q.candidates[min(rank, len(q.candidates) - 1)].form)
            for q in self.queries
            if q.candidates
        )
        return replace(self, queries=queries).read


@dataclass(frozen=True, slots=True, eq=False)
class SubstitutedParse:
    """A sentence parsed unchanged, the substitutions, and the parse after them."""

    plan: SubstitutionPlan
    before: Analysis | Exception
    after: Analysis | Exception


class Substituting:
    """``parser``, helped by the words of ``linking``; itself a back-end.

    Forests, trees, tags, arcs and vectors come back over the sentence's own words: they
    refer to positions, so only the sentence is restored. A sentence without
    replacements is parsed unchanged; ``plan`` gives the reason. Raises Unavailable if
    the parser does not list its training words, or cannot be guided (method "tell").
    """

    def __init__(
        self,
        parser: ParserBackend,
        linking: LinkingCounts,
        options: Options | None = None,
    ) -> None:
        self.options = options or Options()
        if not isinstance(parser, TrainingCounts):
            raise Unavailable(
                f"parser {parser.info.name!r} does not list its training words"
            )
        if self.options.method == "tell" and not isinstance(parser, TagGuided):
            raise Unavailable(f"parser {parser.info.name!r} does not accept tags")
        self.parser = parser
        self.candidates = Candidates(parser, linking, self.options)
        digest = linking.digest[:8] or "empty"
        self.info: BackendInfo = replace(
            parser.info,
            name=f"{parser.info.name}+substitution",
            version=f"{parser.info.version}+{digest}",
            note=f"{self.options.method}; {', '.join(linking.sources) or 'no text'}",
        )

    def analyse(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[Analysis | Exception]:
        """An Analysis each, over the words that were asked for."""
        plans = self.plans(sentences)
        if self.options.method == "replace":
            answers = self.parser.analyse([plan.read for plan in plans], want=want)
            pairs = zip(answers, plans, strict=True)
            return [self._restored(answer, plan) for answer, plan in pairs]
        return [reading.after for reading in self._read(plans, want | {"tags"})]

    def readings(
        self, sentences: list[Sentence], *, want: frozenset[Capability]
    ) -> list[SubstitutedParse]:
        """Every sentence without and with substitution."""
        return self._read(self.plans(sentences), want | {"tags"})

    def _read(
        self, plans: Sequence[SubstitutionPlan], want: frozenset[Capability]
    ) -> list[SubstitutedParse]:
        before = self.parser.analyse([plan.sentence for plan in plans], want=want)
        if self.options.method != "replace":
            plans = self.doubtful(plans, before)
        after = self._again(plans, before, want)
        return [
            SubstitutedParse(*row) for row in zip(plans, before, after, strict=True)
        ]

    def doubtful(
        self, plans: Sequence[SubstitutionPlan], answers: Sequence[Analysis | Exception]
    ) -> list[SubstitutionPlan]:
        """The plans for a second reading: words whose tag P* holds likely stay."""
        pairs = zip(plans, answers, strict=True)
        return [self._doubtful(plan, answer) for plan, answer in pairs]

    def plan(self, sentence: Sentence) -> SubstitutionPlan:
        """Which words would be replaced by which, and why."""
        return self.plans([sentence])[0]

    def plans(self, sentences: Sequence[Sentence]) -> list[SubstitutionPlan]:
        """The plan of each sentence; one look-up for the words of all."""
        queries_of = [self._queries(sentence) for sentence in sentences]
        counted = [form for queries in queries_of for _, _, form in queries]
        near = iter(self.candidates.nearest(counted))
        return [
            self._plan(sentence, [(*query, next(near)) for query in queries])
            for sentence, queries in zip(sentences, queries_of, strict=True)
        ]

    def _queries(self, sentence: Sentence) -> list[tuple[int, str, str]]:
        """Position, form and counted form of each query word."""
        linking = self.candidates.linking
        rows = [
            (i, form, linking.form_of(form, initial=i == 0))
            for i, form in enumerate(sentence.forms)
        ]
        return [row for row in rows if self._asks(*row)]

    def _asks(self, i: int, form: str, counted: str) -> bool:
        is_word = any(map(str.isalpha, form)) and not number_shape(form)
        return is_word and self.candidates.is_query(form, counted)

    def _plan(
        self,
        sentence: Sentence,
        rows: Sequence[tuple[int, str, str, tuple[Candidate, ...]]],
    ) -> SubstitutionPlan:
        queries = tuple(self._query(*row) for row in rows)
        if any(query.candidates for query in queries):
            return SubstitutionPlan(sentence, queries)
        return SubstitutionPlan(sentence, queries, self._why_nothing(sentence, queries))

    def _query(
        self, i: int, form: str, counted: str, near: tuple[Candidate, ...]
    ) -> QueryWord:
        ranked = (
            reranked(near, floor=self.options.floor) if self.options.rerank else near
        )
        put = self._dressed(ranked[0].form, form) if ranked else ""
        if self.options.method == "tell":
            put = ""
        seen = self.candidates.training_count(form)
        return QueryWord(i, form, counted, seen, ranked, put, mean_tags(near))

    def _dressed(self, candidate: str, form: str) -> str:
        """The candidate in the letter case of ``form`` if it stays a known word."""
        dressed = in_case_of(candidate, form)
        known = self.candidates.training_count(dressed) >= self.options.f_c
        return dressed if known else candidate

    def _why_nothing(self, sentence: Sentence, queries: Sequence[QueryWord]) -> str:
        linking = self.candidates.linking
        if not linking.n_tokens:
            return "the linking corpus is empty"
        if queries:
            return "no known word is near enough: the parser or the corpus is too small"
        unknown = [f for f in sentence.forms if not self.candidates.training_count(f)]
        if unknown and all(not linking.count(form) for form in unknown):
            return "the linking corpus does not have its unknown words"
        return "no word is rare in training and frequent in the linking corpus"

    def _doubtful(
        self, plan: SubstitutionPlan, answer: Analysis | Exception
    ) -> SubstitutionPlan:
        if not isinstance(answer, Analysis) or not answer.xpos:
            return replace(plan, queries=())
        kept = tuple(
            query
            for query in plan.queries
            if query.tags and answer.xpos[query.token] not in self._likely(query)
        )
        note = plan.note or ("" if kept else "the tags it was given are likely ones")
        return replace(plan, queries=kept, note=note)

    def _likely(self, query: QueryWord) -> dict[str, float]:
        return likely_tags(query.tags, share=self.options.share)

    def _again(
        self,
        plans: Sequence[SubstitutionPlan],
        answers: Sequence[Analysis | Exception],
        want: frozenset[Capability],
    ) -> list[Analysis | Exception]:
        """``answers`` with words in doubt replaced by a second reading."""
        some = [k for k, plan in enumerate(plans) if any(q.tags for q in plan.queries)]
        parser = self.parser
        if self.options.method == "tell" and isinstance(parser, TagGuided):
            guides = [
                {q.token: self._likely(q) for q in plans[k].queries if q.tags}
                for k in some
            ]
            sentences = [plans[k].sentence for k in some]
            again = parser.analyse_guided(sentences, guides, want=want)
        elif self.options.method == "sum":
            again = [self._summed(plans[k], want) for k in some]
        else:
            again = parser.analyse([plans[k].read for k in some], want=want)
        restored = list(answers)
        for k, answer in zip(some, again, strict=True):
            restored[k] = answer
        return [self._restored(*row) for row in zip(restored, plans, strict=True)]

    def _summed(
        self, plan: SubstitutionPlan, want: frozenset[Capability]
    ) -> Analysis | Exception:
        ranks = range(self.options.n_read)
        read = list(dict.fromkeys(plan.read_with(rank).forms for rank in ranks))
        sentences = [Sentence.of(forms) for forms in read]
        return summed(self.parser.analyse(sentences, want=want | {"forest"}))

    def _restored(
        self, answer: Analysis | Exception, plan: SubstitutionPlan
    ) -> Analysis | Exception:
        """The answer over the sentence's own words, with what helped."""
        if not isinstance(answer, Analysis):
            return answer
        advice = tuple(self._advice(query) for query in plan.queries if query.tags)
        unhelped = "" if advice else plan.note
        return replace(answer, sentence=plan.sentence, advice=advice, unhelped=unhelped)

    def _advice(self, query: QueryWord) -> Advice:
        tags = self._likely(query)
        near = tuple((c.form, round(c.divergence, 3)) for c in query.candidates)
        taken = query.candidates[0].form
        return Advice(
            query.token,
            query.substitute,
            tuple(sorted(tags.items(), key=lambda row: -row[1])),
            near,
            self.candidates.shared(query.counted, taken),
        )
