"""What joint parsing learns of pairs that a parser has read as one."""

from core.data.deps import DepTree
from core.evaluation.golds import Gold
from core.evaluation.joint_parsing import GoldPair, JointCase, PairRow, analyse
from core.joint_parsing.gate import JointWeights
from core.joint_parsing.parser import JointParser
from core.joint_parsing.values import JointSettings
from core.protocols import Capability
from lab.evaluation.joint_fitting import IN_VIEW, Bench
from tests.core.joint_parsing.aligners import NoLinks
from tests.core.joint_parsing.test_joint_in_view import (
    GOOD,
    SOURCE,
    TARGET,
    ChainParser,
)


def cases(*can: Capability) -> list[JointCase]:
    gold = Gold(SOURCE, deps=DepTree(GOOD, ("a",) * 4))
    pairs = [
        GoldPair(PairRow("own", str(k), SOURCE, TARGET, ("lex",)), gold)
        for k in range(3)
    ]
    answers = list(analyse(pairs, ChainParser(*can)))
    assert all(isinstance(case, JointCase) for case in answers)
    return [case for case in answers if isinstance(case, JointCase)]


def test_its_numbers_are_fitted_where_pairs_were_read() -> None:
    """The least share with which all arcs are won; bp's own number is left alone."""
    parser = JointParser(NoLinks(), JointWeights(bp_slack=0.6, view_share=0.25))
    fitted = Bench.of(cases("pairs"), parser).fit(JointSettings(), range(3))
    assert fitted.view_share == 0.75
    assert fitted.view_slack == IN_VIEW[1][1][0]
    assert fitted.bp_slack == 0.6
    plain = Bench.of(cases(), parser).fit(JointSettings(), range(3))
    assert plain.view_share == 0.25
