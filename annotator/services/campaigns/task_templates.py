"""Tasks beyond substitution to start from: scales, guidelines and training items.

Their words are English, like the shipped scales; a manager edits or translates them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy


@dataclass(frozen=True, slots=True)
class TaskTemplate:
    """``training``: sentence, second sentence, expected values, explanation."""

    title: Promise
    scales: list[dict[str, Any]]
    guideline: str
    training: tuple[tuple[str, str, Mapping[str, Any], str], ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The guidelines with one line for a paragraph: line ends are shown."""
        return re.sub(r"(?<=[^\n])\n *(?=[A-Za-z*])", " ", self.guideline)


def labels(name: str, title: str, question: str, **anchors: str) -> dict[str, Any]:
    """A scale of labels, each named by its first word as stored."""
    points = [
        {"value": value, "label": value.replace("_", " ").capitalize(), "anchor": text}
        for value, text in anchors.items()
    ]
    return {"name": name, "title": title, "question": question, "kind": "nominal"} | {
        "points": points
    }


def ordered(
    name: str, title: str, question: str, threshold: float | None, **anchors: str
) -> dict[str, Any]:
    """A scale of points from the highest down to 1."""
    top = len(anchors)
    points = [
        {"value": top - at, "label": label.replace("_", " "), "anchor": anchor}
        for at, (label, anchor) in enumerate(anchors.items())
    ]
    scale = {"name": name, "title": title, "question": question, "points": points}
    return scale | {"threshold": threshold}


IDENTIFICATION = TaskTemplate(
    gettext_lazy("Paraphrase identification: do two sentences say the same?"),
    [
        labels(
            "same",
            "Paraphrase",
            "Do both sentences say the same?",
            yes="Both are true in the same situations; small things do not matter.",
            no="One can be true while the other is false.",
        )
    ],
    """## What to decide

Imagine a situation in which the first sentence is true. Is the second one true, too,
and the other way round? Then choose **Yes**.

| first | second | answer |
|---|---|---|
| The shop shut at six. | The shop closed at 6 p.m. | Yes |
| The shop shut at six. | The shop shut at six on Monday. | No: the second says more. |

Different words, order or style do not matter. Numbers, names and negation do.
""",
    (
        (
            "The committee approved the plan.",
            "The plan was approved by the committee.",
            {"same": "yes"},
            "Active and passive say the same.",
        ),
        (
            "The committee approved the plan.",
            "The committee discussed the plan.",
            {"same": "no"},
            "One can discuss a plan without approving it.",
        ),
    ),
)
ENTAILMENT = TaskTemplate(
    gettext_lazy("Entailment: does the second sentence follow from the first?"),
    [
        labels(
            "relation",
            "Relation",
            "If the first sentence is true, what about the second?",
            entailment="It must be true, too.",
            neutral="It may be true or false.",
            contradiction="It cannot be true.",
        )
    ],
    """## What to decide

Take the first sentence as true, and use everyday knowledge only.

| first | second | answer |
|---|---|---|
| Two dogs run on the beach. | Animals are outside. | Entailment |
| Two dogs run on the beach. | The dogs are brothers. | Neutral |
| Two dogs run on the beach. | The dogs are asleep. | Contradiction |

Both sentences are about the same event. Choose *Neutral* if you need a guess to
decide.
""",
    (
        (
            "A woman is slicing an onion.",
            "Someone is preparing food.",
            {"relation": "entailment"},
            "Slicing an onion is preparing food.",
        ),
        (
            "A woman is slicing an onion.",
            "A woman is cooking soup.",
            {"relation": "neutral"},
            "She may be cooking something else.",
        ),
    ),
)
_THREE = {"Yes": "", "Maybe": "Partly, or hard to say.", "No": ""}
SIMPLIFICATION = TaskTemplate(
    gettext_lazy("Simplification: the four questions of Sulem et al. 2018"),
    [
        ordered(
            "fluency",
            "Fluency",
            "Is the second sentence fluent and grammatical?",
            2,
            **_THREE,
        ),
        ordered(
            "added",
            "Nothing added",
            "Is the second sentence free of information that the first does not give?",
            2,
            **_THREE,
        ),
        ordered(
            "kept",
            "Nothing lost",
            "Does the second sentence keep all important information of the first?",
            2,
            **_THREE,
        ),
        ordered(
            "simpler",
            "Simpler structure",
            "Is the second sentence simpler, ignoring how difficult its words are?",
            2,
            **_THREE,
        ),
    ],
    """## What to decide

The second sentence was made to be simpler. Answer each question on its own: a simple
sentence may have lost something, and a faithful one may not be simple.

> **First:** Because it was raining, the match, which had been sold out, was postponed.
>
> **Second:** It was raining. The match was postponed.
>
> Fluent, nothing added, simpler: yes. Nothing lost: maybe, *sold out* is gone.

Difficult words do not make the structure less simple.
""",
    (
        (
            "The bridge, which was built in 1902, is closed.",
            "The bridge is closed. It was built in 1902.",
            {"fluency": 3, "added": 3, "kept": 3, "simpler": 3},
            "All is kept, in two plain sentences.",
        ),
    ),
)
TRANSLATION = TaskTemplate(
    gettext_lazy("Machine translation: adequacy and fluency"),
    [
        ordered(
            "adequacy",
            "Adequacy",
            "How much of the meaning of the reference is in the translation?",
            4,
            All="",
            Most="",
            Much="",
            Little="",
            Nothing="",
        ),
        ordered(
            "fluency",
            "Fluency",
            "How well is the translation written?",
            4,
            Flawless="",
            Good="",
            Non_native="",
            Disfluent="",
            Incomprehensible="",
        ),
    ],
    """## What to decide

The first sentence is the reference or the source, the second the translation.

- **Adequacy**: compare the meaning only. Wrong word forms do not matter if the
  meaning is clear.
- **Fluency**: read the translation alone. It can be fluent and wrong.

> **Reference:** The minister resigned yesterday.
>
> **Translation:** The minister will resign.
>
> Adequacy: *Much*. Who and what are right, the time is wrong. Fluency: *Flawless*.
""",
    (
        (
            "The train leaves at noon.",
            "At noon the train will depart.",
            {"adequacy": 5, "fluency": 5},
            "All of the meaning, and good English.",
        ),
    ),
)
ERRORS = TaskTemplate(
    gettext_lazy("Error marking: the most serious error of the second sentence"),
    [
        labels(
            "error",
            "Error",
            "What is the most serious error of the second sentence?",
            none="It says the same, in good language.",
            lost="Something of the first sentence is missing.",
            added="It says something that the first does not.",
            changed="Something is said differently: a name, a number, who does what.",
            language="The meaning is right, the language is not.",
        )
    ],
    """## What to decide

Choose one label. If there are several errors, take the most serious: *changed*, then
*lost* or *added*, then *language*. Write the words that are wrong into the comment.

| first | second | answer |
|---|---|---|
| Ada paid Bob. | Bob paid Ada. | Changed |
| Ada paid Bob on Friday. | Ada paid Bob. | Lost |
| Ada paid Bob. | Ada have paid Bob. | Language |
""",
    (
        (
            "The two boys broke the window.",
            "The three boys broke the window.",
            {"error": "changed"},
            "Another number: *two* became *three*.",
        ),
    ),
)
BEST_WORST = TaskTemplate(
    gettext_lazy("Best-worst scaling: the best and the worst paraphrase of a phrase"),
    [
        {
            "name": "best",
            "title": "Best and worst",
            "question": "Which paraphrase is the best here, and which is the worst?",
            "kind": "best",
        }
    ],
    """## What to decide

You see all paraphrases of a phrase. Choose the **best** and the **worst** of them in
this sentence: meaning first, then grammar. There are no ties; if two are equally
good, choose either.

The digits are rows: the first digit chooses the best, the second the worst.
""",
    settings={"mode": "grid", "overlap_share": 0, "k": 2},
)
TASKS = {
    "identification": IDENTIFICATION,
    "entailment": ENTAILMENT,
    "simplification": SIMPLIFICATION,
    "translation": TRANSLATION,
    "errors": ERRORS,
    "best": BEST_WORST,
}
