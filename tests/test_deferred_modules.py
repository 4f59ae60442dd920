"""Modules that are executed when they are used."""

import importlib
import subprocess
import sys

import pytest

from thresher.deferred_modules import DeferringFinder, defer_unused_modules

SOURCE = """
import sys
sys.executed.append(__name__)
constant = 7
"""


@pytest.fixture
def executed(tmp_path, monkeypatch):
    """The modules that were executed; `late_plain` and the package `late_package` are deferred."""
    names = ("late_plain", "late_package", "late_package.inner", "late_broken")
    (tmp_path / "late_plain.py").write_text(SOURCE)
    (tmp_path / "late_package").mkdir()
    (tmp_path / "late_package" / "__init__.py").write_text(f"{SOURCE}from late_package.inner import deep\n")
    (tmp_path / "late_package" / "inner.py").write_text(f"{SOURCE}deep = 8\n")
    (tmp_path / "late_broken.py").write_text("raise ValueError('broken')\n")
    monkeypatch.setattr(sys, "executed", [], raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        sys,
        "meta_path",
        [DeferringFinder({"late_plain": {}, "late_package": {}, "late_broken": {}}), *sys.meta_path],
    )
    yield sys.executed
    for name in names:
        sys.modules.pop(name, None)


def test_a_deferred_module_is_executed_once_when_a_name_is_read(executed):
    module = importlib.import_module("late_plain")
    importlib.import_module("late_plain")
    assert executed == []
    assert (module.constant, module.constant) == (7, 7)
    assert executed == ["late_plain"]


def test_a_name_that_a_deferred_module_lacks_is_an_attribute_error(executed):
    module = importlib.import_module("late_plain")
    with pytest.raises(AttributeError, match="late_plain"):
        module.absent  # noqa: B018
    assert not hasattr(module, "absent")
    assert executed == ["late_plain"]


def test_a_deferred_package_imports_its_own_modules(executed):
    package = importlib.import_module("late_package")
    assert executed == []
    assert package.deep == 8
    assert executed == ["late_package", "late_package.inner"]


def test_modules_of_a_deferred_package_are_imported(executed):
    assert importlib.import_module("late_package.inner").deep == 8
    assert sys.modules["late_package"].constant == 7


def test_an_error_of_a_deferred_module_is_raised_where_it_is_used(executed):
    module = importlib.import_module("late_broken")
    with pytest.raises(ValueError, match="broken"):
        module.anything  # noqa: B018


def test_other_modules_are_not_deferred(executed):
    assert DeferringFinder({"late_plain": {}}).find_spec("late_broken", None) is None


@pytest.mark.parametrize(("telemetry", "deferred"), [("False", True), ("True", False), ("1", False)])
def test_the_reporter_of_haystack_is_deferred_unless_it_is_switched_on(monkeypatch, telemetry, deferred):
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", telemetry)
    monkeypatch.setattr(sys, "meta_path", [])
    assert [defer_unused_modules(), defer_unused_modules()] == [True, False]
    (finder,) = sys.meta_path
    assert ("posthog" in finder._modules) is deferred


@pytest.fixture
def graphs(tmp_path, monkeypatch):
    """A deferred package whose name `small` can be read without executing it."""
    folder = tmp_path / "late_graphs"
    folder.mkdir()
    (folder / "__init__.py").write_text(
        "from late_graphs import part\nfrom late_graphs.part import small\nlarge = 9\n"
    )
    (folder / "part.py").write_text("small = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    places = {"small": "late_graphs.part", "part": "late_graphs"}
    monkeypatch.setattr(sys, "meta_path", [DeferringFinder({"late_graphs": places}), *sys.meta_path])
    yield folder
    for name in ("late_graphs", "late_graphs.part"):
        sys.modules.pop(name, None)


def test_a_name_with_a_place_is_read_without_the_package(graphs):
    package = importlib.import_module("late_graphs")
    assert (package.small, package.part.small) == (3, 3)
    assert "large" not in vars(package)
    assert package.large == 9
    assert package.small == 3


def test_a_submodule_does_not_hide_a_name_with_a_place(graphs):
    (graphs / "small.py").write_text("")
    package = importlib.import_module("late_graphs")
    module = importlib.import_module("late_graphs.small")
    assert (package.small, sys.modules.pop("late_graphs.small")) == (3, module)
    assert package.large == 9
    assert package.small == 3


@pytest.mark.parametrize(
    "part",
    [
        "other = 3\n",
        "import late_graphs\nsmall = late_graphs.small if hasattr(late_graphs, 'large') else 3\n",
        "from late_graphs import large\n",
    ],
    ids=["moved", "reads-more", "needs-the-package"],
)
def test_a_package_is_executed_if_a_place_does_not_have_the_name(graphs, part):
    (graphs / "part.py").write_text(part)
    (graphs / "__init__.py").write_text("large, small = 9, 3\n")
    package = importlib.import_module("late_graphs")
    assert (package.small, package.large) == (3, 9)


def test_a_package_that_replaces_itself_is_read_from_the_replacement(graphs):
    (graphs / "__init__.py").write_text(
        "import sys, types\nsys.modules[__name__] = types.SimpleNamespace(large=11)\nhere = 1\n"
    )
    package = importlib.import_module("late_graphs")
    assert (package.large, package.here, package.large) == (11, 1, 11)
    with pytest.raises(AttributeError):
        package.absent  # noqa: B018


CODE = """
import sys
from thresher.deferred_modules import defer_unused_modules
deferred = len(sys.argv) > 1
assert not deferred or defer_unused_modules()
import networkx, scipy.special
from scipy.special import gammainc, gammaincc, gammaincinv, ndtr, ndtri, stdtr, stdtrit
networkx.MultiDiGraph().add_edge("a", "b")
assert deferred is not ("algorithms" in vars(networkx))
assert deferred is not ("expit" in vars(scipy.special))
print(stdtrit(11, 0.975).hex(), ndtri(0.975).hex(), stdtr(3, -1.3).hex(), gammainc(2, 0.4).hex())
graph = networkx.MultiDiGraph([("a", "b"), ("b", "c")])
print(list(networkx.lexicographical_topological_sort(graph)), scipy.special.expit(0.5).hex())
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.tools import tool
print(tool.__module__, type(tool).__name__)
from haystack.tools import Tool, Toolset, create_tool_from_function
from pydantic import BaseModel
print(Toolset.__name__, BaseModel.__name__, Tool.__module__)
"""
"""Uses what is deferred, in part and as a whole."""


@pytest.mark.slow
def test_deferred_packages_do_what_they_do_otherwise():
    runs = [
        subprocess.run([sys.executable, "-c", CODE, *words], capture_output=True, text=True)
        for words in ([], ["deferred"])
    ]
    assert [run.stderr for run in runs] == ["", ""]
    assert runs[0].stdout == runs[1].stdout != ""
