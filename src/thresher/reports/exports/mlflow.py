"""A run logged to MLflow."""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from thresher.errors import MissingDependencyError
from thresher.files.parsing import parse_json
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.rendering.text import json_text, plain
from thresher.reports.runs.item_tables import complete
from thresher.results.redaction import redacted

_NOT_IN_NAMES = re.compile(r"[^\w\-. :/]")
"""Characters that MLflow refuses in names of metrics and parameters."""


def log_to_mlflow(
    results: EvaluationResults,
    *,
    run_name: str = "",
    settings: Mapping[str, Any] | None = None,
    level: float = 0.95,
    items: bool = True,
    page: bool = True,
) -> str:
    """Log results to the active run of MLflow, or to a new one, which is ended.

    Logs per measure `NAME`, `NAME.low` and `NAME.high` (its interval) and `NAME.scored` (number of items with
    a score), linked to a data set whose digest identifies inputs and ids; settings as parameters, signatures
    as tags; `items.json`, a table that MLflow shows; `report.html`, the page; and `results.json`, from which
    `EvaluationResults.load` makes the results again. NaN is not logged.

    Args:
        results: the run.
        run_name: name of a new run of MLflow; default: that of the results.
        settings: parameters to log; default: those of the run's provenance, which experiments record.
        level: nominal coverage of the intervals.
        items: whether to log the items and `results.json`, which contain all inputs.
        page: whether to log the HTML page, which contains all inputs.

    Returns:
        The id of the run of MLflow.

    Raises:
        MissingDependencyError: if MLflow is not installed; `mlflow-skinny` is enough.
    """
    mlflow = _mlflow()
    if mlflow.active_run() is None:
        with mlflow.start_run(run_name=run_name or results.name or None):
            return log_to_mlflow(results, settings=settings, level=level, items=items, page=page)
    report = results.report(level=level)
    given = results.provenance.get("settings") if settings is None else settings
    mlflow.log_params({_name(key): value for key, value in redacted(dict(given or {})).items()})
    dataset = _dataset(results)
    mlflow.log_input(dataset, context="evaluation")
    metrics = report.data()["metrics"]
    mlflow.log_metrics(_numbers(metrics), dataset=dataset)
    mlflow.set_tags(
        {f"thresher.signature.{_name(name)}": facts["signature"] for name, facts in metrics.items()}
    )
    mlflow.set_tags({"thresher.complete": str(results.complete).lower(), "thresher.items": str(len(results))})
    if items:
        mlflow.log_table(_items(results), "items.json")
        mlflow.log_text(results.to_json(), "results.json")
    if page:
        mlflow.log_text(report.render("html"), "report.html")
    return str(mlflow.active_run().info.run_id)


def _mlflow() -> Any:
    try:
        import mlflow
    except ImportError as error:
        raise MissingDependencyError("mlflow-skinny", "mlflow") from error
    return mlflow


def _numbers(metrics: Mapping[str, Mapping[str, Any]]) -> dict[str, float]:
    """Names and numbers of all metrics, in MLflow's form."""
    numbers = {}
    for name, facts in metrics.items():
        interval = facts["interval"] or {}
        parts = {"": facts["value"], ".low": interval.get("low"), ".high": interval.get("high")}
        for suffix, number in {**parts, ".scored": facts["scored"]}.items():
            if number is not None and math.isfinite(number):
                numbers[f"{_name(name)}{suffix}"] = float(number)
    return numbers


def _dataset(results: EvaluationResults) -> Any:
    """MLflow's description of the data: their name, and the digest of inputs and ids."""
    from mlflow.data.code_dataset_source import CodeDatasetSource
    from mlflow.data.meta_dataset import MetaDataset

    data = {"ids": list(results.ids), **{name: list(column) for name, column in results.inputs.items()}}
    text = json.dumps(plain(data), ensure_ascii=False, sort_keys=True)
    digest = hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()[:16]
    name = str(results.provenance.get("name") or results.name or "evaluation")
    return MetaDataset(CodeDatasetSource({"thresher.items": str(len(results))}), name=name, digest=digest)


def _items(results: EvaluationResults) -> dict[str, Any]:
    """Columns of the items as JSON data, without known secrets."""
    table = complete(results)
    columns: dict[str, Any] = parse_json(
        json_text({name: table[name] for name in table.columns}), "the items"
    )
    return columns


def _name(name: str) -> str:
    return _NOT_IN_NAMES.sub("_", name)
