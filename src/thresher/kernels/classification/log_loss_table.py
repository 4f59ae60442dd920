"""The log loss label by label."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.results import Breakdown, Detail, Statistics
from thresher.results.labels import sums_by_code
from thresher.results.reductions import divide


@dataclass(frozen=True)
class LogLossTable(Breakdown):
    """Mean loss of the items with each true label, and how many of them have a clipped probability.

    The statistics are a ragged column `truths` with `label`, `loss` and `clipped`.
    """

    kind: ClassVar[str] = "log_loss_table"
    name: str = "by_label"

    def __call__(self, statistics: Statistics, weights: npt.NDArray[np.float64]) -> Detail:
        """One row per true label."""
        truths, size = statistics.ragged["truths"], len(statistics.labels)
        counts = truths.per_entry(weights)
        true, loss, clipped = (
            sums_by_code(truths["label"], counts * values, size)
            for values in (1.0, truths["loss"], truths["clipped"])
        )
        rows = np.flatnonzero(true)
        labels = [statistics.labels[code] for code in rows]
        columns: dict[str, list[Any]] = {
            "key": [label.key for label in labels],
            "label": [label.value for label in labels],
            "log_loss": divide(loss, true)[rows].tolist(),
            "true": true[rows].tolist(),
            "clipped": clipped[rows].tolist(),
        }
        return Detail(self.name, "table", ("key", "label"), columns)
