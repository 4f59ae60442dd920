"""Wrong usage in one line, and no option that silently overrides itself."""

import argparse
from typing import Any, NoReturn


class Parser(argparse.ArgumentParser):
    """A parser that tells what is wrong in one line, and refuses an option that is given twice.

    Options that may be repeated say so by `action="append"`.
    """

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        for action in (None, "store"):
            self.register("action", action, _Once)

    def error(self, message: str) -> NoReturn:
        """End with the exit code of wrong usage."""
        self.exit(2, f"thresher: {' '.join(message.split())}; see `{self.prog} --help`\n")


class _Once(argparse.Action):
    """Keeps a value, and refuses a second one: whoever gives two wants both."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002  # argparse's signature
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        before = vars(namespace).setdefault("_given", {})
        if option_string is not None and self.dest in before:
            raise argparse.ArgumentError(
                self, f"given twice, {before[self.dest]!r} and {values!r}; give it once"
            )
        before[self.dest] = values
        setattr(namespace, self.dest, values)
