"""Templates of others: a sandbox with a budget, so that none takes all memory or never ends.

Jinja's sandbox keeps a template from Python's internals, not from `{{ "x" * 10**10 }}` or loops within loops.
Here each operation that can make a text or list longer pays for its result before it is computed, each
iteration of a loop pays too, and so does the output.
"""

import functools
import inspect
import math
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

_WORK = 10_000_000
"""Characters and entries that a template may make without data; loops of 100,000 iterations."""
_PER_CHARACTER = 20
"""The same for each character of the data, which a template may insert several times."""
_ITERATION = 100
_ENTRIES = 20_000
"""Maximum entries of a collection at all depths; repeated entries count repeatedly."""
_BITS = 256
"""Size of the numbers that a template may compute."""
_REFUSED = {
    nodes.Macro: "macro",
    nodes.CallBlock: "call",
    nodes.AssignBlock: "a block of `set`",
    nodes.FilterBlock: "a block of `filter`",
}
"""Statements that collect output or call themselves; no prompt needs them."""
_PADDING = frozenset(
    {"center", "indent", "ljust", "rjust", "zfill", "expandtabs", "wordwrap", "batch", "slice"}
)
"""Filters and methods whose result grows with a number."""
_TOO_MUCH = "it makes too long a text, list or loop; shorten its loops and repetitions"
_WIDTH = re.compile(r"\d{4}|\*")
"""Widths of a format, such as `%10000d`, that make texts of any length."""


class BudgetEnvironment(ImmutableSandboxedEnvironment):
    """The sandbox of templates from texts."""

    intercepted_binops = frozenset({"*", "**", "+", "%"})

    def __init__(self) -> None:
        super().__init__(undefined=StrictUndefined, trim_blocks=True, autoescape=False)
        self._state = threading.local()
        del self.globals["lipsum"], self.filters["urlize"]
        self.filters = {name: self._paid(name, filter_) for name, filter_ in self.filters.items()}
        self.filters |= {"_counted": self._counted, "_joined": self._joined, "_built": self._built}

    def parse(self, *arguments: Any, **options: Any) -> nodes.Template:
        """Parse a template; loops and `~` pay from the budget.

        Raises:
            TemplateSyntaxError: for statements that are refused.
        """
        self._state.left = _WORK
        tree = super().parse(*arguments, **options)
        for node in tree.find_all((*_REFUSED, nodes.For)):
            refused = _REFUSED.get(type(node)) or (getattr(node, "recursive", False) and "a recursive loop")
            if refused:
                raise TemplateSyntaxError(f"{refused} is not allowed in a template", node.lineno)
        return tree

    def _generate(self, source: nodes.Template, *arguments: Any, **options: Any) -> str:
        """Compile, with a payment at each loop, `~` and collection."""
        for loop in list(source.find_all(nodes.For)):
            loop.iter = nodes.Filter(loop.iter, "_counted", [], [], None, None, lineno=loop.lineno)
        for parent in [source, *source.find_all(nodes.Node)]:
            for name, value in parent.iter_fields():
                setattr(parent, name, _replaced(value))
        return super()._generate(source, *arguments, **options)

    def fill(self, template: Template, blocks: Mapping[str, str]) -> str:
        """Fill a template in within the budget.

        Raises:
            SecurityError: if the template makes more than the budget allows.
        """
        self._state.left = _WORK + _PER_CHARACTER * sum(map(len, blocks.values()))
        parts = []
        for part in template.generate(blocks):
            self._pay(len(part))
            parts.append(part)
        return "".join(parts)

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Compute `*`, `**`, `+` or `%` after payment."""
        sizes = self._size(left), self._size(right)
        if sizes == (None, None):
            _check_number(operator, left, right)
        elif operator == "%":
            self._pay_format(left, [right])
        else:
            first, second = (1 if size is None else size for size in sizes)
            factors = [value for value in (left, right) if isinstance(value, int)]
            size = first * second * max([1, *factors]) if operator == "*" else first + second
            if size > _ENTRIES and any(isinstance(value, list | tuple) for value in (left, right)):
                raise SecurityError(_TOO_MUCH)
            self._pay(size)
        return super().call_binop(context, operator, left, right)

    def call(self, context: Any, called: Any, *arguments: Any, **options: Any) -> Any:
        """Call a method of a text or list, or a function, after payment."""
        owner = getattr(inspect.unwrap(called) if callable(called) else called, "__self__", None)
        if isinstance(owner, str | list | tuple):
            self._pay_call(getattr(called, "__name__", ""), [owner, *arguments, *options.values()])
        return super().call(context, called, *arguments, **options)

    def _paid(self, name: str, function: Any) -> Any:
        @functools.wraps(function)  # with the marks of filters that take the context or the environment
        def paid(*arguments: Any, **options: Any) -> Any:
            self._pay_call(name, [*arguments, *options.values()])
            return function(*arguments, **options)

        return paid

    def _pay_call(self, name: str, values: list[Any]) -> None:
        sizes = [size for value in values if (size := self._size(value)) is not None]
        numbers = [abs(value) for value in values if isinstance(value, int)] if name in _PADDING else []
        if name in ("format", "format_map"):
            self._pay_format(next((value for value in values if isinstance(value, str)), ""), values)
        else:
            self._pay(math.prod([max(1, factor) for factor in (*sizes, *numbers)]))

    def _pay_format(self, form: Any, values: list[Any]) -> None:
        if isinstance(form, str) and _WIDTH.search(form):
            raise SecurityError("a format has a width of more than 999")
        self._pay(sum(self._size(value) or 1 for value in (form, *values)))

    def _counted(self, values: Iterable[Any]) -> Iterator[Any]:
        for value in values:
            self._pay(_ITERATION)
            yield value

    def _joined(self, values: list[Any]) -> str:
        self._pay(self._size(values) or 0)
        return "".join(map(str, values))

    def _built(self, value: Any) -> Any:
        self._pay(self._size(value) or 0)
        return value

    def _size(self, value: Any) -> int | None:
        """Characters and entries of a text or collection at any depth; None for anything else."""
        if isinstance(value, str | bytes | range):
            return len(value)
        if not isinstance(value, list | tuple | dict | set):
            return None
        characters = entries = 0
        waiting: list[Any] = [value]
        while waiting:
            part = waiting.pop()
            entries += 1
            if isinstance(part, str):
                characters += len(part)
            elif isinstance(part, list | tuple | dict | set):
                waiting.extend(part.items() if isinstance(part, dict) else part)
            if entries + len(waiting) > _ENTRIES:
                raise SecurityError(_TOO_MUCH)
        return characters + entries

    def _pay(self, work: int) -> None:
        left = getattr(self._state, "left", _WORK) - work
        if left < 0:
            raise SecurityError(_TOO_MUCH)
        self._state.left = left


def _replaced(value: Any) -> Any:
    """A field of a parsed template, in which `~` and the brackets of collections are filters."""
    if isinstance(value, list):
        return [_replaced(entry) for entry in value]
    if isinstance(value, nodes.Concat):
        texts = nodes.List(list(map(_replaced, value.nodes)), lineno=value.lineno)
        return nodes.Filter(texts, "_joined", [], [], None, None, lineno=value.lineno)
    if isinstance(value, nodes.List | nodes.Dict) or (isinstance(value, nodes.Tuple) and value.ctx == "load"):
        return nodes.Filter(value, "_built", [], [], None, None, lineno=value.lineno)
    return value


def _check_number(operator: str, left: Any, right: Any) -> None:
    """Raise for a whole number of too many digits."""
    if not isinstance(left, int) or not isinstance(right, int):
        return
    bits = left.bit_length() * max(right, 0) if operator == "**" else left.bit_length() + right.bit_length()
    if bits > _BITS:
        raise SecurityError("it computes too large a number")
