"""Whether a value matches a JSON Schema."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from time import monotonic
from typing import Any

import regex

from thresher.errors import InputError
from thresher.kernels.checks.conditions import SECONDS, UndecidedError, compiled, found

_MOST_PARTS = 100_000
_MOST_STEPS = 500_000
"""Keywords that one check may apply, and values that these visit: seconds. Their number may double with each
level of references."""
_STEPS_OF_REFERENCE = 5
_MOST_NESTED = 64
"""References within references: Python's limit is near 100, and packages in other languages abort there."""
_MOST_NAMES = 1_000
_LEAST_SECONDS = 0.001
_PROBES: tuple[Any, ...] = (None, True, 0, "", [], {})


@dataclass
class _Budget:
    """Steps and time of one check."""

    steps: int = 0
    seconds: float = 0.0
    nested: int = 0

    def spend(self, steps: int) -> None:
        self.steps += steps
        if self.steps > _MOST_STEPS:
            raise UndecidedError(f"the schema takes more than {_MOST_STEPS:,} steps for the answer")

    def within(self, errors: Iterable[Any] | None) -> Iterator[Any]:
        """The errors of what a reference means.

        Raises:
            RecursionError: for too many references within one another.
        """
        self.nested += 1
        try:
            if self.nested > _MOST_NESTED:
                raise RecursionError
            yield from errors or ()
        finally:
            self.nested -= 1

    def found(self, pattern: str, text: str) -> bool:
        self.spend(1)
        start = monotonic()
        try:
            return found(compiled(pattern), text, max(SECONDS - self.seconds, _LEAST_SECONDS))
        except regex.error as error:
            raise InputError(f"schema: {pattern!r} is not a regular expression: {error}") from None
        finally:
            self.seconds += monotonic() - start


def schema_check(schema: Mapping[str, Any]) -> Callable[[Any], str]:
    """Return the check of a schema: why a value does not match it, with its path; empty if it does.

    The check raises UndecidedError for a value that takes too many steps or too much time for
    patterns, and RecursionError for one that is nested too deeply.

    Args:
        schema: a schema of draft 2020-12, or of the draft that its `$schema` names. References must be
            within the schema: no reference is loaded from the network.

    Raises:
        InputError: for an invalid schema, and one that refers to another document, or without end to itself.
    """
    check = _Check(schema)
    try:
        check.probe()
    except RecursionError:
        raise InputError(
            "the schema refers to itself, or nests too deeply; put recursive references below `properties`"
        ) from None
    except UndecidedError:
        raise InputError(
            f"the schema takes more than {_MOST_STEPS:,} steps for an empty value; repeat fewer references"
        ) from None
    return check.problem


class _Check:
    def __init__(self, schema: Mapping[str, Any]) -> None:
        from jsonschema import Draft202012Validator
        from jsonschema.validators import extend, validator_for

        if next(islice(_parts(schema), _MOST_PARTS, None), None) is not None:
            raise InputError(f"schema has more than {_MOST_PARTS:,} parts")
        self._schema = schema
        self._budget = _Budget()
        self._known = validator_for(schema, default=Draft202012Validator)
        rules = {name: _limited(name, rule, self._budget) for name, rule in self._known.VALIDATORS.items()}
        self._limited: Any = extend(self._known, rules)
        self._has_patterns = any("patternProperties" in part for part in _parts(schema))

    def probe(self) -> None:
        """Check the schema and empty values; endless recursion for one of these is the schema's own."""
        from jsonschema import SchemaError
        from referencing.exceptions import Unresolvable

        try:
            self._known.check_schema(self._schema)
        except SchemaError as error:
            raise InputError(f"schema at {error.json_path}: {error.message}") from None
        for probe in _PROBES:
            self.problem(probe)
        self._budget.steps = 0
        whole = self._validator(self._schema)
        for reference in dict.fromkeys(_references(self._schema)):
            for probe in _PROBES:
                with suppress(Unresolvable, ValueError):  # perhaps no answer needs it
                    next(whole.evolve(schema={"$ref": reference}).iter_errors(probe), None)

    def problem(self, value: Any) -> str:
        """Why a value does not match; empty if it does."""
        from referencing.exceptions import Unresolvable

        try:
            return self._problem(value)
        except (RecursionError, UndecidedError, InputError):
            raise
        except Unresolvable as error:
            part = getattr(error, "anchor", "") or (error.ref if error.ref.startswith("/") else "")
            missing = f"#{part}" if part else error.ref
            raise InputError(
                f"the schema refers to {missing!r}, which is not loaded; put it below $defs"
            ) from None
        except Exception as error:  # noqa: BLE001  (references that are no URLs, say: jsonschema raises anything)
            raise InputError(f"schema: {type(error).__name__}: {error}") from None

    def _problem(self, value: Any) -> str:
        self._budget.steps, self._budget.seconds = 0, 0.0
        meant: Any = self._schema
        written: dict[str, str] = {}
        if self._has_patterns:
            meant, written = _with_names(self._schema, value, self._budget)
        error = next(self._validator(meant).iter_errors(value), None)
        if error is None:
            return ""
        message = error.message
        for names, pattern in written.items():
            message = message.replace(repr(names), repr(pattern))
        return f"{error.json_path}: {message}"

    def _validator(self, schema: Any) -> Any:
        from referencing import Registry

        return self._limited(schema, registry=Registry())  # the default loads references from the network


def _parts(schema: Any) -> Iterator[Any]:
    """The mappings and lists of a schema, those that are in several places in each; they may be endless."""
    parts = [schema]
    while parts:
        part = parts.pop()
        if isinstance(part, Mapping | list | tuple):
            yield part
            parts.extend(part.values() if isinstance(part, Mapping) else part)


def _references(schema: Any) -> Iterator[str]:
    for part in _parts(schema):
        if isinstance(part, Mapping) and isinstance(part.get("$ref"), str):
            yield part["$ref"]


def _limited(name: str, rule: Callable[..., Any], budget: _Budget) -> Callable[..., Any]:
    """The function of a keyword, which spends steps."""

    def counted(validator: Any, expected: Any, value: Any, schema: Any) -> Any:
        size = len(value) if isinstance(value, dict | list) else 0
        if name == "uniqueItems" and size and any(isinstance(entry, dict) for entry in value):
            size *= size // 10  # each is compared with each
        is_reference = name in ("$ref", "$dynamicRef", "$recursiveRef")
        budget.spend(size + (_STEPS_OF_REFERENCE if is_reference else 1))
        errors = rule(validator, expected, value, schema)
        return budget.within(errors) if is_reference else errors

    def pattern(validator: Any, expected: str, value: Any, _: Any) -> Iterator[Any]:
        from jsonschema import ValidationError

        if validator.is_type(value, "string") and not budget.found(expected, value):
            yield ValidationError(f"{value!r} does not match {expected!r}")

    return pattern if name == "pattern" else counted


def _with_names(schema: Any, value: Any, budget: _Budget) -> tuple[Any, dict[str, str]]:
    """The schema with the names of a value that match in the place of the patterns of `patternProperties`.

    jsonschema searches these patterns in several functions, without a limit of time.

    Returns:
        The schema, and for each new pattern the one that it replaces.
    """
    names = {name for part in _parts(value) if isinstance(part, dict) for name in part}
    if len(names) > _MOST_NAMES:
        raise UndecidedError(f"the answer has more than {_MOST_NAMES:,} names for patterns")
    written: dict[str, str] = {}

    def exact(pattern: str) -> str:
        met = "|".join(re.escape(name) for name in sorted(names) if budget.found(pattern, name))
        text = rf"^(?:{met})\Z(?#{len(written)})" if met else f"(?!)(?#{len(written)})"
        written[text] = pattern
        return text

    def meant(part: Any) -> Any:
        if isinstance(part, list | tuple):
            return [meant(entry) for entry in part]
        if not isinstance(part, Mapping):
            return part
        whole = {key: meant(entry) for key, entry in part.items()}
        patterns = whole.get("patternProperties")
        if isinstance(patterns, dict) and all(isinstance(entry, dict | bool) for entry in patterns.values()):
            whole["patternProperties"] = {exact(key): entry for key, entry in patterns.items()}
        return whole

    return meant(schema), written
