"""Limits of reading: a small file must not use disproportionate memory or time."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import asdict, dataclass, replace
from typing import Self

from thresher.errors import InputError

VARIABLE = "THRESHER_READ_LIMITS"
"""Environment variable with limits, such as `nesting=500,cells=1e9`."""


@dataclass(frozen=True)
class ReadLimits:
    """Maxima of what reading unpacks, expands and nests.

    Attributes:
        unpacked_bytes: bytes of one file after decompression.
        unpacked_ratio: bytes per compressed byte; the first 100 MB of a file are exempt. JSON and TSV reach 5
            to 60, gzip at most 1,032. Also cells per value of rows with different keys; 20 million are
            exempt.
        cells: cells of a table whose number does not follow from its size, as in Parquet and Excel.
        nesting: levels of lists and objects in JSON, YAML, cells and expressions.
        yaml_nodes: values of a YAML file after its aliases are replaced by what they refer to.
        expression_length: characters of a condition.
        pixels: pixels of an image that is decoded.
    """

    unpacked_bytes: int = 8_000_000_000
    unpacked_ratio: int = 250
    cells: int = 200_000_000
    nesting: int = 100
    yaml_nodes: int = 100_000
    expression_length: int = 100_000
    pixels: int = 150_000_000

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"the read limit {name}={value!r} must be a whole number of at least 1")

    def changed(self, limits: Mapping[str, int]) -> Self:
        """Limits with other values.

        Raises:
            InputError: for an unknown name, or a value that is not a whole number of at least 1.
        """
        known = asdict(self)
        unknown = next((name for name in limits if name not in known), None)
        if unknown is not None:
            raise InputError(f"read limit {unknown!r} is unknown; choose one of {', '.join(known)}")
        return replace(self, **limits)


_chosen: ContextVar[ReadLimits | None] = ContextVar("thresher_read_limits", default=None)


def current_limits() -> ReadLimits:
    """The limits of `read_limits`, else of the environment, else the defaults.

    Raises:
        InputError: if the environment variable cannot be read.
    """
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    text = os.environ.get(VARIABLE, "")
    return ReadLimits().changed(parse_limits(text.split(","), VARIABLE) if text else {})


@contextmanager
def read_limits(**limits: int) -> Iterator[ReadLimits]:
    """Change limits of reading for a `with` block: for files that are trusted, and larger than usual.

    Args:
        limits: attributes of `ReadLimits`; the others stay as they are.

    Raises:
        InputError: for an unknown name, or a value that is not a whole number of at least 1.

    >>> from thresher import read_dataset, read_limits
    >>> deep = [{"response": "a", "trace": [[[[1]]]]}]
    >>> with read_limits(nesting=5):
    ...     len(read_dataset(deep))
    1
    """
    changed = current_limits().changed(limits)
    token = _chosen.set(changed)
    try:
        yield changed
    finally:
        _chosen.reset(token)


def parse_limits(pairs: list[str], where: str) -> dict[str, int]:
    """Read texts such as `nesting=500` or `cells=1e9`.

    Raises:
        InputError: naming `where`, for a text of another form.

    >>> parse_limits(["nesting=500", "cells=1e9"], "--read-limit")
    {'nesting': 500, 'cells': 1000000000}
    """
    limits = {}
    for pair in pairs:
        name, _, text = (part.strip() for part in pair.partition("="))
        try:
            limits[name] = int(text) if text.isdecimal() else int(float(text))
        except (ValueError, OverflowError):
            raise InputError(f"{where}: {pair!r} is not of the form NAME=N, e.g. nesting=500") from None
    return limits


def beyond(where: object, problem: str, name: str, actual: int | None = None) -> InputError:
    """The error of exceeding a limit.

    Args:
        where: the file, or another name of what was read.
        problem: what exceeds the limit, as the rest of a sentence about it.
        name: the limit.
        actual: a value that would suffice, if it is known.
    """
    value = "N" if actual is None else actual
    return InputError(
        f"{where} {problem}; if you trust it, raise the limit with --read-limit {name}={value} "
        f"(Python: thresher.read_limits({name}={value}))"
    )
