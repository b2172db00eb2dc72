"""Who is at work while the crash bench kills: editors, and the record of what they were
told. Judges are those of ``lab.bench.judging``."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from uuid import uuid4

from lab.bench.judging import Client, Connection

Place = tuple[str, str, str]
"""Of an editor: an Authorization header, the pair, the sentence with a tree."""
PACE_S = 0.25  # from one act of a person to the next


@dataclass(kw_only=True)
class Editor(Connection):
    """Links and unlinks words of one pair; sends each operation until answered."""

    pair: str
    layer: str = ""
    revision: int = 0
    acknowledged: list[str] = field(default_factory=list)
    until: float = float("inf")

    def run(self) -> None:
        made = self.post(f"/api/pairs/{self.pair}/layers/", {})
        self.layer, self.revision = made["code"], made["revision"]
        while time.perf_counter() < self.until:
            n = len(self.acknowledged)
            asked = {"uuid": str(uuid4()), "base_rev": self.revision, "s": "w0"}
            asked |= {"op": "clear"} if n % 2 else {"op": "link", "t": f"w{n % 4}"}
            said = self.post(f"/api/layers/{self.layer}/ops/", asked)
            self.revision = said["revision"]
            self.acknowledged.append(asked["uuid"])
            time.sleep(PACE_S)


@dataclass(kw_only=True)
class TreeEditor(Connection):
    """Renames the root of one sentence's tree; sends each step until answered."""

    sentence: str
    draft: str = ""
    revision: int = 0
    acknowledged: list[str] = field(default_factory=list)
    until: float = float("inf")

    def run(self) -> None:
        made = self.post(f"/api/sentences/{self.sentence}/draft/", {})
        self.draft, self.revision = made["code"], made["revision"]
        while time.perf_counter() < self.until:
            label = f"S{len(self.acknowledged) % 7}"
            asked = {"uuid": str(uuid4()), "base_rev": self.revision, "node": 0}
            asked |= {"op": "relabel", "label": label}
            said = self.post(f"/api/tree-drafts/{self.draft}/ops/", asked)
            self.revision = said["revision"]
            self.acknowledged.append(asked["uuid"])
            time.sleep(PACE_S)


class People:
    """All of them, each in a thread, until they are told to go home."""

    def __init__(
        self, port: int, campaign: str, judges: list[str], editors: list[Place]
    ) -> None:
        now = time.perf_counter()
        self.judges = [
            Client(
                token=token,
                port=port,
                campaign=campaign,
                until=float("inf"),
                due=now + PACE_S * i / len(judges),
                every=PACE_S,
            )
            for i, token in enumerate(judges)
        ]
        self.editors = [
            Editor(token=token, port=port, pair=pair) for token, pair, _ in editors
        ]
        self.tree_editors = [
            TreeEditor(token=token, port=port, sentence=sentence)
            for token, _, sentence in editors
        ]
        self.refused: list[str] = []
        self._threads = [
            threading.Thread(target=self._watched, args=(one.run,), daemon=True)
            for one in self._all()
        ]
        for thread in self._threads:
            thread.start()

    def _all(self) -> list[Client | Editor | TreeEditor]:
        return [*self.judges, *self.editors, *self.tree_editors]

    def are_at_work(self) -> bool:
        """Return whether each person has been answered once."""
        return all(one.acknowledged for one in self._all())

    def _watched(self, work: Callable[[], None]) -> None:
        try:
            work()
        except RuntimeError as error:  # an answer that says no to honest work
            self.refused.append(str(error))

    def go_home(self) -> None:
        for one in self._all():
            one.until = 0.0
        for thread in self._threads:
            thread.join(120)
