"""Why items have no score: the reasons that metrics store per item, and their short causes.

A reason is `[prompt: ][cause: ][ExceptionClass: message][, after N tries]`, for example
`valor/faithfulness: connection refused: APIConnectionError: Connection error., after 6 tries`.
"""

import re

from thresher.results.vocabulary import is_output

NO_SCORE = "no score was recorded"
"""The reason of an item whose recorded score is missing."""
_COLUMN = re.compile(r" in (\w+)$")
_NOT_ASKED = "not asked, as the judge stopped answering: "
_PROMPT = re.compile(r"[\w.-]+(?:/[\w.-]+)+: ")
_TRIES = re.compile(r",? after \d+ (?:tries|requests?)$")
_CAUSE = re.compile(r"(HTTP \d+(?:, [a-z ]+)?|[a-z][a-z ]*): ([A-Z]\w*)(?:: .*|$)")


def not_asked(reason: str) -> str:
    """The reason of an item that no judge was asked about, because the judge had stopped answering.

    Args:
        reason: the judge's last failure.
    """
    return _NOT_ASKED + reason


def short_cause(reason: str) -> str:
    """The cause alone: without the prompt, the number of tries and the message of an exception.

    >>> short_cause("own/claims: connection refused: APIConnectionError: Connection error., after 6 tries")
    'connection refused (APIConnectionError)'
    >>> short_cause("own/claims: no verdict on 2 of 7, after 5 requests")
    'no verdict on 2 of 7'
    """
    text = _TRIES.sub("", reason[match.end() :] if (match := _PROMPT.match(reason)) else reason)
    text = text.removeprefix(_NOT_ASKED)
    cause = _CAUSE.fullmatch(text)
    return f"{cause[1]} ({cause[2]})" if cause else text


def names_output(reason: str) -> bool:
    """Whether a reason blames a missing output of the system under test, or a missing score.

    >>> names_output("no entry in predicted_answers"), names_output("no entry in ground_truth_answers")
    (True, False)
    """
    column = _COLUMN.search(reason)
    return reason == NO_SCORE or (column is not None and is_output(column[1]))
