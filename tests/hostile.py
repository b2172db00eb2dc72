"""Files that mean harm, or are broken: name, format, bytes, and words of the complaint.

Written by us, small to describe and large to read. Each must give clear errors and,
when it is not imported in part, leave the database as it was.
"""

from collections.abc import Iterator
from dataclasses import dataclass

PAYLOAD = '<script>alert(1)</script>"><img src=x onerror=alert(2)> javascript:alert(3)'
"""Goes into every text field there is; must show as text everywhere."""


@dataclass(frozen=True)
class Hostile:
    name: str
    kind: str
    content: bytes
    says: str  # words of one of the issues
    good: int = 0  # records that can still be read


DEEP = b"(S (NN fine))\n" + b"(NP " * 10_000 + b"(NN deep)" + b")" * 10_000 + b"\n"
LAUGHS = b"""<?xml version="1.0"?>
<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;">]><corpus><body>&c;</body></corpus>
"""
STEAL = b"""<?xml version="1.0"?>
<!DOCTYPE entailment-corpus [<!ENTITY x SYSTEM "file:///etc/passwd">]>
<entailment-corpus><pair id="1"><t>&x;</t><h>b</h></pair></entailment-corpus>
"""
CONLLU = """1\tHi\thi\tINTJ\tUH\t_\t{head}\troot\t_\t_
2\tyou\tyou\tPRON\tPRP\t_\t1\tdep\t_\t_

"""
LAYER = '{"type":"layer","id":"a","pair":"p1","links":{"links":[["n7","w0","sure"]]}}\n'
BUNDLE = (
    '{"type":"bundle","gemel":1}\n'
    '{"type":"sentence","id":"s1","tokens":["a"]}\n'
    '{"type":"pair","id":"p1","source":"s1","target":"s1"}\n'
)


def files() -> Iterator[Hostile]:
    yield Hostile("deep.ptb", "ptb", DEEP, "nested deeper than 500", 1)
    long = b"source\ttarget\na\tb\n" + b"x" * (10 * 2**20 + 9) + b"\tb\nc\td\n"
    yield Hostile("long.tsv", "pairs", long, "a line longer than 10 MB", 2)
    yield Hostile("nul.tsv", "pairs", b"a\tb\nc\0\td\n", "control character U+0000", 1)
    lone = b'{"source":"a","target":"b"}\n{"source":"\\udc00","target":"b"}\n'
    yield Hostile("lone.jsonl", "jsonl", lone, "half of a surrogate pair", 1)
    raw = b"a\tb\n\xed\xa0\x80\tb\n"  # a surrogate written as if it were UTF-8
    yield Hostile("raw.tsv", "pairs", raw, "byte 0xED is not UTF-8", 1)
    latin = "source\ttarget\nCafé\tbar\nfine\ttoo\n".encode("latin-1")
    yield Hostile("latin.tsv", "pairs", latin, "byte 0xE9 is not UTF-8", 1)
    yield Hostile("laughs.xml", "tigerxml", LAUGHS, "entities, which are not read")
    yield Hostile("steal.xml", "rte", STEAL, "entities, which are not read")
    cut = b'<entailment-corpus><pair id="1"><t>a</t><h>b</h></pair><pair id="2"><t>'
    yield Hostile("cut.xml", "rte", cut, "may be cut off", 1)
    yield Hostile("cut.ptb", "ptb", b"(S (NN a))\n(S (NN b", "lacks 2 closing", 1)
    yield Hostile("cut.gemel", "gemel", BUNDLE.encode(), "cut off", 2)
    twice = b"id\tsource\ttarget\n1\ta\tb\n1\tc\td\n"
    yield Hostile("twice.tsv", "pairs", twice, "'1' is used twice", 1)
    gone = b"source\ttarget\tlinks\na b\tc\t1-0\na b\tc\t2-0\n"
    yield Hostile("gone.tsv", "pairs", gone, "to a missing token", 1)
    lost = BUNDLE + LAYER
    yield Hostile("lost.gemel", "gemel", lost.encode(), "missing node n7", 2)
    loop = (CONLLU.format(head=2) + CONLLU.format(head=0)).encode()
    yield Hostile("loop.conllu", "conllu", loop, "is on a cycle", 1)
    split = CONLLU.format(head=0).encode().replace(b"\t1\tdep", b"\t1\tde\xff")
    yield Hostile("split.conllu", "conllu", split, "byte 0xFF is not UTF-8")
    deep = b'{"source":' + b"[" * 200_000 + b"\n" + b'{"source":"a","target":"b"}\n'
    yield Hostile("abyss.jsonl", "jsonl", deep, "nested too deep", 1)
    for head in ("²", "9" * 5_000):  # digits to str.isdigit, not to int
        odd = (CONLLU.format(head=head) + CONLLU.format(head=0)).encode()
        yield Hostile(f"{head[0]}.conllu", "conllu", odd, "is not a word", 1)
    for name in ("²", "9" * 5_000):
        odd = CONLLU.format(head=0).replace("1\tHi", f"{name}\tHi").encode()
        yield Hostile(f"id{name[0]}.conllu", "conllu", odd, "is not a token id")
    bare = b"1-2\tab" + b"\t_" * 8 + b"\n"
    yield Hostile("bare.conllu", "conllu", bare, "empty nodes without a word")
    name = ("x" * 300).encode()
    yield Hostile(
        "id.tsv", "pairs", b"id\tsource\ttarget\n" + name + b"\ta\tb\n", "at most 200"
    )
    yield Hostile("wrong.jsonl", "jsonl", b"not \xff\xfe JSON\n", "not UTF-8")
