"""The reference shows `run` and `run_async` of judged components as they are called."""

from typing import Any

import griffe


class Judged(griffe.Extension):
    """Reads the code as text, where a `run` below `@judged` returns work, and `run_async` is made of it."""

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """Give the outputs to `run`, and to `run_async` its parameters."""
        run = cls.members.get("run")
        if not isinstance(run, griffe.Function) or "judged" not in map(_name, run.decorators):
            return
        run.returns = "dict[str, Any]"
        beside = griffe.Function("run_async", parameters=run.parameters, returns=run.returns)
        beside.docstring = griffe.Docstring("As `run`, without blocking the event loop.", parent=beside)
        beside.lineno, beside.endlineno = run.lineno, run.endlineno
        beside.labels.add("async")
        cls.set_member("run_async", beside)


def _name(decorator: griffe.Decorator) -> str:
    return str(decorator.value)
