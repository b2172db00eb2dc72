"""``python -m tools.lines REVISION …``: lines of Python of core and annotator.

Two counts a revision: all of it, and without the folders and modules of what came to
be after the folders were cut by problem, so that revisions can be compared at about the
same function. Migrations are in neither.
"""

import io
import re
import subprocess
import sys
import tarfile

LATER = re.compile(
    r"core/(pivoting|substitution|parsing/(pcfg|kernels|bllip)|formats/bitext)"
    r"|core/word_alignment/(bilingual|eflomal|kernels)"
    r"|core/evaluation/(commands/)?(bitext|paraphrase|substitution|train_pcfg)"
    r"|core/reproduce/(bitexts|callison|caplan|europarl)"
    r"|annotator/(services|views|pages|models|exchange)/(bitexts|paraphrases)"
    r"|annotator/services/(installation|archives)|annotator/http"
    r"|annotator/api/(tokens|rates|queries|described|bodies)"
    r"|annotator/(faults|secrecy|disk|throughput/durability)"
    r"|annotator/management/commands/(backup|restore|pivot)"
)


def counts(revision: str) -> tuple[int, int]:
    """Lines of all files, and of those that are not ``LATER``."""
    packed = subprocess.run(
        ["git", "archive", revision, "core", "annotator"],
        check=True,
        capture_output=True,
    ).stdout
    everything = rest = 0
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        for one in files.getmembers():
            if not one.name.endswith(".py") or "/migrations/" in one.name:
                continue
            content = files.extractfile(one)
            n = content.read().count(b"\n") if content else 0
            everything += n
            rest += 0 if LATER.match(one.name) else n
    return everything, rest


if __name__ == "__main__":
    for name in sys.argv[1:] or ["HEAD"]:
        print(name, *counts(name))
