"""Units of a conversation: what the user says, and what the assistant replies."""

from collections.abc import Sequence


def turn_units(roles: Sequence[str]) -> list[list[int]]:
    """Cut a conversation into units: turns of the user and the following turns of the assistant.

    A unit ends before the next turn of the user that follows a reply. Assistant turns before the first turn
    of the user belong to the first unit. A last turn of the user without a reply belongs to no unit, and
    messages of other roles, such as results of tools, to none either.

    Args:
        roles: role of each message.

    Returns:
        Per unit the indices of its messages.

    >>> turn_units(["user", "assistant", "user", "user", "assistant", "user"])
    [[0, 1], [2, 3, 4]]
    """
    units: list[list[int]] = []
    unit: list[int] = []
    asked = replied = False
    for index, role in enumerate(roles):
        if role not in ("user", "assistant"):
            continue
        if role == "user" and asked and replied:
            units.append(unit)
            unit, replied = [], False
        unit.append(index)
        asked = asked or role == "user"
        replied = asked and role == "assistant"
    return [*units, unit] if replied else units
