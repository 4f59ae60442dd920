import ast
import functools
import inspect
import math
import sys
import types
import warnings
from pathlib import Path

import pytest

from thresher.deprecation import Deprecated
from thresher.version import __version__

OLD = Deprecated(since="0.2", until="0.3")
SOURCE = Path(__file__).parents[1] / "src" / "thresher"


def library(name, source):
    """A module that counts as part of the package, so that warnings name the lines of its callers."""
    module = types.ModuleType(f"thresher.{name}")
    exec(compile(source, f"<{name}>", "exec"), module.__dict__)  # noqa: S102
    return module


@pytest.fixture
def package(monkeypatch):
    module = library("box", "class Lid: pass\n")
    module.__path__ = []
    module.__getattr__ = OLD.attributes("thresher.box", {"Cover": "Lid", "Number": "fractions.Fraction"})
    monkeypatch.setitem(sys.modules, "thresher.box", module)
    return module


def only(caught):
    (warning,) = caught
    assert warning.category is DeprecationWarning
    return warning


def test_a_renamed_attribute_is_the_new_one_and_warns_at_the_caller(package):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert package.Cover is package.Lid
    warning = only(caught)
    assert str(warning.message) == (
        "thresher.box.Cover is deprecated since 0.2 and ends in 0.3; write thresher.box.Lid"
    )
    assert warning.filename == __file__


def test_an_import_of_an_old_name_warns_once(package):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        from thresher.box import Cover
    assert Cover is package.Lid
    assert only(caught).filename == __file__


def test_an_attribute_may_have_moved_to_another_module(package):
    with pytest.warns(DeprecationWarning, match=r"write fractions\.Fraction"):
        assert package.Number(1, 2) == 0.5


def test_unknown_attributes_do_not_exist(package):
    with pytest.raises(AttributeError, match=r"module 'thresher\.box' has no attribute 'Key'"):
        _ = package.Key
    assert not hasattr(package, "Key")


@OLD.options(
    {"no_relevant": "undefined"}, values={"undefined": {"undefined": "skip", math.nan: "skip", 1.0: "one"}}
)
class Metric:
    def __init__(self, *, undefined="skip", flag=False):
        self.undefined, self.flag = undefined, flag


def test_an_old_option_with_an_old_value_warns_once_with_what_to_write():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert Metric(no_relevant="undefined", flag=True).undefined == "skip"
    warning = only(caught)
    assert "Metric(no_relevant='undefined') is deprecated" in str(warning.message)
    assert str(warning.message).endswith("write undefined='skip'")
    assert warning.filename == __file__


@pytest.mark.parametrize(("value", "current"), [(math.nan, "skip"), (1, "one"), (1.0, "one")])
def test_old_values_are_replaced(value, current):
    with pytest.warns(DeprecationWarning, match=f"write undefined='{current}'"):
        assert Metric(undefined=value).undefined == current


@pytest.mark.parametrize("value", ["skip", "zero", True, None, ("undefined",)])
def test_other_values_pass_without_a_warning(value):
    assert Metric(undefined=value).undefined is value


def test_an_option_given_twice_is_an_error():
    with pytest.raises(TypeError, match="got 'no_relevant' and its new name 'undefined'"):
        Metric(no_relevant="skip", undefined="skip")


def test_introspection_sees_the_new_names_only():
    assert list(inspect.signature(Metric).parameters) == ["undefined", "flag"]


def test_functions_may_have_renamed_options():
    @OLD.options({"most": "limit"})
    def take(entries, *, limit):
        return entries[:limit]

    with pytest.warns(DeprecationWarning, match=r"take\(most=2\) .* write limit=2"):
        assert take([1, 2, 3], most=2) == [1, 2]
    assert take([1, 2, 3], limit=1) == [1]


def test_a_value_outside_of_options_is_replaced():
    names = {"valor_bleu": "bleu"}
    with pytest.warns(DeprecationWarning, match="metric 'valor_bleu' is deprecated .* write 'bleu'"):
        assert OLD.value("metric", "valor_bleu", names) == "bleu"
    assert OLD.value("metric", "rouge", names) == "rouge"


def test_the_caller_is_outside_of_the_package():
    inner = library("deep", "def call(make):\n    return make()\n")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inner.call(functools.partial(Metric, no_relevant="zero"))
    assert only(caught).filename == __file__


def promises():
    """Since and until of each `Deprecated(...)` in the package."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Deprecated":
                given = {word.arg: ast.literal_eval(word.value) for word in node.keywords}
                yield path.relative_to(SOURCE), given["since"], given["until"]


def overdue(now, since, until):
    """What is wrong with a promise; empty if nothing is."""
    now, since, until = (
        tuple(int(part) for part in version.split(".")[:2]) for version in (now, since, until)
    )
    if until <= since:
        return "an old name works for at least one minor release"
    return "the old names are to be removed" if now >= until else ""


def test_old_names_work_for_a_release_and_are_removed_when_promised():
    assert [(path, said) for path, *promise in promises() if (said := overdue(__version__, *promise))] == []


@pytest.mark.parametrize(
    ("now", "since", "until", "said"),
    [
        ("0.1.0", "0.2", "0.3", ""),
        ("0.3.0", "0.2", "0.3", "removed"),
        ("0.1.0", "0.2", "0.2", "at least one"),
    ],
)
def test_promises_can_be_broken(now, since, until, said):
    assert said in overdue(now, since, until)
    assert bool(said) == bool(overdue(now, since, until))
