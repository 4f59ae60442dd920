"""Parsing JSON, YAML and TOML of others."""

import json
import re
import sys
import tomllib
from collections.abc import Callable
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.limits import beyond, current_limits
from thresher.files.nesting import check_nesting, containers, parts_of, too_deep
from thresher.files.texts import is_text

_TOO_LARGE = "a whole number has more than 308 digits; give a smaller one"
_MANY_DIGITS = re.compile(r"\d{309}")
_MANY_PLACES = re.compile(r"[-+]?\d[\d_]*(?::[\d_]+){180}")
"""A number in base 60 (YAML 1.1: 1:30:00) of more than 308 digits, which takes PyYAML quadratic time."""


def parse_json(text: str, where: object, *, line: bool = True) -> Any:
    """Parse JSON.

    Args:
        text: the text.
        where: its place in messages, usually the path.
        line: whether messages add the line in the text to `where`.

    Raises:
        InputError: if it is not JSON, is nested too deeply, or has numbers that are too long.
    """
    value = decode_json(text, where, line=line)
    check_nesting(where, [value])
    check_digits(text, where, value)
    return value


def decode_json(text: str, where: object, *, line: bool = True) -> Any:
    """Parse JSON of any depth that Python can follow, and of any numbers; otherwise as `parse_json`."""
    try:
        return json.loads(text)
    except RecursionError:
        raise too_deep(where) from None
    except ValueError as error:
        place = f":{error.lineno}" if line and isinstance(error, json.JSONDecodeError) else ""
        raise InputError(f"{where}{place}: {json_problem(error)}") from None


def check_digits(text: str, where: object, value: Any) -> None:
    """Raise InputError if a value has whole numbers that are too long.

    Args:
        text: its JSON.
        where: its place in messages.
        value: the value.
    """
    if _MANY_DIGITS.search(text):  # fast; it may be in a text
        _check_numbers(where, value)


def json_problem(error: ValueError) -> str:
    """Describe an error of the JSON parser without its line."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON at column {error.colno} ({error.msg})"
    return _long_number(error) or f"not readable as JSON ({error})"


def parse_yaml(text: str, where: object, load: Callable[[str], Any] | None = None) -> Any:
    """Parse YAML.

    Args:
        text: the text.
        where: its place in messages, usually the path.
        load: the parser; default: PyYAML's safe one.

    Raises:
        InputError: if it is not YAML, is nested too deeply, or its aliases expand to too much.
    """
    import yaml

    try:
        _check_yaml(text, where)
        value = (load or yaml.safe_load)(text)
        _check_numbers(where, value)
    except InputError:
        raise
    except RecursionError:
        raise too_deep(where) from None
    # For malformed dates, numbers and truth values PyYAML raises exceptions other than YAMLError.
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        raise InputError(f"{where}: not YAML: {_yaml_problem(error)}") from error
    return value


def parse_toml(text: str, where: object) -> Any:
    """Parse TOML.

    Raises:
        InputError: if it is not TOML, or is nested too deeply.
    """
    try:
        value = tomllib.loads(text)
    except RecursionError:
        raise too_deep(where) from None
    except ValueError as error:
        raise InputError(f"{where}: not TOML: {_long_number(error) or error}") from error
    check_nesting(where, [value])
    _check_numbers(where, value)
    return value


def _check_numbers(where: object, value: Any) -> None:
    """Raise InputError for a whole number that is too large for a float, which any use would fail on."""
    level = [value]
    while level:
        if any(isinstance(part, int) and abs(part) > sys.float_info.max for part in level):
            raise InputError(f"{where}: {_TOO_LARGE}")
        level = list(parts_of(containers(level)))


def _check_yaml(text: str, where: object) -> None:
    """Check depth and size, with aliases counted as what they refer to, before anything is built."""
    import yaml

    nesting, limit = current_limits().nesting, current_limits().yaml_nodes
    sizes: dict[str, int] = {}
    open_nodes: list[tuple[str | None, int]] = [(None, 0)]
    keys: list[_Keys | None] = [None]  # of the mappings among the open nodes
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        anchor: str | None = getattr(event, "anchor", None)
        if isinstance(event, yaml.NodeEvent) and (mapping := keys[-1]) is not None:
            mapping.check(where, event)
        if isinstance(event, yaml.CollectionStartEvent):
            keys.append(_Keys() if isinstance(event, yaml.MappingStartEvent) else None)
            open_nodes.append((anchor, 1))
            if len(open_nodes) - 1 > nesting:
                raise too_deep(where)
            continue
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, size = open_nodes.pop()
            keys.pop()
        elif isinstance(event, yaml.AliasEvent):
            size = _size_of_alias(where, event, sizes)
        elif isinstance(event, yaml.ScalarEvent):
            _check_scalar(where, event)
            size = 1
        else:
            continue
        if anchor is not None and not isinstance(event, yaml.AliasEvent):
            sizes[anchor] = size
        outer, total = open_nodes.pop()
        if total + size > limit:
            raise beyond(where, f"expands to more than {counted(limit, 'value', form=',')}", "yaml_nodes")
        open_nodes.append((outer, total + size))


class _Keys:
    """The keys of a mapping: of a key that is written twice, PyYAML keeps the last without a word."""

    def __init__(self) -> None:
        self._seen: set[tuple[str, str]] = set()
        self._is_key = False

    def check(self, where: object, event: Any) -> None:
        """Raise InputError if the next node of the mapping is a key that it has already."""
        import yaml

        self._is_key = not self._is_key
        name = getattr(event, "value", None)
        if not self._is_key or name is None or name == "<<":
            return
        resolver: Any = yaml.resolver.Resolver()
        kind = resolver.resolve(yaml.ScalarNode, name, event.implicit)
        key = (name, event.tag or kind)  # `1` and `"1"` are different keys
        if key in self._seen:
            line = event.start_mark.line + 1
            raise InputError(f"{where}:{line}: the key {name!r} is there twice; remove one of them")
        self._seen.add(key)


def _size_of_alias(where: object, event: Any, sizes: dict[str, int]) -> int:
    if event.anchor not in sizes:  # undefined, or an alias inside of what it refers to
        line = event.start_mark.line + 1
        raise InputError(
            f"{where}:{line}: the alias *{event.anchor} refers to nothing before it; write it out"
        )
    return sizes[event.anchor]


def _check_scalar(where: object, event: Any) -> None:
    line = event.start_mark.line + 1
    if not is_text(event.value):
        raise InputError(f"{where}:{line}: holds half a character (a lone surrogate); remove it")
    if (event.implicit[0] or event.tag) and _MANY_PLACES.match(event.value):
        raise InputError(f"{where}:{line}: {_TOO_LARGE}")


def _yaml_problem(error: Exception) -> str:
    """Describe the problem and its places without the lines themselves, which may hold a credential."""
    parts = (
        (getattr(error, "context", None), getattr(error, "context_mark", None)),
        (getattr(error, "problem", None), getattr(error, "problem_mark", None)),
    )
    placed = [
        f"{what} in line {mark.line + 1}, column {mark.column + 1}" for what, mark in parts if what and mark
    ]
    text = ": ".join(placed) or _long_number(error) or str(error)
    return " ".join(text.split()) or type(error).__name__


def _long_number(error: Exception) -> str:
    """Explain Python's own limit on the digits of an integer; empty for another error."""
    if "integer string conversion" not in str(error):
        return ""
    most = sys.get_int_max_str_digits()
    return (
        f"a whole number has more than {counted(most, 'digit', form=',')}; write it as text, or set "
        "PYTHONINTMAXSTRDIGITS to allow more"
    )
