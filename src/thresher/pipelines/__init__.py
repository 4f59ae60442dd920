"""Recipes, the pipeline builder and the runner.

The names below are imported when they are used: reading a stored run needs neither Haystack nor the runner.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from thresher.pipelines.accumulator import Accumulator, AccumulatorState
    from thresher.pipelines.builder import build
    from thresher.pipelines.library import load_recipe, recipe_names
    from thresher.pipelines.loading import load_pipeline
    from thresher.pipelines.run_directory import open_run
    from thresher.pipelines.runner import evaluate
    from thresher.pipelines.saved_results import save_run

_EXPORTS = {
    "Accumulator": "thresher.pipelines.accumulator",
    "AccumulatorState": "thresher.pipelines.accumulator",
    "build": "thresher.pipelines.builder",
    "evaluate": "thresher.pipelines.runner",
    "load_pipeline": "thresher.pipelines.loading",
    "load_recipe": "thresher.pipelines.library",
    "open_run": "thresher.pipelines.run_directory",
    "recipe_names": "thresher.pipelines.library",
    "save_run": "thresher.pipelines.saved_results",
}

__all__ = [
    "Accumulator",
    "AccumulatorState",
    "build",
    "evaluate",
    "load_pipeline",
    "load_recipe",
    "open_run",
    "recipe_names",
    "save_run",
]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
