"""Log-probabilities of a reply's tokens, if the judge returns them."""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

TOP = 20
"""Alternatives requested for each token: the maximum of the providers."""
WANTED: tuple[tuple[str, Any], ...] = (("logprobs", True), ("top_logprobs", TOP))
"""Options of an ask that requests log-probabilities."""
_LEAST = -9999.0
"""OpenAI's value for an impossible token; other servers return minus infinity, which JSON cannot express."""


def read_logprobs(value: Any) -> list[Any] | None:
    """Read the log-probabilities of a reply: `[[token, [[alternative, logprob], ...]], ...]`.

    Args:
        value: a generator's `meta["logprobs"]`, in OpenAI's shape or plain already; anything else gives None.

    >>> top = [{"token": "4", "logprob": -0.1}, {"token": "5", "logprob": -2.4}]
    >>> read_logprobs({"content": [{"token": "4", "logprob": -0.1, "top_logprobs": top}]})
    [['4', [['4', -0.1], ['5', -2.4]]]]
    """
    if isinstance(value, list):
        return value
    content = value.get("content") if isinstance(value, Mapping) else None
    if not isinstance(content, Sequence) or not content:
        return None
    try:
        return [[str(entry["token"]), _alternatives(entry)] for entry in content]
    except (KeyError, TypeError, ValueError):
        return None


def alternatives_at(logprobs: Sequence[Any] | None, text: str, place: int, length: int) -> dict[str, float]:
    """Probabilities of the alternatives to the token at a position of a reply.

    Args:
        logprobs: as `read_logprobs` returns them.
        text: the reply.
        place: the position.
        length: length of the text there; it must be one token, apart from surrounding space.

    Returns:
        Token without surrounding space -> probability; empty if the tokens do not make up the reply, or if no
        single token is at the position.

    >>> halves = [["4", math.log(0.5)], ["5", math.log(0.5)]]
    >>> alternatives_at([["{", []], [" 4", halves], ["}", []]], "{ 4}", 2, 1)
    {'4': 0.5, '5': 0.5}
    """
    tokens = [token for token, _ in logprobs or ()]
    if "".join(tokens) != text:
        return {}
    ends = list(accumulate(map(len, tokens)))
    at = next((number for number, end in enumerate(ends) if end > place), len(ends))
    if at == len(ends) or tokens[at].strip() != text[place : place + length]:
        return {}
    probabilities: dict[str, float] = {}
    for token, logprob in (logprobs or ())[at][1]:
        probabilities[token.strip()] = probabilities.get(token.strip(), 0.0) + math.exp(logprob)
    return probabilities


def _alternatives(entry: Mapping[str, Any]) -> list[list[Any]]:
    others = entry.get("top_logprobs") or [entry]
    return [[str(other["token"]), max(float(other["logprob"]), _LEAST)] for other in others]
