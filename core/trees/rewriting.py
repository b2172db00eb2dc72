"""Trees rewritten at the matches of a query, by commands as Tsurgeon has them:

    relabel x NX        another label
    delete x            the phrase goes, its children stay in its place; or a trace
    insert NX x         a new phrase over x
    insert NX x y       a new phrase over the siblings x to y
    move x under y      x becomes a child of y, where its words belong
    trace x *T*-1       an empty element before x

One a line, or with ";" between. Names are those of the query. Levy and Andrew 2006,
"Tregex and Tsurgeon", LREC.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from core.data.tree import Tree
from core.errors import InvalidValue
from core.trees.editing import Delete, Insert, Move, Relabel, Trace
from core.trees.stepping import TreeEdit

Places = Mapping[str, int]
_Make = Callable[[Sequence[str], Places], TreeEdit]
_FORMS: dict[str, tuple[str, _Make]] = {
    r"relabel (\w+) (\S+)": ("1", lambda w, at: Relabel(at[w[0]], w[1])),
    r"(?:delete|excise) (\w+)": ("1", lambda w, at: Delete(at[w[0]])),
    r"(?:insert|adjoin) (\S+) (\w+)": (
        "2",
        lambda w, at: Insert(at[w[1]], at[w[1]], w[0]),
    ),
    r"insert (\S+) (\w+) (\w+)": (
        "23",
        lambda w, at: Insert(min(at[w[1]], at[w[2]]), max(at[w[1]], at[w[2]]), w[0]),
    ),
    r"move (\w+) under (\w+)": (
        "12",
        lambda w, at: Move(at[w[0]], at[w[1]], tidy=True),
    ),
    r"trace (\w+) (\S+)": ("1", lambda w, at: Trace(at[w[0]], w[1])),
}
MOST = 20  # commands


@dataclass(frozen=True, slots=True)
class Command:
    """One line; ``names``: the nodes of the query that it is about."""

    text: str
    names: tuple[str, ...]
    make: Callable[[Places], TreeEdit]


@dataclass(frozen=True, slots=True)
class Rewritten:
    """``nodes``: of the former tree, those of the matches that were rewritten;
    ``left``: matches that could not be, by the reason."""

    tree: Tree
    nodes: tuple[int, ...]
    left: tuple[str, ...]


def read(text: str) -> tuple[Command, ...]:
    """The commands of a text. Raises InvalidValue with the line that is none."""
    lines = [" ".join(line.split()) for line in re.split(r"[;\n]", text)]
    commands = tuple(_command(line) for line in lines if line)
    if not 0 < len(commands) <= MOST:
        raise InvalidValue(f"Write 1-{MOST} commands.")
    return commands


def _command(line: str) -> Command:
    for form, (places, make) in _FORMS.items():
        found = re.fullmatch(form, line)
        if found:
            names = tuple(found[int(place)] for place in places)
            return Command(line, names, partial(make, found.groups()))
    raise InvalidValue(
        f"{line!r} is not a command. Write relabel x NP, delete x, insert NP x y, "
        "move x under y, or trace x *T*."
    )


def rewritten(
    tree: Tree, commands: Sequence[Command], matches: Iterable[Places]
) -> Rewritten:
    """The tree after all commands at each match, which is rewritten as a whole or not
    at all. Matches with the same nodes count once; a match that an earlier one changed
    is looked for where its nodes are now."""
    names = [name for command in commands for name in command.names]
    now, at = tree, {v: v for v in range(len(tree))}
    done: dict[tuple[int, ...], None] = {}
    left: list[str] = []
    for match in matches:
        key = tuple(match[name] for name in names)
        if key in done:
            continue
        done[key] = None
        try:
            now, at = _at_match(now, at, commands, match)
        except InvalidValue as error:
            left.append(str(error))
            del done[key]
    nodes = tuple(sorted({v for key in done for v in key}))
    return Rewritten(now, nodes, tuple(left))


def _at_match(
    tree: Tree, at: Mapping[int, int], commands: Sequence[Command], match: Places
) -> tuple[Tree, dict[int, int]]:
    moved = dict(at)
    for command in commands:
        here = {name: moved.get(match[name], -1) for name in command.names}
        if -1 in here.values():
            raise InvalidValue("A node of the match is gone already.")
        edited = command.make(here).on(tree)
        moved = {v: edited.moved[u] for v, u in moved.items() if u in edited.moved}
        tree = edited.tree
    return tree, moved
