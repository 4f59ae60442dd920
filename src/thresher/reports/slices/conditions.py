"""Conditions on the columns of a run, e.g. `language == "de" and len(contexts) > 3`; nothing is executed.

The text is read by Python's parser, and only comparisons, `and`, `or`, `not`, `in`, `len()`, names of columns
and constants are understood.
"""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.files.expressions import parse_expression
from thresher.surface import undeclared

Mask = npt.NDArray[np.bool_]
Columns = Mapping[str, Sequence[Any]]
_COMPARED: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda one, other: one in other,
    ast.NotIn: lambda one, other: one not in other,
}

_NAMES = (ast.Name, ast.Attribute)
"""Names of columns; those of flattened data have dots, e.g. `meta.language`."""


def mask_of(text: str, columns: Columns, items: int) -> Mask:
    """Return which items meet a condition. An item without an entry meets no comparison but `is None`.

    Args:
        text: the condition.
        columns: name -> one entry per item.
        items: number of items.

    Raises:
        InputError: for a condition that cannot be read, an unknown column, or entries that do not compare.

    >>> mask_of('language in ["de", "fr"] and not hard', {"language": ["de", "en"], "hard": [False, True]}, 2)
    array([ True, False])
    """
    return _Reader(text, columns, items).truth(_parsed(text))


def lacking(text: str, columns: Columns, items: int) -> Mask:
    """Return which items lack an entry in a column of the condition, so that its value is unknown."""
    names = {ast.unparse(node) for node in ast.walk(_parsed(text)) if isinstance(node, _NAMES)}
    missing = np.zeros(items, np.bool_)
    for name in names & columns.keys():
        missing |= np.fromiter(map(lacks, columns[name]), np.bool_, items)
    return missing


def _parsed(text: str) -> ast.expr:
    return parse_expression(text, "condition", "language == 'de'")


class _Reader:
    """Walks one condition.

    Args:
        text: the condition, for messages.
        columns: name -> one entry per item.
        items: number of items.
    """

    def __init__(self, text: str, columns: Columns, items: int) -> None:
        self.text = text
        self.columns = columns
        self.items = items

    def truth(self, node: ast.expr) -> Mask:
        """Return which items meet a condition."""
        if isinstance(node, ast.BoolOp):
            parts = np.array([self.truth(part) for part in node.values])
            return np.asarray(parts.all(axis=0) if isinstance(node.op, ast.And) else parts.any(axis=0))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return ~self.truth(node.operand)
        if isinstance(node, ast.Compare):
            sides = [self.values(side) for side in (node.left, *node.comparators)]
            masks = [self.compared(op, *sides[i : i + 2]) for i, op in enumerate(node.ops)]
            return np.asarray(np.array(masks).all(axis=0))
        if isinstance(node, _NAMES):
            return np.array([not lacks(entry) and bool(entry) for entry in self.values(node)], dtype=np.bool_)
        raise self.strange(node)

    def values(self, node: ast.expr) -> Sequence[Any]:
        """Return one value per item."""
        if isinstance(node, _NAMES):
            name = ast.unparse(node)
            if name not in self.columns:
                known = ", ".join(self.columns) or "none"
                there = f"there are {known}{undeclared(name)}"
                raise InputError(f"condition {self.text!r}: no column {name!r}; {there}")
            return self.columns[name]
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "len" and len(node.args) == 1:
            return [_length(entry) for entry in self.values(node.args[0])]
        try:
            return [ast.literal_eval(node)] * self.items
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError) as error:
            raise self.strange(node) from error

    def compared(self, op: ast.cmpop, left: Sequence[Any], right: Sequence[Any]) -> Mask:
        """Return which items meet one comparison."""
        if isinstance(op, ast.Is | ast.IsNot):
            same = np.array([lacks(one) == lacks(other) for one, other in zip(left, right, strict=True)])
            return same if isinstance(op, ast.Is) else ~same
        holds = _COMPARED[type(op)]
        mask = np.zeros(self.items, np.bool_)
        for item, (one, other) in enumerate(zip(left, right, strict=True)):
            if lacks(one) or lacks(other):
                continue
            try:
                mask[item] = bool(holds(one, other))
            except (TypeError, ValueError) as error:
                pair = f"item {item + 1} has {one!r} and {other!r}, which cannot be compared"
                raise InputError(f"condition {self.text!r}: {pair}") from error
        return mask

    def strange(self, node: ast.expr) -> InputError:
        """Return the error for an expression that conditions do not have."""
        known = "comparisons of columns with constants, `and`, `or`, `not`, `in` and `len(column)`"
        return InputError(f"condition {self.text!r}: {ast.unparse(node)!r} is not understood; write {known}")


def _length(entry: Any) -> int | None:
    return len(entry) if hasattr(entry, "__len__") else None


def lacks(entry: Any) -> bool:
    """Return whether an entry is missing: None or NaN."""
    return entry is None or (isinstance(entry, float) and entry != entry)  # noqa: PLR0124 (NaN)
