"""Recognise names of credentials among options, headers and query parameters."""

import re

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_ALWAYS = re.compile(
    r"authori[sz]ation|secret|passw|passphrase|credential|cookie|bearer|api_?key|private_?key|access_?key"
)
"""Parts that only names of credentials have (lower case, words joined by `_`)."""
_WORDS = frozenset({"auth", "pwd", "pat", "jwt", "sas", "sig", "signature", "cert", "otp", "psk"})
_ENDINGS = ("key", "keys", "token", "tokens")
_PLACES = frozenset({"env", "envs", "var", "vars", "variable", "variables"})
"""Last words of names that say where a credential is stored, such as `api_key_env`."""
_OTHER_KEYS = frozenset({"cache", "label", "sort", "group", "field", "column", "num", "monkey", "turkey"})
_OTHER_TOKENS = (
    frozenset({"max", "min", "num", "n", "count", "counts", "limit", "budget", "per", "total", "context"})
    | frozenset({"completion", "prompt", "output", "input", "reasoning", "thinking", "cached", "new"})
    | frozenset({"eos", "bos", "pad", "stop", "unk", "sep", "mask", "cls", "special", "start", "end", "ids"})
)
"""Words that occur with `token` in names of counts and of special tokens: `max_tokens`, `eos_token`."""


def is_credential(name: str) -> bool:
    """Whether a name looks like the name of a credential.

    Case, digits and punctuation separate the words of a name. Redacting too much only makes a file harder to
    read, so every `key` and `token` counts except those known to be something else.

    >>> [is_credential(name) for name in ("Authorization", "x-goog-api-key", "access_token", "max_tokens")]
    [True, True, True, False]
    """
    words = [word.casefold() for word in _WORD.findall(name)]
    if not words or words[-1] in _PLACES:
        return False
    if is_surely_credential(name):
        return True
    last = {ending for word in words for ending in _ENDINGS if word.endswith(ending)}
    is_key = bool(last & {"key", "keys"}) and _OTHER_KEYS.isdisjoint(words)
    is_token = bool(last & {"token", "tokens"}) and _OTHER_TOKENS.isdisjoint(words)
    return is_key or is_token


def is_surely_credential(name: str) -> bool:
    """Whether a name is only used for credentials; `key` or `token` alone may be anything.

    >>> [is_surely_credential(name) for name in ("Authorization", "x-api-key", "key")]
    [True, True, False]
    """
    words = [word.casefold() for word in _WORD.findall(name)]
    return _ALWAYS.search("_".join(words)) is not None or not _WORDS.isdisjoint(words)


def is_token(name: str) -> bool:
    """Whether a name contains "token": a number with such a name is a count."""
    return "token" in name.casefold()
