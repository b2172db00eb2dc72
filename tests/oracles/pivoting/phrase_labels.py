"""Labels of a span by cutting the tree: words outside it are taken away one by one."""

from core.data.tree import Tree

Branch = tuple[str, list, int, int]  # label, parts, start, end


def branches(tree: Tree, v: int = 0) -> Branch:
    parts = [branches(tree, c) for c in tree.children[v] if not tree.is_trace(c)]
    return (tree.labels[v], parts, *tree.spans[v])


def labels(tree: Tree, i: int, j: int) -> set[str]:
    names = set()

    def visit(branch: Branch) -> None:
        label, parts, start, end = branch
        if start <= i and j <= end and label not in ("ROOT", "TOP", "S1", ""):
            names.add(spell(branch, i, j))
        for part in parts:
            visit(part)

    visit(branches(tree))
    return names


def spell(branch: Branch, i: int, j: int) -> str:
    label, parts, start, end = branch
    if i <= start and end <= j:
        return label
    gone_left = [p[0] for p in parts if p[3] <= i]
    gone_right = [p[0] for p in parts if p[2] >= j]
    for part in parts:
        begins, ends = part[2] < i < part[3], part[2] < j < part[3]
        if begins:
            gone_left = [*gone_left, "(" + spell(part, i, j) + ")"]
        elif ends:
            gone_right = ["(" + spell(part, i, j) + ")", *gone_right]
    slashes = "\\" + " ".join(gone_left) if gone_left else ""
    return label + slashes + ("/" + " ".join(gone_right) if gone_right else "")
