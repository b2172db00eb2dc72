"""An independent scorer of brackets: works on the text of a bracketing."""

import re
from collections import Counter

SKIP = {",", ".", ":", "``", "''"}
ROOTS = {"", "ROOT", "S1", "TOP", "CAPTION", "HEADING", "TITLE", "CIT"}


def counts(gold: str, guess: str) -> tuple[int, int, int]:
    """Matched, guessed, gold brackets of two one-line bracketings."""
    skipped = [
        tag in SKIP
        for tag, word in re.findall(r"\((\S+) ([^()\s]+)\)", gold)
        if tag != "-NONE-"
    ]
    ours, theirs = constituents(gold, skipped), constituents(guess, skipped)
    matched = 0
    for bracket in ours:
        if bracket in theirs:
            theirs.remove(bracket)
            matched += 1
    return matched, matched + len(theirs), len(ours)


def constituents(text: str, skipped: list[bool]) -> list[tuple[tuple[int, ...], str]]:
    """Every scored phrase as the tuple of the words it holds, and its category."""
    phrases: list[tuple[tuple[int, ...], str]] = []
    stack: list[tuple[str, list[int]]] = []
    token = 0
    for opening, label, closing in re.findall(r"(\()([^\s()]*)|(\))|[^\s()]+", text):
        if opening:
            stack.append((label, []))
        elif closing:
            name, inside = stack.pop()
            if name == "-NONE-":
                continue
            if not inside and name:  # a leaf: nothing was collected below it
                words = [token]
                token += 1
                is_leaf = True
            else:
                words, is_leaf = inside, False
            if stack:
                stack[-1][1].extend(words)
            kept = tuple(w for w in words if not skipped[w])
            name = name[0] + re.split("[-=|]", name[1:])[0] if name else name
            if kept and not is_leaf and name not in ROOTS:
                phrases.append((kept, "ADVP" if name == "PRT" else name))
    return phrases


def f1(pairs: list[tuple[str, str]]) -> float:
    total: Counter[str] = Counter()
    for gold, guess in pairs:
        matched, guessed, wanted = counts(gold, guess)
        total.update({"matched": matched, "guessed": guessed, "gold": wanted})
    return 2 * total["matched"] / (total["guessed"] + total["gold"])
