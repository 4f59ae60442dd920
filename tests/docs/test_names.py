"""Commands, options, files, classes and functions that a sentence of the README or the docs names exist."""

import argparse
import ast
import inspect
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import thresher
from thresher import EvaluationResults, components
from thresher.cli.parser import parser

TOP = Path(__file__).parents[2]
PAGES = sorted([TOP / "README.md", TOP / "CONTRIBUTING.md", *(TOP / "docs").rglob("*.md")])
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
OPTION = re.compile(r"(?<![\w-])(--[a-z][a-z-]+)")
PATH = re.compile(r"^(?:python )?((?:benchmarks|docs|scripts|src|tests|tutorials)/[\w./-]+)")
ROOM = re.compile(r"^((?:cli|components|datasets|judges|kernels|pipelines|reports|results)/[\w./]*|\w+\.py)$")
DOTTED = re.compile(r"^thresher(?:\.\w+)+")
EVALUATOR = re.compile(r"^([A-Z]\w+Evaluator)\b")
METHOD = re.compile(r"^(EvaluationResults|results|result)\.(\w+)")
RESULTS = EvaluationResults.from_dict({"inputs": {"id": ["a"]}, "metrics": [{"name": "m", "scores": [1.0]}]})
OWNERS = {"EvaluationResults": EvaluationResults, "results": RESULTS, "result": RESULTS.metric("m").result}


def spans(page):
    """Code in sentences, without that of blocks."""
    return CODE.findall(FENCED.sub("", page.read_text(encoding="utf-8")))


def named(pattern, pages=PAGES):
    """Each different match, with the page that it is on."""
    seen = {}
    for page in pages:
        for span in spans(page):
            match = pattern.match(span)
            if match:
                seen.setdefault(match.group(match.lastindex or 0), (page, match))
    assert seen, "a pattern that matches nothing proves nothing"
    return [pytest.param(page, match, id=name) for name, (page, match) in seen.items()]


def verbs_of(command):
    """The subcommands of a parser by name; none where it has none."""
    choices = [
        action.choices for action in command._actions if isinstance(action, argparse._SubParsersAction)
    ]
    return choices[0] if choices else {}


def known_options():
    """Options of the command line, of the pytest plugin, and of the scripts that the docs show."""
    verbs = verbs_of(parser())
    everything = [*verbs.values(), *(inner for verb in verbs.values() for inner in verbs_of(verb).values())]
    options = {name for command in [parser(), *everything] for name in command._option_string_actions}
    plugin = (TOP / "src/thresher/pytest_plugin.py").read_text(encoding="utf-8")
    sources = [*(TOP / "benchmarks").rglob("*.py"), *(TOP / "scripts").rglob("*.py")]
    scripts = [path.read_text(encoding="utf-8") for path in sources]
    return verbs, options | {"--group"} | set(OPTION.findall(" ".join([plugin, *scripts])))


def test_options_are_options_of_a_command():
    _, options = known_options()
    unknown = {
        (page.name, option)
        for page in PAGES
        for span in spans(page)
        if "pip " not in span
        for option in OPTION.findall(span)
        if option not in options
    }
    assert not unknown


def test_commands_are_commands_and_take_the_options_they_are_named_with():
    verbs, _ = known_options()
    checked = 0
    for page in PAGES:
        for span in spans(page):
            words = span.split()
            if words[0] != "thresher" or len(words) == 1:
                continue
            if words[1] in parser()._option_string_actions:  # of the command line itself, as --version
                continue
            assert words[1] in verbs, f"{page.name}: {span}"
            options = OPTION.findall(span)
            assert set(options) <= set(verbs[words[1]]._option_string_actions), f"{page.name}: {span}"
            checked += 1
    assert checked > 5


def calls():
    """Calls of public functions in sentences, without those that leave arguments out as `...`."""
    for page in PAGES:
        for span in spans(page):
            name = span.partition("(")[0]
            if "(" in span and span.endswith(")") and "..." not in span and name in thresher.__all__:
                yield page, span


@pytest.mark.parametrize(("page", "span"), [pytest.param(*call, id=call[1]) for call in calls()])
def test_calls_have_the_arguments_that_the_function_needs(page, span):
    for call in ast.walk(ast.parse(span)):
        if not (isinstance(call, ast.Call) and getattr(call.func, "id", "") in thresher.__all__):
            continue
        keywords = dict.fromkeys(keyword.arg for keyword in call.keywords)
        try:
            inspect.signature(getattr(thresher, call.func.id)).bind(*call.args, **keywords)
        except TypeError as error:
            pytest.fail(f"{page.name}: {span}: {error}")


@pytest.mark.parametrize(("page", "match"), named(PATH))
def test_files_are_there(page, match):
    assert (TOP / match[1]).exists(), f"{page.name}: {match[0]}"


@pytest.mark.parametrize(("page", "match"), named(ROOM, [TOP / "CONTRIBUTING.md"]))
def test_rooms_are_there(page, match):
    assert (TOP / "src" / "thresher" / match[1]).exists(), match[0]


@pytest.mark.parametrize(("page", "match"), named(DOTTED))
def test_dotted_names_can_be_imported(page, match):
    names = match[0].split(".")
    for split in range(len(names), 0, -1):
        try:
            thing = import_module(".".join(names[:split]))
        except ModuleNotFoundError:
            continue
        for name in names[split:]:
            thing = getattr(thing, name)
        return
    pytest.fail(match[0])


FAMILIES = ("classification", "detection", "multilabel", "retrieval", "segmentation", "text")
HERE = [page for page in PAGES if page.parent.name != "coming-from" and page.name != "metrics.md"]
"""Pages that name only our own classes; the others name those of other libraries beside ours."""


def evaluators():
    """Every public class of the components."""
    modules = [components, *(import_module(f"thresher.components.{family}") for family in FAMILIES)]
    return {name for module in modules for name in module.__all__}


@pytest.mark.parametrize(("page", "match"), named(EVALUATOR, HERE))
def test_evaluators_are_components(page, match):
    assert match[1] in evaluators(), f"{page.name}: {match[0]}"


@pytest.mark.parametrize(("page", "match"), named(METHOD))
def test_methods_of_results_exist(page, match):
    assert hasattr(OWNERS[match[1]], match[2]), f"{page.name}: {match[0]}"


def test_targets_and_extras_exist():
    targets = re.findall(r"^([a-z]+):", (TOP / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    project = tomllib.loads((TOP / "pyproject.toml").read_text(encoding="utf-8"))
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert set(re.findall(r"`make ([a-z]+)`", text)) <= set(targets), page.name
        extras = {name for group in re.findall(r"thresher\[([\w,]+)\]", text) for name in group.split(",")}
        assert extras <= set(project["project"]["optional-dependencies"]), page.name
