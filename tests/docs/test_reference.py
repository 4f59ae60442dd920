"""The generated reference names everything that there is."""

import json
import re
from importlib import import_module
from pathlib import Path

import pytest

import docs_reference
from api_snapshot import public_names
from public_modules import MODULES
from thresher.cli.parser import parser
from thresher.components import metric_class, metric_names
from thresher.pipelines import recipe_names

TOP = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pages():
    return docs_reference.pages()


def test_every_command_and_every_option_stands_in_the_reference(pages):
    (commands,) = (each for each in parser()._actions if each.dest == "==SUPPRESS==" or each.choices)
    for name, command in commands.choices.items():
        section = pages["reference/command-line.md"].split(f"## `thresher {name}`\n")[1].split("\n## ")[0]
        for action in command._actions:
            assert all(option in section for option in action.option_strings if action.dest != "help"), action


def test_every_recipe_stands_in_the_reference(pages):
    for name in recipe_names():
        assert f"## `{name}`" in pages["reference/recipes.md"]


def test_every_component_stands_in_the_reference(pages):
    for name in metric_names():
        kind = metric_class(name)
        assert f"::: {kind.__module__}.{kind.__qualname__}\n" in pages["reference/components.md"]


def test_every_public_name_is_in_the_reference(pages):
    documented = set()
    for page in ("python", "modules", "components"):
        documented |= set(re.findall(r"^::: (\S+)$", pages[f"reference/{page}.md"], re.MULTILINE))
    last_parts = {path.rpartition(".")[2] for path in documented}
    for name in MODULES:
        for public in public_names(import_module(name)):
            if not public.startswith("__"):
                defined_as = getattr(getattr(import_module(name), public), "__name__", public)
                assert {public, defined_as} & last_parts, f"{name}.{public}"


def test_every_page_of_the_documentation_is_in_the_navigation():
    navigation = (TOP / "mkdocs.yml").read_text(encoding="utf-8")
    for page in (TOP / "docs").rglob("*.md"):
        assert str(page.relative_to(TOP / "docs")) in navigation, page


def test_every_tutorial_has_a_notebook_is_listed_and_is_in_the_navigation():
    listed = (TOP / "tutorials" / "README.md").read_text(encoding="utf-8")
    navigation = (TOP / "mkdocs.yml").read_text(encoding="utf-8")
    for twin in (TOP / "tutorials").glob("[0-9]*.py"):
        assert f"({twin.stem}.ipynb)" in listed
        assert f"tutorials/{twin.stem}.md" in navigation
        assert json.loads(twin.with_suffix(".ipynb").read_text(encoding="utf-8"))["nbformat"] == 4


def test_tables_of_options_show_bars_and_no_backslashes(pages):
    commands = pages["reference/command-line.md"]
    assert "`RECIPE|METRICS|FILE.yaml`" in commands
    assert "\\|" not in commands
    for line in commands.splitlines():
        if line.startswith("| "):
            assert re.sub(r"`[^`]*`", "", line).count("|") == 3, line
