"""A WordNet of five synsets, in the files' own format; "sell" is made to derive.

Tests that need a thesaurus take this one, so that what they say does not depend on
what is installed.
"""

from pathlib import Path

INDEX = "  1 a licence line\n{}"
SYNSETS = {
    "noun": {
        "car": "03 n 02 car 0 auto 0 001 @ {vehicle} n 0000 | a motor car",
        "vehicle": "03 n 01 vehicle 0 000 | a thing that carries",
    },
    "verb": {
        "buy": "29 v 02 buy 0 purchase 0 001 + {sell} v 0101 | get for money",
        "sell": "29 v 01 sell 0 001 + {buy} v 0101 | give for money",
        "see": "39 v 01 see 0 000 | take in with the eyes",
    },
    "adj": {},
    "adv": {},
}
OTHER_NAMES = {"auto": "car", "purchase": "buy"}
IRREGULAR = {"verb": "bought buy\nsaw see\nseen see\n"}


def write(folder: Path) -> None:
    """Write the files that WordNet's ``dict`` folder has."""
    for pos, rows in SYNSETS.items():
        known, at = {}, 0
        for name, row in rows.items():
            known[name] = f"{at:08d}"
            at += len(f"{known[name]} {row.format(**dict.fromkeys(rows, '0' * 8))}\n")
        text = "".join(f"{known[name]} {rows[name].format(**known)}\n" for name in rows)
        (folder / f"data.{pos}").write_text(text)
        places = known | {
            other: known[name] for other, name in OTHER_NAMES.items() if name in known
        }
        entries = [f"{name} {pos[0]} 1 0 1 0 {at}\n" for name, at in places.items()]
        (folder / f"index.{pos}").write_text(INDEX.format("".join(entries)))
        (folder / f"{pos}.exc").write_text(IRREGULAR.get(pos, ""))
