"""Check options with a closed set of values."""

from collections.abc import Collection

from thresher.errors import InputError
from thresher.results.suggestions import suggest


def check_choice(option: str, value: object, choices: Collection[object]) -> None:
    """Raise unless a value is one of the choices.

    Raises:
        InputError: lists the choices and suggests the most similar one.
    """
    if value not in choices:
        raise unknown_choice(f"{option}={value!r}", value, choices)


def unknown_choice(subject: str, value: object, choices: Collection[object]) -> InputError:
    """Return the error for a value that is not one of the choices.

    >>> str(unknown_choice("ties='trecc'", "trecc", ("input-order", "trec")))
    "ties='trecc' is unknown; choose one of input-order, trec (did you mean 'trec'?)"
    """
    names = [choice for choice in choices if isinstance(choice, str)]
    listed = ", ".join(map(str, choices))
    return InputError(f"{subject} is unknown; choose one of {listed}{suggest(value, names)}")
