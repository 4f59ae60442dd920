"""Scores of any origin as a metric."""

from typing import Any

from haystack import component

from thresher.errors import InputError
from thresher.metrics import metric, outputs
from thresher.results import Direction, recorded_result


@metric
class RecordedScoresEvaluator:
    """Make a metric of a column of recorded scores: numbers, and nulls for items without a score.

    The input has the name of the column, so a pipeline can have several such metrics. A null or NaN is an
    item without a score (`missing`): it is left out of the mean, lowers the coverage, and never counts as 0.

    Formula: the mean of the recorded scores
    Source: the system that recorded them

    Args:
        column: the column with the scores, and so the name of the input.
        name: name of the measure in reports; default: the name of the column.
        bounds: lowest and highest possible score; None for no bound. Scores outside raise an error.
    """

    column: str
    direction: Direction = "higher"
    bounds: list[float | None] | None = None
    name: str = ""

    def __post_init__(self) -> None:
        if not self.column.isidentifier():
            raise InputError(
                f"column={self.column!r} cannot be the name of an input; rename it when reading the data"
            )
        component.set_input_type(self, self.column, list[float | None] | list[int | None])

    def run(self, **columns: Any) -> dict[str, Any]:
        """Return the recorded scores.

        Args:
            columns: the one column, by its name.

        Returns:
            `score`: mean of the scores; `individual_scores`: NaN for items without a score; `result`.
        """
        return outputs(
            recorded_result(self.name or self.column, columns[self.column], self.direction, self.bounds)
        )
