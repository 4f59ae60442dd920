"""Token counts from the `usage` of providers."""

import math
from collections.abc import Mapping
from typing import Any

_READ, _WRITTEN = "cache_read_input_tokens", "cache_creation_input_tokens"
"""Anthropic's counts of input that its prompt cache supplied or stored."""


def token_counts(usage: Any) -> dict[str, Any]:
    """Return the token counts of a reply, as arguments of `Answer`.

    OpenAI counts cached input within `prompt_tokens`, and reasoning within `completion_tokens`. Anthropic's
    `input_tokens` exclude cached input, so it is added, unless a gateway has converted the counts: then
    there are details of the input as well.

    Args:
        usage: the reply's usage. A count that is not a finite number counts as 0.
    """
    if not isinstance(usage, Mapping):
        return {}
    sent = _details(usage, "prompt_tokens_details", "input_tokens_details")
    received = _details(usage, "completion_tokens_details", "output_tokens_details")
    prompt = _count(usage, "prompt_tokens", "input_tokens")
    completion = _count(usage, "completion_tokens", "output_tokens")
    cached = _count(sent, "cached_tokens") or _count(usage, _READ)
    written = _count(sent, "cache_write_tokens") or _count(usage, _WRITTEN)
    if not sent and (_READ in usage or _WRITTEN in usage):
        prompt += cached + written
    cached = min(cached, prompt)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "cached_tokens": cached,
        "cache_write_tokens": min(written, prompt - cached),
        "reasoning_tokens": min(_count(received, "reasoning_tokens"), completion),
    }


def _details(usage: Mapping[str, Any], *names: str) -> Mapping[str, Any]:
    return next((usage[name] for name in names if isinstance(usage.get(name), Mapping)), {})


def _count(counts: Mapping[str, Any], *names: str) -> int:
    value = next((counts[name] for name in names if counts.get(name)), 0)
    return int(value) if isinstance(value, int | float) and 0 < value < math.inf else 0
