"""Items with true and predicted labels, and the result of their metrics."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy.typing as npt

from thresher.metrics.items import Items
from thresher.results import Breakdown, Measure, MetricResult, Ragged, Statistics
from thresher.results.labels import Vocabulary


class LabelledItems:
    """Items whose true and predicted labels are codes; a base of their readers.

    Attributes:
        items: the items.
        labels: the label of each code.
    """

    items: Items
    labels: Vocabulary

    def result(
        self,
        measures: Sequence[Measure],
        breakdowns: Sequence[Breakdown],
        columns: Mapping[str, npt.NDArray[Any]] = MappingProxyType({}),
        **ragged: Ragged,
    ) -> MetricResult:
        """Return the result over all items; ragged columns `label`, `truth` and `predicted` hold codes."""
        named = {f"{name}.{column}" for name, entries in ragged.items() for column in entries}
        coded = {name for name in named if name.partition(".")[2] in {"label", "truth", "predicted"}}
        statistics = Statistics(columns, ragged, self.labels, coded)
        items = self.items
        return MetricResult(measures, statistics, items.status, items.reasons, breakdowns=breakdowns)
