"""Scores that something else produced, as a metric like any other."""

from typing import Any

from haystack import component

from thresher.errors import InputError
from thresher.metrics.items import outputs
from thresher.metrics.options import check_choice, checked_options
from thresher.results import Direction, MetricResult, recorded_result


@component
@checked_options
class RecordedScoresEvaluator:
    """Makes a metric of a column of recorded scores: numbers, and nulls where an item has none.

    The socket carries the column's name, so several can stand in one pipeline and each reads its own.
    A null or NaN is an item without a score (`missing`); it is left out of the mean and counted in its
    coverage, never taken for zero.

    Args:
        column: the column, and so the input socket, that holds the scores.
        name: name of the measure in reports; the column's name without.
        direction: `higher` or `lower`: which is better.
        bounds: smallest and largest possible score; None for no bound. A score outside is an error.

    Raises:
        InputError: for a column name that cannot be a socket, and from `run` for entries that are no numbers.

    Formula: the mean of the recorded scores
    Source: the system that recorded them
    """

    def __init__(
        self,
        column: str,
        name: str = "",
        direction: Direction = "higher",
        bounds: list[float | None] | None = None,
    ) -> None:
        if not column.isidentifier():
            raise InputError(f"column={column!r} cannot name a socket; rename it when reading the data")
        check_choice("direction", direction, ["higher", "lower"])
        self.column = column
        self.name = name
        self.direction = direction
        self.bounds = bounds
        component.set_input_type(self, column, list)

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, **columns: Any) -> dict[str, Any]:
        """Take the scores over.

        Args:
            columns: the one column, by its name.

        Returns:
            `score`: mean of the scores there are; `individual_scores`: NaN where there is none; `result`.
        """
        return outputs(
            recorded_result(self.name or self.column, columns[self.column], self.direction, self.bounds)
        )
