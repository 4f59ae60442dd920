"""Scores that something else produced, as a metric like any other."""

from typing import Any

from haystack import component

from thresher.errors import InputError
from thresher.metrics import metric, outputs
from thresher.results import Direction, recorded_result


@metric
class RecordedScoresEvaluator:
    """Makes a metric of a column of recorded scores: numbers, and nulls where an item has none.

    The socket carries the column's name, so several can stand in one pipeline and each reads its own.
    A null or NaN is an item without a score (`missing`); it is left out of the mean and counted in its
    coverage, never taken for zero.

    Formula: the mean of the recorded scores
    Source: the system that recorded them

    Args:
        column: the column, and so the input socket, that holds the scores.
        name: name of the measure in reports; the column's name without.
        bounds: smallest and largest possible score; None for no bound. A score outside is an error.
    """

    column: str
    direction: Direction = "higher"
    bounds: list[float | None] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if not self.column.isidentifier():
            raise InputError(f"column={self.column!r} cannot name a socket; rename it when reading the data")
        component.set_input_type(self, self.column, list[float | None] | list[int | None])

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
