"""Whether the entries of two columns are the same is asked of their content, whatever they are."""

import numpy as np
import pytest
from haystack import Document

from thresher.kernels.detection.detections import Detections
from thresher.kernels.detection.polygons import Polygons
from thresher.reports.comparisons import data_differences
from thresher.reports.comparisons.data_differences import other_data, same_entries
from thresher.reports.comparisons.join import join
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn, Mean, Measure, MetricResult, Signature, Statistics
from thresher.results.parted_columns import PartedColumn


def polygon(width):
    return Detections.of(["cat"], geometries=[Polygons.of([[[0, 0], [width, 0], [width, 4]]])])


KINDS = {
    "boxes": lambda size: Detections.of(["cat"], [[0, 0, size, 5]], [0.5]),
    "polygons": polygon,
    "documents": lambda size: Document(content="text", meta={"size": size}),
    "arrays": lambda size: np.full(3, size),
    "lists of dictionaries": lambda size: [{"size": size, "none": None, "nan": float("nan")}],
}


@pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)
def test_equal_content_is_the_same_and_other_content_is_not(make):
    assert same_entries([make(10), make(20)], [make(10), make(20)])
    assert not same_entries([make(10), make(20)], [make(10), make(30)])
    assert not same_entries([make(10)], [make(10), make(20)])
    assert not same_entries([make(10)], [None])


def run_of(numbers, entries, *, parted):
    """A run whose items have these numbers; entries of the task by number of the item."""
    columns = {
        "id": [f"item {number}" for number in numbers],
        "ground_truth_answers": [entries(number) for number in numbers],
    }
    ends = [*range(4, len(numbers), 4), len(numbers)]
    if parted:
        columns = {
            name: PartedColumn(
                ends, lambda part, column=column: FrozenColumn(column[4 * part : 4 * part + 4])
            )
            for name, column in columns.items()
        }
    metrics = [
        MetricResult(
            [Measure(Signature("hit"), Mean(), "score")], Statistics({"score": [0.0] * len(numbers)})
        )
    ]
    inputs = {"ground_truth_answers": columns["ground_truth_answers"]}
    return RunData(inputs, metrics, ids=columns["id"])


SHUFFLED = np.random.default_rng(0).permutation(31).tolist()
ENTRIES = {
    "texts": lambda number: f"answer {number}",
    "lists": lambda number: [f"answer {number}", "the same"],
    "numbers": lambda number: number % 5,
    "documents": lambda number: Document(content=f"answer {number}"),
    "missing": lambda number: None if number % 3 else float("nan"),
}


@pytest.mark.parametrize("entries", ENTRIES.values(), ids=ENTRIES)
@pytest.mark.parametrize("others", [[], [5], [5, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]])
def test_entries_in_another_order_are_compared_as_in_memory(monkeypatch, entries, others):
    """Numbers are equal to their floats, whose hashes differ here: they are compared themselves."""
    monkeypatch.setattr(data_differences, "_BLOCK", 4)

    def changed(number):
        entry = entries(number)
        if number in others:
            return "another"
        return float(entry) if isinstance(entry, int) else entry

    sentences = []
    for parted in (False, True):
        runs = run_of(range(3, 31), entries, parted=parted), run_of(SHUFFLED, changed, parted=parted)
        sentences.append(other_data(*runs, join(*runs), ("a", "b")))
    assert sentences[0] == sentences[1]
    assert [
        f"differs in {len(others)} of 28 items (the first is item 5)" in text for text in sentences[1]
    ] == ([True] if others else [])
