"""What options do not take."""

WRONG = {
    "str": [3, True, ["a"], None],
    "str | None": [3, True, ["a"]],
    "bool": ["no", 1, None, [True]],
    "int": ["3", True, 2.0, None, [3]],
    "int | None": ["3", True, 2.0, [3]],
    "float": ["0.5", True, None, [0.5], float("nan")],
    "float | None": ["0.5", True, [0.5], float("nan")],
    "Sequence[float]": ["0.5", 0.5, ["a"], [True], None],
    "Sequence[float] | None": ["0.5", 0.5, ["a"], [True]],
    "Sequence[int]": ["3", 3, [1.5], None],
    "Sequence[str]": ["text", 3, [1], None],
    "list[str] | None": ["text", 3, [1]],
    "list[int] | None": ["1", 3, ["1"]],
    "list[float | None] | None": [0, ["a"], "ab"],
    "list[str] | str | None": [3, [1]],
    "Literal['higher', 'lower']": ["up", 3, None, ["higher"]],
    "Mapping[str, Any]": ["text", 3, None, {1: "a"}],
    "Mapping[Any, str] | None": ["text", 3, {1: 2}],
    "str | Mapping[Any, str]": [3, None, {1: 2}],
    "Mapping[str, Sequence[float]] | None": ["text", 3, {"a": 3}, {1: [2.0]}],
    "Sequence[Any] | Mapping[Any, Any] | None": ["text", 3],
    "ChatGenerator | None": ["gpt", 3],
    "Any": [object(), 3],
}
"""Annotation of an option -> values that it does not allow."""
