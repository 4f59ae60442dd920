"""The error of a conversation that cannot be read."""

from typing import Any

_SHOWN = 40  # characters of a text quoted in a message


class ConversationError(ValueError):
    """A part of a conversation is not what its field should hold.

    Attributes:
        actual: the field, with the index of its message, and what it holds.
        expected: what it should hold.
    """

    def __init__(self, field: str, value: Any, expected: str) -> None:
        self.actual = f"{field} that is {_described(value)}" if field else _described(value)
        self.expected = expected
        super().__init__(f"{self.actual}; expected {expected}")


def _described(value: Any) -> str:
    if value is None:
        return "missing"
    if isinstance(value, str):
        return f"the text {value if len(value) <= _SHOWN else value[: _SHOWN - 3] + '...'!r}"
    if isinstance(value, bool | int | float):
        return f"{value!r}"
    if isinstance(value, list):
        return "a list"
    return "an object" if isinstance(value, dict) else f"a {type(value).__name__}"
