"""Thresher: evaluation components and reports for Haystack.

`import thresher` is light: Haystack and pandas are loaded when a name below is used. It allows Haystack to
load pipelines with Thresher's components (see docs/decisions/0001), and switches Haystack's telemetry off
unless `HAYSTACK_TELEMETRY_ENABLED` is set (see docs/privacy.md).
"""

import os
import sys

if sys.argv[:1] == ["-m"] and "thresher" in sys.orig_argv:
    # `python -m` lets modules of the working folder hide installed ones, and data may come with a numpy.py.
    sys.path[:] = [place for place in sys.path if place not in ("", os.getcwd())]  # noqa: PTH109

from importlib import import_module
from typing import TYPE_CHECKING, Any

from thresher.version import COMPONENT_MODULES, __version__

if TYPE_CHECKING:
    from thresher.components import metric_class, metric_name, metric_names
    from thresher.datasets import Dataset, read_beir, read_dataset, read_trec
    from thresher.errors import InputError, RunDirectoryError, ThresherError
    from thresher.files.limits import read_limits
    from thresher.files.thresholds import Thresholds, load_thresholds
    from thresher.pipelines import Accumulator, build, evaluate, load_pipeline, load_recipe, recipe_names
    from thresher.pipelines.batch import run_batch, run_batch_async
    from thresher.pipelines.experiments.experiment import experiment
    from thresher.pipelines.experiments.experiment_results import ExperimentResults
    from thresher.pipelines.looks import Looks
    from thresher.pipelines.pipeline_evaluation import evaluate_pipeline
    from thresher.pipelines.run_directory import open_run
    from thresher.pipelines.run_listing import list_runs
    from thresher.pipelines.saved_results import save_run
    from thresher.pipelines.verification import verify_run
    from thresher.reports.collector import EvaluationResultsCollector
    from thresher.reports.evaluation_results import EvaluationResults
    from thresher.reports.exports.mlflow import log_to_mlflow
    from thresher.reports.leaderboards.leaderboard import leaderboard
    from thresher.reports.pairwise_report import PairwiseReport
    from thresher.reports.plans import plan
    from thresher.reports.trends.histories import item_history
    from thresher.reports.trends.trend_report import trend
    from thresher.results import Label, MetricResult

_EXPORTS = {
    "Accumulator": "thresher.pipelines.accumulator",
    "Dataset": "thresher.datasets",
    "EvaluationResults": "thresher.reports.evaluation_results",
    "EvaluationResultsCollector": "thresher.reports.collector",
    "ExperimentResults": "thresher.pipelines.experiments.experiment_results",
    "InputError": "thresher.errors",
    "Label": "thresher.results",
    "Looks": "thresher.pipelines.looks",
    "MetricResult": "thresher.results",
    "PairwiseReport": "thresher.reports.pairwise_report",
    "RunDirectoryError": "thresher.errors",
    "ThresherError": "thresher.errors",
    "Thresholds": "thresher.files.thresholds",
    "build": "thresher.pipelines",
    "evaluate": "thresher.pipelines",
    "evaluate_pipeline": "thresher.pipelines.pipeline_evaluation",
    "experiment": "thresher.pipelines.experiments.experiment",
    "item_history": "thresher.reports.trends.histories",
    "leaderboard": "thresher.reports.leaderboards.leaderboard",
    "list_runs": "thresher.pipelines.run_listing",
    "load_pipeline": "thresher.pipelines",
    "load_recipe": "thresher.pipelines",
    "load_thresholds": "thresher.files.thresholds",
    "log_to_mlflow": "thresher.reports.exports.mlflow",
    "metric_class": "thresher.components",
    "metric_name": "thresher.components",
    "metric_names": "thresher.components",
    "open_run": "thresher.pipelines",
    "plan": "thresher.reports.plans",
    "read_beir": "thresher.datasets",
    "read_dataset": "thresher.datasets",
    "read_limits": "thresher.files.limits",
    "read_trec": "thresher.datasets",
    "recipe_names": "thresher.pipelines",
    "run_batch": "thresher.pipelines.batch",
    "run_batch_async": "thresher.pipelines.batch",
    "save_run": "thresher.pipelines",
    "trend": "thresher.reports.trends.trend_report",
    "verify_run": "thresher.pipelines.verification",
}

__all__ = [
    "Accumulator",
    "Dataset",
    "EvaluationResults",
    "EvaluationResultsCollector",
    "ExperimentResults",
    "InputError",
    "Label",
    "Looks",
    "MetricResult",
    "PairwiseReport",
    "RunDirectoryError",
    "ThresherError",
    "Thresholds",
    "__version__",
    "build",
    "evaluate",
    "evaluate_pipeline",
    "experiment",
    "item_history",
    "leaderboard",
    "list_runs",
    "load_pipeline",
    "load_recipe",
    "load_thresholds",
    "log_to_mlflow",
    "metric_class",
    "metric_name",
    "metric_names",
    "open_run",
    "plan",
    "read_beir",
    "read_dataset",
    "read_limits",
    "read_trec",
    "recipe_names",
    "run_batch",
    "run_batch_async",
    "save_run",
    "trend",
    "verify_run",
]


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_EXPORTS[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)


def _allow_deserialization() -> None:
    """Add the modules of components to Haystack's allowlist, which it reads at every load."""
    variable = "HAYSTACK_DESERIALIZATION_ALLOWLIST"
    allowed = [entry.strip() for entry in os.environ.get(variable, "").split(",") if entry.strip()]
    os.environ[variable] = ",".join(dict.fromkeys([*allowed, *COMPONENT_MODULES]))


def _switch_off_telemetry() -> None:
    """Switch off Haystack's reports of pipeline runs, unless the user has set the variable.

    Haystack reads the variable when it is imported. If it has been imported, its reporter is removed.
    """
    variable = "HAYSTACK_TELEMETRY_ENABLED"
    if variable in os.environ:
        return
    os.environ[variable] = "False"
    loaded = sys.modules.get("haystack.telemetry._telemetry")
    if loaded is not None:
        vars(loaded)["telemetry"] = None


_allow_deserialization()
_switch_off_telemetry()
