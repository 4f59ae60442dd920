"""Reports of one run, and of a run and its baseline, inside a pipeline."""

import inspect
import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from haystack import component

from thresher.errors import InputError
from thresher.pipelines.reporting._outputs import stored_or_given
from thresher.reports.analysis import Analysis
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.rendering.registry import check_printable, renderer_of
from thresher.surface import in_pipeline

_METHODS: dict[str, tuple[Callable[..., Any], Any]] = {
    "aggregate": (EvaluationResults.individual_aggregate_score_report, dict[str, Any]),
    "detailed": (EvaluationResults.individual_detailed_score_report, list[dict[str, Any]]),
    "sliced": (EvaluationResults.individual_sliced_score_report, dict[str, Any]),
    "thresholds": (EvaluationResults.find_thresholds, dict[str, Any]),
    "best_thresholds": (EvaluationResults.find_best_thresholds, dict[str, Any]),
    "below": (EvaluationResults.find_inputs_below_threshold, list[dict[str, Any]]),
    "compare": (EvaluationResults.comparative_aggregate_score_report, dict[str, Any]),
    "compare_detailed": (EvaluationResults.comparative_detailed_score_report, dict[str, Any]),
    "compare_sliced": (EvaluationResults.comparative_sliced_score_report, dict[str, Any]),
}
"""Report -> the method that makes it, and the type of its JSON data."""


@component
class Reports:
    """Reports on the results of a pipeline, one output each: the JSON that the command line prints.

    A report is requested by its options, `{}` for the defaults: the arguments of the method of
    `EvaluationResults` that makes it. With `output_format` among them, the output is what the method returns,
    e.g. the text for `markdown`.

    Args:
        aggregate: every value with interval and coverage: `individual_aggregate_score_report`.
        detailed: inputs and scores item by item: `individual_detailed_score_report`.
        sliced: every metric on each slice; needs `by`: `individual_sliced_score_report`.
        thresholds: quartiles, median and average of the item scores: `find_thresholds`.
        best_thresholds: the best thresholds against labels; `label` is a column: `find_best_thresholds`.
        below: items with a low score; needs `metric` and `threshold`: `find_inputs_below_threshold`.
        compare: the comparison with the baseline: `comparative_aggregate_score_report`.
        compare_detailed: items and scores of both runs: `comparative_detailed_score_report`.
        compare_sliced: the comparison on each slice; needs `by`: `comparative_sliced_score_report`.
        baseline: directory or file of the stored run to compare with; None if the input `baseline` is
            connected.

    Raises:
        InputError: without a report, and for an unknown or missing option; from `run` as the methods, and for
            a comparison without a baseline, or with two.
        RunDirectoryError: from `run`, if the baseline cannot be read.

    ```python
    pipeline.add_component("reports", Reports(aggregate={"level": 0.9}, sliced={"by": "language"}))
    pipeline.connect("collector.results", "reports.results")
    ```
    """

    def __init__(
        self,
        *,
        aggregate: Mapping[str, Any] | None = None,
        detailed: Mapping[str, Any] | None = None,
        sliced: Mapping[str, Any] | None = None,
        thresholds: Mapping[str, Any] | None = None,
        best_thresholds: Mapping[str, Any] | None = None,
        below: Mapping[str, Any] | None = None,
        compare: Mapping[str, Any] | None = None,
        compare_detailed: Mapping[str, Any] | None = None,
        compare_sliced: Mapping[str, Any] | None = None,
        baseline: str | None = None,
    ) -> None:
        self.aggregate, self.detailed, self.sliced = aggregate, detailed, sliced
        self.thresholds, self.best_thresholds, self.below = thresholds, best_thresholds, below
        self.compare, self.compare_detailed, self.compare_sliced = compare, compare_detailed, compare_sliced
        self.baseline = baseline
        requested = {name: getattr(self, name) for name in _METHODS}
        self._requested = {name: options for name, options in requested.items() if options is not None}
        if not self._requested:
            raise InputError("Reports makes no report; request one, e.g. aggregate={}")
        for name, options in self._requested.items():
            _check(name, options)
        types = {name: _type(name, options) for name, options in self._requested.items()}
        component.set_output_types(self, **types)

    def run(self, results: EvaluationResults, baseline: EvaluationResults | None = None) -> dict[str, Any]:
        """Make the reports.

        Args:
            results: the run.
            baseline: the run to compare with.

        Returns:
            Each report under its name.
        """
        compares = any(map(_compares, self._requested))
        other = stored_or_given("Reports", self.baseline, baseline) if compares else None
        if compares and other is None:
            raise InputError("Reports has nothing to compare with: set baseline=RUN, or connect that input")
        outputs = {}
        with in_pipeline():
            for name, options in self._requested.items():
                runs = [other, results] if _compares(name) else [results]
                report = _METHODS[name][0](*runs, **{"output_format": "json", **options})
                outputs[name] = report if "output_format" in options else json.loads(report)
        return outputs


def _compares(name: str) -> bool:
    return name.startswith("compare")


def _type(name: str, options: Mapping[str, Any]) -> Any:
    """The type of the output of a report.

    Raises:
        InputError: for an unknown format, or one of files only.
    """
    output_format = options.get("output_format", "")
    if output_format in ("", "default"):
        return Any if output_format else _METHODS[name][1]
    renderer = renderer_of(output_format)
    check_printable(renderer)
    return str if renderer.is_text else Any


def _check(name: str, options: object) -> None:
    """Raise for options that the method of a report does not take.

    Raises:
        InputError: naming the report and the option.
    """
    if not isinstance(options, Mapping):
        raise InputError(f"Reports: {name}={options!r} must be a mapping of options; {{}} for none")
    signature = inspect.signature(_METHODS[name][0])
    taken = [option for option in signature.parameters if option not in ("self", "other")]
    try:
        signature.bind(*[None] * (1 + _compares(name)), **options)
    except TypeError as error:
        own = "; baseline is an option of Reports itself" * ("baseline" in options)
        raise InputError(f"Reports: {name}: {error}; its options are {', '.join(taken)}{own}") from None
    known = {field.name for field in fields(Analysis)}
    Analysis(**{option: value for option, value in options.items() if option in known})
