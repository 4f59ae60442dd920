"""Log-probabilities of a reply's tokens, where a judge gives them."""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Any

TOP = 20
"""Alternatives asked for at each token: the most that providers give."""
WANTED: tuple[tuple[str, Any], ...] = (("logprobs", True), ("top_logprobs", TOP))
"""Options of an ask that wants them."""
_LEAST = -9999.0
"""What OpenAI gives for a token that cannot be; other servers give minus infinity, which JSON cannot say."""


def read_logprobs(told: Any) -> list[Any] | None:
    """The log-probabilities of one reply as plain data: `[[token, [[alternative, logprob], ...]], ...]`.

    Args:
        told: what a generator tells in its `meta["logprobs"]`, in OpenAI's shape, or plain already; None
            and anything else is none.

    >>> top = [{"token": "4", "logprob": -0.1}, {"token": "5", "logprob": -2.4}]
    >>> read_logprobs({"content": [{"token": "4", "logprob": -0.1, "top_logprobs": top}]})
    [['4', [['4', -0.1], ['5', -2.4]]]]
    """
    if isinstance(told, list):
        return told
    content = told.get("content") if isinstance(told, Mapping) else None
    if not isinstance(content, Sequence) or not content:
        return None
    try:
        return [[str(entry["token"]), _alternatives(entry)] for entry in content]
    except (KeyError, TypeError, ValueError):
        return None


def alternatives_at(logprobs: Sequence[Any] | None, text: str, place: int, length: int) -> dict[str, float]:
    """Probabilities of the tokens that might have stood at a place of a reply.

    Args:
        logprobs: as `read_logprobs` gives them.
        text: the reply.
        place: where in the reply.
        length: of what stands there; one token must hold it, with no more than space around it.

    Returns:
        Token without surrounding space -> probability; empty where the tokens do not make up the reply, or
        no single one stands there.

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
    found: dict[str, float] = {}
    for token, logprob in (logprobs or ())[at][1]:
        found[token.strip()] = found.get(token.strip(), 0.0) + math.exp(logprob)
    return found


def _alternatives(entry: Mapping[str, Any]) -> list[list[Any]]:
    others = entry.get("top_logprobs") or [entry]
    return [[str(other["token"]), max(float(other["logprob"]), _LEAST)] for other in others]
