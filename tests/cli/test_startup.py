"""Modules that are executed when they are used, and garbage that is collected less often."""

import gc
import importlib
import sys

import pytest

from thresher.cli import startup
from thresher.cli.startup import DeferringFinder, fewer_collections, shorten

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
        sys, "meta_path", [DeferringFinder({"late_plain", "late_package", "late_broken"}), *sys.meta_path]
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
    assert DeferringFinder({"late_plain"}).find_spec("late_broken", None) is None


@pytest.mark.parametrize(("telemetry", "deferred"), [("False", True), ("True", False), ("1", False)])
def test_the_reporter_of_haystack_is_deferred_unless_it_is_switched_on(monkeypatch, telemetry, deferred):
    monkeypatch.setenv("HAYSTACK_TELEMETRY_ENABLED", telemetry)
    monkeypatch.setattr(sys, "meta_path", [])
    monkeypatch.setattr(startup.atexit, "register", lambda _: None)
    shorten()
    shorten()
    (finder,) = sys.meta_path
    assert ("posthog" in finder._names) is deferred


def test_garbage_is_collected_as_before_after_a_command():
    before = gc.get_threshold()
    with fewer_collections():
        assert gc.get_threshold()[0] > before[0]
    assert gc.get_threshold() == before
