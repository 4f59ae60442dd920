"""The parts of a run in memory, as results."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.pipelines.parts import (
    ChunkPart,
)
from thresher.pipelines.run_summary import SUMMARY
from thresher.reports.evaluation_results import EvaluationResults
from thresher.results import MetricResult


def joined(parts: Sequence[ChunkPart], manifest: Mapping[str, Any]) -> EvaluationResults:
    """Concatenate the parts of a run.

    Raises:
        KeyError, IndexError, InputError: if they have different inputs or metrics.
    """
    inputs = {
        name: type(column).concatenate([part.inputs[name] for part in parts])
        for name, column in parts[0].inputs.items()
    }
    results = [
        MetricResult.concatenate([part.results[number] for part in parts])
        for number in range(len(parts[0].results))
    ]
    return EvaluationResults(
        inputs,
        results,
        name=manifest["name"],
        ids=[key for part in parts for key in part.ids],
        ids_given=manifest.get("ids_given", True),
        provenance={key: entry for key, entry in manifest.items() if key != SUMMARY},
    )
