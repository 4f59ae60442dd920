"""Prompts from texts, with a custom system message."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from thresher.errors import InputError
from thresher.files.nesting import too_deep
from thresher.files.texts import is_text
from thresher.judges.flow import Ask, T
from thresher.judges.prompt import FOLDER, INSTRUCTIONS, Data, Prompt
from thresher.judges.schema import ReplySchema

if TYPE_CHECKING:
    from thresher.judges.sandbox import BudgetEnvironment

NATIVE = ".native"
"""Ending of the names of prompts in the layout of a judge model."""


class Template(Prompt):
    """A prompt from a text. Its variables are fenced like the variables of prompt files.

    Args:
        name: its name in recordings and reasons.
        source: the jinja text, run in a sandbox, as it may come from an untrusted file.
        system: the system message; None for the shipped one, empty for no system message.
        instructions: variables that are not data under test.

    Raises:
        InputError: if the text is not a jinja template, or cannot be filled in.
    """

    def __init__(
        self, name: str, source: str, system: str | None = None, instructions: Iterable[str] = ()
    ) -> None:
        self.name, self.step, self.plain = name, name, frozenset[str]()
        self.instructions = frozenset(instructions)
        self.source = source
        self.system = (FOLDER / "system.txt").read_text(encoding="utf-8") if system is None else system
        self.system = self.system.strip()
        if not is_text(source + self.system):
            raise InputError(f"the template of {name} holds half a character (a lone surrogate); remove it")
        self.fingerprint = hashlib.sha256(f"{self.system}\0{source}".encode()).hexdigest()[:8]
        self._environment, self._template, self.variables = _compile(name, source)
        self._render({name: f"<{name}>\n-\n</{name}>" for name in self.variables})  # fail early

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.source, self.system, self.instructions)

    def _render(self, blocks: Mapping[str, str]) -> str:
        """Fill in the template, within the budget of its sandbox."""
        try:
            return self._environment.fill(self._template, blocks)
        except Exception as error:  # a template raises whatever its expressions raise
            raise InputError(
                f"the template of {self.name} cannot be filled in: {_first_line(error)}"
            ) from error

    def ask(self, schema: ReplySchema[T], *, subject: str = "", sample: int = 0, **data: Data) -> Ask[T]:
        """Fill in the prompt like `Prompt.ask`."""
        ask = super().ask(schema, subject=subject, sample=sample, **data)
        return ask if self.system else replace(ask, messages=ask.messages[1:])


@cache
def native(name: str) -> Template:
    """The shipped prompt `<name>.native`, in one message: the layout that a judge model was trained on."""
    source = (FOLDER / f"{name}{NATIVE}.jinja").read_text(encoding="utf-8")
    template = Template(name, source, system="", instructions=INSTRUCTIONS)
    template.step = f"{name}{NATIVE}"
    return template


@lru_cache(maxsize=64)  # copies, and each pipeline that is built, have the same templates
def _compile(name: str, source: str) -> tuple["BudgetEnvironment", Any, frozenset[str]]:
    from jinja2 import meta

    from thresher.judges.sandbox import BudgetEnvironment

    environment = BudgetEnvironment()
    try:
        tree = environment.parse(source)
        variables = meta.find_undeclared_variables(tree)
        template = environment.from_string(source)
    except RecursionError:
        raise too_deep(f"the template of {name}") from None
    except Exception as error:  # jinja's errors, and Python's errors in constant expressions
        number = getattr(error, "lineno", None)
        line = f"line {number}: " if number else ""
        raise InputError(
            f"the template of {name} is not a jinja template: {line}{_first_line(error)}"
        ) from error
    _check(name, tree, variables)
    return environment, template, frozenset(variables)


def _check(name: str, tree: Any, variables: set[str]) -> None:
    """Raise if the template takes a variable apart; each is one fenced text with numbered entries."""
    from jinja2 import nodes

    taken_apart = [loop.iter for loop in tree.find_all(nodes.For)]
    taken_apart += [part.node for part in tree.find_all((nodes.Getitem, nodes.Getattr))]
    for node in taken_apart:
        if isinstance(node, nodes.Name) and node.name in variables:
            raise InputError(
                f"the template of {name}, line {node.lineno}: {node.name} is inserted whole, with numbered "
                f"entries; write {{{{ {node.name} }}}} without a loop, an index or an attribute"
            )


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
