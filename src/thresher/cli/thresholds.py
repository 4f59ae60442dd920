"""`thresher thresholds`."""

import argparse
from typing import Any

from thresher.cli.option_values import names_of
from thresher.cli.show import remark, show, unfinished
from thresher.errors import InputError
from thresher.pipelines.run_directory import open_run
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.report import Report
from thresher.reports.scores.score_blocks import score_metrics
from thresher.reports.thresholds.best_thresholds import BestThresholds
from thresher.reports.thresholds.exported import check_suffix, write_thresholds
from thresher.reports.thresholds.label_searches import label_searches
from thresher.reports.thresholds.label_thresholds import LabelThresholds
from thresher.reports.thresholds.percentiles import percentile_report
from thresher.surface import parameter
from thresher.visible_text import one_line

_OF_LABELS = "for scored detections or labels, run detection_best_threshold or classification_best_threshold"
_OF_DETECTIONS = (
    "for score thresholds of detections, run object_detection (of masks: instance_segmentation) with the "
    "same --gt and --data"
)
_REMEDY = f"{_OF_LABELS}; for other scores, name the column of labels: --label COLUMN"


def run(options: argparse.Namespace) -> int:
    """Show the best thresholds, or of other metrics quartiles, median and average of the item scores."""
    results = open_run(options.run)
    options.metric = names_of(options.metric, [*results.metrics, *results.inputs])
    report = _report(options, results)
    if options.export is not None:
        write_thresholds(_exported(options.export, report), options.export)
    hints = [f"F{_OF_DETECTIONS[1:]}."] if _lacks_thresholds(options, results, report) else []
    show(options, report, [*unfinished(results), *hints])
    if options.export is not None:
        remark(one_line(f"thresher: wrote {options.export}"))
    return 0


def _report(options: argparse.Namespace, results: EvaluationResults) -> Report[Any]:
    if _of_labels(options, results):
        return LabelThresholds(
            results,
            options.metric,
            objective=options.objective,
            choose_on=options.choose_on,
            folds=options.folds,
            split=options.split,
            seed=options.seed,
            cluster=options.cluster,
            positive=options.positive,
        )
    _check_unused(options)
    if options.label is None and options.objective is None:
        if options.metric is None and not score_metrics(results):
            remedy = _OF_DETECTIONS if _detects(results) else _OF_LABELS
            raise InputError(f"no metric of this run has scores per item; {remedy}")
        return percentile_report(results, options.metric)
    return BestThresholds(
        results,
        options.label,
        metrics=options.metric,
        positive=options.positive,
        objective=options.objective or "f1",
        split=options.split,
        choose_on=options.choose_on,
        seed=options.seed,
        cluster=options.cluster,
        direction=options.direction,
    )


def _of_labels(options: argparse.Namespace, results: EvaluationResults) -> bool:
    """Whether the metrics score labels or objects; a positive label is one of a classifier's."""
    if options.label is not None or options.direction is not None:
        return False
    searches = label_searches(results, options.metric)
    return bool(searches) and (options.positive is None or searches[0].overlap is None)


def _lacks_thresholds(options: argparse.Namespace, results: EvaluationResults, report: Report[Any]) -> bool:
    """Whether a detector's user gets percentiles because no metric of the run has thresholds to choose."""
    is_other = not isinstance(report, LabelThresholds | BestThresholds)
    return is_other and options.metric is None and _detects(results)


def _detects(results: EvaluationResults) -> bool:
    """Whether the run has metrics of detections."""
    return any(name.startswith("detection_") for name in results.metrics)


def _check_unused(options: argparse.Namespace) -> None:
    """Raise for options that the report does not have."""
    if options.folds is not None:
        raise InputError("--folds is for thresholds of detections and of a classifier's labels; use --split")
    if options.label is not None or options.objective is not None:
        return
    for name in ("choose_on", "split"):
        if getattr(options, name) is not None:
            raise InputError(f"{parameter(name)} needs thresholds to choose; {_REMEDY}")


def _exported(path: str, report: Report[Any]) -> dict[str, Any]:
    """Return the data of the file."""
    check_suffix(path)
    if isinstance(report, LabelThresholds | BestThresholds):
        return report.export()
    raise InputError(f"--export needs thresholds that were chosen; {_REMEDY}")
