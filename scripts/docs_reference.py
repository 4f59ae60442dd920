"""Pages of the reference, generated from the code whenever the documentation is built."""

import argparse
from collections.abc import Iterator
from importlib import import_module
from types import FunctionType, ModuleType

import thresher
from public_modules import MODULES
from thresher.cli.parser import parser
from thresher.components.catalogue import catalogue
from thresher.pipelines.library import RECIPES, recipe_text

_OWN_PAGES = ("thresher", "thresher.components")
_BAR = "&#124;"
"""A bar outside code, which would end the cell of a table. Within code it is shown as it is."""


def pages() -> dict[str, str]:
    """Return every generated page, by its path below `docs`."""
    return {
        "reference/command-line.md": command_line(),
        "reference/recipes.md": recipes(),
        "reference/components.md": components(),
        "reference/python.md": python(),
        "reference/modules.md": modules(),
    }


def command_line() -> str:
    """Document all commands with their options."""
    top = parser()
    parts = [f"# Command line\n\n{top.description}\n\n{top.epilog}\n"]
    for name, command, about in _subcommands(top):
        parts.append(f"## `thresher {name}`\n\n{about}\n\n{_options(command)}")
        for action, subcommand, what in _subcommands(command):
            parts.append(f"### `thresher {name} {action}`\n\n{what}\n\n{_options(subcommand)}")
    return "\n".join(parts)


def _subcommands(command: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser, str]]:
    """Name, parser and purpose of each command below a command."""
    for action in command._actions:  # noqa: SLF001  # argparse has no public access to its parts
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001  # the same
            for choice in action._choices_actions:  # noqa: SLF001  # the same
                subparser = action.choices[choice.dest]
                about = subparser.description or str(choice.help)
                yield choice.dest, subparser, f"{about[0].upper()}{about[1:]}"


def _options(command: argparse.ArgumentParser) -> str:
    """One table per group of options, below the group's name."""
    parts = []
    for group in command._action_groups:  # noqa: SLF001  # argparse has no public access to its parts
        rows = [
            f"| {_written(action)} | {_meaning(action)} |"
            for action in group._group_actions  # noqa: SLF001  # the same
            if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)  # noqa: SLF001  # the same
        ]
        if rows:
            title = str(group.title)
            about = f" {group.description}" if group.description else ""
            parts += [f"**{title[0].upper()}{title[1:]}.**{about}", ""]
            parts += ["| option | meaning |", "|---|---|", *rows, ""]
    return "\n".join(parts)


def _meaning(action: argparse.Action) -> str:
    """The help text as argparse shows it: `%%` is a percent sign, brackets are not links."""
    parts = (action.help or "").replace("%%", "%").split("`")
    return "`".join(text if code % 2 else _plain(text) for code, text in enumerate(parts))


def _plain(text: str) -> str:
    return text.replace("|", _BAR).replace("[", r"\[")


def _written(action: argparse.Action) -> str:
    shown = action.metavar or (
        "{" + ",".join(action.choices) + "}" if action.choices else action.dest.upper()
    )
    value = "" if action.nargs == 0 else str(shown)
    names = ", ".join(action.option_strings)
    return f"`{f'{names} {value}'.strip()}`"


def recipes() -> str:
    """Document all recipes: metrics, needed columns and YAML."""
    parts = [
        (
            "# Recipes\n\nA recipe is a Haystack pipeline as YAML in the package. Copy one and change it: "
            "`thresher run my.yaml --data FILE` accepts a file in place of a name.\n"
        )
    ]
    for name, recipe in sorted(RECIPES.items()):
        columns = ", ".join(f"`{column}`" for column in recipe.needs)
        text = "\n".join(f"    {line}".rstrip() for line in recipe_text(name).splitlines())
        parts.append(
            f"## `{name}`\n\n{recipe.purpose[0].upper()}{recipe.purpose[1:]}. Columns: {columns}.\n\n"
            f'??? note "{name}.yaml"\n\n    ```yaml\n{text}\n    ```\n'
        )
    return "\n".join(parts)


def components() -> str:
    """Document the component class of each metric."""
    parts = [
        (
            "# Components\n\n[The catalogue](../metrics.md) lists inputs, formula and differences of each "
            "metric by its short name. This page documents the classes.\n"
        )
    ]
    family = ""
    for entry in catalogue():
        if entry.family != family:
            family = entry.family
            parts.append(f"## {family}\n")
        parts.append(f"::: {thresher.metric_class(entry.name).__module__}.{entry.class_name}\n")
    return "\n".join(parts)


def python() -> str:
    """Document what `import thresher` exports."""
    return "\n".join(["# Python\n", *(f"::: {path}\n" for path in _exports("thresher"))])


def modules() -> str:
    """Document what the other public modules export, except the components, and nothing twice."""
    parts = ["# Modules\n\nWhat `thresher` exports too is in [Python](python.md).\n"]
    shown = set(_exports("thresher"))
    for module in MODULES:
        if module in _OWN_PAGES:
            continue
        paths = [path for path in _exports(module) if path not in shown]
        parts += [f"## `{module}`\n", *(f"::: {path}\n" for path in paths)]
        shown.update(paths)
    return "\n".join(parts)


def _exports(name: str) -> list[str]:
    """Where the names of a module are defined, which is where their documentation is."""
    module = import_module(name)
    exported = getattr(module, "__all__", None) or _defined(module)
    things = {public: getattr(module, public) for public in sorted(exported) if not public.startswith("__")}
    return [
        f"{thing.__module__}.{thing.__qualname__}"
        if isinstance(thing, type | FunctionType)
        else f"{name}.{public}"
        for public, thing in things.items()
    ]


def _defined(module: ModuleType) -> list[str]:
    return [
        name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__
    ]
