"""The list of fuzzers; a test compares it with the modules that read files."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

Action = Callable[[], object]


@dataclass(frozen=True)
class Fuzzer:
    """A maker of inputs.

    Attributes:
        name: its name in messages.
        modules: the modules whose reading it covers.
        prepare: folder -> function that writes an input and returns the action that reads it. Its argument is
            a generator of random numbers, or None for the input without mutations.
    """

    name: str
    modules: tuple[str, ...]
    prepare: Callable[[Path], Callable[[Random | None], Action]]


FUZZERS: list[Fuzzer] = []


def fuzzer(*modules: str):
    def register(prepare):
        FUZZERS.append(Fuzzer(prepare.__name__, modules, prepare))
        return prepare

    return register
