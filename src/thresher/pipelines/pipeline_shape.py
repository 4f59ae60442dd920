"""Check the types of the entries of a parsed pipeline file.

Haystack reads them without a check, so that a number in the place of a text ends in an error about the inside
of Haystack, without the place in the file.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from thresher.errors import InputError

_EXAMPLE = "thresher.components.text.exact_match.ExactMatchEvaluator"


def check_shape(data: Mapping[str, Any], where: str) -> None:
    """Raise unless components and connections have the types that Haystack reads.

    Args:
        data: the parsed file, with a mapping `components`.
        where: the file, for messages.

    Raises:
        InputError: naming the component or the number of the connection, and its field.
    """
    for problem in (
        *_component_problems(data["components"]),
        *_connection_problems(data.get("connections", [])),
    ):
        raise InputError(f"{where} is not a pipeline that can be loaded: {problem}")


def _component_problems(components: Mapping[Any, Any]) -> Iterator[str]:
    for name, part in components.items():
        if not isinstance(name, str):
            yield f"the name of component {name!r} is not a text; write it in quotes"
        elif not isinstance(part, Mapping):
            yield f"component {name!r} is not a mapping; give one with `type` and `init_parameters`"
        elif "type" in part and not (isinstance(part["type"], str) and "." in part["type"]):
            yield f"component {name!r}: type is {part['type']!r}; give module and class, such as {_EXAMPLE}"
        elif not isinstance(part.get("init_parameters", {}), Mapping):
            yield f"component {name!r}: init_parameters is not a mapping; write {{}} for none"


def _connection_problems(connections: Any) -> Iterator[str]:
    if not isinstance(connections, list):
        yield "connections is not a list; write [] for none"
        return
    for number, connection in enumerate(connections, start=1):
        if not isinstance(connection, Mapping):
            yield f"connection {number} is not a mapping; give one with `sender` and `receiver`"
            continue
        for end, value in connection.items():
            if end in ("sender", "receiver") and not isinstance(value, str):
                yield f"connection {number}: {end} is {value!r}; write component.socket"
