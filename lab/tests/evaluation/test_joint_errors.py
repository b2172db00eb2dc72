"""Where joint parsing gains: what the paraphrase had to say of each word."""

from core.data.alignment import Link
from core.data.deps import ROOT, DepAnalysis, DepTree
from core.data.tokens import Sentence
from core.evaluation.golds import Gold
from core.evaluation.joint_parsing import GoldPair, JointCase, PairRow
from core.joint_parsing.values import JointResult, JointSide
from core.protocols import Analysis
from lab.evaluation.joint_errors import breakdown


def parsed(text: str, *heads: int) -> Analysis:
    tree = DepTree(heads, ("dep",) * len(heads))
    return Analysis(Sentence.of(text), deps=DepAnalysis(tree))


def test_what_the_paraphrase_says_of_each_word() -> None:
    """Gold: the fox sees boats here. Own: "here" hangs from "boats", "boats" from
    "fox"; the paraphrase has the first right and the second at another wrong place;
    it has no word for "the"."""
    source = parsed("the fox sees boats here", 1, 2, ROOT, 1, 3)
    target = parsed("a fox sights boats here", 1, 2, ROOT, 4, 2)
    gold = DepTree((1, 2, ROOT, 2, 2), ("dep",) * 5)
    row = PairRow("own", "1", source.sentence, target.sentence, ("lex",))
    case = JointCase(
        GoldPair(row, Gold(source.sentence, deps=gold)), source, target, None
    )
    joint = parsed("the fox sees boats here", 1, 2, ROOT, 1, 2)
    links = tuple(Link(f"w{k}", f"w{k}") for k in range(1, 5))
    result = JointResult(JointSide(joint.deps), JointSide(target.deps), links)

    table = breakdown([case], [result])["paraphrase"]

    assert table == {
        "says nothing": {"words": 1, "uas": 100.0, "gain": 0.0},
        "the same head": {"words": 2, "uas": 100.0, "gain": 0.0},
        "another head, the right one": {"words": 1, "uas": 0.0, "gain": 100.0},
        "another head, a wrong one": {"words": 1, "uas": 0.0, "gain": 0.0},
    }
