"""Gemel as a library: parse, link and compare sentences, without a server.

    import gemel

    a = gemel.parse("The nurse opened the window.")
    b = gemel.parse("The window was opened by the nurse.")
    gemel.align(a, b)

Every value draws itself in a notebook and converts to NLTK, CoNLL-U and pandas.
A model is loaded by the first call that needs it and kept for the process.
``docs/library.md`` has an example of each call.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from core.agreement.figures import Estimate, Figure
from core.agreement.measures import measure_all
from core.data.alignment import Alignment, Link, Ref
from core.data.ratings import Ratings, Scale
from core.data.tokens import Sentence
from core.data.tree import Tree
from core.errors import GemelError, InvalidValue
from core.forests.kbest import trees_of
from core.formats import conllu, latex, ptb
from core.formats.records import ParseRecord, SentenceRecord
from core.itg.grammar import blocks_of
from core.itg.scores import SCORERS
from core.joint_parsing.parser import JointParser
from core.joint_parsing.values import (
    JointResult,
    JointSet,
    JointSettings,
    JointSide,
    Method,
)
from core.layout.biparse import matrix_scene
from core.layout.charts import interval_chart
from core.layout.links import LinkedSide, link_scene, parse_scene
from core.layout.measure import GlyphTable
from core.layout.scene import Scene
from core.parsing import registry
from core.phrase_alignment.aligner import PhraseAligner, side_of
from core.phrase_alignment.forest_align import alignment_of
from core.phrase_alignment.legitimacy import node_of
from core.pivoting.table import Paraphrase, open_table
from core.protocols import Analysis
from core.text.tokenize import tokenize
from core.text.wordnet import find_thesaurus
from core.word_alignment.aligner import TrainedWordAligner

if TYPE_CHECKING:
    import nltk
    import pandas

__all__ = [
    "Aligned",
    "GemelError",
    "Measured",
    "Paraphrases",
    "Parsed",
    "ParsedJointly",
    "Scored",
    "agreement",
    "align",
    "joint",
    "paraphrase",
    "parse",
    "parse_all",
    "parsers",
    "score",
]

BATCH = 64  # sentences that a parser reads together


@dataclass(frozen=True, slots=True, eq=False)
class Parsed:
    """A sentence with its analysis. ``tree``: its constituents, None without any;
    ``parser``: the name of the parser; ``analysis``: everything the parser said."""

    analysis: Analysis
    tree: Tree | None
    parser: str

    @property
    def sentence(self) -> Sentence:
        return self.analysis.sentence

    @property
    def words(self) -> tuple[str, ...]:
        return self.sentence.forms

    @property
    def tags(self) -> tuple[str, ...]:
        """Penn Treebank tags, or those that the parser was trained with."""
        return self.analysis.xpos

    @property
    def heads(self) -> tuple[int, ...]:
        """The position of each word's head, -1 for the root; empty without arcs."""
        return self.analysis.deps.tree.heads if self.analysis.deps else ()

    @property
    def relations(self) -> tuple[str, ...]:
        return self.analysis.deps.tree.labels if self.analysis.deps else ()

    def trees(self, k: int) -> list[tuple[float, Tree]]:
        """The ``k`` best constituent trees, each with its log-probability in nats."""
        return trees_of(self.analysis, k)

    def to_nltk(self) -> "nltk.Tree":
        """Return the constituents. Raises InvalidValue without any."""
        import nltk

        tree = self._constituents()

        def grown(v: int) -> nltk.Tree:
            below = [grown(u) for u in tree.children[v]]
            return nltk.Tree(tree.labels[v], below or [tree.forms[v]])

        return grown(0)

    def to_brackets(self) -> str:
        """Return the constituents on one line, as the Penn Treebank writes them."""
        parse = ParseRecord(tree=self._constituents())
        record = SentenceRecord(self.sentence.tokens, parse=parse)
        return "".join(ptb.write([record])).rstrip("\n")

    def to_conllu(self) -> str:
        """Return the dependencies as a block of CoNLL-U; heads are "_" without any."""
        n = len(self.words)
        upos, xpos = self.analysis.upos or ("",) * n, self.tags or ("",) * n
        tokens = tuple(
            replace(token, upos=u, xpos=x)
            for token, u, x in zip(self.sentence.tokens, upos, xpos, strict=True)
        )
        deps = self.analysis.deps.tree if self.analysis.deps else None
        record = SentenceRecord(
            tokens, text=self.sentence.text, parse=ParseRecord(deps=deps)
        )
        return "".join(conllu.write([record]))

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a row for each word; columns without a value are left out."""
        import pandas

        columns = {
            "word": self.words,
            "upos": self.analysis.upos,
            "tag": self.tags,
            "head": self.heads,
            "relation": self.relations,
        }
        return pandas.DataFrame({name: row for name, row in columns.items() if row})

    def _constituents(self) -> Tree:
        if self.tree is None:
            raise InvalidValue(f"{self.parser} gives no constituents: to_conllu()")
        return self.tree

    def _side(self) -> LinkedSide:
        deps = self.analysis.deps.tree if self.analysis.deps else None
        return LinkedSide(self.words, self.tree, deps)

    def __str__(self) -> str:
        return self.to_brackets() if self.tree else self.to_conllu()

    def _repr_svg_(self) -> str:
        from annotator.svg import links as drawing
        from annotator.svg.tree import Mark

        marks = drawing.LinkMarks(rest=Mark("plain"))
        scene = parse_scene(self._side())
        return drawing.draw(scene, title=" ".join(self.words), marks=marks)


@dataclass(frozen=True, slots=True, eq=False)
class Aligned:
    """Two sentences and the links between their phrases and words.

    ``alignment`` names nodes by the trees of ``source`` and ``target``: ``w3`` is
    word 3, ``n5`` node 5.
    """

    source: Parsed
    target: Parsed
    alignment: Alignment

    @property
    def links(self) -> tuple[Link, ...]:
        return self.alignment.links

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each link: its words and labels on both sides, how probable it is
        and whether it crosses others."""
        for link in self.links:
            source, target = (
                _phrase(side, ref)
                for side, ref in (
                    (self.source, link.source),
                    (self.target, link.target),
                )
            )
            yield {
                "source": source[0],
                "target": target[0],
                "source_label": source[1],
                "target_label": target[1],
                "kind": link.kind,
                "probability": float(link.attrs.get("prob", "nan")),
                "crossing": link.crossing,
            }

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the rows as a table."""
        import pandas

        return pandas.DataFrame(list(self.rows()))

    def to_nltk(self) -> "tuple[nltk.Tree, nltk.Tree]":
        return self.source.to_nltk(), self.target.to_nltk()

    def to_conllu(self) -> str:
        """Return both sentences, one block each."""
        return self.source.to_conllu() + self.target.to_conllu()

    def to_latex(self) -> str:
        """Return the figure for the LaTeX package tikz."""
        return latex.picture(self._scene(), self.links)

    def _scene(self) -> Scene:
        return link_scene(self.source._side(), self.target._side(), strips=False)

    def __str__(self) -> str:
        return "\n".join(f"{row['source']} – {row['target']}" for row in self.rows())

    def _repr_svg_(self) -> str:
        from annotator.svg import links as drawing

        trees = self.source.tree, self.target.tree
        return drawing.draw(
            self._scene(),
            title=_title(self.source, self.target),
            marks=drawing.marks_of(self.alignment, *trees),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ParsedJointly:
    """Sentences parsed with each other's help. ``result``: which arcs and phrases
    changed, and how far the parses agree before and after."""

    sentences: tuple[Parsed, ...]
    result: JointResult | JointSet

    @property
    def source(self) -> Parsed:
        return self.sentences[0]

    @property
    def target(self) -> Parsed:
        return self.sentences[1]

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a row for each arc that changed: word, heads and relations."""
        import pandas

        columns = "side word head_before head_after relation_before relation_after"
        names = ("source", "target", *range(2, len(self.sentences)))
        rows = [
            (
                name,
                parsed.words[arc.word],
                _word(parsed, arc.head_before),
                _word(parsed, arc.head_after),
                arc.label_before,
                arc.label_after,
            )
            for name, parsed, side in zip(
                names, self.sentences, self.result.sides, strict=True
            )
            for arc in side.arcs
        ]
        return pandas.DataFrame(rows, columns=columns.split())

    def to_nltk(self) -> "tuple[nltk.Tree, ...]":
        return tuple(one.to_nltk() for one in self.sentences)

    def to_conllu(self) -> str:
        """Return all sentences, one block each."""
        return "".join(one.to_conllu() for one in self.sentences)

    def __str__(self) -> str:
        return self.to_conllu()

    def _repr_svg_(self) -> str:
        from annotator.svg import links as drawing

        is_arcs = self.source.heads and self.target.heads
        view: Literal["dependency", "constituency"] = (
            "dependency" if is_arcs else "constituency"
        )
        sides = self.source._side(), self.target._side()
        links = self.result.links
        return drawing.draw(
            link_scene(*sides, view=view, strips=False),
            title=_title(self.source, self.target),
            marks=drawing.marks_of(
                Alignment(links if isinstance(links, tuple) else links[0, 1])
            ),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """How alike two sentences are: ``value``, higher is more alike, and the ``links``
    of words, by position, that speak for it. ``float(scored)`` is the value."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    scorer: str
    value: float
    links: tuple[tuple[int, int], ...]

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.scorer})"

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a row for each pair of linked words."""
        import pandas

        rows = [(self.source[i], self.target[j]) for i, j in self.links]
        return pandas.DataFrame(rows, columns=["source", "target"])

    def _repr_svg_(self) -> str:
        from annotator.svg import biparse as drawing

        tree = blocks_of(self.links)
        scene = matrix_scene(self.source, self.target, tree, GlyphTable())
        return drawing.draw_matrix(scene, title=str(self))


@dataclass(frozen=True, slots=True)
class Paraphrases:
    """The paraphrases of a phrase, best first."""

    phrase: str
    rows: tuple[Paraphrase, ...]

    def __iter__(self) -> Iterator[Paraphrase]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return "\n".join(f"{row.p:.4f} {row.text}" for row in self.rows)

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a row for each paraphrase."""
        import pandas

        return pandas.DataFrame(
            [(row.text, row.label, row.p, row.pivots) for row in self.rows],
            columns=["paraphrase", "label", "probability", "pivots"],
        )

    def _repr_svg_(self) -> str:
        top = max((row.p for row in self.rows), default=1.0)
        rows = [(row.text, row.p, None, None) for row in self.rows]
        return _chart(rows, 0.0, top, f"Paraphrases of {self.phrase}")


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """How far annotators agree: each measure with its 95 % interval, or why it is
    undefined. ``measured["alpha_ordinal"].value`` is one of them."""

    figures: dict[str, Figure]
    n_items: int
    n_annotators: int

    def __getitem__(self, name: str) -> Figure:
        return self.figures[name]

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a row for each measure: value, interval, items, and the reason where
        it is undefined."""
        import pandas

        rows = [
            (name, *_numbers(one), one.n, getattr(one, "reason", ""))
            for name, one in self.figures.items()
        ]
        columns = ["measure", "value", "low", "high", "n", "undefined"]
        return pandas.DataFrame(rows, columns=columns)

    def __str__(self) -> str:
        return "\n".join(
            f"{name} {one.value:.3f}"
            if isinstance(one, Estimate)
            else f"{name} undefined: {one.reason}"
            for name, one in self.figures.items()
        )

    def _repr_svg_(self) -> str:
        rows = [(name, *_numbers(one)) for name, one in self.figures.items()]
        low = -1.0 if any((row[2] or 0) < 0 or (row[1] or 0) < 0 for row in rows) else 0
        return _chart(rows, low, 1.0, "Agreement")


def parsers() -> tuple[str, ...]:
    """Return the names of the parsers that are installed."""
    return registry.names()


def parse(sentence: str | Sequence[str], *, parser: str = registry.DEFAULT) -> Parsed:
    """Parse one sentence: a text, which is tokenised, or a list of its words.

    ``parser``: a name out of ``parsers()``, or the path of a model folder. Raises
    GemelError: Unavailable without such a parser, SentenceTooLong, InvalidValue for a
    sentence without words.
    """
    (parsed,) = parse_all([sentence], parser=parser)
    return parsed


def parse_all(
    sentences: Iterable[str | Sequence[str]], *, parser: str = registry.DEFAULT
) -> Iterator[Parsed]:
    """Parse sentences in batches, which is faster than one by one; as ``parse``."""
    backend = registry.chosen(parser)
    want = backend.info.capabilities
    waiting = iter(sentences)
    while batch := [_sentence(one) for one in islice(waiting, BATCH)]:
        for answer in backend.analyse(batch, want=want):
            if isinstance(answer, Exception):
                raise answer
            best = trees_of(answer, 1)
            yield Parsed(answer, best[0][1] if best else None, parser)


def align(source: Parsed, target: Parsed, *, words: bool = False) -> Aligned:
    """Link the phrases of two sentences (Arase & Tsujii 2017), or only their words.

    The trees may change: among those that are nearly as probable the aligner takes
    the two that match best. Raises InvalidValue where a sentence has no constituents.
    """
    if words:
        links = _word_aligner().align(source.analysis, target.analysis)
        return Aligned(source, target, Alignment(links))
    sides = [side_of(one.analysis) for one in (source, target)]
    a, b = source.analysis.vectors, target.analysis.vectors
    vectors = None if a is None or b is None else (a, b)
    aligned = _phrase_aligner().align(sides[0], sides[1], vectors)
    alignment, first, second = alignment_of(aligned)
    return Aligned(replace(source, tree=first), replace(target, tree=second), alignment)


def joint(
    source: Parsed, target: Parsed, *more: Parsed, method: Method = "bp"
) -> ParsedJointly:
    """Parse sentences that mean the same with each other's help (Choe & McClosky
    2015). ``method``: see docs/methods.md.

    Raises InvalidValue where the parser gave too little for the method, and for a
    method that takes two sentences.
    """
    given, settings = (source, target, *more), JointSettings(method)
    if more:
        joined = _joint_parser().parse_set([one.analysis for one in given], settings)
        return ParsedJointly(_joined(given, joined.sides), joined)
    result = _joint_parser().parse(source.analysis, target.analysis, settings)
    return ParsedJointly(_joined(given, result.sides), result)


def score(source: Parsed, target: Parsed, *, scorer: str = "paraphrase") -> Scored:
    """Score how alike two sentences are (Wu 2005); ``scorer``: see docs/methods.md.

    Raises InvalidValue for an unknown scorer.
    """
    if scorer not in SCORERS:
        raise InvalidValue(f"scorer {scorer!r}: one of {', '.join(SCORERS)}")
    how = SCORERS[scorer]
    a, b = source.analysis.vectors, target.analysis.vectors
    vectors = None if a is None or b is None else (a, b)
    view = how.view(source.words, target.words, find_thesaurus()[0], vectors)
    scored = how.score(view)
    links = how.matches(view, scored.biparse.links)
    return Scored(source.words, target.words, scorer, scored.value, links)


def paraphrase(
    phrase: str, table: str | Path, *, label: str | None = None, k: int = 10
) -> Paraphrases:
    """Look a phrase up in a table of paraphrases that ``pivot build`` made.

    ``label``: the category of the phrase, by which the paraphrases are ranked; None
    for any. Raises Unavailable where there is no table.
    """
    opened = open_table(Path(table))
    try:
        return Paraphrases(phrase, tuple(opened.lookup(phrase, label, k=k)))
    finally:
        opened.close()


def agreement(
    table: "str | Path | pandas.DataFrame | Iterable[tuple[object, object, object]]",
    *,
    scale: tuple[int, int] | None = None,
    replicates: int = 2000,
) -> Measured:
    """Measure how far annotators agree.

    ``table``: rows of item, annotator and value; or a pandas table or the path of a
    TSV file with columns of these names. ``scale``: the lowest and the highest value,
    if they are whole numbers; without it the values that occur are the scale.
    Rows without a value are left out. Raises InvalidValue where a column is missing or
    a value is not on the scale.
    """
    rows = [(str(i), str(a), _plain(v)) for i, a, v in _ratings(table) if _is_there(v)]
    declared = None if scale is None else Scale.span("value", *scale)
    ratings = Ratings.of(rows, scale=declared)
    measured = measure_all(ratings, replicates=replicates, pairs=False)
    return Measured(measured.figures, len(ratings.items), len(ratings.annotators))


@cache
def _phrase_aligner() -> PhraseAligner:
    return PhraseAligner.load()


@cache
def _word_aligner() -> TrainedWordAligner:
    return TrainedWordAligner.load()


@cache
def _joint_parser() -> JointParser:
    return JointParser.load()


def _joined(given: Sequence[Parsed], sides: Sequence[JointSide]) -> tuple[Parsed, ...]:
    return tuple(
        Parsed(
            replace(one.analysis, deps=side.deps or one.analysis.deps),
            side.tree or one.tree,
            one.parser,
        )
        for one, side in zip(given, sides, strict=True)
    )


def _sentence(given: str | Sequence[str]) -> Sentence:
    return tokenize(given) if isinstance(given, str) else Sentence.of(given)


def _phrase(side: Parsed, ref: Ref) -> tuple[str, str]:
    """The words and the label of a node."""
    if side.tree is None or (v := node_of(side.tree, ref)) is None:
        at = int(ref[1:])
        return side.words[at], side.tags[at] if side.tags else ""
    words = " ".join(side.words[i] for i in side.tree.yield_of(v))
    return words, side.tree.labels[v]


def _word(parsed: Parsed, at: int) -> str:
    return "ROOT" if at < 0 else parsed.words[at]


def _title(source: Parsed, target: Parsed) -> str:
    return f"{' '.join(source.words)} / {' '.join(target.words)}"


def _numbers(one: Figure) -> tuple[float | None, float | None, float | None]:
    return (one.value, one.low, one.high) if isinstance(one, Estimate) else (None,) * 3


def _chart(
    rows: Sequence[tuple[str, float | None, float | None, float | None]],
    low: float,
    high: float,
    title: str,
) -> str:
    from annotator.svg import charts as drawing

    ticks = [low + (high - low) * share / 4 for share in range(5)]
    chart = interval_chart(
        rows, low=low, high=high, ticks=ticks, measure=GlyphTable(), percent=False
    )
    return drawing.draw(chart, title=title, desc="")


def _ratings(table: Any) -> Iterable[tuple[object, object, object]]:
    names = ["item", "annotator", "value"]
    try:
        if isinstance(table, str | Path):
            with Path(table).open(encoding="utf-8", newline="") as lines:
                rows = csv.DictReader(lines, delimiter="\t")
                return [tuple(row[name] for name in names) for row in rows]  # type: ignore[misc]
        if hasattr(table, "itertuples"):
            return [tuple(row) for row in table[names].itertuples(index=False)]
    except KeyError as error:
        raise InvalidValue(
            f"columns item, annotator and value wanted; missing: {error}"
        ) from error
    return list(table)


def _is_there(value: object) -> bool:
    """None, an empty cell and NaN, which differs from itself, are missing values."""
    return value not in (None, "") and value == value


def _plain(value: object) -> str:
    """3.0, as pandas reads a column with gaps, is the value 3."""
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)
