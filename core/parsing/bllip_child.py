"""The process that runs BLLIP: requests and answers are lines of JSON.

    {"forms": [...], "tags": {"3": ["NN", "JJ"]}, "n": 50}
    {"parses": [[-90.9, "(S1 (S ...))"], ...], "tags": [...]}   or  {"error": "..."}

BLLIP holds one model per process, is not thread-safe, and ends its process on
unexpected input (a failed assert). So it runs in its own process, and a crash costs one
sentence. Library: bllipparser (Charniak & Johnson 2005).
"""

import json
import os
import sys
from typing import Any, TextIO


def main() -> None:
    """Load the model folder ``sys.argv[1]``, then answer until the input ends."""
    from bllipparser import RerankingParser

    answers = _without_noise()
    parser = RerankingParser()
    parser.load_parser_model(sys.argv[1])
    _say(answers, {"ready": True})
    for line in sys.stdin:
        try:
            answer = _parsed(parser, json.loads(line))
        except (ValueError, RuntimeError) as error:
            answer = {"error": str(error)}
        _say(answers, answer)


def _without_noise() -> TextIO:
    """Answers go to stdout; BLLIP's own output goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _parsed(parser: Any, query: dict[str, Any]) -> dict[str, Any]:
    parser.set_parser_options(nbest=query["n"])
    tags = {int(i): names for i, names in query["tags"].items()}
    ranked = parser.parse_tagged(query["forms"], tags)
    parses = [[parse.parser_score, str(parse.ptb_parse)] for parse in ranked]
    return {"parses": parses, "tags": _alone(query["forms"]) if not parses else []}


def _alone(forms: list[str]) -> list[str]:
    """Return the most probable tag of each word in isolation."""
    from bllipparser import Sentence

    return list(Sentence(forms).independent_tags())


def _say(answers: TextIO, what: dict[str, Any]) -> None:
    answers.write(json.dumps(what) + "\n")
    answers.flush()


if __name__ == "__main__":
    main()
