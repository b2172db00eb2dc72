"""Pieces of large text asked of workers: the file is the truth, a message asks."""

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from annotator import celery
from annotator.errors import BadRequest
from annotator.services.corpora import spreading
from core.pivoting.bitext import BitextPair, write_pairs
from core.stages import pieces, runners
from core.stages.pieces import StageOrder


@pytest.fixture
def order(small_parser, settings, tmp_path: Path) -> StageOrder:
    settings.SHARED = tmp_path
    return StageOrder(
        "parse", "small", str(settings.MODELS_DIR), str(tmp_path / "out" / "pieces")
    )


@pytest.fixture
def keys(order: StageOrder, tmp_path: Path) -> list[str]:
    path = tmp_path / "pairs.parquet"
    rows = [BitextPair(k, "a", f"Mary saw garden {k}", "she slept") for k in range(600)]
    write_pairs(path, rows)
    return pieces.plan(order, [path])["parses.parquet"]


def silent(_text: str) -> None:
    """Says nothing."""


def test_workers_make_the_pieces_that_this_process_makes(
    order: StageOrder, keys: list[str], monkeypatch, tmp_path: Path
) -> None:
    runners.here(order, keys, silent)
    wanted = [order.done(key).read_bytes() for key in keys]
    for key in keys:
        order.done(key).unlink()
    monkeypatch.setattr(celery, "ask_for_pieces", spreading.do)
    monkeypatch.setattr(spreading, "POLL_S", 0.0)
    spreading.spread(order, keys, silent)
    assert len(keys) == 3
    assert [order.done(key).read_bytes() for key in keys] == wanted


def test_a_piece_that_does_not_come_is_asked_for_again_then_made_here(
    order: StageOrder, keys: list[str], monkeypatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(celery, "ask_for_pieces", lambda _sent, of: asked.extend(of))
    monkeypatch.setattr(spreading, "POLL_S", 0.0)
    monkeypatch.setattr(spreading, "AGAIN_S", -1.0)
    spreading.spread(order, keys, silent)
    assert sorted(asked) == sorted(keys * spreading.TRIES)
    assert all(pieces.is_done(order, key) for key in keys)


def test_workers_write_below_the_shared_folder_only(
    order: StageOrder, keys: list[str], tmp_path: Path
) -> None:
    outside = asdict(replace(order, folder="../elsewhere"))
    for sent, key in ((outside, keys[0]), (asdict(order), "../x")):
        with pytest.raises(BadRequest):
            spreading.do(sent, [key])
    with pytest.raises(BadRequest, match="must be below"):
        spreading.spread(replace(order, folder="/nowhere"), keys, silent)
