"""``python -m tools.mutants MODULE.py TESTS …``: which faults these tests let through.

One small fault at a time (DeMillo, Lipton & Sayward 1978) is put into the module as it
is imported, no file is changed, and the tests run in a process forked for it. A fault
is killed if they fail or hang; one that survives is printed with its line: a test is
missing there, or the fault changes nothing. Loops are not compiled.

mutmut leaves functions with a decorator alone, and all kernels have one; cosmic-ray
starts an interpreter for each fault, which takes longer than the tests do.
"""

import argparse
import ast
import importlib
import os
import random
import signal
import sys
import time
from collections.abc import Iterator
from importlib.abc import Loader
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

PRELOADED = ("django.test", "hypothesis", "numba", "numpy", "pytest", "scipy.stats")
OTHERS: dict[type, Any] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Pow: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
CALLS = {"max": "min", "min": "max", "any": "all", "all": "any"}
HUNG_S, TIMES = 20.0, 5.0  # killed after so long, or so many times the tests' own time


class Mutant(NamedTuple):
    """``text``: what stands in the line instead; ``source``: the module with it."""

    line: int
    before: str
    text: str
    source: str


def faults(source: str) -> Iterator[Mutant]:
    """Yield all faults in the functions of a module.

    Operators become their neighbour, conditions their opposite, numbers one more or
    less, results None; a call for its effect, a change of an attribute or an item, and
    a refusal are left out; a loop ends too late or too soon.
    """
    tree = ast.parse(source)
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)]
    inner = {id(part) for one in functions for part in ast.walk(one) if part is not one}
    for function in functions:
        if id(function) in inner:
            continue  # met in the function around it
        for holder, name, at, child in _children(function.body):
            for other in _others(child):
                line, before = child.lineno, ast.unparse(child)
                _put(holder, name, at, other)
                text = ast.unparse(ast.fix_missing_locations(tree))
                _put(holder, name, at, child)
                yield Mutant(line, before, ast.unparse(other), text)


def _children(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, str, int, Any]]:
    """Yield every statement and expression with its holder, field and position."""
    holder = ast.Module(body, [])
    stack: list[ast.AST] = [holder]
    while stack:
        above = stack.pop()
        for name, value in ast.iter_fields(above):
            if name in ("annotation", "returns", "decorator_list", "type_params"):
                continue
            for at, child in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(child, ast.AST):
                    stack.append(child)
                if isinstance(child, (ast.stmt, ast.expr)):
                    yield above, name, at if isinstance(value, list) else -1, child


def _put(holder: ast.AST, name: str, at: int, node: ast.AST) -> None:
    if at < 0:
        setattr(holder, name, node)
    else:
        getattr(holder, name)[at] = node


def _others(node: ast.AST) -> list[ast.AST]:
    """Return what could be written here by mistake instead of this node."""
    match node:
        case ast.Compare(left, [op, *more], [right, *rest]) if type(op) in OTHERS:
            return [ast.Compare(left, [OTHERS[type(op)](), *more], [right, *rest])]
        case ast.BinOp(left, op, right) if type(op) in OTHERS:
            return [ast.BinOp(left, OTHERS[type(op)](), right)]
        case ast.AugAssign(target, op, value) if type(op) in OTHERS:
            return [ast.AugAssign(target, OTHERS[type(op)](), value), ast.Pass()]
        case ast.BoolOp(op, values):
            return [ast.BoolOp(OTHERS[type(op)](), values)]
        case ast.UnaryOp(ast.Not() | ast.USub(), operand):
            return [operand]
        case ast.Constant(bool(value)):
            return [ast.Constant(not value)]
        case ast.Constant(int(value)):
            return [ast.Constant(value + 1), ast.Constant(value - 1)]
        case ast.Constant(float(value)):
            return [ast.Constant(value + 1)]
        case ast.If(test, body, orelse):
            return [ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)]
        case ast.IfExp(test, body, orelse):
            return [ast.IfExp(test, orelse, body)]
        case ast.Return(ast.expr() as value) if not _is_none(value):
            return [ast.Return(ast.Constant(None))]
        case ast.Expr(ast.Call()) | ast.Raise():
            return [ast.Pass()]
        case ast.Assign([ast.Attribute() | ast.Subscript()]):
            return [ast.Pass()]
        case ast.Break():
            return [ast.Continue()]
        case ast.Continue():
            return [ast.Break()]
        case ast.Call(ast.Name(name), arguments, keywords) if name in CALLS:
            return [ast.Call(ast.Name(CALLS[name]), arguments, keywords)]
    return []


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


class _Faulty(Loader):
    """Imports one module from another text than its file's."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path) if name == self.name else None
        if spec:
            spec.loader = self
        return spec

    def exec_module(self, module: ModuleType) -> None:
        code = compile(self.text, str(module.__file__), "exec")
        exec(code, module.__dict__)


def fails(name: str, text: str, tests: list[str], limit: float) -> bool:
    """Return whether the tests fail with this module, or exceed ``limit`` seconds."""
    child = os.fork()
    if not child:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(1, 2)
        sys.meta_path.insert(0, _Faulty(name, text))
        import pytest

        options = ["-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0"]
        os._exit(int(pytest.main([*options, *tests])) != 0)
    start = time.monotonic()
    while time.monotonic() - start < limit:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status != 0
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return True


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("module", type=Path)
    options.add_argument("tests", nargs="+", help="what pytest is given")
    options.add_argument("--sample", type=int, help="so many faults, drawn by chance")
    options.add_argument("--seed", type=int, default=0)
    given = options.parse_args()
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    for one in PRELOADED:
        importlib.import_module(one)
    name = ".".join(given.module.with_suffix("").parts)
    source = given.module.read_text(encoding="utf-8")
    start = time.monotonic()
    if fails(name, source, given.tests, 600.0):
        sys.exit("the tests fail without a fault")
    limit = HUNG_S + TIMES * (time.monotonic() - start)
    every = list(faults(source))
    some = every[:]
    if given.sample and given.sample < len(every):
        some = random.Random(given.seed).sample(every, given.sample)
    alive = 0
    for fault in sorted(some):
        if not fails(name, fault.source, given.tests, limit):
            alive += 1
            print(f"{given.module}:{fault.line}: {fault.before}  ->  {fault.text}")
            sys.stdout.flush()
    share = 100 * (1 - alive / max(len(some), 1))
    print(
        f"{name}: {len(some) - alive} of {len(some)} killed ({share:.0f} %), ", end=""
    )
    print(f"of {len(every)} faults")


if __name__ == "__main__":
    main()
