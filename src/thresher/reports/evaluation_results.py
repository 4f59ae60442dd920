"""Evaluation results: the value that a run returns, and everything that is asked of it."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self

from thresher.errors import InputError
from thresher.reports import comparison, single, thresholds
from thresher.reports.metric import Metric
from thresher.reports.output import shaped
from thresher.reports.plain_data import read_plain
from thresher.reports.table import Table
from thresher.results import FrozenColumn, MetricResult
from thresher.results.vocabulary import ID_NAMES


class EvaluationResults:
    """The metrics of one run, beside the inputs they were computed from. Immutable.

    Every report method returns the shape that people program against by default; `output_format`
    gives the same as `"df"` (pandas), `"csv"`, `"json"` (strict) or `"markdown"` instead.

    Args:
        inputs: column name -> one entry per item.
        results: what the metrics said; measures need distinct names.
        name: name of the run; may be empty.
        ids: ids of the items; taken from an id column (`id`, `query_id`, ...) of the inputs without.
        ids_given: False if the ids were made up and say nothing to another run.
        provenance: plain data about how the run came about.

    Raises:
        InputError: if lists have unequal lengths, ids repeat, or names collide; the message says which.
    """

    def __init__(
        self,
        inputs: Mapping[str, Sequence[Any]],
        results: Iterable[MetricResult],
        *,
        name: str = "",
        ids: Sequence[Any] | None = None,
        ids_given: bool = True,
        provenance: Mapping[str, Any] | None = None,
    ) -> None:
        self.name = name
        self.results = tuple(results)
        self.inputs: Mapping[str, FrozenColumn] = MappingProxyType(
            {
                key: column if isinstance(column, FrozenColumn) else FrozenColumn(column)
                for key, column in inputs.items()
            }
        )
        self.provenance = MappingProxyType(dict(provenance or {}))
        self.metrics: Mapping[str, Metric] = MappingProxyType(_metrics(self.results))
        self._size = _common_length(self.inputs, self.metrics, ids)
        found = _ids(self.inputs, self._size) if ids is None else (FrozenColumn(map(str, ids)), ids_given)
        self.ids, self.ids_given = found
        _check_names(self.ids, self.inputs, self.metrics)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], name: str = "") -> Self:
        """Results from plain data, without any pipeline.

        Args:
            data: `{"inputs": {column: [...]}, "metrics": [{"name": ..., "scores": [...]}]}`. A metric may
                also give `direction` (`"higher"` or `"lower"`) and `bounds` (low, high). None and NaN are
                items without a score. `"run"` names the run.
            name: name of the run, instead.

        Raises:
            InputError: if something is missing, malformed or of unequal length.

        >>> results = EvaluationResults.from_dict(
        ...     {"inputs": {"query_id": ["a", "b"]}, "metrics": [{"name": "single_hit", "scores": [1, 0]}]}
        ... )
        >>> results.individual_aggregate_score_report()
        {'Single Hit': 0.5}
        """
        inputs, results = read_plain(data)
        return cls(inputs, results, name=name or str(data.get("run", "")))

    def to_dict(self) -> dict[str, Any]:
        """The plain form: inputs, and each metric's item scores; NaN where an item has none."""
        metrics = [
            {
                "name": metric.name,
                "scores": metric.scores.tolist(),
                "direction": metric.measure.direction,
                "bounds": [None if abs(bound) == float("inf") else bound for bound in metric.measure.bounds],
            }
            for metric in self.metrics.values()
            if metric.measure.item_score is not None
        ]
        inputs = {name: list(column) for name, column in self.inputs.items()}
        return {"run": self.name, "inputs": inputs, "metrics": metrics}

    def __len__(self) -> int:
        return self._size

    def __repr__(self) -> str:
        return f"EvaluationResults({self.name!r}, {len(self)} items, {', '.join(self.metrics)})"

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def metric(self, name: str) -> Metric:
        """One metric, by its name or its display name.

        Raises:
            InputError: for an unknown name; lists the known ones.
        """
        if name in self.metrics:
            return self.metrics[name]
        for metric in self.metrics.values():
            if metric.display_name == name:
                return metric
        raise InputError(f"no metric {name!r} in this run; there are {', '.join(self.metrics) or 'none'}")

    def take(self, items: Sequence[int], name: str | None = None) -> Self:
        """The results for some items, by position."""
        return type(self)(
            {key: column.take(items) for key, column in self.inputs.items()},
            [result.take(list(items)) for result in self.results],
            name=self.name if name is None else name,
            ids=self.ids.take(items),
            ids_given=self.ids_given,
            provenance=self.provenance,
        )

    def individual_aggregate_score_report(self, output_format: str = "default") -> Any:
        """The value of every metric.

        Returns:
            `{display name: value}` by default; the other formats add the interval, the coverage and the
            signature. A CoverageWarning tells of metrics whose value stands on fewer than all items.
        """
        if output_format == "default":
            single.warn_of_gaps(self)
        return shaped(
            output_format,
            lambda: single.aggregate_table(self),
            default=lambda: single.aggregate_values(self),
            data=lambda: single.aggregate_data(self),
        )

    def individual_detailed_score_report(
        self, queries: Sequence[str] | str = "all", output_format: str = "default"
    ) -> Any:
        """Inputs and scores, item by item.

        Args:
            queries: ids or questions of the items wanted; `"all"` for every item.
            output_format: see the class.

        Raises:
            InputError: if a query is neither an id nor a question of this run.
        """
        return shaped(output_format, lambda: single.detailed(self, queries))

    def comparative_aggregate_score_report(
        self, other: "EvaluationResults", output_format: str = "default"
    ) -> Any:
        """The value of every metric in both runs.

        Returns:
            `{run name: {display name: value}}` by default; the other formats add, per metric, the paired
            difference with its interval over the items that both runs scored.
        """
        runs = [self, other]
        return shaped(
            output_format,
            lambda: comparison.aggregate_table(runs),
            default=lambda: comparison.aggregate_values(runs),
            data=lambda: comparison.aggregate_data(runs),
        )

    def comparative_detailed_score_report(
        self, other: "EvaluationResults", output_format: str = "default"
    ) -> Any:
        """Scores of both runs side by side, joined by item id, else by question.

        Columns that both runs share stand once; the others, and all scores, carry the run's name.
        """
        return shaped(output_format, lambda: comparison.detailed(self, other))

    def find_thresholds(self, metrics: Sequence[str] | None = None, output_format: str = "default") -> Any:
        """Quartiles, median and average of the item scores: where to start looking.

        Returns:
            `{"thresholds": ["25th percentile", "75th percentile", "median", "average"], metric: [...]}`.
        """
        return shaped(
            output_format,
            lambda: thresholds.percentile_table(self, metrics),
            default=lambda: thresholds.percentiles(self, metrics),
            data=lambda: thresholds.percentiles(self, metrics),
        )

    def find_inputs_below_threshold(
        self, metric: str, threshold: float, output_format: str = "default"
    ) -> Any:
        """The whole rows of the items that score below a threshold, lowest first.

        Items without a score are not below anything; they are not returned.
        """
        return shaped(output_format, lambda: thresholds.below(self, metric, threshold))

    def to_dataframe(self) -> Any:
        """Every item with its inputs, scores and status, as a pandas data frame."""
        table: Table = single.complete(self)
        return table.to_dataframe()


def _metrics(results: Sequence[MetricResult]) -> dict[str, Metric]:
    metrics: dict[str, Metric] = {}
    for result in results:
        for measure in result.measures:
            if measure.name in metrics:
                raise InputError(f"two metrics are called {measure.name!r}; give one of them another `name`")
            metrics[measure.name] = Metric(result, measure)
    return metrics


def _common_length(
    inputs: Mapping[str, FrozenColumn], metrics: Mapping[str, Metric], ids: Sequence[Any] | None
) -> int:
    lengths = {f"input {name!r}": len(column) for name, column in inputs.items()}
    lengths |= {f"metric {name!r}": len(metric.result) for name, metric in metrics.items()}
    if ids is not None:
        lengths["ids"] = len(ids)
    if not lengths:
        return 0
    first, size = next(iter(lengths.items()))
    for name, length in lengths.items():
        if length != size:
            raise InputError(
                f"{first} has {size} entries and {name} has {length}; give one entry per item in each"
            )
    return size


def _ids(inputs: Mapping[str, FrozenColumn], size: int) -> tuple[FrozenColumn, bool]:
    for name in ID_NAMES:
        if name in inputs:
            return FrozenColumn(map(str, inputs[name])), True
    return FrozenColumn(f"row-{position}" for position in range(1, size + 1)), False


def _check_names(ids: FrozenColumn, inputs: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
    if len(set(ids)) < len(ids):
        seen: set[str] = set()
        twice = next(key for key in ids if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise InputError(f"the id {twice!r} stands twice; ids must be unique")
    both = [name for name in inputs if name in metrics]
    if both:
        raise InputError(f"{both[0]!r} is both an input and a metric; rename one of them")
