"""How many links run through boxes, how often they cross, and what their routes cost.

    python -m lab bench links [--across] [--phrases]

The sample pairs with Ana's links, and pairs of 10 to 100 words a side (CC0, of
``tests/long_pairs.py``). A line each: links; those that meet a box which is not theirs,
as one curve from box to box, which is how they were drawn before, and on their routes;
crossings of both; milliseconds of the processor for all routes, the best of five.
"""

import argparse
import time
from collections.abc import Iterator

from annotator.sample.source import read_pairs
from core.data.tree import Tree
from core.formats import ptb
from core.layout.links import LinkedSide, link_scene
from core.layout.routes import link_paths
from core.layout.scene import Rect, Scene
from tests.long_pairs import long_pair
from tests.oracles.routes import boxes_met, drawn_crossings

Links = list[tuple[str, str]]
LENGTHS = (10, 25, 40, 60, 100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--across", action="store_true", help="trees left and right")
    parser.add_argument("--phrases", action="store_true", help="no links of words")
    options = parser.parse_args()
    print("pair: links, through boxes (before, now), crossings (before, now), ms")
    sample = [_counts(*each) for _, *each in _sample(options)]
    print("sample:", *(sum(column) for column in list(zip(*sample, strict=True))[:5]),
          f"{max(row[5] for row in sample):.1f} at most")  # fmt: skip
    for n_words in LENGTHS:
        made = long_pair(n_words)
        trees = [ptb.parse_one(text) for text in (made.source, made.target)]
        cells = [k.cell for k in made.links.links]
        *counts, spent = _counts(*_scene(trees, cells, options))
        print(f"{n_words} words:", *counts, f"{spent:.1f}")


def _sample(options: argparse.Namespace) -> Iterator[tuple[str, Scene, Links]]:
    for pair in read_pairs():
        cells = [k.cell for k in pair.layers["ana"].links]
        trees = [pair.source.tree, pair.target.tree]
        yield pair.id, *_scene(trees, cells, options)


def _scene(
    trees: list[Tree], cells: list[tuple[str, str]], options: argparse.Namespace
) -> tuple[Scene, Links]:
    sides = [LinkedSide(tree.words, tree) for tree in trees]
    scene = link_scene(*sides, across=options.across)
    links = [(f"s:{s}", f"t:{t}") for s, t in cells]
    return scene, [k for k in links if not options.phrases or k[0][2] == "n"]


def _counts(scene: Scene, links: Links) -> tuple[int, int, int, int, int, float]:
    before, now = [_curve(scene, *link) for link in links], link_paths(scene, links)
    through = [
        sum(
            bool(boxes_met(scene, k, d, slack=0))
            for k, d in zip(links, paths, strict=True)
        )
        for paths in (before, now)
    ]
    crossed = [drawn_crossings(paths, across=scene.across) for paths in (before, now)]
    spent = []
    for _ in range(5):
        start = time.process_time()
        link_paths(scene, links)
        spent.append((time.process_time() - start) * 1000)
    return len(links), through[0], through[1], crossed[0], crossed[1], min(spent)


def _curve(scene: Scene, s: str, t: str) -> str:
    """Return a curve with one bend from box to box."""
    boxes = {box.key: box for box in scene.boxes}
    (x1, y1), (x2, y2) = (_anchor(boxes[key].rect, key, scene) for key in (s, t))
    if scene.across:
        bend = max(30.0, abs(x2 - x1) * 0.42)
        corners = (x1 + bend, y1, x2 - bend, y2, x2, y2)
    else:
        bend = max(24.0, abs(y2 - y1) * 0.42)
        corners = (x1, y1 + bend, x2, y2 - bend, x2, y2)
    return f"M{x1} {y1}C" + " ".join(map(str, corners))


def _anchor(rect: Rect, key: str, scene: Scene) -> tuple[float, float]:
    x, y = rect.centre
    far = 0.5 if key[0] == "s" else -0.5
    return (x + far * rect.w, y) if scene.across else (x, y + far * rect.h)


if __name__ == "__main__":
    main()
