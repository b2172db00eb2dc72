"""A small example of each format, to be looked at before one's own files are made."""

_TIGER = """<?xml version="1.0" encoding="UTF-8"?>
<corpus id="{id}">
<body>
<s id="{id}1"><graph root="{id}1_500">
<terminals>
<t id="{id}1_1" word="{first}" pos="PRP"/>
<t id="{id}1_2" word="sleeps" pos="VBZ"/>
</terminals>
<nonterminals>
<nt id="{id}1_500" cat="S"><edge label="SBJ" idref="{id}1_1"/>
<edge label="HD" idref="{id}1_2"/></nt>
</nonterminals>
</graph></s>
</body>
</corpus>
"""
_TREEALIGN = """<?xml version="1.0" encoding="UTF-8"?>
<treealign>
<head>
<treebanks>
<treebank id="a" language="en" filename="source.xml"/>
<treebank id="b" language="en" filename="target.xml"/>
</treebanks>
</head>
<alignments>
<align type="good"><node treebank_id="a" node_id="a1_1"/>
<node treebank_id="b" node_id="b1_1"/></align>
</alignments>
</treealign>
"""
_RTE = """<?xml version="1.0" encoding="UTF-8"?>
<entailment-corpus>
<pair id="1" entailment="YES" task="QA">
<t>The boat left the harbour at noon.</t>
<h>A boat left the harbour.</h>
</pair>
</entailment-corpus>
"""
_CONLLU = """# sent_id = 1
# text = She sleeps.
1\tShe\tshe\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2\tsleeps\tsleep\tVERB\tVBZ\t_\t0\troot\t_\tSpaceAfter=No
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""
_GEMEL = """{"type": "bundle", "gemel": 1}
{"type": "corpus", "name": "Boats", "licence": "CC0", "source_language": "en", \
"target_language": "en"}
{"type": "sentence", "id": "s1", "tokens": ["The", "boat", "left", "."], \
"language": "en"}
{"type": "end", "records": 3}
"""
EXAMPLES: dict[str, dict[str, str]] = {
    "ptb": {"trees.ptb": "(S (NP (PRP She)) (VP (VBZ sleeps)) (. .))\n"},
    "conllu": {"trees.conllu": _CONLLU},
    "lines": {"sentences.txt": "The boat left at noon.\nIt came back at night.\n"},
    "tigerxml": {"trees.xml": _TIGER.format(id="a", first="She")},
    "treealigner": {
        "links.xml": _TREEALIGN,
        "source.xml": _TIGER.format(id="a", first="She"),
        "target.xml": _TIGER.format(id="b", first="He"),
    },
    "pharaoh": {
        "links.align": "0-0 1-2 2?3\n",
        "source.txt": "She sleeps .\n",
        "target.txt": "She is asleep .\n",
    },
    "pairs": {
        "pairs.tsv": "id\tsource\ttarget\tlabel\n"
        "1\tThe boat left at noon.\tAt noon the boat left.\tsame\n"
    },
    "jsonl": {
        "pairs.jsonl": '{"id": "1", "source": "The boat left at noon.", '
        '"target": "At noon the boat left.", "label": "same"}\n'
    },
    "msrpc": {
        "msrpc.txt": "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n"
        "1\t10\t11\tThe boat left at noon.\tAt noon the boat left.\n"
    },
    "rte": {"rte.xml": _RTE},
    "multimwa": {
        "words.tsv": "1\tShe sleeps .\t-\tShe is asleep .\t-\t3\t4\t"
        "0-0 2-3\t0-0 1-2 2-3\n"
    },
    "gemel": {"boats.gemel": _GEMEL},
}
