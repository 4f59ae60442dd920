"""Checksum of the values in a file of results; indenting the file or sorting its keys does not change it."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from thresher.errors import InputError
from thresher.files.nesting import explain_recursion

CHECKSUM = "results_checksum"
"""Key of the checksum in a file. Not `checksum`, which data of other tools may have for something else."""
_EXACT = 2**53
"""Whole numbers below it are the same number as integers and as floats."""
_NOT_PLAIN = {dict, list, float}
"""Types that JSON programs may change; long lists without them are not copied."""


def with_checksum(text: str) -> str:
    """Return the JSON text of an object with the checksum as its last entry."""
    return f'{text[:-1]},"{CHECKSUM}":"{checksum_of(json.loads(text))}"}}'


def check_checksum(data: Mapping[str, Any], where: object) -> None:
    """Raise InputError if data differ from what their checksum was computed of; data without one pass.

    Args:
        data: what JSON of a file encodes.
        where: the file.
    """
    with explain_recursion(where):
        if CHECKSUM in data and data[CHECKSUM] != checksum_of(data):
            remedy = f'restore the file, or remove its entry "{CHECKSUM}" if it was edited on purpose'
            raise InputError(
                f"{where}: the values are not those that were saved (the checksum differs); {remedy}"
            )


def checksum_of(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the entries of an object, without its checksum.

    Programs that write JSON choose white space, escapes, the order of keys, and 1 or 1.0 for the same number;
    none of these changes the checksum.

    >>> checksum_of({"a": 1, "b": "é"}) == checksum_of({"b": "é", "a": 1.0, "results_checksum": "old"})
    True
    """
    entries = {key: _plain(value) for key, value in data.items() if key != CHECKSUM}
    text = json.dumps(entries, sort_keys=True, separators=(",", ":"))
    return f"sha256:{sha256(text.encode()).hexdigest()}"


def _plain(value: Any) -> Any:
    """A value whose whole floats are integers."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value] if _NOT_PLAIN & set(map(type, value)) else value
    if type(value) is float and value.is_integer() and abs(value) < _EXACT:
        return int(value)
    return value
