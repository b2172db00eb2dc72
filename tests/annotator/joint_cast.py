"""A run with hand-made changes, so that tests of the ledger need no parser."""

from annotator.models import JointPair, JointRun, Origin, Pair, Parse, TreeChange
from annotator.services.parses import joint
from core.data.alignment import Link
from core.data.deps import DepAnalysis, DepTree
from core.formats import conllu
from core.joint_parsing.values import (
    ArcChange,
    JointResult,
    JointSide,
    Round,
    SpanChange,
)
from core.protocols import Analysis, BackendInfo
from tests import cast as people
from tests.cast import Cast

INFO = BackendInfo(
    "by-hand", "1", "CC0", ("en",), frozenset({"dependencies", "constituents"})
)
SOURCE = (
    "(S (NP (PRP She)) (VP (VBD saw) (NP (DT the) (NN man)) (PP (IN with) (NP (NNS"
    " binoculars)))))"
)
TARGET = (
    "(S (NP (PRP She)) (VP (VBD used) (NP (NNS binoculars)) (S (VP (TO to) (VP (VB see)"
    " (NP (DT the) (NN man)))))))"
)
RIGHT = DepTree((1, -1, 3, 1, 5, 1), ("nsubj", "root", "det", "obj", "case", "obl"))
WRONG = DepTree((1, -1, 3, 1, 5, 3), ("nsubj", "root", "det", "obj", "case", "nmod"))
OTHER = DepTree(
    (1, -1, 1, 4, 1, 6, 4),
    ("nsubj", "root", "obj", "mark", "xcomp", "det", "obj"),
)


def pair(cast: Cast, *, domain: str = "", operations: str = "") -> Pair:
    """A pair whose source has gold arcs; the same one when asked again."""
    text = f"{people.ptb_words(SOURCE)}\n{people.ptb_words(TARGET)}"
    there = cast.corpus.pairs.filter(text=text).first()
    made = there or people.pair(cast.corpus, SOURCE, TARGET)
    Pair.objects.filter(pk=made.pk).update(
        meta={"domain": domain, "operations": operations}
    )
    gold_arcs(made)
    made.refresh_from_db()
    return made


def gold_arcs(of: Pair) -> None:
    text = conllu.lines_of(of.source.to_core().tokens, RIGHT)
    Parse.objects.get_or_create(
        sentence=of.source,
        kind=Parse.Kind.DEPENDENCY,
        origin=Origin.GOLD,
        digest=people.Sentence.key_of(text),
        defaults={"text": text},
    )


def analyses(of: Pair) -> tuple[Analysis, Analysis]:
    return (
        Analysis(of.source.to_core(), deps=DepAnalysis(WRONG)),
        Analysis(of.target.to_core(), deps=DepAnalysis(OTHER)),
    )


def result() -> JointResult:
    """The last word of the source moves from "man" to "saw"; a label of the target
    and a bracket of the source change as well."""
    link = Link("w5", "w2", attrs={"prob": "0.9"})
    arc = ArcChange(5, 3, 1, "nmod", "obl", 0.55, 0.4, (link,))
    gone = SpanChange(2, 6, "NP", False)
    label = ArcChange(6, 4, 4, "obj", "nsubj", 0.9, 0.9)
    moved = DepTree(OTHER.heads, (*OTHER.labels[:-1], "nsubj"))
    return JointResult(
        JointSide(DepAnalysis(RIGHT), arcs=(arc,), spans=(gone,)),
        JointSide(DepAnalysis(moved), arcs=(label,)),
        (link,),
        rounds=(Round(12.5, 10.0, 2), Round(11.0, 10.5, 1), Round(10.75, 10.75, 0)),
        agreement_before=2,
        agreement_after=0,
        gate=0.8,
    )


def run(cast: Cast, label: str = "Soft dual decomposition") -> JointRun:
    return JointRun.objects.create(
        corpus=cast.corpus,
        engine="joint",
        version=f"1 soft {label[:6]}",
        method="soft",
        label=label,
        parameters={"method": "soft", "rounds": 20},
        digest=people.Sentence.key_of(label),
        by=cast.ada,
    )


def ledger(cast: Cast, n: int = 1, **about: str) -> JointRun:
    """A run over ``n`` pairs, three changes each."""
    made = batch(cast, n, **about)
    made_run = run(cast)
    joint.store(made_run, made, INFO)
    made_run.refresh_from_db()
    return made_run


def bare(cast: Cast) -> JointRun:
    """A run with one change of the cast's own pair, and no more rows than that."""
    made_run = run(cast)
    result = JointPair.objects.create(run=made_run, pair=cast.pair)
    TreeChange.objects.create(
        run=made_run, result=result, side="s", kind="arc", start=0, end=1
    )
    return made_run


def batch(cast: Cast, n: int, **about: str) -> list[joint.JointAnswer]:
    first = pair(cast, **about)
    pairs = [first, *(_copy(first, i) for i in range(1, n))]
    return [joint.JointAnswer(one, analyses(one), result()) for one in pairs]


def _copy(of: Pair, i: int) -> Pair:
    """The same two sentences once more, as another pair."""
    fields = {
        name: getattr(of, name)
        for name in ("corpus", "source", "target", "text", "n_source", "n_target")
    }
    mine = {"meta": of.meta, "ref": f"copy-{i}", "key": f"copy-{i}"}
    return Pair.objects.create(**fields, **mine)


def changes(of: JointRun) -> list[TreeChange]:
    return list(TreeChange.objects.filter(run=of).order_by("pk"))
