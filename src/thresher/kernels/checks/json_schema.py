"""Whether a value matches a JSON Schema."""

from collections.abc import Callable, Mapping
from typing import Any

from thresher.errors import InputError


def schema_check(schema: Mapping[str, Any]) -> Callable[[Any], str]:
    """Return the check of a schema: why a value does not match it, with its path; empty if it does.

    Args:
        schema: a schema of draft 2020-12, or of the draft that its `$schema` names. References must be
            within the schema: no reference is loaded from the network.

    Raises:
        InputError: for an invalid schema, and one that refers to another document.
    """
    from jsonschema import Draft202012Validator, SchemaError
    from jsonschema.validators import validator_for
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    known = validator_for(schema, default=Draft202012Validator)
    try:
        known.check_schema(schema)
    except SchemaError as error:
        raise InputError(f"schema at {error.json_path}: {error.message}") from None
    validator = known(schema, registry=Registry())  # the default registry loads references from the network

    def problem(value: Any) -> str:
        try:
            error = next(validator.iter_errors(value), None)
        except Unresolvable as unresolvable:
            raise InputError(
                f"schema: the reference {unresolvable.ref!r} is not within the schema; put it below $defs"
            ) from None
        return "" if error is None else f"{error.json_path}: {error.message}"

    return problem
