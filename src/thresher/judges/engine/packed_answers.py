"""Answers as text in a cache, with a digest."""

import hashlib
import json
import re
from types import NoneType
from typing import Any

from thresher.judges.flow import Answer
from thresher.known_secrets import without_secrets_in

_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str, NoneType),
    **dict.fromkeys(("model", "finish"), (str,)),
    **dict.fromkeys(("prompt_tokens", "completion_tokens", "tries"), (int,)),
    **dict.fromkeys(("cached_tokens", "cache_write_tokens", "reasoning_tokens"), (int,)),
    "latency": (int, float),
}
"""Types of the fields of a stored answer."""
_DIGIT = re.compile("[0-9]")
_DIGEST = "sha256"
"""Entry of a stored answer with the digest of the others: SQLite does not notice a flipped bit, which may
turn a rating of 4 into a 5."""


def cleaned(answer: Answer) -> Answer:
    """The answer without known secrets, which a server may repeat in any field: in the model's name, say.

    Of log-probabilities only those of digits are kept, which ratings are weighted by; and the tokens, if they
    spell the reply without secrets.
    """
    fields = without_secrets_in(vars(answer))
    if answer.logprobs is not None:
        kept = answer.logprobs if _are_logprobs(answer.logprobs) else []
        spells = "".join(token for token, _ in kept) == fields["text"]
        fields["logprobs"] = [[token, _of_digits(others)] for token, others in kept] if spells else None
    return answer if fields == vars(answer) else Answer(**fields)


def _of_digits(alternatives: list[Any]) -> list[Any]:
    return [entry for entry in alternatives if _DIGIT.fullmatch(entry[0].strip())]


def packed(answer: Answer) -> str:
    """An answer as JSON with a digest of its fields."""
    fields = json.dumps(vars(answer))
    return f'{fields[:-1]}, "{_DIGEST}": "{_digest(fields)}"}}'


def _digest(fields: str) -> str:
    return hashlib.sha256(fields.encode()).hexdigest()


def unpacked(text: object) -> Answer | None:
    """Inverse of `packed`; None for a damaged answer."""
    try:
        fields = json.loads(text)  # type: ignore[arg-type]  # another type raises TypeError
        digest = fields.pop(_DIGEST, None)
        answer = Answer(**fields) if digest == _digest(json.dumps(fields)) else None
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return answer if answer is not None and _has_types(answer) else None


def _has_types(answer: Answer) -> bool:
    """Whether the fields have their types: rows are as foreign as any file."""
    fields: dict[str, object] = vars(answer)
    kinds = all(type(fields[name]) in types for name, types in _TYPES.items())
    return kinds and (answer.logprobs is None or _are_logprobs(answer.logprobs))


def _are_logprobs(value: object) -> bool:
    """Whether a value is `[[token, [[alternative, logprob], ...]], ...]`."""
    try:
        return all(
            isinstance(text, str) and type(number) in (int, float)
            for token, alternatives in value  # type: ignore[attr-defined]
            for text, number in [(token, 0.0), *alternatives]
        )
    except (TypeError, ValueError):
        return False
