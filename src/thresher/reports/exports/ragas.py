"""A run as samples of ragas."""

from typing import Any

from thresher.reports.rendering.text import plain
from thresher.reports.runs.item_tables import item_scores
from thresher.reports.runs.run_data import RunData
from thresher.results.column_roles import columns_for

_SAMPLE = {
    "user_input": "questions",
    "response": "predicted_answers",
    "retrieved_contexts": "contexts",
    "reference": "ground_truth_answers",
    "reference_contexts": "ground_truth_contexts",
}
"""Field of a sample of ragas -> the input that it is made of."""


def to_ragas(run: RunData) -> list[dict[str, Any]]:
    """Return one dict per item: the fields of ragas' samples, then the score of each metric with item scores.

    A sample has one reference. Where an item has several, the first is `reference`, and `references` has all.
    Entries and scores that are missing are None; ragas ignores fields that it does not know.
    """
    found = {field: columns_for(name, run.inputs) for field, name in _SAMPLE.items()}
    fields = {field: run.inputs[columns[0]] for field, columns in found.items() if columns}
    columns = {field: list(map(plain, column)) for field, column in fields.items()}
    references = columns.get("reference", [])
    if any(isinstance(entry, list) for entry in references):
        columns["references"] = references
        columns["reference"] = [_first(entry) for entry in references]
    columns |= item_scores(run)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _first(entry: Any) -> Any:
    return (entry or [None])[0] if isinstance(entry, list) else entry
