"""Parsing expressions in Python's syntax; nothing is executed."""

import ast

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.limits import beyond, current_limits

_SHOWN = 60  # characters of an expression quoted in a message


def parse_expression(text: str, what: str, example: str) -> ast.expr:
    """Parse one expression.

    Args:
        text: the expression.
        what: its kind in messages, e.g. `condition`.
        example: an expression to show as remedy.

    Raises:
        InputError: if it cannot be read, is too long, or is nested too deeply.
    """
    limits, where = current_limits(), f"{what} {shown(text)}"
    if len(text) > limits.expression_length:
        problem = f"has more than {counted(limits.expression_length, 'character', form=',')}"
        raise beyond(where, problem, "expression_length", len(text))
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (RecursionError, MemoryError):  # MemoryError: how Python's parser reports its own limit
        raise _too_deep(where, limits.nesting) from None
    except (SyntaxError, ValueError) as error:
        raise InputError(f"{where} cannot be read; write e.g. {example}") from error
    level: list[ast.AST] = [tree]
    for _ in range(limits.nesting):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree
    raise _too_deep(where, limits.nesting)


def shown(text: str) -> str:
    """An expression for a message, shortened if it is long."""
    return repr(text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}...")


def _too_deep(where: str, nesting: int) -> InputError:
    return beyond(where, f"is nested too deeply: more than {counted(nesting, 'level')}", "nesting")
