"""How pydantic writes results: as their `to_dict`."""

from functools import cache
from importlib import import_module
from typing import Any


class AsDict:
    """The class attribute `__pydantic_serializer__` of a class with `to_dict`.

    FastAPI, and so Hayhooks, writes answers with pydantic, which infers the type of each value at run time
    and can write an object of an unknown class only if it has this attribute. Only pydantic reads it, so
    pydantic is loaded then. It is imported by name, because results must work without it.
    """

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return _serializer()


@cache
def _serializer() -> Any:
    core = import_module("pydantic_core")
    schema, function = core.core_schema, core.core_schema.plain_serializer_function_ser_schema
    return core.SchemaSerializer(schema.any_schema(serialization=function(lambda value: value.to_dict())))
