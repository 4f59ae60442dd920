"""Labels of class numbers, as tools list them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.errors import InputError

ClassLabels = Sequence[str] | Mapping[Any, str]
"""One label per class number, counted from 0; or class number -> label."""

_NUMBER = re.compile("[0-9]{1,18}")


def class_labels(labels: object, where: str = "labels") -> dict[int, str]:
    """Class number -> label.

    Args:
        labels: `ClassLabels`, not checked yet.
        where: their place in messages.

    Raises:
        InputError: for anything else.

    >>> class_labels(["cat", "dog"]), class_labels({"1": "cat"})
    ({0: 'cat', 1: 'dog'}, {1: 'cat'})
    """
    if isinstance(labels, str | bytes) or not isinstance(labels, Mapping | Sequence):
        raise InputError(f"{where}: {labels!r:.80} must be a list of labels, or a dict number -> label")
    pairs = list(labels.items() if isinstance(labels, Mapping) else enumerate(labels))
    for number, label in pairs:
        if not _NUMBER.fullmatch(str(number)) or not isinstance(label, str) or not label.strip():
            raise InputError(f"{where}: {number!r}: {label!r} is not a whole number and its label")
    return {int(str(number)): label for number, label in pairs}
