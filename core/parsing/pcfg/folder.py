"""Models as folders: manifest.json, grammar.npz (arrays), model.json (names, words).

No pickles; arrays are read without them, and every number is checked before a kernel
may use it as an index.
"""

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.data.check import Floats, Ints
from core.errors import Unavailable
from core.parsing.pcfg.grammar import GrammarState, RuleTable
from core.parsing.pcfg.model import GrammarModel, LexicalModel
from core.parsing.store import ModelFolder, write_manifest

KIND = "pcfg"
FILES = ("grammar.npz", "model.json")
_REMEDY = "train it again"
Words = Mapping[str, tuple[Ints, Floats]]


def write_model(path: Path, model: GrammarModel, facts: Mapping[str, Any]) -> None:
    """Write the folder; the manifest comes last, so an incomplete folder is not a
    model."""
    path.mkdir(parents=True, exist_ok=True)
    arrays: dict[str, NDArray[Any]] = {
        f"{level}.{name}": np.asarray(getattr(rules, name))
        for level, rules in (("fine", model.fine), ("coarse", model.coarse))
        for name in _ARRAYS
    }
    arrays |= {"prior": model.lexicon.prior, "rare": model.lexicon.rare}
    np.savez_compressed(path / "grammar.npz", **arrays)  # type: ignore[arg-type]
    content = {
        "states": model.states,
        "coarse_states": model.coarse_states,
        "names": model.names,
        "words": _plain(model.lexicon.by_word),
        "kinds": _plain(model.lexicon.by_kind),
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    (path / "model.json").write_text(text, encoding="utf-8")
    write_manifest(path, {"kind": KIND, **facts}, files=FILES)


def read_model(folder: ModelFolder) -> GrammarModel:
    """The model; raises Unavailable if a file is missing, changed or not consistent."""
    try:
        content = folder.json("model.json")
        with np.load(folder.file("grammar.npz"), allow_pickle=False) as arrays:
            made = _model(content, arrays)
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise Unavailable(f"{folder.path}: not a PCFG: {error}; {_REMEDY}") from error
    return made


_ARRAYS = tuple(field.name for field in fields(RuleTable))


def _model(content: Mapping[str, Any], arrays: Mapping[str, Any]) -> GrammarModel:
    states, coarse = (_states(content[key]) for key in ("states", "coarse_states"))
    names = tuple(str(name) for name in content["names"])
    fine = _rules(arrays, "fine", len(states), len(coarse), len(names))
    rough = _rules(arrays, "coarse", len(coarse), len(coarse), len(names))
    lexicon = LexicalModel(
        len(states),
        _words(content["words"], len(states)),
        _words(content["kinds"], len(states)),
        _floats(arrays["prior"], len(states)),
        _floats(arrays["rare"], len(states)),
    )
    return GrammarModel(fine, rough, lexicon, states, coarse, names)


def _rules(
    arrays: Mapping[str, Any], level: str, n: int, n_coarse: int, n_names: int
) -> RuleTable:
    given = {name: arrays[f"{level}.{name}"] for name in _ARRAYS}
    given["root"] = int(given["root"])
    rules = RuleTable(**given)
    n_rules, n_chains = len(rules.right), len(rules.chain_start)
    _check(rules.coarse, n, n_coarse)
    for at, count in ((rules.by_left, n_rules), (rules.by_end, n_chains)):
        _check_offsets(at, n, count)
    _check_offsets(rules.by_start, n, n_chains)
    for index, size in ((rules.right, n_rules), (rules.head, n_rules)):
        _check(index, size, n)
    for index in (rules.chain_start, rules.chain_end):
        _check(index, n_chains, n)
    _check(rules.chain_name, n_chains, n_names)
    _check(np.array([rules.root], dtype=np.int32), 1, n)
    for p, size in ((rules.p_rule, n_rules), (rules.p_by_end, n_chains)):
        _floats(p, size)
    _floats(rules.p_by_start, n_chains)
    return rules


def _check(index: Ints, size: int, limit: int) -> None:
    if index.dtype != np.int32 or index.shape != (size,):
        raise ValueError("an index of the wrong size or type")
    if size and not (index.min() >= 0 and index.max() < limit):
        raise ValueError("an index out of range")


def _check_offsets(at: Ints, n: int, count: int) -> None:
    _check(at, n + 1, count + 1)
    if at[0] != 0 or at[-1] != count or (np.diff(at) < 0).any():
        raise ValueError("offsets that do not grow")


def _floats(values: Floats, size: int) -> Floats:
    if values.dtype != np.float64 or values.shape != (size,):
        raise ValueError("numbers of the wrong size or type")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("a number below zero, or none")
    return values


def _states(rows: Any) -> tuple[GrammarState, ...]:
    return tuple(GrammarState(str(k), str(x), tuple(map(str, c))) for k, x, c in rows)


def _plain(words: Words) -> dict[str, list[list[float]]]:
    return {
        form: [states.tolist(), np.round(counts, 4).tolist()]
        for form, (states, counts) in words.items()
    }


def _words(given: Mapping[str, Any], n_states: int) -> dict[str, tuple[Ints, Floats]]:
    by_form = {}
    for form, (states, counts) in given.items():
        entry = np.array(states, dtype=np.int32), np.array(counts, dtype=np.float64)
        _check(entry[0], len(counts), n_states)
        by_form[form] = entry[0], _floats(entry[1], len(states))
    return by_form
