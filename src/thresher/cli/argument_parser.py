"""The parser of the command line: errors in one line, help of at most 100 columns, checked numbers."""

import argparse
import shutil
import sys
import textwrap
from collections.abc import Generator, Sequence
from decimal import Decimal
from typing import Any, NoReturn

from thresher.cli.surplus_words import surplus, unknown

Commands = argparse._SubParsersAction  # noqa: SLF001  # argparse exports no public name for it
_EXAMPLES = "examples:"
_MOST_COLUMNS = 100
_OPTION_COLUMNS = 28
_MOST = 10**15
"""Greatest number of items that `count` reads."""
_UNITS = {"k": 10**3, "M": 10**6, "G": 10**9}


class Parser(argparse.ArgumentParser):
    """A parser that reports wrong usage in one line and rejects an option that is given twice.

    Options that may be repeated use `action="append"`.

    Args:
        args: as for `ArgumentParser`.
        examples: commands that the end of the help shows, the simplest first.
        options: as for `ArgumentParser`.
    """

    def __init__(self, *args: Any, examples: Sequence[str] = (), **options: Any) -> None:
        super().__init__(*args, **{"formatter_class": _HelpFormatter} | options)
        self.examples = tuple(examples)
        self._alternatives: list[tuple[argparse.Action, argparse.Action]] = []
        if examples:
            self.epilog = "\n".join([_EXAMPLES, *examples])
        for action in (None, "store"):
            self.register("action", action, _StoreOnce)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """Reject unknown arguments here: argparse would not name the command."""
        words = sys.argv[1:] if args is None else list(args)
        options, left_over = super().parse_known_args(words, namespace)
        if left_over:
            self.error(unknown(left_over[0], words, self._option_string_actions))
        for positional, option in self._alternatives:
            self._check_one(options, words, positional, option)
        return options, left_over

    def add_alternatives(self, positional: argparse.Action, option: argparse.Action) -> None:
        """Require either a positional argument, which must be optional, or an option instead of it.

        argparse has groups for this, whose message does not name the word that was not expected.
        """
        self._alternatives.append((positional, option))

    def _check_one(
        self, options: Any, words: Sequence[str], positional: argparse.Action, option: argparse.Action
    ) -> None:
        name, word = option.option_strings[0], getattr(options, positional.dest)
        value = getattr(options, option.dest)
        if value is None and word is None:
            self.error(f"one of the arguments {positional.metavar} {name} is required")
        if value is not None and word is not None:
            remedy = f"give either {positional.metavar} or {name}"
            self.error(surplus(word, words, self._option_string_actions, remedy))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse an unknown command or value with suggestions; the message of argparse differs by version."""
        if action.choices is None or value in action.choices:
            return
        from thresher.results.suggestions import suggest  # --help must not load numpy

        similar = suggest(value, map(str, action.choices))
        if isinstance(action, Commands):
            self.error(f"unknown command {value!r}{similar}")
        listed = ", ".join(map(str, action.choices))
        raise argparse.ArgumentError(action, f"{value!r} is not one of {listed}{similar}")

    def error(self, message: str) -> NoReturn:
        """Exit with the code of wrong usage."""
        self.exit(2, f"thresher: {' '.join(message.split())}; see `{self.prog} --help`\n")


def leaves(command: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    """The commands below a command, or the command itself if it has none."""
    below = [action.choices.values() for action in command._actions if isinstance(action, Commands)]  # noqa: SLF001
    return [leaf for parsers in below for parser in parsers for leaf in leaves(parser)] or [command]


class _HelpFormatter(argparse.HelpFormatter):
    """Help of at most 100 columns: longer lines are hard to read on a wide terminal."""

    def __init__(self, prog: str, **options: Any) -> None:
        columns = min(shutil.get_terminal_size().columns, _MOST_COLUMNS)
        super().__init__(prog, **{"width": columns, "max_help_position": _OPTION_COLUMNS} | options)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Wrap paragraphs; continue the lines of examples as shells do."""
        if not text.startswith(_EXAMPLES):
            return super()._fill_text(text, width, indent)
        first, *examples = text.splitlines()
        wrap = textwrap.TextWrapper(width - 4, break_long_words=False, break_on_hyphens=False).wrap
        return "\n".join([first, *("  " + " \\\n    ".join(wrap(line)) for line in examples)])

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Wrap without breaking options and metric names at their hyphens."""
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)

    def _iter_indented_subactions(self, action: argparse.Action) -> Generator[argparse.Action, None, None]:
        """Align commands with the options: argparse indents them below their placeholder."""
        yield from action._get_subactions() if isinstance(action, Commands) else ()  # noqa: SLF001  # no other way

    def _format_action(self, action: argparse.Action) -> str:
        """Omit the line of the placeholder."""
        if isinstance(action, Commands):
            return "".join(map(self._format_action, self._iter_indented_subactions(action)))
        return super()._format_action(action)


class _StoreOnce(argparse.Action):
    """Store a value and reject a second one: argparse would silently use the last."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002  # argparse's signature
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        earlier = vars(namespace).setdefault("_given", {})
        if option_string is not None and self.dest in earlier:
            raise argparse.ArgumentError(
                self, f"given twice, {earlier[self.dest]!r} and {values!r}; give it once"
            )
        earlier[self.dest] = values
        setattr(namespace, self.dest, values)


def non_negative(text: str) -> int:
    """Read a whole number >= 0, as argparse's `type`."""
    return _whole_number(text, 0)


def positive(text: str) -> int:
    """Read a whole number >= 1, as argparse's `type`."""
    return _whole_number(text, 1)


def count(text: str) -> int:
    """Read a whole number >= 1 such as `5000`, `10k`, `1.5M` or `2G`, as argparse's `type`."""
    number, unit = (text[:-1], _UNITS[text[-1]]) if text[-1:] in _UNITS else (text, 1)
    try:
        value = Decimal(number) * unit
    except ArithmeticError:
        value = Decimal(0)
    if value.is_nan() or not 1 <= value <= _MOST or value != int(value):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a whole number of at least 1, such as 5000, 10k or 100M"
        )
    return int(value)


def _whole_number(text: str, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of at least {least}")
    return int(text)
