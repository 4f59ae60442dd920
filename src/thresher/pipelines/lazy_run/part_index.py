"""What opening a run reads of its parts: statuses, descriptions, and which results have evidence."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.pipelines.lazy_run.part_source import PartSource
from thresher.pipelines.parts import PartTable
from thresher.results import Label, MetricResult, Statistics, Status
from thresher.results.labels import Codes, Vocabulary, merge_vocabularies
from thresher.results.storage import described_result, read_status

_PER_PART = {"labels"}
"""Entries of a description that may differ between parts."""


class ResultIndex:
    """One metric in all parts.

    Args:
        number: number of the result.
        description: that of the first part.
        source: the parts.
    """

    def __init__(self, number: int, description: Mapping[str, Any], source: PartSource) -> None:
        self.number = number
        self.description = description
        self._status: npt.NDArray[np.uint8] = np.zeros(source.size, np.uint8)
        self._all_scored = True
        self.has_evidence = False
        self.types: dict[str, set[Any]] = {}
        """Statistic -> its Arrow types in the parts."""
        self.ragged: set[str] = set()
        """Stored names of its ragged statistics."""
        self._vocabularies: list[Vocabulary] = [()] * len(source.numbers)

    @property
    def status(self) -> npt.NDArray[np.uint8]:
        """One status per item; without memory if all are scored."""
        if self._all_scored:
            return np.broadcast_to(np.uint8(Status.SCORED), self._status.shape)
        self._status.flags.writeable = False  # so that results share it
        return self._status

    def column(self, name: str) -> str:
        """The stored name of a column of the result."""
        return f"metric.{self.number}.{name}"

    def add(self, place: int, rows: slice, table: PartTable) -> None:
        """Add the facts of a part.

        Raises:
            InputError: if it was made with other settings.
        """
        described = table.results[self.number]
        if _settings(described) != _settings(self.description):
            _ = MetricResult.concatenate([_without_items(self.description), _without_items(described)])
        status = read_status(table.columns[self.column("status")])
        if (status != Status.SCORED).any():
            self._status[rows] = status
            self._all_scored = False
        evidence = table.columns.get(self.column("evidence"))
        self.has_evidence |= evidence is not None and evidence.null_count < len(evidence)
        self._vocabularies[place] = tuple(Label(*label) for label in described["labels"])
        self.ragged |= {name for name in table.types if name.startswith(self.column("ragged."))}
        prefix = self.column("statistic.")
        for name, kind in table.types.items():
            if name.startswith(prefix):
                self.types.setdefault(name.removeprefix(prefix), set()).add(kind)

    @cached_property
    def labels(self) -> tuple[Vocabulary, Sequence[Codes] | None]:
        """The labels of all parts; and the new codes of each part, unless all have the same labels."""
        first = self._vocabularies[0]
        if all(labels == first for labels in self._vocabularies):
            return first, None
        return merge_vocabularies(self._vocabularies)


class PartIndex:
    """Facts about all parts of an opened run. Creating it reads and verifies each part once.

    Args:
        source: the parts.

    Raises:
        DamagedRunError: if a part is damaged, or of another run.
        KeyError, IndexError, InputError: if parts have different inputs or metrics.
    """

    def __init__(self, source: PartSource) -> None:
        self._source = source
        first = source.read(0, lambda _: False)
        self.inputs = list(first.inputs)
        self.results = [ResultIndex(n, entry, source) for n, entry in enumerate(first.results)]
        source.for_each(self._add)

    def _add(self, place: int) -> None:
        # Columns of evidence are read only until one has an entry: others are empty, so cost nothing.
        needed = {result.column("status") for result in self.results}
        needed |= {result.column("evidence") for result in self.results if not result.has_evidence}
        with self._source.explained(place):
            table = self._source.read(place, needed.__contains__)
        for name in self.inputs:
            _ = table.inputs[name]
        for result in self.results:
            result.add(place, self._source.rows(place), table)


def _settings(description: Mapping[str, Any]) -> dict[str, Any]:
    return {key: entry for key, entry in description.items() if key not in _PER_PART}


def _without_items(description: Mapping[str, Any]) -> MetricResult:
    return described_result(description, Statistics({}), [], {}, None)
