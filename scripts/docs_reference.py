"""Pages of the reference, made from the code when the documentation is built: they cannot grow stale."""

import argparse
from collections.abc import Iterator

import thresher
from thresher.cli.parser import parser
from thresher.components.catalogue import catalogue
from thresher.pipelines.library import RECIPES, load_recipe, recipe_text

_BAR = "\\|"


def pages() -> dict[str, str]:
    """Every generated page, by its path below the documentation."""
    return {
        "reference/command-line.md": command_line(),
        "reference/recipes.md": recipes(),
        "reference/components.md": components(),
        "reference/python.md": python(),
    }


def command_line() -> str:
    """All commands with their options."""
    top = parser()
    (commands,) = (each for each in top._actions if isinstance(each, argparse._SubParsersAction))  # noqa: SLF001  # argparse shows its parts no other way
    told = {choice.dest: choice.help for choice in commands._choices_actions}  # noqa: SLF001  # the same
    parts = [f"# Command line\n\n{top.description}\n\n{top.epilog}\n"]
    for name, command in commands.choices.items():
        about = command.description or told[name]
        parts.append(f"## `thresher {name}`\n\n{about[0].upper()}{about[1:]}\n\n{_options(command)}")
    return "\n".join(parts)


def _options(command: argparse.ArgumentParser) -> str:
    rows = []
    for group in command._action_groups:  # noqa: SLF001  # argparse shows its parts no other way
        for action in group._group_actions:  # noqa: SLF001  # the same
            if isinstance(action, argparse._HelpAction):  # noqa: SLF001  # the same
                continue
            rows.append(f"| {_written(action)} | {(action.help or '').replace('|', _BAR)} |")
    return "\n".join(["| option | meaning |", "|---|---|", *rows]) + "\n"


def _written(action: argparse.Action) -> str:
    shown = action.metavar or (
        "{" + ",".join(action.choices) + "}" if action.choices else action.dest.upper()
    )
    value = "" if action.nargs == 0 else str(shown)
    names = ", ".join(action.option_strings)
    return "`" + f"{names} {value}".strip().replace("|", _BAR) + "`"


def recipes() -> str:
    """All recipes: what they hold, what they need, and their text."""
    parts = [
        (
            "# Recipes\n\nA recipe is a Haystack pipeline as YAML in the package. Copy one and change it: "
            "`thresher run my.yaml --data FILE` takes a file as it takes a name.\n"
        )
    ]
    for name, recipe in sorted(RECIPES.items()):
        needed = [
            socket
            for facts in load_recipe(name).inputs().values()
            for socket, fact in facts.items()
            if fact["is_mandatory"]
        ]
        columns = ", ".join(f"`{socket}`" for socket in dict.fromkeys(needed))
        text = "\n".join(f"    {line}".rstrip() for line in recipe_text(name).splitlines())
        parts.append(
            f"## `{name}`\n\n{recipe.purpose[0].upper()}{recipe.purpose[1:]}. Columns: {columns}.\n\n"
            f'??? note "{name}.yaml"\n\n    ```yaml\n{text}\n    ```\n'
        )
    return "\n".join(parts)


def components() -> str:
    """All metrics as components, with the other components of the house."""
    parts = [
        (
            "# Components\n\nInputs, formula and differences of each metric, by its short name, stand in "
            "[the catalogue](../metrics.md). Here are the classes.\n"
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
    """What `import thresher` gives."""
    return "\n".join(["# Python\n", *_exports()])


def _exports() -> Iterator[str]:
    for name in sorted(thresher.__all__):
        if not name.startswith("__"):
            thing = getattr(thresher, name)
            yield f"::: {thing.__module__}.{thing.__qualname__}\n"
