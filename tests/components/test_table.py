"""The table of metrics and the stubs are what the sources hold, and nothing is imported early."""

import importlib
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from thresher import components, metrics

TOP = Path(__file__).parents[2]
FAMILIES = [
    "agents",
    "checks",
    "classification",
    "detection",
    "recorded",
    "retrieval",
    "segmentation",
    "text",
    "usage",
]
PACKAGES = ["components", *(f"components.{family}" for family in FAMILIES), "metrics"]


def test_the_generated_files_are_up_to_date():
    for path, text in runpy.run_path(str(TOP / "scripts" / "write_components.py"))["files"]().items():
        assert path.read_text(encoding="utf-8") == text, f"{path}: run scripts/write_components.py"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_export_exists(package):
    module = importlib.import_module(f"thresher.{package}")
    assert dir(module) == sorted(module.__all__)
    for name in module.__all__:
        assert getattr(module, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        module.Nothing  # noqa: B018


def test_one_metric_does_not_import_the_others():
    code = (
        "import sys; from thresher.components.text import ExactMatchEvaluator; "
        "print([name for name in sys.modules if name.startswith('thresher.components.')])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "text.exact_match" in shown
    assert "text.rouge" not in shown


def test_metrics_exports_what_its_docstring_lists():
    text = metrics.__doc__
    assert [name for name in metrics.__all__ if f"`{name}`" not in text] == []
    assert len(components.__all__) > 80
