"""Joint parses as rows: the trees before and after, and every change between them."""

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import F

from annotator.models import (
    Corpus,
    JointPair,
    JointRun,
    JointTree,
    Origin,
    Pair,
    Parse,
    Sentence,
    TreeChange,
)
from annotator.services.parses import joint_gold, marginals, parsers
from annotator.throughput.writing import write
from core.formats import treetext
from core.joint_parsing.parser import ArcChange, JointResult, JointSide, SpanChange
from core.protocols import Analysis, BackendInfo

SEPARATE = 2  # the rank, among a run's parses, of the one it started from
Key = tuple[int, str, str]  # sentence, kind, digest


@dataclass(frozen=True, slots=True)
class JointAnswer:
    """A pair, what the parser said of its sentences, and what joint parsing did."""

    pair: Pair
    analyses: tuple[Analysis, Analysis]
    result: JointResult

    @property
    def sides(self) -> Iterator[tuple[str, Sentence, Analysis, JointSide]]:
        sentences = self.pair.source, self.pair.target
        joint = self.result.source, self.result.target
        return zip("st", sentences, self.analyses, joint, strict=True)


def open_run(
    corpus: Corpus,
    *,
    engine: str,
    version: str,
    method: str,
    label: str,
    parameters: Mapping[str, Any],
    by_id: int | None,
) -> JointRun:
    """The run of this engine with these parameters over the corpus, made if new.

    Its parses go by the version, the method and a digest of the parameters.
    """
    text = json.dumps([engine, version, method, parameters], sort_keys=True)
    digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    joint_run, _ = JointRun.objects.get_or_create(
        corpus=corpus,
        digest=digest,
        defaults={
            "engine": engine,
            "version": f"{version} {method} {digest[:6]}",
            "method": method,
            "label": label[:120],
            "parameters": dict(parameters),
            "by_id": by_id,
        },
    )
    return joint_run


def store(run: JointRun, made: Sequence[JointAnswer], info: BackendInfo) -> int:
    """Add the rows of a batch, all or none; the number of pairs that were new.

    ``info``: of the parser whose analyses these are; its parses are stored as well
    where it has none here yet. Pairs that the run has already are left alone.
    """
    with write():
        JointRun.objects.select_for_update().get(pk=run.pk)  # one writer a run
        pairs = [one.pair.pk for one in made]
        there = JointPair.objects.filter(run=run, pair__in=pairs)
        known = set(there.values_list("pair_id", flat=True))
        new = [one for one in made if one.pair.pk not in known]
        results = JointPair.objects.bulk_create(_result(run, one) for one in new)
        trees = _Parses(run, info).trees(new, results)
        JointTree.objects.bulk_create(trees)
        changes = TreeChange.objects.bulk_create(
            change
            for one, result in zip(new, results, strict=True)
            for change in _changes(run, one, result)
        )
        joint_gold.compare(results)
        JointRun.objects.filter(pk=run.pk).update(
            n_pairs=F("n_pairs") + len(new), n_changes=F("n_changes") + len(changes)
        )
    return len(new)


def _result(run: JointRun, one: JointAnswer) -> JointPair:
    result = one.result
    return JointPair(
        run=run,
        pair=one.pair,
        rounds=[
            [_finite(r.dual), _finite(r.primal), r.disagreements] for r in result.rounds
        ],
        links=[_link(link) for link in result.links],
        before=result.agreement_before,
        after=result.agreement_after,
        exact=result.exact,
        gap=_finite(result.gap),
        gate=result.gate,
        kept=result.kept,
    )


def _finite(value: float) -> float | None:
    """None for what JSON cannot hold: no pair fits the hard constraints yet."""
    return value if math.isfinite(value) else None


def _link(link: Any) -> list[Any]:
    prob = link.attrs.get("prob")
    return [link.source, link.target, None if prob is None else round(float(prob), 4)]


def _changes(
    run: JointRun, one: JointAnswer, result: JointPair
) -> Iterator[TreeChange]:
    domain, operations = _about(one.pair)
    for name, _, analysis, side in one.sides:
        made = {"run": run, "result": result, "side": name}
        made |= {"domain": domain, "operations": operations}
        for arc in side.arcs:
            yield _arc(made, arc)
        stored = marginals.of_analysis(analysis) if side.spans else None
        sure = marginals.sureness(stored) if stored else {}
        for span in side.spans:
            key = span.start, span.end, span.label
            change = _span(made, span, sure.get(key, 0.0) if sure else None)
            change.because = _within(one.result, name, span)
            yield change


def _within(result: JointResult, side: str, span: SpanChange) -> list[list[Any]]:
    """The links of the bracket's words."""
    rows = [_link(link) for link in result.links]
    at = 0 if side == "s" else 1
    return [row for row in rows if span.start <= int(row[at][1:]) < span.end]


def _about(pair: Pair) -> tuple[str, str]:
    """Domain and operations of rewording, where the pair's further columns say so."""
    domain = str(pair.meta.get("domain") or pair.meta.get("corpus") or "")
    names = str(pair.meta.get("operations", "")).replace(",", " ").split()
    while names and len("".join(names)) + len(names) + 1 > 200:
        names.pop()
    return domain[:60], f"|{'|'.join(names)}|" if names else ""


def _arc(made: dict[str, Any], arc: ArcChange) -> TreeChange:
    return TreeChange(
        **made,
        kind=TreeChange.Kind.ARC,
        start=arc.word,
        end=arc.word + 1,
        head_before=arc.head_before,
        head_after=arc.head_after,
        label_before=arc.label_before[:60],
        label_after=arc.label_after[:60],
        prob_before=arc.prob_before,
        prob_after=arc.prob_after,
        confidence=arc.prob_after - arc.prob_before,
        because=[_link(link) for link in arc.because],
    )


def _span(made: dict[str, Any], span: SpanChange, p: float | None) -> TreeChange:
    """A bracket; ``p``: the parser's own probability of it, None if not known."""
    after = None if p is None else p if span.added else 1 - p
    return TreeChange(
        **made,
        kind=TreeChange.Kind.BRACKET,
        start=span.start,
        end=span.end,
        label_before="" if span.added else span.label[:60],
        label_after=span.label[:60] if span.added else "",
        prob_before=None if after is None else 1 - after,
        prob_after=after,
        confidence=0.0 if after is None else 2 * after - 1,
    )


class _Parses:
    """Stores the parses of a batch before and after, each once, and finds them."""

    def __init__(self, run: JointRun, info: BackendInfo) -> None:
        self.run, self.info = run, info
        self.mine = replace(info, name=run.engine, version=run.version)

    def trees(
        self, made: Sequence[JointAnswer], results: Sequence[JointPair]
    ) -> list[JointTree]:
        """The rows that say which parse became which; their parses are stored."""
        wanted: list[tuple[JointPair, str, Parse, Parse]] = []
        base = {}
        for one, result in zip(made, results, strict=True):
            for name, sentence, analysis, side in one.sides:
                parsed = parsers.parsed_text(sentence, analysis, self.info, 1)
                base[sentence.pk] = parsed
                old = {row.kind: row for row in (*parsed.trees, parsed.deps) if row}
                for row in self._after(one, sentence, analysis, side):
                    wanted.append((result, name, old[row.kind], row))
        parsers.store(self.info, list(base.values()), 1)
        before = self._stored([row for _, _, row, _ in wanted], self.info)
        after = self._stored([row for _, _, _, row in wanted], self.mine)
        return [
            JointTree(
                result=result,
                side=name,
                kind=new.kind,
                before=before[_key(old)],
                after=after[_key(new)],
            )
            for result, name, old, new in wanted
        ]

    def _after(
        self, one: JointAnswer, sentence: Sentence, analysis: Analysis, side: JointSide
    ) -> Iterator[Parse]:
        meta = {"pair": one.pair.code, "run": self.run.code}
        meta |= {"parser": f"{self.info.name} {self.info.version}"}
        if side.deps is not None:
            alone = replace(analysis, deps=side.deps, forest=None)
            row = parsers.parsed_text(sentence, alone, self.mine, 1).deps
            if row is not None:
                row.meta = meta
                yield row
        if side.tree is not None:
            text, notes = treetext.dump(side.tree)
            yield Parse(
                sentence=sentence,
                kind=Parse.Kind.CONSTITUENCY,
                origin=Origin.ENGINE,
                engine=self.mine.name,
                version=self.mine.version,
                text=text,
                digest=Sentence.key_of(text),
                meta=meta | notes,
            )

    def _stored(self, rows: Iterable[Parse], info: BackendInfo) -> dict[Key, Parse]:
        """The stored parses equal to ``rows``; what is not there is added.

        A parser's first tree may differ from the one stored before by the last digits
        of its scores: it is then kept among the run's own parses, as their second.
        """
        wanted = {_key(row): row for row in rows}
        stored = self._find(wanted, info.name, info.version)
        missing = {key: row for key, row in wanted.items() if key not in stored}
        for row in missing.values():
            row.rank = 1 if info is self.mine else SEPARATE
            row.engine, row.version = self.mine.name, self.mine.version
        Parse.objects.bulk_create(missing.values(), ignore_conflicts=True)
        return stored | self._find(missing, self.mine.name, self.mine.version)

    def _find(
        self, wanted: dict[Key, Parse], engine: str, version: str
    ) -> dict[Key, Parse]:
        rows = Parse.objects.filter(
            sentence__in={key[0] for key in wanted},
            origin=Origin.ENGINE,
            engine=engine,
            version=version,
        )
        return {_key(row): row for row in rows.order_by("-pk") if _key(row) in wanted}


def _key(row: Parse) -> Key:
    return row.sentence_id, row.kind, row.digest
