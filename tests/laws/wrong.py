"""Values that options do not allow."""

import inspect
import re
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

WRONG = {
    "str": [3, True, ["a"], None],
    "str | None": [3, True, ["a"]],
    "str | int | bool | None": [0.5, ["a"]],
    "Sequence[str | int | bool] | None": ["text", 3, [0.5]],
    "Sequence[str | int] | None": ["text", 3, [0.5]],
    "bool": ["no", 1, None, [True]],
    "int": ["3", True, 2.0, None, [3]],
    "int | str | None": [True, 2.0, [3]],
    "int | None": ["3", True, 2.0, [3]],
    "float": ["0.5", True, None, [0.5], float("nan")],
    "float | None": ["0.5", True, [0.5], float("nan")],
    "Sequence[float]": ["0.5", 0.5, ["a"], [True], None],
    "Sequence[float] | None": ["0.5", 0.5, ["a"], [True]],
    "Sequence[int]": ["3", 3, [1.5], None],
    "Sequence[str]": ["text", 3, [1], None],
    "Sequence[str] | None": ["text", 3, [1]],
    "list[str] | None": ["text", 3, [1]],
    "list[int] | None": ["1", 3, ["1"]],
    "Sequence[str] | str": [3, [1], None],
    "list[float | None] | None": [0, ["a"], "ab"],
    "list[str] | str | None": [3, [1]],
    "Mapping[str, Any]": ["text", 3, None, {1: "a"}],
    "Sequence[Mapping[str, Any]] | None": ["text", 3, ["a"], [{1: "a"}]],
    "Mapping[Any, str] | None": ["text", 3, {1: 2}],
    "Mapping[str, Any] | str | Path | None": [3, ["a"]],
    "str | Mapping[Any, str]": [3, None, {1: 2}],
    "Mapping[str, float] | None": ["text", 3, {"a": "b"}, {1: 2.0}],
    "Mapping[str, Sequence[float]] | None": ["text", 3, {"a": 3}, {1: [2.0]}],
    "Sequence[Any] | Mapping[Any, Any] | None": ["text", 3],
    "Sequence[str] | Mapping[str, Sequence[str]] | None": ["text", 3, [1], {"a": 3}],
    "Mapping[str, Sequence[str]] | None": ["text", 3, {"a": 3}, {1: ["a"]}],
    "Mapping[str, Sequence[str]]": ["no such choice", 3, None, {"a": 3}, {1: ["a"]}],
    "ChatGenerator | JudgePanel | Sequence[ChatGenerator] | None": ["gpt", 3],
    "Any": [object(), 3],
}
"""Type of an option -> values that it does not allow."""


def wrong_values(kind: Any) -> list[Any]:
    """Values that the type of an option does not allow."""
    optional = get_origin(kind) in (Union, UnionType) and NoneType in get_args(kind)
    if re.search(r"Sequence\[.*Literal", str(kind)):
        return ["text", 3, ["no such choice"], *([] if optional else [None])]
    parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    if all(part is NoneType or get_origin(part) is Literal for part in parts):
        return ["no such choice", 3.5, ["a"], *([] if NoneType in parts else [None])]
    parts = tuple(part for part in parts if get_origin(part) is not Literal)  # and one type next to choices
    kind = parts[0] if len(parts) == 1 else kind
    return WRONG[re.sub(r"\b[a-z_]+(\.[a-z_]+)*\.(?=[A-Z])", "", inspect.formatannotation(kind))]
